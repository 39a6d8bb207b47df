(* Bytes of files, and lines of certificates. *)

let most_bytes_of_a_line = 1 lsl 23
let most_bytes_of_a_file = 1 lsl 30

(* Only regular files are opened: a pipe would keep us waiting, and a device may never end. *)
let is_readable (status : Unix.stats) = status.st_kind = Unix.S_REG && status.st_size <= most_bytes_of_a_file

let size path =
  let status = Unix.stat path in
  Reading.well_formed (is_readable status) "a regular file";
  status.st_size

(* [use] is given a function that puts bytes into a buffer and says how many. Whatever is put in the place of the file
   meanwhile, it is a regular file that is read, and no more of it than is allowed. *)
let with_file path use =
  ignore (size path);
  let file = Unix.openfile path [ Unix.O_RDONLY; Unix.O_NONBLOCK; Unix.O_CLOEXEC ] 0 in
  let left = ref most_bytes_of_a_file in
  let read buffer =
    let n = Unix.read file buffer 0 (Bytes.length buffer) in
    left := !left - n;
    Reading.well_formed (!left >= 0) "a regular file";
    n
  in
  Fun.protect ~finally:(fun () -> Unix.close file) (fun () ->
      Reading.well_formed (is_readable (Unix.fstat file)) "a regular file";
      use read)

let contents path =
  with_file path (fun read ->
      let buffer = Buffer.create 65536 and chunk = Bytes.create 65536 in
      let rec more () =
        let n = read chunk in
        if n > 0 then (Buffer.add_subbytes buffer chunk 0 n; more ())
      in
      more ();
      Buffer.contents buffer)

(* The pieces of a text: where one stands, from where on, and how long it is. *)
let pieces path read =
  if Filename.check_suffix path ".gz" then begin
    let packed = Inflate.create read in
    fun () -> try Inflate.next packed with Inflate.Corrupt -> Reading.malformed "gzipped data"
  end
  else begin
    let chunk = Bytes.create 65536 in
    fun () -> (chunk, 0, read chunk)
  end

(* [use] is given lines without their newlines, None after the last one. *)
let with_lines path use =
  with_file path (fun read ->
      let piece = pieces path read and chunk = ref Bytes.empty and start = ref 0 and stop = ref 0 in
      let line = Buffer.create 1024 in
      let rec next () =
        if !start = !stop then begin
          let bytes, from, count = piece () in
          chunk := bytes;
          start := from;
          stop := from + count
        end;
        if !start = !stop then begin
          Reading.well_formed (Buffer.length line = 0) "a whole line, with its end";
          None
        end
        else
          let newline = Bytes.index_from_opt !chunk !start '\n' in
          let until = match newline with Some i when i < !stop -> i | _ -> !stop in
          Buffer.add_subbytes line !chunk !start (until - !start);
          Reading.well_formed (Buffer.length line < most_bytes_of_a_line) "a line of at most 2^23 bytes";
          if until < !stop then begin
            start := until + 1;
            let text = Buffer.contents line in
            Buffer.clear line;
            Some text
          end
          else (start := until; next ())
      in
      use next)
