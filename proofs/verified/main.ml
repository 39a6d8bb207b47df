(* Reads the files of a certificate as proofs/FORMAT.md says, and asks the checker that was proved in Coq. *)

let names = [ ("network", "network.json"); ("source", "source.json"); ("other", "other.json");
              ("original", "original.mv"); ("formula", "formula.mv") ]

(* What certificates can be about. *)
let subject_sets = [ [ "network" ]; [ "network"; "other" ]; [ "network"; "formula" ];
                     [ "network"; "source"; "formula" ]; [ "original"; "formula" ] ]

let words = function Syntax.Invalid -> ("invalid", 1) | Malformed -> ("malformed", 2) | Incomplete -> ("incomplete", 3)

(* Where in the files something was refused, for the message. *)
let place = ref ""

let at where action = place := where; let result = action () in place := ""; result

(* The certificate, and where its subjects are. *)
let find path given =
  let file subject = List.assoc_opt subject given in
  if Sys.file_exists path && Sys.is_directory path then begin
    let inside = Filename.concat path in
    match List.filter Sys.file_exists (List.map inside [ "certificate.jsonl"; "certificate.jsonl.gz" ]) with
    | [ certificate ] -> (certificate, fun s -> Option.value (file s) ~default:(inside (List.assoc s names)))
    | _ -> Reading.malformed "one of certificate.jsonl and certificate.jsonl.gz"
  end
  else (path, fun s -> Option.value (file s) ~default:("--" ^ s))

(* The subjects that a header names, each with its hash. *)
let header line =
  match Option.map Json.read line with
  | Some (Json.Object entries) ->
    let key subject = subject ^ "_sha256" in
    let named = List.filter (fun (subject, _) -> List.mem_assoc (key subject) entries) names in
    let right =
      List.length entries = 2 + List.length named
      && List.assoc_opt "format" entries = Some (Json.Text "verimv-certificate")
      && (match List.assoc_opt "version" entries with Some version -> Read_network.is_whole version 1 | None -> false)
      && List.mem (List.map fst named) subject_sets
    in
    Reading.well_formed right "the header of a verimv-certificate 1 with its subjects' hashes";
    List.map (fun (subject, _) -> (subject, List.assoc (key subject) entries)) named
  | _ -> Reading.malformed "the header of a certificate"

let is_ascii text = String.for_all (fun c -> c < '\x80') text

(* A certificate or a subject needs square roots: once more, over the reals. *)
exception Needs_roots

let accepted = function
  | Syntax.Ok value -> value
  | Reject (Incomplete, "a number with a square root") -> raise Needs_roots
  | Reject (status, expected) -> raise (Reading.Rejected (status, "expected " ^ expected))

(* What a certificate about these texts speaks of. The checker looks at the numbers of each subject before the next
   one is read: what is wrong first decides. *)
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
    Syntax.OriginalFormula (Z.of_int (List.length inputs), formula, formula_like inputs outputs)
  | names -> (
    let first, layers = network "network" in
    let formula () = formula_like first.inputs first.outputs in
    match names with
    | [ _; "formula" ] -> Syntax.NetworkFormula (first.network, formula ())
    | [ _; "source"; _ ] ->
      let source, mapped = other_network first "source" in
      if not (Networks.same_all (Networks.same_flat numbers) layers mapped) then Reading.invalid "a network that is the source, its box mapped";
      Syntax.NetworkFormulaSource (first.network, formula (), source)
    | [ _; "other" ] -> Syntax.NetworkOther (first.network, fst (other_network first "other"))
    | _ -> Syntax.NetworkAlone first.network)

(* Follow the lines with one kind of numbers. *)
let follow numbers certificate file =
  Reading.Table.reset Read_number.factors;
  Files.with_lines certificate (fun next ->
      let number = ref 0 in
      let next () =
        incr number;
        place := Printf.sprintf "line %d" !number;
        let line = next () in
        Reading.well_formed (is_ascii (Option.value line ~default:"")) "a line of ASCII characters";
        line
      in
      let hashes = header (next ()) in
      place := "";
      let texts = List.map (fun (subject, _) -> (subject, Files.contents (file subject))) hashes in
      let is_right (subject, hash) = hash = Json.Text (Sha256.hexadecimal (List.assoc subject texts)) in
      List.iter (fun one -> if not (is_right one) then Reading.invalid ("the " ^ fst one ^ " that is named")) hashes;
      Reading.well_formed (List.for_all (fun (_, text) -> Utf8.is_valid text) texts) "subjects in UTF-8";
      let bytes = List.fold_left (fun sum (_, text) -> sum + String.length text) 0 texts in
      let state = accepted (Checker.start numbers (Z.of_int (16 * (100_000 + bytes))) (subjects numbers texts)) in
      let rec go state =
        match next () with
        | None -> place := ""; state
        | Some line -> go (accepted (Checker.step numbers (Read_line.read (Json.read line)) state))
      in
      ignore (accepted (Checker.finish numbers (go state))))

let check path given =
  let certificate, file = find path given in
  try follow Number.rational certificate file with Needs_roots -> follow Roots.surd certificate file

(* Lists can be long, and the checker's functions over them go down the stack: it may grow as far as the system lets it. *)
let with_a_large_stack () =
  let variable = "VERIMV_KERNEL_STACK" in
  if Sys.getenv_opt variable = None then begin
    Unix.putenv variable "large";
    let script = "ulimit -s $(ulimit -H -s); exec \"$0\" \"$@\"" in
    let arguments = Array.sub Sys.argv 1 (Array.length Sys.argv - 1) in
    try Unix.execv "/bin/sh" (Array.append [| "sh"; "-c"; script; Sys.executable_name |] arguments)
    with Unix.Unix_error _ -> ()  (* no shell: with the stack that there is *)
  end

let usage = "verimv-kernel DIR | CERTIFICATE --network N --formula F: check a certificate of verimv, without a solver."

let () =
  with_a_large_stack ();
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 200 };
  Sys.catch_break true;
  let path = ref [] and given = ref [] in
  let option (name, _) = ("--" ^ name, Arg.String (fun file -> given := (name, file) :: !given), "FILE") in
  let positional argument = path := argument :: !path in
  Arg.parse (("--", Arg.Rest positional, "what follows is no option") :: List.map option names) positional usage;
  let verdict, code =
    match !path with
    | [ path ] -> (
      let refused status why =
        let word, code = words status in
        ((if !place = "" then word else word ^ ", " ^ !place) ^ ": " ^ why, code)
      in
      try check path !given; ("valid", 0) with
      | Reading.Rejected (status, why) -> refused status why
      | Sys_error why -> refused Malformed why
      | Unix.Unix_error (error, _, file) -> refused Malformed (file ^ ": " ^ Unix.error_message error)
      | Out_of_memory | Stack_overflow | Sys.Break -> refused Incomplete "not memory and time enough")
    | _ -> prerr_endline ("usage: " ^ usage); exit 2
  in
  print_endline verdict;
  exit code
