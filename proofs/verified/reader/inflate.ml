(* Gzipped data (RFC 1951 and 1952), unpacked piece by piece. Several members are one text, and zero bytes after a member
   are skipped. Lines of a certificate are evidence: whatever they are, the checker has to be convinced by them, so that
   nobody needs to trust this file. *)

exception Corrupt

(* ** Bits, from the lowest one of each byte on *)

type source = {
  refill : Bytes.t -> int;  (* puts bytes there, and says how many; 0 at the end *)
  chunk : Bytes.t;
  mutable at : int;
  mutable stop : int;
  mutable bits : int;  (* those that are taken from the chunk, but not yet used *)
  mutable count : int;
}

(* One more byte, unless that was all. *)
let more source =
  if source.at = source.stop then begin
    source.at <- 0;
    source.stop <- source.refill source.chunk
  end;
  source.at < source.stop
  && begin
       source.bits <- source.bits lor (Char.code (Bytes.unsafe_get source.chunk source.at) lsl source.count);
       source.at <- source.at + 1;
       source.count <- source.count + 8;
       true
     end

let rec at_least source n = source.count >= n || (more source && at_least source n)

let drop source n =
  source.bits <- source.bits lsr n;
  source.count <- source.count - n

let take source n =
  if not (at_least source n) then raise Corrupt;
  let found = source.bits land ((1 lsl n) - 1) in
  drop source n;
  found

let byte source = take source 8
let to_a_whole_byte source = drop source (source.count land 7)

(* ** Huffman codes *)

(* [counts] says how many codes there are of each length, [symbols] has their symbols in order. Codes of up to ten bits are
   looked up in [quick]: symbol and length, or 0. *)
type code = { counts : int array; symbols : int array; quick : int array }

let most_bits = 15
let quick_bits = 10

let reversed code length =
  let rec go code left found = if left = 0 then found else go (code lsr 1) (left - 1) ((found lsl 1) lor (code land 1)) in
  go code length 0

(* Codes must leave nothing open, unless there is one only, or none at all; [lengths] has one for each symbol. *)
let code_of ?(may_be_short = true) lengths =
  let counts = Array.make (most_bits + 1) 0 in
  Array.iter (fun length -> counts.(length) <- counts.(length) + 1) lengths;
  let used = Array.length lengths - counts.(0) in
  counts.(0) <- 0;
  let starts = Array.make (most_bits + 2) 0 and codes = Array.make (most_bits + 2) 0 and left = ref 1 in
  for length = 1 to most_bits do
    left := (2 * !left) - counts.(length);
    if !left < 0 then raise Corrupt;
    starts.(length + 1) <- starts.(length) + counts.(length);
    codes.(length + 1) <- 2 * (codes.(length) + counts.(length))
  done;
  let is_single = used = 0 || (used = 1 && counts.(1) = 1) in
  if !left > 0 && not (may_be_short && is_single) then raise Corrupt;
  let symbols = Array.make (max 1 used) 0 and quick = Array.make (1 lsl quick_bits) 0 in
  let enter symbol length =
    if length > 0 then begin
      symbols.(starts.(length)) <- symbol;
      starts.(length) <- starts.(length) + 1;
      let code = codes.(length) in
      codes.(length) <- code + 1;
      if length <= quick_bits then begin
        let i = ref (reversed code length) in
        while !i < 1 lsl quick_bits do
          quick.(!i) <- (symbol lsl 4) lor length;
          i := !i + (1 lsl length)
        done
      end
    end
  in
  Array.iteri enter lengths;
  { counts; symbols; quick }

(* A code that is not in the table: bit by bit. *)
let slowly source { counts; symbols; _ } =
  let rec go length code first index =
    if length > most_bits || length > source.count then raise Corrupt;
    let code = code lor ((source.bits lsr (length - 1)) land 1) and count = counts.(length) in
    if code - first < count then begin
      drop source length;
      symbols.(index + code - first)
    end
    else go (length + 1) (2 * code) (2 * (first + count)) (index + count)
  in
  go 1 0 0 0

let symbol source code =
  ignore (at_least source most_bits);
  let found = code.quick.(source.bits land ((1 lsl quick_bits) - 1)) in
  let length = found land 15 in
  if length = 0 then slowly source code
  else if length > source.count then raise Corrupt
  else begin
    drop source length;
    found lsr 4
  end

let fixed =
  lazy
    (let length i = if i < 144 then 8 else if i < 256 then 9 else if i < 280 then 7 else 8 in
     (code_of (Array.init 288 length), code_of (Array.make 32 5)))

(* Lengths of codes are coded themselves; in this order. *)
let order = [| 16; 17; 18; 0; 8; 7; 9; 6; 10; 5; 11; 4; 12; 3; 13; 2; 14; 1; 15 |]

let dynamic source =
  let literals = 257 + take source 5 in
  let distances = 1 + take source 5 in
  let coded = 4 + take source 4 in
  if literals > 286 || distances > 30 then raise Corrupt;
  Meter.spend 3000;
  let lengths = Array.make 19 0 in
  for i = 0 to coded - 1 do lengths.(order.(i)) <- take source 3 done;
  let code = code_of ~may_be_short:false lengths in
  let all = Array.make (literals + distances) 0 in
  let rec fill at =
    let repeat length times =
      if at + times > Array.length all then raise Corrupt;
      Array.fill all at times length;
      fill (at + times)
    in
    if at < Array.length all then
      match symbol source code with
      | 16 when at = 0 -> raise Corrupt
      | 16 -> let times = 3 + take source 2 in repeat all.(at - 1) times
      | 17 -> let times = 3 + take source 3 in repeat 0 times
      | 18 -> let times = 11 + take source 7 in repeat 0 times
      | length -> repeat length 1
  in
  fill 0;
  if all.(256) = 0 then raise Corrupt;
  (code_of (Array.sub all 0 literals), code_of (Array.sub all literals distances))

(* ** Checksums *)

let crc_table =
  lazy
    (let rec step n c = if n = 0 then c else step (n - 1) (if c land 1 = 1 then 0xedb88320 lxor (c lsr 1) else c lsr 1) in
     Array.init 256 (step 8))

let crc32 start bytes from count =
  let table = Lazy.force crc_table and crc = ref (start lxor 0xffffffff) in
  for i = from to from + count - 1 do
    crc := Array.unsafe_get table ((!crc lxor Char.code (Bytes.unsafe_get bytes i)) land 255) lxor (!crc lsr 8)
  done;
  !crc lxor 0xffffffff

(* ** Blocks and members *)

type place =
  | Member  (* before a member, or at the end *)
  | Block of bool  (* before a block; whether there is one *)
  | Stored of int * bool  (* bytes that are left; whether a block follows *)
  | Coded of (code * code) * bool

(* The text so far, as far as codes can go back, and what is new since the last piece. *)
type t = { source : source; mutable place : place; text : Bytes.t; mutable from : int; mutable upto : int;
           mutable crc : int; mutable length : int }

let history = 32768
let piece = 65536
let longest = 258

let create refill =
  let source = { refill; chunk = Bytes.create 65536; at = 0; stop = 0; bits = 0; count = 0 } in
  { source; place = Member; text = Bytes.create (history + piece + longest); from = 0; upto = 0; crc = 0; length = 0 }

let number source bytes = List.fold_left (fun sum i -> sum lor (byte source lsl (8 * i))) 0 (List.init bytes Fun.id)

let rec skip_zeros source =
  if at_least source 8 && source.bits land 255 = 0 then begin drop source 8; skip_zeros source end

let rec skip_text source = if byte source <> 0 then skip_text source

(* Whether there is one more member; its header is read. *)
let member source =
  at_least source 8
  && begin
       if not (byte source = 0x1f && byte source = 0x8b && byte source = 8) then raise Corrupt;
       let flags = byte source in
       ignore (number source 6);
       if flags land 4 <> 0 then for _ = 1 to number source 2 do ignore (byte source) done;
       if flags land 8 <> 0 then skip_text source;
       if flags land 16 <> 0 then skip_text source;
       if flags land 2 <> 0 then ignore (number source 2);
       true
     end

let put t c =
  Bytes.unsafe_set t.text t.upto c;
  t.upto <- t.upto + 1

let lengths_of i = if i < 8 then (0, i + 3) else if i = 28 then (0, 258) else
    let extra = (i / 4) - 1 in (extra, 3 + ((4 + (i land 3)) lsl extra))

let distances_of i = if i < 2 then (0, i + 1) else let extra = (i / 2) - 1 in (extra, 1 + ((2 + (i land 1)) lsl extra))

(* Copy a stretch of the text; [known] is how much there is of this member, before this piece. *)
let copy t known length distance =
  if distance > known + (t.upto - t.from) || distance > history then raise Corrupt;
  for _ = 1 to length do put t (Bytes.unsafe_get t.text (t.upto - distance)) done

(* Make room for a piece. *)
let shift t =
  let kept = min history t.upto in
  Bytes.blit t.text (t.upto - kept) t.text 0 kept;
  t.from <- kept;
  t.upto <- kept


let rec fill t from =
  if t.upto - from < piece then
    match t.place with
    | Member ->
      if t.upto = from && member t.source then begin
        t.crc <- 0;
        t.length <- 0;
        t.place <- Block true;
        fill t from
      end
    | Block false -> if t.upto = from then begin finish t; fill t from end
    | Block true ->
      let follows = take t.source 1 = 0 in
      (match take t.source 2 with
       | 0 ->
         to_a_whole_byte t.source;
         let length = number t.source 2 in
         if number t.source 2 <> length lxor 0xffff then raise Corrupt;
         t.place <- Stored (length, follows)
       | 1 -> t.place <- Coded (Lazy.force fixed, follows)
       | 2 -> t.place <- Coded (dynamic t.source, follows)
       | _ -> raise Corrupt);
      fill t from
    | Stored (0, follows) -> t.place <- Block follows; fill t from
    | Stored (left, follows) ->
      put t (Char.unsafe_chr (byte t.source));
      t.place <- Stored (left - 1, follows);
      fill t from
    | Coded ((literals, distances), follows) ->
      (match symbol t.source literals with
       | 256 -> t.place <- Block follows
       | code when code < 256 -> put t (Char.unsafe_chr code)
       | code ->
         if code > 285 then raise Corrupt;
         let extra, least = lengths_of (code - 257) in
         let length = least + take t.source extra in
         let code = symbol t.source distances in
         if code > 29 then raise Corrupt;
         let extra, least = distances_of code in
         let distance = least + take t.source extra in
         copy t t.length length distance);
      fill t from

(* The end of a member. *)
and finish t =
  to_a_whole_byte t.source;
  if number t.source 4 <> t.crc || number t.source 4 <> t.length land 0xffffffff then raise Corrupt;
  skip_zeros t.source;
  t.place <- Member

(* The next piece of the text: where it stands, from where on, and how long it is; 0 after the last one. *)
let next t =
  shift t;
  let from = t.from in
  fill t from;
  let count = t.upto - from in
  t.crc <- crc32 t.crc t.text from count;
  t.length <- t.length + count;
  (t.text, from, count)
