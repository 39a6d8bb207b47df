(** * Extract.v -- the checker as an OCaml program

    What this file does, in plain words: it writes Chain.v and what it uses as
    OCaml modules, in which Coq's numbers are integers of zarith, or of JavaScript.  The functions
    of proofs/verified/reader/big.ml that are named here are trusted to do what those
    of Coq do, and so is Coq's extraction; nothing else of the checker is. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNativeString ZArith QArith Qcanon List.
From VeriMV Require Import Syntax Map Number Sums Store Fractions Roots.
From VeriMV Require Chain.

Extraction Language OCaml.
(* Modules that would hide ones of OCaml, of zarith or of the reader. *)
Extraction Blacklist List String Map Int Z Big Meter Squares Inflate Statement Json Files Reading Main.

Extract Inductive positive => "Big.t" [ "Big.double_plus_one" "Big.double" "Big.one" ] "Big.match_positive".
Extract Inductive N => "Big.t" [ "Big.zero" "Big.same" ] "Big.match_natural".
Extract Inductive Z => "Big.t" [ "Big.zero" "Big.same" "Big.neg" ] "Big.match_integer".

(* Lengths of lists, and how often something is done at most. *)
Extract Inductive nat => "int" [ "0" "Stdlib.succ" ] "Big.match_length".
Extract Inlined Constant N.of_nat => "Big.of_length".
Extract Inlined Constant Z.of_nat => "Big.of_length".

Extract Inlined Constant is_one => "Big.is_one".
Extract Inlined Constant is_even => "Big.is_even".
Extract Inlined Constant half => "Big.half".
Extract Inlined Constant divided => "Big.divided".
Extract Inlined Constant bits => "Big.size".

(* This is not the function of Coq, and need not be: [without_square] tests the square that it gives. *)
Extract Inlined Constant square_root_in => "Squares.root_in".

Extract Inlined Constant Pos.succ => "Big.succ".
Extract Inlined Constant Pos.add => "Big.add".
Extract Inlined Constant Pos.sub => "Big.sub_positive".
Extract Inlined Constant Pos.pred => "(fun p -> Big.sub_positive p Big.one)".
Extract Inlined Constant Pos.mul => "Big.mul".
Extract Inlined Constant Pos.eqb => "Big.equal".
Extract Inlined Constant Pos.leb => "Big.leq".
Extract Inlined Constant Pos.ltb => "Big.lt".
Extract Inlined Constant Pos.compare => "Big.compare".
Extract Inlined Constant Pos.size => "Big.size".
Extract Inlined Constant Pos.ggcd => "Big.ggcd".

Extract Inlined Constant N.succ => "Big.succ".
Extract Inlined Constant N.add => "Big.add".
Extract Inlined Constant N.sub => "Big.sub_natural".
Extract Inlined Constant N.pred => "(fun n -> Big.sub_natural n Big.one)".
Extract Inlined Constant N.mul => "Big.mul".
Extract Inlined Constant N.max => "Big.max".
Extract Inlined Constant N.eqb => "Big.equal".
Extract Inlined Constant N.leb => "Big.leq".
Extract Inlined Constant N.ltb => "Big.lt".
Extract Inlined Constant N.size => "Big.size".
Extract Inlined Constant N.div => "Big.div".
Extract Inlined Constant N.modulo => "Big.modulo".
Extract Inlined Constant N.sqrt => "Big.sqrt".
Extract Inlined Constant N.land => "Big.logand".
Extract Inlined Constant N.succ_pos => "Big.succ".

Extract Inlined Constant Z.succ => "Big.succ".
Extract Inlined Constant Z.add => "Big.add".
Extract Inlined Constant Z.sub => "Big.sub".
Extract Inlined Constant Z.mul => "Big.mul".
Extract Inlined Constant Z.opp => "Big.neg".
Extract Inlined Constant Z.abs => "Big.abs".
Extract Inlined Constant Z.eqb => "Big.equal".
Extract Inlined Constant Z.leb => "Big.leq".
Extract Inlined Constant Z.ltb => "Big.lt".
Extract Inlined Constant Z.div => "Big.div".
Extract Inlined Constant Z.sqrt => "Big.sqrt".
Extract Inlined Constant Z.ggcd => "Big.ggcd".
Extract Inlined Constant Z.land => "Big.logand".
Extract Inlined Constant Z.shiftl => "Big.shift_left".
Extract Inlined Constant Z.of_N => "Big.same".
Extract Inlined Constant Z.to_N => "Big.to_natural".
Extract Inlined Constant Z.to_pos => "Big.to_positive".

(* Steps follow one another without a function for the rest: then a loop is a loop in JavaScript, too, which keeps a frame
   of the stack for each call, whether or not something is left to do after it. *)
Extraction Inline bind andthen lift.

Separate Extraction fractions surd Chain.start Chain.step Chain.finish.
