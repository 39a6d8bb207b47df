(* The lines of a certificate, which may be gzipped, from bytes that come in pieces. *)

let most_bytes_of_a_line = 1 lsl 23

(* The pieces of a text: where one stands, from where on, and how long it is. [read] puts bytes into a buffer and says
   how many. *)
let pieces ~is_packed read =
  if is_packed then begin
    let packed = Inflate.create read in
    fun () -> try Inflate.next packed with Inflate.Corrupt -> Reading.malformed "gzipped data"
  end
  else begin
    let chunk = Bytes.create 65536 in
    fun () -> (chunk, 0, read chunk)
  end

(* A function that gives lines without their newlines, None after the last one. *)
let reader ~is_packed read =
  let piece = pieces ~is_packed read and chunk = ref Bytes.empty and start = ref 0 and stop = ref 0 in
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
  next
