(* How much work is left. Every operation on integers takes its share, in units of some nanoseconds, and so does what
   the reader does for each byte: then no file is followed for long, whatever it says. Nobody has to trust this: whoever
   runs out accepts nothing. *)

exception Exhausted

let left = ref max_int

let[@inline] spend units =
  left := !left - units;
  if !left < 0 then raise Exhausted

(* Memory, too: the size of the heap is looked at after each minor collection, for which a value that dies at once waits. *)
exception Too_large

let most_words = ref max_int

let rec watch () = Gc.finalise_last looked (ref 0)

and looked () =
  if (Gc.quick_stat ()).Gc.heap_words > !most_words then raise Too_large;
  watch ()
