(* The largest s such that s² divides n. The checker tests that s² divides n; if s were too small, some certificates with
   square roots would be refused. *)

let primes =
  let is_prime n = let rec none d = d * d > n || (n mod d <> 0 && none (d + 1)) in none 2 in
  List.filter is_prime (List.init 999 (fun i -> i + 2))

let rec out_of n p s = if n mod (p * p) = 0 then out_of (n / (p * p)) p (s * p) else (n, s)

(* What is left of n < 1000³ without its small primes has two primes at most: it is a square, or no square divides it. *)
let largest n =
  let without (n, s) p = let n, s = out_of n p s in ((if n mod p = 0 then n / p else n), s) in
  let rest, s = List.fold_left without (n, 1) primes in
  let root = Z.to_int (Z.sqrt (Z.of_int rest)) in
  if root * root = rest then s * root else s

let root_in n =
  Meter.spend 1000;
  if Z.fits_int n && Z.sign n > 0 then Z.of_int (largest (Z.to_int n)) else Z.one
