(* A network file: keys, types and sizes are looked at here; numbers are left as they are written. *)

type t = { inputs : string list; outputs : string list; network : Syntax.network }

(* An object that has exactly these keys, as a function of them. *)
let with_keys json keys =
  let has_all entries = List.length entries = List.length keys && List.for_all (fun k -> List.mem_assoc k entries) keys in
  match json with
  | Json.Object entries when has_all entries -> fun key -> List.assoc key entries
  | _ -> Reading.malformed ("an object with the keys " ^ String.concat ", " keys)

let list = function Json.List values -> values | _ -> Reading.malformed "a list"

let number json =
  try match json with Json.Text text -> Read_number.read text | _ -> raise Read_number.Not_a_number
  with Read_number.Not_a_number -> Reading.malformed "a number, as a string"

let interval json =
  match Reading.map number (list json) with
  | [ low; high ] -> (low, high)
  | _ -> Reading.malformed "an interval [low, high]"

(* A weight of an object {"width": n, "index": weight, …}. *)
let sparse width (key, weight) =
  match int_of_string_opt key with
  | Some index when string_of_int index = key && 0 <= index && index < width -> (Z.of_int index, number weight)
  | _ -> Reading.malformed "an index below the width"

let row width bias json =
  let has_width n = Reading.well_formed n "a row as wide as the layer below" in
  let bias = number bias in
  match json with
  | Json.List weights ->
    has_width (List.length weights = width);
    let indexed j weight = (j + 1, (Z.of_int j, number weight)) in
    { Syntax.bias; weights = snd (List.fold_left_map indexed 0 weights) }
  | Json.Object entries ->
    let widths, weights = List.partition (fun (key, _) -> key = "width") entries in
    has_width (List.exists (fun (_, n) -> Json.is_whole width n) widths);
    { Syntax.bias; weights = Reading.map (sparse width) weights }
  | _ -> Reading.malformed "a row of weights"

let activation = function
  | Json.Text "relu" -> Syntax.Relu
  | Json.Text "crelu" -> Syntax.Clip
  | Json.Text "identity" -> Syntax.Identity
  | _ -> Reading.malformed "relu, crelu or identity"

(* For the number of neurons below: the number of its own, and the layer. *)
let layer width json =
  let field = with_keys json [ "weights"; "bias"; "activation" ] in
  let act = activation (field "activation") and bias = list (field "bias") and weights = list (field "weights") in
  let count = List.length weights in
  Reading.well_formed (List.length bias = count && count > 0 && width > 0) "a bias for each row, and at least one";
  (count, { Syntax.act; rows = Reading.map2 (row width) bias weights })

let names count json =
  let text = function Json.Text name -> name | _ -> Reading.malformed "names" in
  let found = Reading.map text (list json) in
  Reading.well_formed (count > 0 && List.length found = count && Reading.all_different found) "as many names as there are, all different";
  found

let read text =
  let field = with_keys (Json.read text) [ "format"; "version"; "inputs"; "box"; "layers"; "outputs" ] in
  let is_right = Json.is_text "verimv-network" (field "format") && Json.is_whole 1 (field "version") in
  Reading.well_formed is_right "a verimv-network 1";
  let box = Reading.map interval (list (field "box")) in
  let width, layers = List.fold_left_map layer (List.length box) (list (field "layers")) in
  let inputs = names (List.length box) (field "inputs") in
  { inputs; outputs = names (if layers = [] then 0 else width) (field "outputs"); network = { box; layers } }
