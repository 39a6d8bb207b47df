(** * FractionsSound.v -- computing with fractions is right

    What this file proves, in plain words: the operations of [fractions]
    (Fractions.v) are those of the rational numbers ([fractions_sound]).
    [rational_number] is what a number without roots means; one with a root is
    refused by [read], so nothing is said of it. *)

From Coq Require Import List QArith Qcanon.
From VeriMV Require Export Meaning Fractions.
Import ListNotations.
Open Scope Qc_scope.

(** The sum of all terms numerator / denominator. *)
Fixpoint rational_number (e : exact) : F :=
  match e with
  | [] => 0
  | t :: rest => of_Z (numerator t) / of_Z (Zpos (denominator t)) + rational_number rest
  end.

Lemma same_value p q : (p == q)%Q -> Q2Qc p = Q2Qc q.
Proof. intros H. apply Qc_is_canon. cbn [this Q2Qc]. now rewrite !Qred_correct. Qed.

Lemma reduced_value q : Q2Qc (Qred q) = Q2Qc q.
Proof. apply same_value, Qred_correct. Qed.

Lemma add_value p q : Q2Qc (p + q) = Q2Qc p + Q2Qc q.
Proof. apply Qc_is_canon. unfold Qcplus. cbn [this Q2Qc]. now rewrite !Qred_correct. Qed.

Lemma mul_value p q : Q2Qc (p * q) = Q2Qc p * Q2Qc q.
Proof. apply Qc_is_canon. unfold Qcmult. cbn [this Q2Qc]. now rewrite !Qred_correct. Qed.

Lemma fraction_value n d : Q2Qc (n # d) = of_Z n / of_Z (Zpos d).
Proof.
  apply Qc_is_canon. unfold Qcdiv, Qcmult, Qcinv, of_Z, Q2Qc. cbn [this]. rewrite !Qred_correct.
  unfold Qeq, Qmult, Qinv. cbn [Qnum Qden]. lia.
Qed.

Lemma le_value p q : Q2Qc p <= Q2Qc q <-> (p <= q)%Q.
Proof. unfold Qcle. cbn [this Q2Qc]. now rewrite !Qred_correct. Qed.

Lemma read_value e : forall x y,
  fold_left read_fraction e (Ok x) = Ok y -> Q2Qc y = Q2Qc x + rational_number e.
Proof.
  induction e as [| t e IH]; intros x y; cbn [fold_left read_fraction rational_number].
  { intros [= ->]. lra. }
  destruct (N.eqb (radicand t) 1).
  - intros H. apply IH in H. rewrite H, reduced_value, add_value, fraction_value. lra.
  - intros H. exfalso. clear IH. induction e as [| t' e IH]; [discriminate | now apply IH].
Qed.

Theorem fractions_sound : sound_number fractions Q2Qc rational_number.
Proof.
  constructor; cbn [fractions fraction add mul dot align read eqb leb rational_part].
  - intros n d. rewrite (same_value _ _ (reduced_eq n d)). apply fraction_value.
  - intros x y. now rewrite reduced_value, add_value.
  - intros x y. now rewrite reduced_value, mul_value.
  - intros l x. rewrite (same_value _ _ (dot_fractions_eq l x)).
    induction l as [| [c y] l IH]; cbn [fold_right value_of_products fst snd]; [| rewrite add_value, mul_value, IH]; lra.
  - intros x y. apply same_value, over_common_eq.
  - intros e x H. apply read_value in H. rewrite H. change (Q2Qc 0%Q) with (of_Z 0). lra.
  - intros [n d] [n' d']. cbn [Qnum Qden]. destruct (Z.eqb_spec n n') as [-> |]; [| discriminate].
    intros H. apply Pos.eqb_eq in H. now subst.
  - intros x y [= H]. rewrite leb_fractions_eq in H. apply le_value. now apply Qle_bool_iff.
  - intros x y [= H]. rewrite leb_fractions_eq in H. destruct (le_or_lt (Q2Qc x) (Q2Qc y)) as [L | L]; [| exact L].
    rewrite le_value in L. apply Qle_bool_iff in L. congruence.
  - intros [n d] n' d' [= <- <-]. apply fraction_value.
Qed.
