(* Reads the files of a certificate as proofs/FORMAT.md says, and asks the checker that was proved in Coq. *)

let names = [ ("network", "network.json"); ("source", "source.json"); ("other", "other.json");
              ("original", "original.mv"); ("formula", "formula.mv") ]

let certificates = [ "certificate.jsonl"; "certificate.jsonl.gz" ]
let no_certificate () = Reading.malformed "one of certificate.jsonl and certificate.jsonl.gz"

(* What certificates can be about. *)
let subject_sets = [ [ "network" ]; [ "network"; "other" ]; [ "network"; "formula" ];
                     [ "network"; "source"; "formula" ]; [ "network"; "other"; "formula" ];
                     [ "original"; "formula" ] ]

(* The files, wherever they are: how many bytes the certificate has, as it is stored; its lines, by a function that gives
   None after the last one; the text of a subject, and whether there is one. *)
type files = {
  size : unit -> int;
  with_lines : 'a. ((unit -> string option) -> 'a) -> 'a;
  subject : string -> string;
  has : string -> bool;
}

(* Where in the files something was refused, for the message. *)
let place = ref ""

let at where action = place := where; let result = action () in place := ""; result

(* The subjects that a header names, each with its hash. *)
let header line =
  match Option.map Json.read line with
  | Some (Json.Object entries) ->
    let key subject = subject ^ "_sha256" in
    let named = List.filter (fun (subject, _) -> List.mem_assoc (key subject) entries) names in
    let is key test = Option.fold ~none:false ~some:test (List.assoc_opt key entries) in
    let right =
      List.length entries = 2 + List.length named
      && is "format" (Json.is_text "verimv-certificate")
      && is "version" (Json.is_whole 1)
      && List.mem (List.map fst named) subject_sets
    in
    Reading.well_formed right "the header of a verimv-certificate 1 with its subjects' hashes";
    List.map (fun (subject, _) -> (subject, List.assoc (key subject) entries)) named
  | _ -> Reading.malformed "the header of a certificate"

(* Who looks into a directory takes every subject there for one that was checked. *)
let nothing_else files hashes =
  let is_named subject = List.mem_assoc subject hashes in
  let look (subject, _) =
    let expected = "a directory without a " ^ subject ^ " that the certificate does not name" in
    Reading.well_formed (is_named subject || not (files.has subject)) expected
  in
  List.iter look names

let is_ascii text = String.for_all (fun c -> c < '\x80') text

(* A certificate or a subject needs square roots: once more, over the reals. *)
exception Needs_roots

let accepted = function
  | Syntax.Ok value -> value
  | Reject (Incomplete, "a number with a square root") -> raise Needs_roots
  | Reject (Incomplete, "no more steps than the files allow") ->
    raise (Reading.Rejected (Incomplete, "expected fewer steps " ^ Allowance.advice))
  | Reject (status, expected) -> raise (Reading.Rejected (status, "expected " ^ expected))

(* Reading a byte of a line takes about so many units. *)
let units_per_byte_of_a_line = 10

(* What a certificate about these texts speaks of, and what of that is printed. The checker looks at the numbers of each
   subject before the next one is read: what is wrong first decides. *)
let subjects numbers texts =
  let network name = at name (fun () ->
      let read = Read_network.read (List.assoc name texts) in
      let (layers, _), _ = accepted (Networks.read_network numbers read.network) in
      (read, layers))
  in
  let formula ?inputs name = at name (fun () ->
      let read = Read_formula.read ?inputs (List.assoc name texts) in
      Reading.Table.iter (fun _ factor -> ignore (accepted (Store.factor_amount numbers factor))) Read_number.factors;
      read)
  in
  let same what one other = if one <> other then Reading.invalid ("subjects with the same " ^ what) in
  let other_network (first : Read_network.t) name =
    let other, layers = network name in
    same "inputs" first.inputs other.inputs;
    same "outputs" first.outputs other.outputs;
    (other.network, layers)
  in
  let formula_like inputs outputs =
    let found = formula ~inputs "formula" in
    same "outputs" outputs found.outputs;
    found.formula
  in
  match List.map fst texts with
  | [ "original"; "formula" ] ->
    let { Read_formula.inputs; outputs; formula } = formula "original" in
    let count = List.length inputs in
    (Syntax.OnePart (OriginalFormula (Z.of_int count, formula, formula_like inputs outputs)), { Statement.inputs = count; outputs; is_unit = true })
  | names -> (
    let first, layers = network "network" in
    let formula () = formula_like first.inputs first.outputs in
    let number z = numbers.Number.fraction (Z.of_int z) Z.one in
    let read number = accepted (numbers.Number.read number) in
    let is interval (low, high) = Networks.same_interval numbers interval (read low, read high) in
    let is_unit = List.for_all (is (number 0, number 1)) first.network.box in
    let topic = match names with
    | [ _; "formula" ] -> Syntax.OnePart (NetworkFormula (first.network, formula ()))
    | [ _; "source"; _ ] ->
      let source, mapped = other_network first "source" in
      if not (Networks.same_all (Networks.same_flat numbers) layers mapped) then Reading.invalid "a network that is the source, its box mapped";
      OnePart (NetworkFormulaSource (first.network, formula (), source))
    | [ _; "other" ] -> OnePart (NetworkOther (first.network, fst (other_network first "other")))
    | [ _; "other"; _ ] ->
      let other, _ = other_network first "other" in
      let intervals (network : Syntax.network) = Reading.map (fun (low, high) -> (read low, read high)) network.box in
      if not (Networks.same_all (Networks.same_interval numbers) (intervals first.network) (intervals other)) then
        Reading.invalid "subjects with the same box";
      Within (first.network, other, formula ())
    | _ -> OnePart (NetworkAlone first.network)
    in
    (topic, { Statement.inputs = List.length first.inputs; outputs = first.outputs; is_unit }))

(* The files of the subjects; how long they are is known the second time. *)
let read_subjects files hashes =
  let texts = List.map (fun (subject, _) -> (subject, files.subject subject)) hashes in
  (texts, List.fold_left (fun sum (_, text) -> sum + String.length text) 0 texts)

(* Follow the lines with one kind of numbers, of which [written] gives the terms; what was proved. *)
let follow numbers written ~again files =
  Reading.Table.reset Read_number.factors;
  let size = files.size () in
  if not again then Meter.allow size;
  files.with_lines (fun next ->
      let number = ref 0 in
      let next () =
        incr number;
        place := Printf.sprintf "line %d" !number;
        let line = next () in
        let text = Option.value line ~default:"" in
        Meter.spend (units_per_byte_of_a_line * String.length text);
        Reading.well_formed (is_ascii text) "a line of ASCII characters";
        line
      in
      let hashes = header (next ()) in
      place := "";
      nothing_else files hashes;
      let texts, bytes = read_subjects files hashes in
      if not again then Meter.allow bytes;
      let is_right (subject, hash) = Json.is_text (Sha256.hexadecimal (List.assoc subject texts)) hash in
      List.iter (fun one -> if not (is_right one) then Reading.invalid ("the " ^ fst one ^ " that is named")) hashes;
      Reading.well_formed (List.for_all (fun (_, text) -> Utf8.is_valid text) texts) "subjects in UTF-8";
      let topic, about = subjects numbers texts in
      let budget = Allowance.steps (Allowance.free_bytes + size + bytes) in
      let state = accepted (Chain.start numbers budget topic) in
      let rec go state =
        match next () with
        | None -> place := ""; state
        | Some line -> go (accepted (Chain.step numbers (Read_line.read (Json.read line)) state))
      in
      let errors, pairs = accepted (Chain.finish numbers (go state)) in
      Statement.lines topic about (Reading.map written errors) (Reading.map (fun (x, y) -> (written x, written y)) pairs))

let check ~seconds files =
  Allowance.seconds := seconds;
  Meter.start ();
  try follow Fractions.fractions (fun c -> [ (Z.one, c) ]) ~again:false files
  with Needs_roots -> follow Roots.surd Fun.id ~again:true files

let words = function Syntax.Invalid -> ("invalid", 1) | Malformed -> ("malformed", 2) | Incomplete -> ("incomplete", 3)

(* The verdict as it is printed, and the exit code. *)
let verdict check =
  let refused status why =
    let word, code = words status in
    ((if !place = "" then word else word ^ ", " ^ !place) ^ ": " ^ why, code)
  in
  place := "";
  try (String.concat "\n" ("valid" :: check ()), 0) with
  | Reading.Rejected (status, why) -> refused status why
  | Meter.Exhausted -> refused Incomplete ("expected fewer word operations " ^ Allowance.advice)
  | Meter.Too_large ->
    refused Incomplete (Printf.sprintf "expected at most %d bytes of memory for each byte of the files" Allowance.memory_per_byte)
  | Out_of_memory | Stack_overflow -> refused Incomplete "not memory and time enough"
