(** * Theorems.v -- the main theorems

    The program that is extracted (../verified) runs [Checker.run] line by line:
    with [fractions] if no file has a square root, with [surd] numbers
    otherwise.  If it answers "valid", what the certificate says is true at
    every point of the unit cube.  [statement] is explained in Meaning.v and,
    line by line, in README.md. *)

From Coq Require Import List QArith Qcanon Rdefinitions.
From VeriMV Require Import Syntax Number Fractions Roots.
From VeriMV Require Checker FractionsSound RootsSound Sound SoundR.

(** Rational numbers, at every rational point: no axiom is used. *)
Theorem rational_checker_sound budget subject lines pairs us :
  Checker.run fractions budget subject lines = Ok pairs ->
  length us = Meaning.number_of_inputs subject -> Forall Unit.unit us ->
  Meaning.statement Q2Qc FractionsSound.rational_number subject pairs us.
Proof. apply (Sound.run_sound FractionsSound.fractions_sound). Qed.

(** The same checker, at every real point. *)
Theorem rational_checker_sound_over_R budget subject lines pairs us :
  Checker.run fractions budget subject lines = Ok pairs ->
  length us = MeaningR.number_of_inputs subject -> Forall UnitR.unit us ->
  MeaningR.statement Q2R RootsSound.real_number subject pairs us.
Proof. apply (SoundR.run_sound RootsSound.fractions_sound). Qed.

(** Sums of square roots, at every real point. *)
Theorem surd_checker_sound budget subject lines pairs us :
  Checker.run surd budget subject lines = Ok pairs ->
  length us = MeaningR.number_of_inputs subject -> Forall UnitR.unit us ->
  MeaningR.statement RootsSound.real_of_roots RootsSound.real_number subject pairs us.
Proof. apply (SoundR.run_sound RootsSound.surd_sound). Qed.

(** Networks and formulas once more, in terms of points of the box: the network
    at the point is the formula, scaled, at the point of the unit cube that
    belongs to it; over the rationals, and over the reals with square roots. *)
Theorem rational_box budget n f lines pairs xs :
  Checker.run fractions budget (NetworkFormula n f) lines = Ok pairs ->
  Meaning.in_box FractionsSound.rational_number (box n) xs ->
  exists us, Forall Unit.unit us
    /\ Meaning.point_of_box FractionsSound.rational_number (box n) us = xs
    /\ Meaning.scaled Q2Qc pairs (Meaning.outputs_of_formula FractionsSound.rational_number f us)
         (Meaning.forward FractionsSound.rational_number (layers n) xs).
Proof. apply (Sound.every_point_of_the_box FractionsSound.fractions_sound). Qed.

Theorem surd_box budget n f lines pairs xs :
  Checker.run surd budget (NetworkFormula n f) lines = Ok pairs ->
  MeaningR.in_box RootsSound.real_number (box n) xs ->
  exists us, Forall UnitR.unit us
    /\ MeaningR.point_of_box RootsSound.real_number (box n) us = xs
    /\ MeaningR.scaled RootsSound.real_of_roots pairs (MeaningR.outputs_of_formula RootsSound.real_number f us)
         (MeaningR.forward RootsSound.real_number (layers n) xs).
Proof. apply (SoundR.every_point_of_the_box RootsSound.surd_sound). Qed.
