(* The largest s such that s² divides n. The checker tests that s² divides n; if s were too small, some certificates with
   square roots would be refused. *)

let primes =
  let is_prime n = let rec none d = d * d > n || (n mod d <> 0 && none (d + 1)) in none 2 in
  List.map Z.of_int (List.filter is_prime (List.init 999 (fun i -> i + 2)))

let divides d n = Z.equal (Z.rem n d) Z.zero

let rec out_of n p s = let square = Z.mul p p in if divides square n then out_of (Z.div n square) p (Z.mul s p) else (n, s)

(* What is left of n < 1000³ without its small primes has two primes at most: it is a square, or no square divides it. *)
let largest n =
  let without (n, s) p = let n, s = out_of n p s in ((if divides p n then Z.div n p else n), s) in
  let rest, s = List.fold_left without (n, Z.one) primes in
  let root = Z.sqrt rest in
  if Z.equal (Z.mul root root) rest then Z.mul s root else s

let most_bits = 62

let root_in n =
  Meter.spend 1000;
  if Z.numbits n <= most_bits && Z.sign n > 0 then largest n else Z.one
