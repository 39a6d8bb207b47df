(* A network file: keys, types and sizes are looked at here; numbers are left as they are written. *)

type t = { inputs : string list; outputs : string list; network : Syntax.network }

(* The values of an object that has exactly these keys. *)
let with_keys json keys =
  let has_all entries = List.length entries = List.length keys && List.for_all (fun k -> List.mem_assoc k entries) keys in
  match json with
  | Json.Object entries when has_all entries -> List.map (fun key -> List.assoc key entries) keys
  | _ -> Reading.malformed ("something else than an object with the keys " ^ String.concat ", " keys)

let list = function Json.List values -> values | _ -> Reading.malformed "something else than a list"
let is_whole json n = match json with Json.Int z -> Z.equal z (Z.of_int n) | _ -> false

let number json =
  try match json with Json.Text text -> Read_number.read text | _ -> raise Read_number.Not_a_number
  with Read_number.Not_a_number -> Reading.malformed "something else than a number, as a string"

let interval json =
  match Reading.map number (list json) with
  | [ low; high ] -> (low, high)
  | _ -> Reading.malformed "something else than an interval [low, high]"

(* A weight of an object {"width": n, "index": weight, …}. *)
let sparse width (key, weight) =
  match int_of_string_opt key with
  | Some index when string_of_int index = key && 0 <= index && index < width -> (Z.of_int index, number weight)
  | _ -> Reading.malformed "something else than an index below the width"

let row width bias json =
  let has_width n = Reading.well_formed n "a row that is not as wide as the layer below" in
  let bias = number bias in
  match json with
  | Json.List weights ->
    has_width (List.length weights = width);
    { Syntax.bias; weights = List.rev (snd (List.fold_left (fun (j, l) w -> (j + 1, (Z.of_int j, number w) :: l)) (0, []) weights)) }
  | Json.Object entries ->
    let widths, weights = List.partition (fun (key, _) -> key = "width") entries in
    has_width (List.exists (fun (_, n) -> is_whole n width) widths);
    { Syntax.bias; weights = Reading.map (sparse width) weights }
  | _ -> Reading.malformed "something else than a row of weights"

let activation = function
  | Json.Text "relu" -> Syntax.Relu
  | Json.Text "crelu" -> Syntax.Clip
  | Json.Text "identity" -> Syntax.Identity
  | _ -> Reading.malformed "an unknown activation"

(* For the number of neurons below: the number of its own, and the layer. *)
let layer width json =
  match with_keys json [ "weights"; "bias"; "activation" ] with
  | [ weights; bias; kind ] ->
    let act = activation kind and bias = list bias and weights = list weights in
    let count = List.length weights in
    Reading.well_formed (List.length bias = count && count > 0 && width > 0) "a layer without a bias for each row";
    (count, { Syntax.act; rows = Reading.map2 (row width) bias weights })
  | _ -> Reading.malformed "no layer"

let names count json =
  let text = function Json.Text name -> name | _ -> Reading.malformed "a name that is no text" in
  let found = Reading.map text (list json) in
  Reading.well_formed (count > 0 && List.length found = count && Reading.all_different found) "names that do not fit";
  found

let read text =
  match with_keys (Json.read text) [ "format"; "version"; "inputs"; "box"; "layers"; "outputs" ] with
  | [ format; version; inputs; box; layers; outputs ] ->
    Reading.well_formed (format = Json.Text "verimv-network" && is_whole version 1) "no verimv-network 1";
    let box = Reading.map interval (list box) in
    let width, layers = List.fold_left_map layer (List.length box) (list layers) in
    let inputs = names (List.length box) inputs in
    { inputs; outputs = names (if layers = [] then 0 else width) outputs; network = { box; layers } }
  | _ -> Reading.malformed "no network"
