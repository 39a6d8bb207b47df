(* Exact numbers as they are written: sums of terms numerator/denominator·√radicand. *)

exception Not_a_number

let most_digits = 4300
let most_digits_of_a_radicand = 9

(* The digits at [at] as a number, and where they end. *)
let digits text at most =
  let n = String.length text in
  let rec stop i = if i < n && text.[i] >= '0' && text.[i] <= '9' then stop (i + 1) else i in
  let length = stop at - at in
  if length = 0 || length > most then raise Not_a_number;
  (Z.of_substring text ~pos:at ~len:length, at + length)

(* digits | [digits "*"] "sqrt(" digits ")", from [at]: the factor, the radicand, and where they end. *)
let product text at =
  let root factor at =
    let radicand, stop = digits text (at + String.length "sqrt(") most_digits_of_a_radicand in
    if Reading.stands text stop ")" then (factor, radicand, stop + 1) else raise Not_a_number
  in
  if Reading.stands text at "sqrt(" then root Z.one at
  else
    let factor, stop = digits text at most_digits in
    if Reading.stands text stop "*sqrt(" then root factor (stop + 1) else (factor, Z.one, stop)

let term text at is_negative =
  let factor, radicand, stop = product text at in
  let denominator, stop = if Reading.stands text stop "/" then digits text (stop + 1) most_digits else (Z.one, stop) in
  if Z.equal denominator Z.zero then raise Not_a_number;
  ({ Syntax.numerator = (if is_negative then Z.neg factor else factor); denominator; radicand }, stop)

let read text =
  let rec more at is_negative found =
    let one, stop = term text at is_negative in
    let found = one :: found in
    if stop = String.length text then List.rev found
    else match text.[stop] with '+' -> more (stop + 1) false found | '-' -> more (stop + 1) true found | _ -> raise Not_a_number
  in
  if Reading.stands text 0 "-" then more 1 true [] else more 0 false []

(* Texts of factors are numbered in the order in which they are met. *)
let factors : Syntax.factor Reading.Table.t = Reading.Table.create ()

(* d[i] or D[r], which stand for 1/i and r. *)
let factor written =
  match Reading.Table.find_opt factors written with
  | Some factor -> factor
  | None ->
    let n = String.length written in
    if n < 4 || written.[n - 1] <> ']' then raise Not_a_number;
    let inner = String.sub written 2 (n - 3) in
    let amount =
      if Reading.stands written 0 "D[" then read inner
      else if Reading.stands written 0 "d[" && String.for_all (fun c -> '0' <= c && c <= '9') inner then read ("1/" ^ inner)
      else raise Not_a_number
    in
    let factor = { Syntax.text = Z.of_int (Reading.Table.length factors); amount } in
    Reading.Table.add factors written factor;
    factor
