(* How much work is left, as ../native/meter.ml counts it. Memory is for the engine to limit: it alone knows. *)

exception Exhausted
exception Too_large

(* There are more units than an integer of JavaScript can count; so what was spent is taken off now and then. *)
let left = ref infinity
let spent = ref 0
let much = 1 lsl 28

let settle () =
  left := !left -. float !spent;
  spent := 0;
  if !left < 0. then raise Exhausted

let spend units =
  spent := !spent + units;
  if !spent > much then settle ()

let allowed = ref 0

let allow bytes =
  left := !left +. Allowance.units (!allowed + bytes) -. Allowance.units !allowed;
  allowed := !allowed + bytes

let start () =
  left := Allowance.units 0;
  spent := 0;
  allowed := 0;
  allow Allowance.free_bytes
