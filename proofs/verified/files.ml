(* Bytes of files, and lines of certificates. *)

let most_bytes_of_a_line = 1 lsl 23

let contents path =
  let channel = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () ->
      let buffer = Buffer.create 65536 and chunk = Bytes.create 65536 in
      let rec more () =
        let n = input channel chunk 0 (Bytes.length chunk) in
        if n > 0 then (Buffer.add_subbytes buffer chunk 0 n; more ())
      in
      more ();
      Buffer.contents buffer)

(* What gzip makes of a file, and a check, at the end, that it was content. Lines are evidence: whatever they are, the
   checker has to be convinced by them, so that nobody needs to trust gzip. *)
let unzipped path =
  let file = Unix.openfile path [ Unix.O_RDONLY; Unix.O_CLOEXEC ] 0 in
  let quiet = Unix.openfile "/dev/null" [ Unix.O_WRONLY; Unix.O_CLOEXEC ] 0 in
  let below, above = Unix.pipe ~cloexec:true () in
  let process = Unix.create_process "gzip" [| "gzip"; "-dc" |] file above quiet in
  List.iter Unix.close [ file; quiet; above ];
  let finished () =
    match snd (Unix.waitpid [] process) with
    | Unix.WEXITED 0 -> ()
    | Unix.WEXITED 127 -> raise (Reading.Rejected (Syntax.Incomplete, "expected the program gzip"))
    | _ -> Reading.malformed "gzipped data"
  in
  (Unix.in_channel_of_descr below, finished)

let opened path =
  if Filename.check_suffix path ".gz" then unzipped path else (open_in_bin path, Fun.id)

(* [use] is given lines without their newlines, None after the last one. *)
let with_lines path use =
  let channel, finished = opened path in
  let chunk = Bytes.create 65536 and start = ref 0 and stop = ref 0 and line = Buffer.create 1024 in
  let rec next () =
    if !start = !stop then begin
      start := 0;
      stop := input channel chunk 0 (Bytes.length chunk)
    end;
    if !stop = 0 then begin
      Reading.well_formed (Buffer.length line = 0) "a whole line, with its end";
      finished ();
      None
    end
    else
      let newline = Bytes.index_from_opt chunk !start '\n' in
      let until = match newline with Some i when i < !stop -> i | _ -> !stop in
      Buffer.add_subbytes line chunk !start (until - !start);
      Reading.well_formed (Buffer.length line < most_bytes_of_a_line) "a line of at most 2^23 bytes";
      if until < !stop then begin
        start := until + 1;
        let text = Buffer.contents line in
        Buffer.clear line;
        Some text
      end
      else (start := until; next ())
  in
  Fun.protect ~finally:(fun () -> close_in_noerr channel) (fun () -> use next)
