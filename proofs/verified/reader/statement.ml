(* What was proved, in words: one line for each output. Names are written so that none can break a line. *)

(* ** Numbers: sums c·√n, given as pairs (n, c) in increasing order of n *)

let most_digits = 4300
let long = "a long number"

let is_long z = Z.numbits z > 4 * most_digits || String.length (Z.to_string (Z.abs z)) > most_digits
let has_long (n, (c : QArith_base.coq_Q)) = is_long n || is_long c.coq_Qnum || is_long c.coq_Qden

let fraction (c : QArith_base.coq_Q) =
  let top = Z.to_string c.coq_Qnum in
  if Z.equal c.coq_Qden Z.one then top else top ^ "/" ^ Z.to_string c.coq_Qden

let term (n, (c : QArith_base.coq_Q)) =
  let root = "sqrt(" ^ Z.to_string n ^ ")" in
  if Z.equal n Z.one then fraction c
  else match fraction c with "1" -> root | "-1" -> "-" ^ root | factor -> factor ^ "*" ^ root

let text number =
  let join sum one = if one.[0] = '-' then sum ^ one else sum ^ "+" ^ one in
  if List.exists has_long number then long
  else match List.map term number with [] -> "0" | first :: rest -> List.fold_left join first rest

let is_rational number = List.for_all (fun (n, _) -> Z.equal n Z.one) number
let is_zero number = List.for_all (fun (_, (c : QArith_base.coq_Q)) -> Z.sign c.coq_Qnum = 0) number
let is_negative = function [ (_, (c : QArith_base.coq_Q)) ] -> Z.sign c.coq_Qnum < 0 | _ -> false
let opposite = List.map (fun (n, (c : QArith_base.coq_Q)) -> (n, { c with coq_Qnum = Z.neg c.coq_Qnum }))

(* "SCALE·formula + OFFSET" *)
let multiple scale offset =
  let factor =
    if not (is_rational scale) then "(" ^ text scale ^ ")·" else match text scale with "1" -> "" | scale -> scale ^ "·"
  and shift =
    if is_zero offset then ""
    else if not (is_rational offset) then " + (" ^ text offset ^ ")"
    else if is_negative offset then " − " ^ text (opposite offset)
    else " + " ^ text offset
  in
  factor ^ "formula" ^ shift

(* An error, after "±". *)
let size error = if is_rational error then text error else "(" ^ text error ^ ")"

(* ** Names *)

let most_characters = 100

(* A character as in JSON, in ASCII. *)
let escaped code =
  match code with
  | 0x22 -> "\\\""
  | 0x5c -> "\\\\"
  | 0x0a -> "\\n"
  | 0x0d -> "\\r"
  | 0x09 -> "\\t"
  | 0x08 -> "\\b"
  | 0x0c -> "\\f"
  | _ when 0x20 <= code && code < 0x7f -> String.make 1 (Char.chr code)
  | _ when code < 0x10000 -> Printf.sprintf "\\u%04x" code
  | _ -> Printf.sprintf "\\u%04x\\u%04x" (0xd800 lor ((code - 0x10000) lsr 10)) (0xdc00 lor ((code - 0x10000) land 0x3ff))

let quoted name =
  let buffer = Buffer.create 128 in
  let rec from i =
    if i < String.length name && Buffer.length buffer <= most_characters then begin
      let code, length = Utf8.char_or_half name i in
      Buffer.add_string buffer (escaped code);
      from (i + length)
    end
  in
  from 0;
  let all = Buffer.contents buffer in
  if String.length all <= most_characters then "\"" ^ all ^ "\""
  else "\"" ^ String.sub all 0 most_characters ^ "\"…"

let name text =
  let is_plain = text <> "" && Read_formula.is_letter text.[0] && String.for_all Read_formula.is_in_name text in
  if is_plain && String.length text <= most_characters then text else quoted text

(* ** Domains *)

let superscripts = [| "⁰"; "¹"; "²"; "³"; "⁴"; "⁵"; "⁶"; "⁷"; "⁸"; "⁹" |]

let cube n =
  let digit c = superscripts.(Char.code c - Char.code '0') in
  if n = 1 then "[0,1]" else "[0,1]" ^ String.concat "" (List.map digit (List.of_seq (String.to_seq (string_of_int n))))

(* ** Lines *)

(* [is_unit]: whether the box of the network is the unit cube. *)
type about = { inputs : int; outputs : string list; is_unit : bool }

(* [errors] are those of a certificate in two parts. *)
let lines topic about errors pairs =
  let all = cube about.inputs in
  let box = if about.is_unit then all else "its box" in
  let mapped = if about.is_unit then all else "its box, mapped onto " ^ all in
  let each line = Reading.map2 (fun output pair -> line (name output) pair) about.outputs pairs in
  let computed () = each (fun y (scale, offset) -> y ^ " = " ^ multiple scale offset ^ " on " ^ mapped) in
  let between what (low, high) = text low ^ " ≤ " ^ what ^ " ≤ " ^ text high ^ " on " ^ box in
  let approximated () =
    let line output ((scale, offset), error) = name output ^ " = " ^ multiple scale offset ^ " ± " ^ size error ^ " on " ^ mapped in
    Reading.map2 line about.outputs (List.combine pairs errors)
  in
  match topic with
  | Syntax.OnePart (NetworkFormula _) -> computed ()
  | OnePart (NetworkFormulaSource _) -> computed () @ [ "network = source with its box mapped onto " ^ all ]
  | OnePart (OriginalFormula _) -> each (fun y _ -> y ^ ": original = formula on " ^ all)
  | OnePart (NetworkAlone _) -> each between
  | OnePart (NetworkOther _) -> each (fun y -> between (y ^ " − other " ^ y))
  | Within _ -> approximated ()
