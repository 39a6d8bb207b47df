(** * FieldQc.v -- the rational numbers, with the names of FieldR.v

    What this file provides, in plain words.  The proofs about rules are written
    once, over an ordered field [F], and compiled twice: over the rational numbers
    (this file) and over the real numbers (FieldR.v).  Rational numbers are
    those of the standard library in lowest terms, so that equal ones are the
    same.  No axiom is used.

    [lra] and [nra] decide (in)equalities over F by moving the goal and all
    hypotheses to the library's fractions Q; [algebra] decides identities. *)

Require Import QArith Qround Lqa.
Require Export Qcanon Qfield Lia ZArith.

Notation F := Qc.

(** ** Operations and numerals *)

Definition of_Z (z : Z) : F := Q2Qc (z # 1).
Definition of_nat (n : nat) : F := of_Z (Z.of_nat n).
Definition choose {A : Type} (p q : Q) (a b : A) : A := if Qle_bool p q then a else b.
Definition fmin (a b : F) : F := choose a b a b.
Definition fmax (a b : F) : F := choose a b b a.
Notation fdiv := Qcdiv.

Notation "x <= y < z" := (Qcle x y /\ Qclt y z) : Qc_scope.

(** Numerals are written with [of_Z], also 0 and 1. *)
Inductive numeral := Numeral (z : Z).
Definition numeral_of_int (n : Number.int) : option numeral :=
  match n with
  | Number.IntDecimal d => Some (Numeral (Z.of_int d))
  | _ => None
  end.
Definition int_of_numeral (n : numeral) : option Number.int :=
  match n with Numeral z => Some (Number.IntDecimal (Z.to_int z)) end.
Number Notation Qc numeral_of_int int_of_numeral (via numeral mapping [[of_Z] => Numeral]) : Qc_scope.
Set Warnings "-notation-overridden".
Notation " 0 " := (of_Z Z0) : Qc_scope.
Notation " 1 " := (of_Z (Zpos xH)) : Qc_scope.

(** ** From F to Q

    Each operation of F is that of Q, up to the equality of Q. *)

Open Scope Q_scope.

Lemma this_of_Z z : of_Z z == z # 1.
Proof. apply Qred_correct. Qed.

Lemma this_add (a b : F) p q : a == p -> b == q -> (a + b)%Qc == p + q.
Proof. intros <- <-. apply Qred_correct. Qed.

Lemma this_sub (a b : F) p q : a == p -> b == q -> (a - b)%Qc == p - q.
Proof.
  intros <- <-. unfold Qcminus, Qcdiv, Qcplus, Qcmult, Qcopp, Qcinv, Q2Qc. cbn [this].
  now rewrite !Qred_correct.
Qed.

Lemma this_mul (a b : F) p q : a == p -> b == q -> (a * b)%Qc == p * q.
Proof. intros <- <-. apply Qred_correct. Qed.

Lemma this_opp (a : F) p : a == p -> (- a)%Qc == - p.
Proof. intros <-. apply Qred_correct. Qed.

Lemma this_inv (a : F) p : a == p -> (/ a)%Qc == / p.
Proof. intros <-. apply Qred_correct. Qed.

Lemma this_div (a b : F) p q : a == p -> b == q -> (a / b)%Qc == p / q.
Proof.
  intros <- <-. unfold Qcminus, Qcdiv, Qcplus, Qcmult, Qcopp, Qcinv, Q2Qc. cbn [this].
  now rewrite !Qred_correct.
Qed.

(** Division by a number is multiplication by a fraction. *)
Lemma this_part p : (/ of_Z (Zpos p))%Qc == 1 # p.
Proof. rewrite (this_inv (of_Z (Zpos p)) (Zpos p # 1)); [reflexivity | apply this_of_Z]. Qed.

Lemma this_quotient (a : F) p q : a == q -> (a / of_Z (Zpos p))%Qc == q * (1 # p).
Proof. intros <-. rewrite (this_mul a (/ of_Z (Zpos p)) a (1 # p)); [reflexivity | reflexivity | apply this_part]. Qed.

(** The smaller and the larger of two fractions. *)
Definition qmin (p q : Q) : Q := choose p q p q.
Definition qmax (p q : Q) : Q := choose p q q p.

Lemma choose_cases {A : Type} p q (a b : A) :
  choose p q a b = a /\ p <= q \/ choose p q a b = b /\ q <= p.
Proof.
  unfold choose. destruct (Qle_bool p q) eqn:E; [left | right]; split; trivial.
  - now apply Qle_bool_iff.
  - destruct (Qlt_le_dec p q) as [H | H]; [| exact H].
    apply Qlt_le_weak, Qle_bool_iff in H. congruence.
Qed.

Lemma qmin_split p q : qmin p q == p /\ p <= q \/ qmin p q == q /\ q <= p.
Proof. unfold qmin. destruct (choose_cases p q p q) as [[-> H] | [-> H]]; [left | right]; now split. Qed.

Lemma qmax_split p q : qmax p q == p /\ q <= p \/ qmax p q == q /\ p <= q.
Proof. unfold qmax. destruct (choose_cases p q q p) as [[-> H] | [-> H]]; [right | left]; now split. Qed.

Lemma this_min (a b : F) p q : a == p -> b == q -> fmin a b == qmin p q.
Proof.
  intros Ha Hb. unfold fmin.
  destruct (choose_cases a b a b) as [[-> H] | [-> H]], (qmin_split p q) as [[-> H'] | [-> H']];
    trivial; Lqa.lra.
Qed.

Lemma this_max (a b : F) p q : a == p -> b == q -> fmax a b == qmax p q.
Proof.
  intros Ha Hb. unfold fmax.
  destruct (choose_cases a b b a) as [[-> H] | [-> H]], (qmax_split p q) as [[-> H'] | [-> H']];
    trivial; Lqa.lra.
Qed.

Lemma le_in_Q (a b : F) p q : a == p -> b == q -> (a <= b)%Qc <-> p <= q.
Proof. now intros <- <-. Qed.

Lemma lt_in_Q (a b : F) p q : a == p -> b == q -> (a < b)%Qc <-> p < q.
Proof. now intros <- <-. Qed.

Lemma eq_in_Q (a b : F) p q : a == p -> b == q -> a = b <-> p == q.
Proof. intros <- <-. split; [now intros -> | apply Qc_is_canon]. Qed.

Lemma and_in_Q P P' Q Q' : (P <-> P') -> (Q <-> Q') -> P /\ Q <-> P' /\ Q'.
Proof. tauto. Qed.
Lemma or_in_Q P P' Q Q' : (P <-> P') -> (Q <-> Q') -> P \/ Q <-> P' \/ Q'.
Proof. tauto. Qed.
Lemma impl_in_Q (P P' Q Q' : Prop) : (P <-> P') -> (Q <-> Q') -> (P -> Q) <-> (P' -> Q').
Proof. tauto. Qed.
Lemma not_in_Q P P' : (P <-> P') -> ~ P <-> ~ P'.
Proof. tauto. Qed.

Close Scope Q_scope.

(** A closed integer. *)
Ltac closed_positive p :=
  lazymatch p with
  | xH => idtac
  | xO ?p => closed_positive p
  | xI ?p => closed_positive p
  end.
Ltac closed_integer z :=
  lazymatch z with
  | Z0 => idtac
  | Zpos ?p => closed_positive p
  | Zneg ?p => closed_positive p
  end.

(** A proof that an expression of F equals one of Q. *)
Ltac in_Q e :=
  lazymatch e with
  | Qcplus ?a ?b => let p := in_Q a in let q := in_Q b in constr:(this_add _ _ _ _ p q)
  | Qcminus ?a ?b => let p := in_Q a in let q := in_Q b in constr:(this_sub _ _ _ _ p q)
  | Qcmult ?a ?b => let p := in_Q a in let q := in_Q b in constr:(this_mul _ _ _ _ p q)
  | Qcdiv ?a ?b =>
      match b with
      | of_Z (Zpos ?p) =>
          let _ := lazymatch goal with _ => closed_positive p end in
          let q := in_Q a in constr:(this_quotient _ p _ q)
      | _ => let p := in_Q a in let q := in_Q b in constr:(this_div _ _ _ _ p q)
      end
  | fmin ?a ?b => let p := in_Q a in let q := in_Q b in constr:(this_min _ _ _ _ p q)
  | fmax ?a ?b => let p := in_Q a in let q := in_Q b in constr:(this_max _ _ _ _ p q)
  | Qcopp ?a => let p := in_Q a in constr:(this_opp _ _ p)
  | Qcinv ?a =>
      match a with
      | of_Z (Zpos ?p) =>
          let _ := lazymatch goal with _ => closed_positive p end in constr:(this_part p)
      | _ => let p := in_Q a in constr:(this_inv _ _ p)
      end
  | of_Z ?z =>
      match z with
      | _ => let _ := lazymatch goal with _ => closed_integer z end in constr:(this_of_Z z)
      | _ => constr:(Qeq_refl (this e))
      end
  | _ => constr:(Qeq_refl (this e))
  end.

(** A proof that a statement about F is equivalent to one about Q. *)
Ltac statement_in_Q P :=
  lazymatch P with
  | Qcle ?a ?b => let p := in_Q a in let q := in_Q b in constr:(le_in_Q _ _ _ _ p q)
  | Qclt ?a ?b => let p := in_Q a in let q := in_Q b in constr:(lt_in_Q _ _ _ _ p q)
  | @eq Qc ?a ?b => let p := in_Q a in let q := in_Q b in constr:(eq_in_Q _ _ _ _ p q)
  | ?A /\ ?B =>
      let p := statement_in_Q A in let q := statement_in_Q B in constr:(and_in_Q _ _ _ _ p q)
  | ?A \/ ?B =>
      let p := statement_in_Q A in let q := statement_in_Q B in constr:(or_in_Q _ _ _ _ p q)
  | ~ ?A => let p := statement_in_Q A in constr:(not_in_Q _ _ p)
  | ?A -> ?B =>
      let p := statement_in_Q A in let q := statement_in_Q B in constr:(impl_in_Q _ _ _ _ p q)
  | _ => constr:(iff_refl P)
  end.

Ltac about_F P :=
  match P with
  | context [Qcle] => idtac
  | context [Qclt] => idtac
  | context [@eq Qc] => idtac
  end.

(** Hypotheses that cannot be moved (quantified ones, say) stay as they are. *)
Ltac move_to_Q :=
  repeat match goal with
  | H : ?P |- _ =>
      about_F P;
      let p := statement_in_Q P in
      lazymatch type of p with
      | ?A <-> ?A => fail
      | _ => let H' := fresh in pose proof (proj1 p H) as H'; clear H; rename H' into H
      end
  end;
  lazymatch goal with
  | |- ?P => let p := statement_in_Q P in refine (proj2 p _)
  end.

Ltac lra := intros; move_to_Q; Lqa.lra.
Ltac nra := intros; move_to_Q; Lqa.nra.
Ltac algebra := move_to_Q; field.

(** *** By cases

    [by_cases] replaces one innermost minimum or maximum after the other by the
    argument it equals, and gives what remains to [lra].  A branch whose
    assumptions contradict each other is closed as soon as it appears; so the
    number of open branches stays small and so does the memory that [lra] needs. *)

Ltac flat e :=
  lazymatch e with
  | context [qmin _ _] => fail
  | context [qmax _ _] => fail
  | _ => idtac
  end.

Ltac replace_by_case e lemma :=
  let H := fresh "case" in
  let m := fresh "m" in
  pose proof lemma as H;
  set (m := e) in *; clearbody m;
  destruct H as [[? H] | [? H]];
  try (exfalso; Lqa.lra).

Ltac one_case :=
  match goal with
  | |- context [qmin ?a ?b] =>
      flat a; flat b; replace_by_case (qmin a b) (qmin_split a b)
  | |- context [qmax ?a ?b] =>
      flat a; flat b; replace_by_case (qmax a b) (qmax_split a b)
  | _ : context [qmin ?a ?b] |- _ =>
      flat a; flat b; replace_by_case (qmin a b) (qmin_split a b)
  | _ : context [qmax ?a ?b] |- _ =>
      flat a; flat b; replace_by_case (qmax a b) (qmax_split a b)
  end.

Ltac by_cases := move_to_Q; repeat one_case; Lqa.lra.

(** ** Facts about the field *)

Open Scope Qc_scope.

Lemma le_or_lt (a b : F) : {a <= b} + {b < a}.
Proof. destruct (Qclt_le_dec b a); [now right | now left]. Qed.

Lemma of_Z_add y z : of_Z (y + z) = of_Z y + of_Z z.
Proof.
  apply Qc_is_canon. unfold of_Z, Qcplus, Q2Qc. cbn [this]. rewrite !Qred_correct.
  unfold Qeq, Qplus. cbn [Qnum Qden]. lia.
Qed.

Lemma of_Z_mul y z : of_Z (y * z) = of_Z y * of_Z z.
Proof.
  apply Qc_is_canon. unfold of_Z, Qcmult, Q2Qc. cbn [this]. now rewrite !Qred_correct.
Qed.

Lemma of_Z_le y z : (y <= z)%Z -> of_Z y <= of_Z z.
Proof.
  unfold Qcle, of_Z, Q2Qc. cbn [this]. rewrite !Qred_correct.
  unfold Qle. cbn [Qnum Qden]. lia.
Qed.

(** Every number lies between two consecutive integers. *)
Lemma integer_between (a : F) : exists n : Z, of_Z n <= a < of_Z n + 1.
Proof.
  exists (Qfloor a).
  assert (L := Qfloor_le a). assert (U := Qlt_floor a).
  assert (E : (of_Z (Qfloor a + 1) == inject_Z (Qfloor a + 1))%Q) by apply this_of_Z.
  split.
  - unfold Qcle. rewrite (this_of_Z (Qfloor a)). exact L.
  - rewrite <- of_Z_add. unfold Qclt. rewrite E. exact U.
Qed.
