(* The text of a formula: definitions, each one operator over operands with prefixes. Names become numbers. *)

type t = { inputs : string list; outputs : string list; formula : Syntax.formula }

let stands = Reading.stands
let is_letter c = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c = '_'
let is_in_name c = is_letter c || ('0' <= c && c <= '9') || c = '.' || c = '\''

let is_name text =
  text <> "" && is_letter text.[0] && String.for_all is_in_name text && text <> "inputs" && text <> "outputs"

let rec after_spaces text at = if stands text at " " then after_spaces text (at + 1) else at

(* δ[i] or Δ[r], of which the letter stands just before [at]; in certificates they are d[i] and D[r]. *)
let multiple text letter at =
  match String.index_from_opt text at ']' with
  | None -> Reading.malformed "a bracket that is closed"
  | Some stop -> (
    match Read_number.factor (letter ^ String.sub text at (stop + 1 - at)) with
    | factor -> (Syntax.Multiple factor, stop + 1)
    | exception Read_number.Not_a_number -> Reading.malformed "a number as a factor")

(* What stands before a name, the innermost first, and where that ends. *)
let rec prefixes text at found =
  let at = after_spaces text at in
  let more (prefix, stop) = prefixes text stop (prefix :: found) in
  if stands text at "¬" then more (Syntax.Negation, at + String.length "¬")
  else if stands text at "δ[" then more (multiple text "d" (at + String.length "δ"))
  else if stands text at "Δ[" then more (multiple text "D" (at + String.length "Δ"))
  else (found, at)

let operand numbers text at =
  let prefixes, start = prefixes text at [] in
  let rec stop i = if i < String.length text && is_in_name text.[i] then stop (i + 1) else i in
  let after = stop start in
  match Reading.Table.find_opt numbers (String.sub text start (after - start)) with
  | Some name -> ({ Syntax.prefixes = List.rev prefixes; name }, after_spaces text after)
  | None -> Reading.malformed "names from above, with prefixes"

let expression numbers text =
  let first, stop = operand numbers text 0 in
  let op, sign = if stands text stop "⊕" then (Syntax.Sum, "⊕") else (Syntax.Product, "⊙") in
  let rec more at found =
    if at = String.length text then List.rev found
    else begin
      Reading.well_formed (stands text at sign) "one kind of operator between operands";
      let one, stop = operand numbers text (at + String.length sign) in
      more stop (one :: found)
    end
  in
  { Syntax.op; first; others = more stop [] }

let add_name numbers name = Reading.Table.add numbers name (Z.of_int (Reading.Table.length numbers))

(* A line name = expression. *)
let definition numbers line =
  match String.index_opt line '=' with
  | None -> Reading.malformed "a definition name = expression"
  | Some i ->
    let name = Utf8.strip (String.sub line 0 i) in
    Reading.well_formed (is_name name && not (Reading.Table.mem numbers name)) "a new name";
    let found = expression numbers (String.sub line (i + 1) (String.length line - i - 1)) in
    add_name numbers name;
    found

let outputs_of numbers line =
  match Utf8.words line with
  | "outputs" :: (_ :: _ as names) ->
    let is_known name = name <> "0" && name <> "1" && Reading.Table.mem numbers name in
    Reading.well_formed (List.for_all is_known names && Reading.all_different names) "different defined names as outputs";
    names
  | _ -> Reading.malformed "outputs in the last line"

let lines_of text =
  let is_kept line = line <> "" && line.[0] <> '#' in
  List.filter is_kept (Reading.map Utf8.strip (String.split_on_char '\n' text))

(* [inputs], where given, are those that the formula must have. *)
let read ?inputs text =
  match lines_of text with
  | first :: second :: third :: rest when Utf8.words first = [ "verimv-formula"; "1" ] ->
    let names = match Utf8.words second with "inputs" :: names -> names | _ -> Reading.malformed "inputs in the second line" in
    if Option.value inputs ~default:names <> names then Reading.invalid "the inputs of the other subject";
    Reading.well_formed (List.for_all is_name names && Reading.all_different names) "different names as inputs";
    let numbers = Reading.Table.create () in
    List.iter (add_name numbers) ("0" :: "1" :: names);
    let rec read_on line rest found =
      match rest with
      | [] -> (List.rev found, outputs_of numbers line)
      | next :: rest -> let one = definition numbers line in read_on next rest (one :: found)
    in
    let definitions, found = read_on third rest [] in
    { inputs = names; outputs = found; formula = { definitions; outputs = Reading.map (Reading.Table.find numbers) found } }
  | _ -> Reading.malformed "verimv-formula 1, inputs, definitions, outputs"
