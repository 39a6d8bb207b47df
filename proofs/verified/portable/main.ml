(* The checker as a function of JavaScript: verimvKernel(files, progress, seconds) gives the text that the program
   verimv-kernel prints. [files] are contents by name, as strings with a character for each byte; [progress] is called with
   the number of lines that were followed; [seconds] are what --effort allows, if they are given. *)

external publish : (string array -> string array -> (int -> unit) -> int -> string) -> unit = "verimv_publish"

let lines_between_reports = 500

(* A function that puts bytes of a text into a buffer and says how many. *)
let reading text =
  let at = ref 0 in
  fun buffer ->
    let n = min (Bytes.length buffer) (String.length text - !at) in
    Bytes.blit_string text !at buffer 0 n;
    at := !at + n;
    n

let check names contents progress seconds =
  let given = List.combine (Array.to_list names) (Array.to_list contents) in
  let has file = List.mem_assoc file given in
  let with_lines certificate use =
    let next = Lines.reader ~is_packed:(Filename.check_suffix certificate ".gz") (reading (List.assoc certificate given)) in
    let count = ref 0 in
    use (fun () ->
        if !count mod lines_between_reports = 0 then progress !count;
        incr count;
        next ())
  in
  let subject name =
    let file = List.assoc name Check.names in
    match List.assoc_opt file given with Some text -> text | None -> Reading.malformed ("a file " ^ file)
  in
  let files () =
    match List.filter has Check.certificates with
    | [ certificate ] ->
      { Check.size = (fun () -> String.length (List.assoc certificate given));
        with_lines = (fun use -> with_lines certificate use);
        subject;
        has = (fun name -> has (List.assoc name Check.names)) }
    | _ -> Check.no_certificate ()
  in
  fst (Check.verdict (fun () -> Check.check ~seconds (files ())))

let () = publish check
