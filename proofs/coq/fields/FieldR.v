(** * FieldR.v -- the real numbers, with the names of FieldQc.v

    What this file provides, in plain words.  The proofs about rules are written
    once, over an ordered field [F], and compiled twice: over the rational numbers
    (FieldQc.v) and over the real numbers of the standard library (this file).
    Both files define the same names, and prove the same facts about them. *)

Require Export Reals Lra Lia ZArith.
Open Scope R_scope.

Notation F := R.

(** ** Operations *)

Notation of_Z := IZR.
Definition of_nat (n : nat) : F := of_Z (Z.of_nat n).
Notation fmin := Rmin.
Notation fmax := Rmax.
Notation fdiv := Rdiv.

(** [lra] and [nra] are those of the library; [algebra] decides identities. *)
Ltac algebra := field.

(** ** Facts about the field *)

Lemma le_or_lt (a b : F) : {a <= b} + {b < a}.
Proof. destruct (Rle_lt_dec a b); auto. Qed.

Lemma fmin_split (a b : F) : (fmin a b = a /\ a <= b) \/ (fmin a b = b /\ b <= a).
Proof. apply Rmin_case_strong; intro; [left | right]; split; trivial. Qed.

Lemma fmax_split (a b : F) : (fmax a b = a /\ b <= a) \/ (fmax a b = b /\ a <= b).
Proof. apply Rmax_case_strong; intro; [left | right]; split; trivial. Qed.

Lemma of_Z_add y z : of_Z (y + z) = of_Z y + of_Z z.
Proof. apply plus_IZR. Qed.

Lemma of_Z_mul y z : of_Z (y * z) = of_Z y * of_Z z.
Proof. apply mult_IZR. Qed.

Lemma of_Z_le y z : (y <= z)%Z -> of_Z y <= of_Z z.
Proof. apply IZR_le. Qed.

(** Every number lies between two consecutive integers. *)
Lemma integer_between (a : F) : exists n : Z, of_Z n <= a < of_Z n + 1.
Proof. destruct (archimed a). exists (up a - 1)%Z. rewrite minus_IZR. lra. Qed.

(** *** By cases

    [by_cases] replaces one innermost minimum or maximum after the other by the
    argument it equals, and gives what remains to [lra].  A branch whose
    assumptions contradict each other is closed as soon as it appears; so the
    number of open branches stays small and so does the memory that [lra] needs. *)

(** Succeeds if the expression contains neither minimum nor maximum. *)
Ltac flat e :=
  lazymatch e with
  | context [Rmin _ _] => fail
  | context [Rmax _ _] => fail
  | _ => idtac
  end.

Ltac replace_by_case e lemma :=
  let H := fresh "case" in
  let m := fresh "m" in
  pose proof lemma as H;
  set (m := e) in *; clearbody m;
  destruct H as [[-> H] | [-> H]];
  try (exfalso; lra).

Ltac one_case :=
  match goal with
  | |- context [Rmin ?a ?b] =>
      flat a; flat b; replace_by_case (Rmin a b) (fmin_split a b)
  | |- context [Rmax ?a ?b] =>
      flat a; flat b; replace_by_case (Rmax a b) (fmax_split a b)
  | _ : context [Rmin ?a ?b] |- _ =>
      flat a; flat b; replace_by_case (Rmin a b) (fmin_split a b)
  | _ : context [Rmax ?a ?b] |- _ =>
      flat a; flat b; replace_by_case (Rmax a b) (fmax_split a b)
  end.

Ltac by_cases := repeat one_case; lra.
