(* Texts are strings of bytes in UTF-8. *)

(* The character at [i] and its length in bytes; (-1, 1) if the bytes there are not UTF-8. *)
let char text i =
  let byte k = if i + k < String.length text then Char.code (String.unsafe_get text (i + k)) else 0 in
  let first = Char.code text.[i] in
  if first < 0x80 then (first, 1)
  else
    let length = if first < 0xe0 then 2 else if first < 0xf0 then 3 else 4 in
    let code = ref (first land (0xff lsr (length + 1))) and right = ref (0xc2 <= first && first < 0xf5) in
    for k = 1 to length - 1 do
      right := !right && byte k land 0xc0 = 0x80;
      code := (!code lsl 6) lor (byte k land 0x3f)
    done;
    let least = [| 0; 0; 0x80; 0x800; 0x10000 |].(length) in
    if !right && !code >= least && !code <= 0x10ffff && not (0xd800 <= !code && !code < 0xe000) then (!code, length)
    else (-1, 1)

(* The same for what [add] has written: halves of pairs are characters, too. *)
let char_or_half text i =
  match char text i with
  | -1, _ when i + 2 < String.length text ->
    let rest k = Char.code text.[i + k] land 0x3f in
    (((Char.code text.[i] land 0x0f) lsl 12) lor (rest 1 lsl 6) lor rest 2, 3)
  | found -> found

let is_valid text =
  let rec from i =
    i >= String.length text
    || if text.[i] < '\x80' then from (i + 1) else match char text i with -1, _ -> false | _, n -> from (i + n)
  in
  from 0

(* The white space of Unicode, and U+001C to U+001F (Python's str.isspace). *)
let is_space code =
  match code with
  | 9 | 10 | 11 | 12 | 13 | 0x1c | 0x1d | 0x1e | 0x1f | 0x20 | 0x85 | 0xa0 -> true
  | 0x1680 | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x3000 -> true
  | _ -> 0x2000 <= code && code <= 0x200a

(* The pieces of a text between white space. *)
let words text =
  let n = String.length text in
  let rec from start i found =
    let ended found = if start < i then String.sub text start (i - start) :: found else found in
    if i >= n then List.rev (ended found)
    else
      let code, length = char text i in
      if is_space code then from (i + length) (i + length) (ended found) else from start (i + length) found
  in
  from 0 0 []

(* Without the white space at both ends. *)
let strip text =
  let n = String.length text in
  let rec first i = if i >= n then n else match char text i with c, k when is_space c -> first (i + k) | _ -> i in
  let start = first 0 in
  let rec beginning i = if i > start && Char.code text.[i] land 0xc0 = 0x80 then beginning (i - 1) else i in
  let rec last stop =
    if stop <= start then start
    else
      let i = beginning (stop - 1) in
      if is_space (fst (char text i)) then last i else stop
  in
  String.sub text start (last n - start)

(* Append a character; halves of pairs (which JSON can write) get three bytes like any other. *)
let add buffer code =
  let put byte = Buffer.add_char buffer (Char.chr byte) in
  let rest shift = put (0x80 lor ((code lsr shift) land 0x3f)) in
  if code < 0x80 then put code
  else if code < 0x800 then (put (0xc0 lor (code lsr 6)); rest 0)
  else if code < 0x10000 then (put (0xe0 lor (code lsr 12)); rest 6; rest 0)
  else (put (0xf0 lor (code lsr 18)); rest 12; rest 6; rest 0)
