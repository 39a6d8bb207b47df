(* Integers below 2^53, which are numbers of JavaScript, and longer ones: z.js tells them apart by itself. *)

let is_small (x : Z.t) = Obj.is_int (Obj.repr x)

external length : Z.t -> int = "verimv_length"

let add = Z.add
let sub = Z.sub
let logand = Z.logand
let compare = Z.compare
let is_even = Z.is_even
let half x = Z.shift_right x 1
let is_short = is_small
let mul_short = Z.mul
