(* The program verimv-kernel: finds the files, and prints the verdict. *)

let stands path = match Unix.lstat path with _ -> true | exception Unix.Unix_error (Unix.ENOENT, _, _) -> false

(* Where the certificate and its subjects are: in a directory, or where [given] says. *)
let find path given =
  let file subject = List.assoc_opt subject given in
  let files certificate subject has =
    { Check.size = (fun () -> Files.size certificate);
      with_lines = (fun use -> Files.with_lines certificate use);
      subject = (fun name -> Files.contents (subject name));
      has }
  in
  if Sys.file_exists path && Sys.is_directory path then begin
    let inside = Filename.concat path in
    let usual subject = inside (List.assoc subject Check.names) in
    match List.filter stands (List.map inside Check.certificates) with
    | [ certificate ] ->
      files certificate (fun s -> Option.value (file s) ~default:(usual s)) (fun s -> file s <> None || stands (usual s))
    | _ -> Check.no_certificate ()
  end
  else files path (fun s -> Option.value (file s) ~default:("--" ^ s)) (fun s -> file s <> None)

(* Digits only: OCaml's own function reads 0x10, too. *)
let seconds text =
  let is_digit c = c >= '0' && c <= '9' in
  match if String.for_all is_digit text then int_of_string_opt text else None with
  | Some n when n >= 1 && n <= Allowance.most_seconds -> n
  | _ -> Reading.malformed (Printf.sprintf "--effort with an integer from 1 to %d" Allowance.most_seconds)

let check path given effort () =
  let readable action =
    try action () with
    | Sys_error why -> raise (Reading.Rejected (Malformed, why))
    | Unix.Unix_error (error, _, file) -> raise (Reading.Rejected (Malformed, file ^ ": " ^ Unix.error_message error))
    | Sys.Break -> raise Out_of_memory
  in
  let seconds = Option.fold ~none:0 ~some:seconds effort in
  readable (fun () -> Check.check ~seconds (find path given))

(* Lists can be long, and the checker's functions over them go down the stack: it gets 256 MB, or what the system allows. *)
let with_a_large_stack () =
  let variable = "VERIMV_KERNEL_STACK" in
  if Sys.getenv_opt variable = None then begin
    Unix.putenv variable "large";
    let script = "ulimit -s 262144 2>/dev/null || ulimit -s $(ulimit -H -s); exec \"$0\" \"$@\"" in
    let arguments = Array.sub Sys.argv 1 (Array.length Sys.argv - 1) in
    try Unix.execv "/bin/sh" (Array.append [| "sh"; "-c"; script; Sys.executable_name |] arguments)
    with Unix.Unix_error _ -> ()  (* no shell: with the stack that there is *)
  end

let usage = "verimv-kernel DIR | CERTIFICATE --network N --formula F: check a certificate of verimv, without a solver."

let () =
  with_a_large_stack ();
  Gc.set { (Gc.get ()) with minor_heap_size = 1 lsl 20; space_overhead = 200 };
  Sys.catch_break true;
  let path = ref [] and given = ref [] and effort = ref None in
  let option (name, _) = ("--" ^ name, Arg.String (fun file -> given := (name, file) :: !given), "FILE") in
  let positional argument = path := argument :: !path in
  let others =
    [ ("--effort", Arg.String (fun text -> effort := Some text), "SECONDS of work to allow, if files of this size may cost less");
      ("--", Arg.Rest positional, "what follows is no option") ]
  in
  Arg.parse (others @ List.map option Check.names) positional usage;
  match !path with
  | [ path ] ->
    let text, code = Check.verdict (check path !given !effort) in
    print_endline text;
    exit code
  | _ -> prerr_endline ("usage: " ^ usage); exit 2
