(** * RationalQc.v -- computing with rational numbers is right

    What this file proves, in plain words: the operations of [rational] (Number.v)
    are those of the rational numbers ([rational_sound]).  [rational_number] is
    what a number without roots means; one with a root is refused by [read], so
    nothing is said of it. *)

From Coq Require Import List QArith Qcanon.
From VeriMV Require Export MeaningQc.
Import ListNotations.
Open Scope Qc_scope.

(** The sum of all terms numerator / denominator. *)
Fixpoint rational_number (e : exact) : F :=
  match e with
  | [] => 0
  | t :: rest => of_Z (numerator t) / of_Z (Zpos (denominator t)) + rational_number rest
  end.

Lemma fraction_value n d : Q2Qc (n # d) = of_Z n / of_Z (Zpos d).
Proof.
  apply Qc_is_canon. unfold Qcdiv, Qcmult, Qcinv, of_Z, Q2Qc. cbn [this]. rewrite !Qred_correct.
  unfold Qeq, Qmult, Qinv. cbn [Qnum Qden]. lia.
Qed.

Lemma rational_read_value e : forall x y,
  fold_left read_term e (Ok x) = Ok y -> y = x + rational_number e.
Proof.
  induction e as [| t e IH]; intros x y; cbn [fold_left read_term rational_number].
  { intros [= ->]. lra. }
  destruct (N.eqb (radicand t) 1).
  - intros H. apply IH in H. rewrite H, fraction_value. lra.
  - intros H. exfalso. clear IH. induction e as [| t' e IH]; [discriminate | now apply IH].
Qed.

Theorem rational_sound : sound_number rational (fun x => x) rational_number.
Proof.
  constructor; cbn [rational fraction add mul dot read eqb leb]; trivial.
  - apply fraction_value.
  - intros l x. rewrite rational_dot_eq.
    induction l as [| [c y] l IH]; cbn [fold_right value_of_products fst snd]; [| rewrite IH]; lra.
  - intros e x H. apply rational_read_value in H. rewrite H. change (Q2Qc 0) with (of_Z 0). lra.
  - intros x y H. apply andb_prop in H. destruct H as [H1 H2].
    apply Z.eqb_eq in H1. apply Pos.eqb_eq in H2. apply Qc_decomp.
    destruct (this x), (this y). cbn in *. congruence.
  - intros x y [= H]. rewrite rational_leb_eq in H. now apply Qle_bool_iff.
  - intros x y [= H]. rewrite rational_leb_eq in H. destruct (le_or_lt x y) as [L | L]; [| exact L].
    apply Qle_bool_iff in L. congruence.
Qed.
