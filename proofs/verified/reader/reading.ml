(* What readers say of files that they refuse; no reader ever accepts anything. *)

exception Rejected of Syntax.rejection * string

let malformed expected = raise (Rejected (Syntax.Malformed, "expected " ^ expected))
let invalid expected = raise (Rejected (Syntax.Invalid, "expected " ^ expected))
let well_formed holds expected = if not holds then malformed expected

(* Lists can be long, and OCaml's own map goes down the stack. *)
let map f list = List.rev (List.rev_map f list)
let map2 f list others = List.rev (List.rev_map2 f list others)

(* By texts. These are search trees: whoever wrote the files may know texts with the same hash. *)
module Table = struct
  module Tree = Map.Make (String)

  type 'a t = { mutable tree : 'a Tree.t; mutable length : int }

  let create () = { tree = Tree.empty; length = 0 }
  let find_opt table text = Tree.find_opt text table.tree
  let find table text = Tree.find text table.tree
  let mem table text = Tree.mem text table.tree
  let length table = table.length
  let iter use table = Tree.iter use table.tree

  (* A text that is not there yet. *)
  let add table text value =
    table.tree <- Tree.add text value table.tree;
    table.length <- table.length + 1

  let reset table =
    table.tree <- Tree.empty;
    table.length <- 0
end

let all_different texts =
  let rec go = function one :: (next :: _ as rest) -> (not (String.equal one next)) && go rest | _ -> true in
  go (List.sort String.compare texts)

(* Whether [word] stands in [text] at [at]. *)
let stands text at word =
  let n = String.length word in
  let rec same i = i = n || (String.unsafe_get text (at + i) = String.unsafe_get word i && same (i + 1)) in
  at + n <= String.length text && same 0
