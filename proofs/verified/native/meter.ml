(* How much work is left. Every operation on integers takes its share, in units of some nanoseconds, and so does what
   the reader does for each byte: then no file is followed for long, whatever it says. Nobody has to trust this: whoever
   runs out accepts nothing. *)

exception Exhausted

let left = ref max_int

let[@inline] spend units =
  left := !left - units;
  if !left < 0 then raise Exhausted

(* Memory, too: the size of the heap is looked at after each minor collection, for which a value that dies at once waits.
   What survives the collection is work for the collector. *)
exception Too_large

let most_words = ref max_int
let units_per_word = 10
let promoted = ref 0.

let rec watch () = Gc.finalise_last looked (ref 0)

and looked () =
  let now = Gc.quick_stat () in
  if now.heap_words > !most_words then raise Too_large;
  watch ();
  let words = now.promoted_words -. !promoted in
  promoted := now.promoted_words;
  spend (units_per_word * int_of_float words)

(* Bytes of files for which there are work and memory. *)
let allowed = ref 0

let allow bytes =
  left := !left + int_of_float (Allowance.units (!allowed + bytes) -. Allowance.units !allowed);
  most_words := !most_words + (Allowance.memory_per_byte * bytes / 8);
  allowed := !allowed + bytes

let start () =
  left := int_of_float (Allowance.units 0);
  allowed := 0;
  most_words := Allowance.free_memory / 8;
  allow Allowance.free_bytes;
  watch ()
