(* What files may cost, by the bytes that they have as they are stored. Nobody has to trust this: whoever runs out of it
   accepts nothing. *)

(* 250,000 bytes more than there are, are paid for. *)
let free_bytes = 250_000
let free_memory = 384 lsl 20
let memory_per_byte = 256

(* Large files may be evidence that somebody has worked on for hours, and have a right to more. *)
let units_per_byte = 9_000
let units_per_further_byte = 24_000

(* Units of work for so many bytes, the free ones included. There are more than an integer of JavaScript can count. *)
let units bytes =
  let first = min bytes 1_250_000 in
  (float units_per_byte *. float first) +. (float units_per_further_byte *. float (bytes - first))
