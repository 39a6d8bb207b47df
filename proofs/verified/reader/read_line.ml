(* A line of a certificate: the name of a rule, then its arguments. *)

exception Unreadable

let integer = function Json.Int z -> z | _ -> raise Unreadable
let natural = function Json.Int z when Z.sign z >= 0 -> z | _ -> raise Unreadable
let list = function Json.List values -> values | _ -> raise Unreadable

let number = function
  | Json.Text text -> ( try Read_number.read text with Read_number.Not_a_number -> raise Unreadable)
  | _ -> raise Unreadable

let factor = function
  | Json.Text text -> ( try Read_number.factor text with Read_number.Not_a_number -> raise Unreadable)
  | _ -> raise Unreadable

let side = function Json.Text "low" -> Syntax.Low | Json.Text "high" -> Syntax.High | _ -> raise Unreadable
let integers = Reading.map integer

(* What cannot be read in a case counts when its turn comes. *)
let case json =
  match list json with
  | [] -> raise Unreadable
  | [ Json.Text "split"; k; point ] -> (
    try Syntax.Split (natural k, number point) with Unreadable -> Syntax.BrokenCase)
  | [ Json.Text "lemma"; k; s; value ] -> (
    try Syntax.Lemma_ (natural k, side s, number value) with Unreadable -> Syntax.BrokenCase)
  | [ Json.Text "sweep" ] -> Syntax.Sweep
  | Json.Text "leaf" :: multipliers -> (
    try Syntax.Leaf (Reading.map number multipliers) with Unreadable -> Syntax.BrokenLeaf)
  | Json.Text "pair" :: multipliers -> (
    try Syntax.Pair (Reading.map number multipliers) with Unreadable -> Syntax.BrokenLeaf)
  | _ -> Syntax.BrokenCase

let cases = Reading.map case

(* What is inside of an argument costs steps, too: numbers of a cone, multipliers, and further terms of numbers. *)
let rec extra json =
  match json with
  | Json.List values -> List.fold_left (fun sum value -> sum + 1 + extra value) 0 values
  | Json.Text text -> String.fold_left (fun sum c -> if c = '+' || c = '-' then sum + 1 else sum) 0 text
  | _ -> 0

let cone json = Reading.map (function Json.Int c -> Some c | _ -> None) (list json)

let rule name arguments =
  match (name, arguments) with
  | "node", [ k ] -> Syntax.RNode (natural k)
  | "atom", [ c ] -> RAtom (integer c)
  | "not", [ c ] -> RNot (integer c)
  | "scale", [ f; c ] -> RScale (factor f, integer c)
  | "plus", _ :: _ -> RPlus (integers arguments)
  | "times", _ :: _ -> RTimes (integers arguments)
  | "lemma", [ g; h; c ] -> RLemma (integer g, integer h, integer c)
  | "cut", [ f; g; c; l; m ] -> RCut (integer f, integer g, integer c, number l, number m)
  | "sort", p :: claims -> RSort (natural p, integers claims)
  | "average", s :: p :: a :: claims -> RAverage (natural s, natural p, integer a, integers claims)
  | "same", [ a; b ] -> RSame (integer a, integer b)
  | "equals", a :: b :: claims :: rest -> REquals (integer a, integer b, cone claims, cases rest)
  | "unit", [ l; i; r; s ] -> RUnit (natural l, natural i, number r, integer s)
  | "affine", [ l; i ] -> RAffine (natural l, natural i)
  | "clip", l :: i :: b :: p :: units -> RClip (natural l, natural i, number b, natural p, integers units)
  | "bound", l :: i :: s :: value :: rest -> RBound (natural l, natural i, side s, number value, cases rest)
  | "twin", [ l; i; m; p ] -> RTwin (natural l, natural i, natural m, number p)
  | "apart", l :: i :: s :: value :: rest -> RApart (natural l, natural i, side s, number value, cases rest)
  | "output", [ k; c; scale; offset ] -> ROutput (natural k, integer c, number scale, number offset)
  | "equal", [ k; a; b ] -> REqual (natural k, integer a, integer b)
  | "formula", [] -> RFormula
  | _ -> Reading.malformed "a rule with as many arguments as it has"

let read json =
  match json with
  | Json.List (Json.Text name :: arguments) ->
    let what = try rule name arguments with Unreadable -> Syntax.RBroken in
    { Syntax.arguments = Z.of_int (extra (Json.List arguments)); what }
  | _ -> Reading.malformed "a list that begins with the name of a rule"
