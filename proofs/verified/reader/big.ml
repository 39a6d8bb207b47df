(* What the numbers of Coq become: positive, N and Z are integers of zarith, or what stands in its place. Together with
   Extract.v, which says where each of these functions is used, and Integers, this is all that is trusted about
   arithmetic. Meter.spend only counts. *)

type t = Z.t

let zero = Z.zero
let one = Z.one
let same (n : t) = n

let is_small = Integers.is_small
let length = Integers.length

(* The work of an operation on small integers, and on others: of an operation that walks through its operands, of a
   product, a quotient and a greatest common divisor. *)
let base = 16
let small = 4
let walk x y = Meter.spend (base + length x + length y)
let product x y =
  let m = length x and n = length y in
  Meter.spend (base + (m * n / 4) + m + n)
let quotient x y =
  let m = length x and n = length y in
  Meter.spend (2 * base + m + (n * (1 + Stdlib.abs (m - n)) / 2))
let divisor x y =
  let m = length x and n = length y in
  Meter.spend (2 * base + ((if m < 2 || n < 2 then 24 else 130) * Stdlib.min m n) + (m * n))

(* Constructors of positive (2p, 2p + 1), and what a match on positive, N or Z does. *)
let double p = walk p p; Z.shift_left p 1
let double_plus_one p = Z.succ (double p)
let[@inline] is_one (p : t) = p == one
let[@inline] is_even (p : t) = if is_small p then Integers.is_even p else Z.is_even p
let long_half p = walk p p; Z.shift_right p 1
let[@inline] half (p : t) =
  Meter.spend small;
  if is_one p then p else if is_small p then Integers.half p else long_half p
let match_positive odd even one p = if is_one p then one () else if is_even p then even (half p) else odd (half p)
let match_natural zero positive n = if n == Z.zero then zero () else positive n
let match_integer zero positive negative z =
  if z == Z.zero then zero () else if Z.sign z > 0 then positive z else (walk z z; negative (Z.neg z))

let match_length zero succ n = if n = 0 then zero () else succ (n - 1)
let of_length = Z.of_int

let long_add x y = walk x y; Z.add x y
let add x y = if is_small x && is_small y then begin Meter.spend small; Integers.add x y end else long_add x y

let long_sub x y = walk x y; Z.sub x y
let sub x y = if is_small x && is_small y then begin Meter.spend small; Integers.sub x y end else long_sub x y

let long_mul x y = product x y; Z.mul x y
let mul x y =
  if Integers.is_short x && Integers.is_short y then begin Meter.spend small; Integers.mul_short x y end
  else if is_one y then begin Meter.spend small; x end
  else if is_one x then begin Meter.spend small; y end
  else long_mul x y

let neg x = walk x x; Z.neg x
let abs x = walk x x; Z.abs x
let succ x = add x one

let glance x y = Meter.spend (4 + ((length x + length y) / 4))
let long_equal x y = glance x y; x == y || Z.equal x y
let[@inline] equal (x : t) (y : t) =
  if is_small x || is_small y || x == y then begin Meter.spend small; x == y end else long_equal x y

let long_compare x y = glance x y; Z.compare x y
let[@inline] order x y =
  if is_small x && is_small y then begin Meter.spend small; Integers.compare x y end else long_compare x y

let leq x y = order x y <= 0
let lt x y = order x y < 0
let max x y = if order x y >= 0 then x else y
let compare x y =
  Meter.spend small;
  match order x y with 0 -> Datatypes.Eq | c -> if c < 0 then Datatypes.Lt else Datatypes.Gt

let logand x y =
  if is_small x && is_small y then begin Meter.spend small; Integers.logand x y end
  else begin walk x y; Z.logand x y end

(* N and positive have no negative numbers: differences stop at 0, or at 1. *)
let to_natural z = max Z.zero z
let to_positive z = max Z.one z
let sub_natural x y = to_natural (sub x y)
let sub_positive x y = to_positive (sub x y)

(* The number of binary digits. *)
let size x = Meter.spend base; Z.of_int (Z.numbits x)

(* Rounded down; by 0 it is 0, as in Coq. *)
let div x y = if y == Z.zero then Z.zero else begin quotient x y; Z.fdiv x y end
let modulo x y = sub x (mul y (div x y))
let sqrt x =
  let n = length x in
  Meter.spend (2 * base + (n * n));
  if Z.sign x > 0 then Z.sqrt x else Z.zero

(* Quotient and remainder of positive numbers. *)
let divided x y = quotient x y; Z.div_rem x y

(* A shift by a negative number is one to the other side. *)
let shift_left x n =
  let n = Z.to_int n in
  Meter.spend (base + length x + (Stdlib.abs n / 64));
  if n >= 0 then Z.shift_left x n else Z.shift_right x (-n)

(* The greatest common divisor, and both numbers divided by it. *)
let ggcd x y =
  if is_one y then begin Meter.spend small; (y, (x, y)) end
  else begin
    divisor x y;
    let g = Z.gcd x y in
    if Z.leq g Z.one then (g, (x, y))
    else begin
      quotient x g;
      quotient y g;
      (g, (Z.divexact x g, Z.divexact y g))
    end
  end
