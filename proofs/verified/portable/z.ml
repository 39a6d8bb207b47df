(* Integers of JavaScript in place of zarith: those functions of its module Z that are used here. z.js has the stubs. *)

type t

external add : t -> t -> t = "verimv_add"
external sub : t -> t -> t = "verimv_sub"
external mul : t -> t -> t = "verimv_mul"
external neg : t -> t = "verimv_neg"
external fdiv : t -> t -> t = "verimv_fdiv"
external div : t -> t -> t = "verimv_div"
external rem : t -> t -> t = "verimv_rem"
external divexact : t -> t -> t = "verimv_divexact"
external gcd : t -> t -> t = "verimv_gcd"
external logand : t -> t -> t = "verimv_and"
external shift_left : t -> int -> t = "verimv_shift_left"
external shift_right : t -> int -> t = "verimv_shift_right"
external compare : t -> t -> int = "verimv_compare"
external equal : t -> t -> bool = "verimv_equal"
external sign : t -> int = "verimv_sign"
external is_even : t -> bool = "verimv_is_even"
external numbits : t -> int = "verimv_numbits"
external sqrt : t -> t = "verimv_sqrt"
external of_int : int -> t = "%identity"
external to_int : t -> int = "verimv_to_int"
external of_digits : string -> t = "verimv_of_digits"
external to_string : t -> string = "verimv_to_string"

let zero = of_int 0
let one = of_int 1
let succ x = add x one
let abs x = if sign x < 0 then neg x else x
let leq x y = compare x y <= 0
let div_rem x y = (div x y, rem x y)
let of_substring text ~pos ~len = of_digits (String.sub text pos len)

let of_string text =
  if text.[0] = '-' then neg (of_digits (String.sub text 1 (String.length text - 1))) else of_digits text

let rec power x k = if k = 0 then one else mul x (power x (k - 1))

(* The largest integer whose k-th power is at most n > 0, by halving; for the constants of SHA-256. *)
let root n k =
  let rec between low high =
    let middle = shift_right (add low high) 1 in
    if equal middle low then low else if leq (power middle k) n then between middle high else between low middle
  in
  between zero (shift_left one ((numbits n / k) + 1))
