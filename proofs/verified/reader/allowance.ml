(* What files may cost, by the bytes that they have as they are stored, or by the seconds that whoever asks allows. Nobody
   has to trust this: whoever runs out of it accepts nothing. *)

(* 250,000 bytes more than there are, are paid for. *)
let free_bytes = 250_000
let free_memory = 384 lsl 20
let memory_per_byte = 256

(* Large files may be evidence that somebody has worked on for hours, and have a right to more. *)
let units_per_byte = 9_000
let units_per_further_byte = 24_000

(* So many steps of the checker for each byte, the free ones included. *)
let steps_per_byte = 4

(* Seconds that are allowed however few bytes there are: --effort. No clock is asked: a unit takes one or two nanoseconds
   in the native build, most steps more than a microsecond. *)
let most_seconds = 1_000_000
let seconds = ref 0
let units_per_second = 1_000_000_000
let steps_per_second = 1_000_000

(* Units of work for so many bytes, the free ones included. There are more than an integer of JavaScript can count. *)
let units bytes =
  let first = min bytes 1_250_000 in
  let by_size = (float units_per_byte *. float first) +. (float units_per_further_byte *. float (bytes - first)) in
  max by_size (float units_per_second *. float !seconds)

let steps bytes =
  let times m n = Z.mul (Z.of_int m) (Z.of_int n) in
  let by_size = times steps_per_byte bytes and by_time = times steps_per_second !seconds in
  if Z.leq by_time by_size then by_size else by_time

(* What to do who runs out of it. *)
let advice = "for files of this size (--effort SECONDS allows more)"
