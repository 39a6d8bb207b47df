(* Bytes of files. *)

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

let with_lines path use =
  with_file path (fun read -> use (Lines.reader ~is_packed:(Filename.check_suffix path ".gz") read))
