(* JSON, as FORMAT.md restricts it: numbers are whole, no key stands twice in an object. *)

type t = Int of Z.t | Text of string | List of t list | Object of (string * t) list | Other  (* true, false, null *)

let is_text expected = function Text found -> String.equal found expected | _ -> false
let is_whole expected = function Int found -> Z.equal found (Z.of_int expected) | _ -> false

let most_digits = 4300
let most_nested = 900
let digits_of_an_int = if Sys.int_size > 32 then 17 else 9

let fail () = Reading.malformed "JSON with whole numbers only"

type input = { text : string; mutable at : int }

(* The end of the text reads as a byte that JSON does not use. *)
let peek input = if input.at < String.length input.text then String.unsafe_get input.text input.at else '\x00'
let skip input = input.at <- input.at + 1
let expect input c = if peek input = c then skip input else fail ()

let rec spaces input = match peek input with ' ' | '\t' | '\n' | '\r' -> skip input; spaces input | _ -> ()

let rec digits input = match peek input with '0' .. '9' -> skip input; digits input | _ -> ()

let integer input =
  let start = input.at in
  if peek input = '-' then skip input;
  let first = input.at in
  if peek input = '0' then skip input else digits input;
  let length = input.at - first in
  if length = 0 || length > most_digits then fail ();
  (match peek input with '.' | 'e' | 'E' -> fail () | _ -> ());
  let written = String.sub input.text start (input.at - start) in
  Int (if length <= digits_of_an_int then Z.of_int (int_of_string written) else Z.of_string written)

let hexadecimal input =
  let digit () =
    let c = peek input in
    skip input;
    match c with
    | '0' .. '9' -> Char.code c - 48
    | 'a' .. 'f' -> Char.code c - 87
    | 'A' .. 'F' -> Char.code c - 55
    | _ -> fail ()
  in
  let a = digit () in let b = digit () in let c = digit () in let d = digit () in
  (a lsl 12) lor (b lsl 8) lor (c lsl 4) lor d

(* After \u. Two halves of a pair make one character; a half alone is kept as it is. *)
let rec escaped_code input buffer =
  let code = hexadecimal input in
  if 0xd800 <= code && code < 0xdc00 && Reading.stands input.text input.at "\\u" then begin
    input.at <- input.at + 2;
    let start = input.at in
    let low = hexadecimal input in
    if 0xdc00 <= low && low < 0xe000 then Utf8.add buffer (0x10000 + ((code - 0xd800) lsl 10) + (low - 0xdc00))
    else begin Utf8.add buffer code; input.at <- start; escaped_code input buffer end
  end
  else Utf8.add buffer code

let escaped input buffer =
  let c = peek input in
  skip input;
  match c with
  | '"' | '\\' | '/' -> Buffer.add_char buffer c
  | 'b' -> Buffer.add_char buffer '\b'
  | 'f' -> Buffer.add_char buffer '\012'
  | 'n' -> Buffer.add_char buffer '\n'
  | 'r' -> Buffer.add_char buffer '\r'
  | 't' -> Buffer.add_char buffer '\t'
  | 'u' -> escaped_code input buffer
  | _ -> fail ()

let text input =
  expect input '"';
  let start = input.at in
  let rec plain () = match peek input with '"' | '\\' | '\x00' .. '\x1f' -> () | _ -> skip input; plain () in
  plain ();
  let beginning = String.sub input.text start (input.at - start) in
  if peek input = '"' then (skip input; beginning)
  else begin
    let buffer = Buffer.create 64 in
    Buffer.add_string buffer beginning;
    let rec more () =
      match peek input with
      | '"' -> skip input
      | '\\' -> skip input; escaped input buffer; more ()
      | '\x00' .. '\x1f' -> fail ()
      | c -> skip input; Buffer.add_char buffer c; more ()
    in
    more ();
    Buffer.contents buffer
  end

let word input expected =
  if Reading.stands input.text input.at expected then input.at <- input.at + String.length expected else fail ();
  Other

(* What stands between brackets, separated by commas. *)
let sequence input closing item =
  skip input;
  spaces input;
  if peek input = closing then (skip input; [])
  else
    let rec more found =
      let found = item () :: found in
      spaces input;
      match peek input with
      | ',' -> skip input; spaces input; more found
      | c when c = closing -> skip input; List.rev found
      | _ -> fail ()
    in
    more []

let with_different_keys entries =
  Reading.well_formed (Reading.all_different (Reading.map fst entries)) "different keys in an object";
  Object entries

let rec value input depth =
  match peek input with
  | '"' -> Text (text input)
  | '-' | '0' .. '9' -> integer input
  | ('[' | '{') when depth >= most_nested -> Reading.malformed "JSON that is not nested so deeply"
  | '[' -> List (sequence input ']' (fun () -> value input (depth + 1)))
  | '{' -> with_different_keys (sequence input '}' (fun () -> entry input depth))
  | 't' -> word input "true"
  | 'f' -> word input "false"
  | 'n' -> word input "null"
  | _ -> fail ()

and entry input depth =
  let key = text input in
  spaces input;
  expect input ':';
  spaces input;
  (key, value input (depth + 1))

let read text =
  let input = { text; at = 0 } in
  spaces input;
  let found = value input 0 in
  spaces input;
  if input.at < String.length text then fail ();
  found
