(* What readers say of files that they refuse; no reader ever accepts anything. *)

exception Rejected of Syntax.rejection * string

let malformed expected = raise (Rejected (Syntax.Malformed, "expected " ^ expected))
let invalid expected = raise (Rejected (Syntax.Invalid, "expected " ^ expected))
let well_formed holds expected = if not holds then malformed expected

(* Lists can be long, and OCaml's own map goes down the stack. *)
let map f list = List.rev (List.rev_map f list)
let map2 f list others = List.rev (List.rev_map2 f list others)

(* By texts. *)
module Table = Hashtbl.Make (struct include String let hash = Hashtbl.hash end)

let all_different texts =
  let seen = Table.create 16 in
  let is_new text = (not (Table.mem seen text)) && (Table.add seen text (); true) in
  List.for_all is_new texts

(* Whether [word] stands in [text] at [at]. *)
let stands text at word =
  let n = String.length word in
  let rec same i = i = n || (String.unsafe_get text (at + i) = String.unsafe_get word i && same (i + 1)) in
  at + n <= String.length text && same 0
