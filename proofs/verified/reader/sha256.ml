(* SHA-256 (FIPS 180-4) in lower-case hexadecimal. A wrong sum could only make the checker speak of a certificate that
   names other files: the theorem is about the bytes that were read. *)

let mask = 0xffffffff

(* The first 32 bits after the point of the square (cube) roots of the first primes, by integer arithmetic. *)
let primes =
  let rec search n found =
    if List.length found = 64 then List.rev found
    else search (n + 1) (if List.exists (fun p -> n mod p = 0) found then found else n :: found)
  in
  search 2 []

let root_bits power prime =
  let wanted = Z.shift_left (Z.of_int prime) (32 * power) in
  Z.to_int (Z.logand (Z.root wanted power) (Z.of_int mask))

let constants = Array.of_list (List.map (root_bits 3) primes)
let start = Array.init 8 (fun i -> root_bits 2 (List.nth primes i))

let rotated x n = ((x lsr n) lor (x lsl (32 - n))) land mask

(* Mix the 64 bytes at [offset] into the eight words of [state]. *)
let mix state schedule bytes offset =
  for t = 0 to 15 do
    schedule.(t) <- Int32.to_int (Bytes.get_int32_be bytes (offset + (4 * t))) land mask
  done;
  for t = 16 to 63 do
    let a = schedule.(t - 15) and b = schedule.(t - 2) in
    let low = rotated a 7 lxor rotated a 18 lxor (a lsr 3) and high = rotated b 17 lxor rotated b 19 lxor (b lsr 10) in
    schedule.(t) <- (schedule.(t - 16) + low + schedule.(t - 7) + high) land mask
  done;
  let a = ref state.(0) and b = ref state.(1) and c = ref state.(2) and d = ref state.(3) in
  let e = ref state.(4) and f = ref state.(5) and g = ref state.(6) and h = ref state.(7) in
  for t = 0 to 63 do
    let chosen = !e land !f lxor (lnot !e land mask land !g) in
    let one = !h + (rotated !e 6 lxor rotated !e 11 lxor rotated !e 25) + chosen + constants.(t) + schedule.(t) in
    let majority = !a land !b lxor (!a land !c) lxor (!b land !c) in
    let two = (rotated !a 2 lxor rotated !a 13 lxor rotated !a 22) + majority in
    h := !g; g := !f; f := !e; e := (!d + one) land mask;
    d := !c; c := !b; b := !a; a := (one + two) land mask
  done;
  List.iteri (fun i x -> state.(i) <- (state.(i) + x) land mask) [ !a; !b; !c; !d; !e; !f; !g; !h ]

let hexadecimal text =
  let n = String.length text in
  let padded = Bytes.make ((n + 72) / 64 * 64) '\000' in
  Bytes.blit_string text 0 padded 0 n;
  Bytes.set padded n '\x80';
  Bytes.set_int64_be padded (Bytes.length padded - 8) (Int64.mul 8L (Int64.of_int n));
  let state = Array.copy start and schedule = Array.make 64 0 in
  for block = 0 to (Bytes.length padded / 64) - 1 do mix state schedule padded (64 * block) done;
  String.concat "" (List.map (Printf.sprintf "%08x") (Array.to_list state))
