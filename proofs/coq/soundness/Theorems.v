(** * Theorems.v -- the main theorems

    The program that is extracted (../verified) runs [Chain.run] line by line:
    with [fractions] if no file has a square root, with [surd] numbers
    otherwise.  If it answers "valid", what the certificate says is true at
    every point of the unit cube.  [proved] is explained in Meaning.v and,
    line by line, in README.md. *)

From Coq Require Import List QArith Qcanon Rdefinitions.
From VeriMV Require Import Syntax Number Fractions Roots.
From VeriMV Require Chain FractionsSound RootsSound ChainSound ChainSoundR.

(** Rational numbers, at every rational point: no axiom is used. *)
Theorem rational_checker_sound budget about lines errors pairs us :
  Chain.run fractions budget about lines = Ok (errors, pairs) ->
  length us = Meaning.inputs_of_topic about -> Forall Unit.unit us ->
  Meaning.proved Q2Qc FractionsSound.rational_number about errors pairs us.
Proof. apply (ChainSound.chain_sound FractionsSound.fractions_sound). Qed.

(** The same checker, at every real point. *)
Theorem rational_checker_sound_over_R budget about lines errors pairs us :
  Chain.run fractions budget about lines = Ok (errors, pairs) ->
  length us = MeaningR.inputs_of_topic about -> Forall UnitR.unit us ->
  MeaningR.proved Q2R RootsSound.real_number about errors pairs us.
Proof. apply (ChainSoundR.chain_sound RootsSound.fractions_sound). Qed.

(** Sums of square roots, at every real point. *)
Theorem surd_checker_sound budget about lines errors pairs us :
  Chain.run surd budget about lines = Ok (errors, pairs) ->
  length us = MeaningR.inputs_of_topic about -> Forall UnitR.unit us ->
  MeaningR.proved RootsSound.real_of_roots RootsSound.real_number about errors pairs us.
Proof. apply (ChainSoundR.chain_sound RootsSound.surd_sound). Qed.

(** Networks and formulas once more, in terms of points of the box: the network
    at the point is the formula, scaled, at the point of the unit cube that
    belongs to it; over the rationals, and over the reals with square roots. *)
Theorem rational_box budget n f lines errors pairs xs :
  Chain.run fractions budget (OnePart (NetworkFormula n f)) lines = Ok (errors, pairs) ->
  Meaning.in_box FractionsSound.rational_number (box n) xs ->
  exists us, Forall Unit.unit us
    /\ Meaning.point_of_box FractionsSound.rational_number (box n) us = xs
    /\ Meaning.scaled Q2Qc pairs (Meaning.outputs_of_formula FractionsSound.rational_number f us)
         (Meaning.forward FractionsSound.rational_number (layers n) xs).
Proof. apply (ChainSound.every_point_is_computed FractionsSound.fractions_sound). Qed.

Theorem surd_box budget n f lines errors pairs xs :
  Chain.run surd budget (OnePart (NetworkFormula n f)) lines = Ok (errors, pairs) ->
  MeaningR.in_box RootsSound.real_number (box n) xs ->
  exists us, Forall UnitR.unit us
    /\ MeaningR.point_of_box RootsSound.real_number (box n) us = xs
    /\ MeaningR.scaled RootsSound.real_of_roots pairs (MeaningR.outputs_of_formula RootsSound.real_number f us)
         (MeaningR.forward RootsSound.real_number (layers n) xs).
Proof. apply (ChainSoundR.every_point_is_computed RootsSound.surd_sound). Qed.

(** And so for a formula within an error of the network. *)
Theorem rational_within_box budget n other f lines errors pairs xs :
  Chain.run fractions budget (Within n other f) lines = Ok (errors, pairs) ->
  Meaning.in_box FractionsSound.rational_number (box n) xs ->
  exists us, Forall Unit.unit us
    /\ Meaning.point_of_box FractionsSound.rational_number (box n) us = xs
    /\ Meaning.approximated Q2Qc errors pairs (Meaning.outputs_of_formula FractionsSound.rational_number f us)
         (Meaning.forward FractionsSound.rational_number (layers n) xs).
Proof. apply (ChainSound.every_point_is_within FractionsSound.fractions_sound). Qed.

Theorem surd_within_box budget n other f lines errors pairs xs :
  Chain.run surd budget (Within n other f) lines = Ok (errors, pairs) ->
  MeaningR.in_box RootsSound.real_number (box n) xs ->
  exists us, Forall UnitR.unit us
    /\ MeaningR.point_of_box RootsSound.real_number (box n) us = xs
    /\ MeaningR.approximated RootsSound.real_of_roots errors pairs (MeaningR.outputs_of_formula RootsSound.real_number f us)
         (MeaningR.forward RootsSound.real_number (layers n) xs).
Proof. apply (ChainSoundR.every_point_is_within RootsSound.surd_sound). Qed.
