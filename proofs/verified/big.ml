(* What the numbers of Coq become: positive, N and Z are integers of zarith. Together with Extract.v, which says where
   each of these functions is used, this is all that is trusted about arithmetic. *)

type t = Z.t

let zero = Z.zero
let one = Z.one
let same (n : t) = n

(* Constructors of positive (2p, 2p + 1), and what a match on positive, N or Z does. *)
let double p = Z.shift_left p 1
let double_plus_one p = Z.succ (double p)
let is_one p = Z.equal p Z.one
let half p = if is_one p then p else Z.shift_right p 1
let is_even = Z.is_even
let match_positive odd even one p = if is_one p then one () else if is_even p then even (half p) else odd (half p)
let match_natural zero positive n = if Z.equal n Z.zero then zero () else positive n
let match_integer zero positive negative z =
  if Z.equal z Z.zero then zero () else if Z.sign z > 0 then positive z else negative (Z.neg z)

let match_length zero succ n = if n = 0 then zero () else succ (n - 1)
let of_length = Z.of_int

let add = Z.add
let sub = Z.sub
let mul = Z.mul
let neg = Z.neg
let abs = Z.abs
let succ = Z.succ
let max = Z.max
let equal = Z.equal
let leq = Z.leq
let lt = Z.lt
let compare x y = match Z.compare x y with 0 -> Datatypes.Eq | c -> if c < 0 then Datatypes.Lt else Datatypes.Gt
let logand = Z.logand

(* N and positive have no negative numbers: differences stop at 0, or at 1. *)
let to_natural z = Z.max Z.zero z
let to_positive z = Z.max Z.one z
let sub_natural x y = to_natural (Z.sub x y)
let sub_positive x y = to_positive (Z.sub x y)

(* The number of binary digits. *)
let size x = Z.of_int (Z.numbits x)

(* Rounded down; by 0 it is 0, as in Coq. *)
let div x y = if Z.equal y Z.zero then Z.zero else Z.fdiv x y
let modulo x y = Z.sub x (Z.mul y (div x y))
let sqrt x = if Z.sign x > 0 then Z.sqrt x else Z.zero

(* A shift by a negative number is one to the other side. *)
let shift_left x n = if Z.sign n >= 0 then Z.shift_left x (Z.to_int n) else Z.shift_right x (-Z.to_int n)

(* The greatest common divisor, and both numbers divided by it. *)
let ggcd x y =
  let g = if is_one y then y else Z.gcd x y in
  if Z.leq g Z.one then (g, (x, y)) else (g, (Z.divexact x g, Z.divexact y g))
