(** * Theorems.v -- the main theorems

    The program that is extracted (../verified) runs [Checker.run] line by line:
    with [fractions] if no file has a square root, with [surd] numbers
    otherwise.  If it answers "valid", what the certificate says is true at
    every point of the unit cube.  [statement] is explained in Meaning.v and,
    line by line, in README.md. *)

From Coq Require Import List QArith Qcanon Rdefinitions.
From VeriMV Require Import Syntax Number Fractions Roots.
From VeriMV Require Checker FractionsQc RootsR SoundQc SoundR.

(** Rational numbers, at every rational point: no axiom is used. *)
Theorem rational_checker_sound budget subject lines pairs us :
  Checker.run fractions budget subject lines = Ok pairs ->
  length us = MeaningQc.number_of_inputs subject -> Forall OverQc.unit us ->
  MeaningQc.statement Q2Qc FractionsQc.rational_number subject pairs us.
Proof. apply (SoundQc.run_sound FractionsQc.fractions_sound). Qed.

(** The same checker, at every real point. *)
Theorem rational_checker_sound_over_R budget subject lines pairs us :
  Checker.run fractions budget subject lines = Ok pairs ->
  length us = MeaningR.number_of_inputs subject -> Forall OverR.unit us ->
  MeaningR.statement Q2R RootsR.real_number subject pairs us.
Proof. apply (SoundR.run_sound RootsR.fractions_sound). Qed.

(** Sums of square roots, at every real point. *)
Theorem surd_checker_sound budget subject lines pairs us :
  Checker.run surd budget subject lines = Ok pairs ->
  length us = MeaningR.number_of_inputs subject -> Forall OverR.unit us ->
  MeaningR.statement RootsR.real_of_roots RootsR.real_number subject pairs us.
Proof. apply (SoundR.run_sound RootsR.surd_sound). Qed.

(** Networks and formulas once more, in terms of points of the box: the network
    at the point is the formula, scaled, at the point of the unit cube that
    belongs to it; over the rationals, and over the reals with square roots. *)
Theorem rational_box budget n f lines pairs xs :
  Checker.run fractions budget (NetworkFormula n f) lines = Ok pairs ->
  MeaningQc.in_box FractionsQc.rational_number (box n) xs ->
  exists us, Forall OverQc.unit us
    /\ MeaningQc.point_of_box FractionsQc.rational_number (box n) us = xs
    /\ MeaningQc.scaled Q2Qc pairs (MeaningQc.outputs_of_formula FractionsQc.rational_number f us)
         (MeaningQc.forward FractionsQc.rational_number (layers n) xs).
Proof. apply (SoundQc.every_point_of_the_box FractionsQc.fractions_sound). Qed.

Theorem surd_box budget n f lines pairs xs :
  Checker.run surd budget (NetworkFormula n f) lines = Ok pairs ->
  MeaningR.in_box RootsR.real_number (box n) xs ->
  exists us, Forall OverR.unit us
    /\ MeaningR.point_of_box RootsR.real_number (box n) us = xs
    /\ MeaningR.scaled RootsR.real_of_roots pairs (MeaningR.outputs_of_formula RootsR.real_number f us)
         (MeaningR.forward RootsR.real_number (layers n) xs).
Proof. apply (SoundR.every_point_of_the_box RootsR.surd_sound). Qed.
