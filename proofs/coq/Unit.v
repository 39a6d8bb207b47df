(** * Unit.v -- the unit interval [0,1] as an MV-algebra

    What this file proves, in plain words.  The truth values of Lukasiewicz
    logic are the reals between 0 and 1.  We define its operations by minimum
    and maximum over Coq's real numbers, and show

    - that they satisfy the axioms of MV-algebras,
    - that minimum and maximum of two values are expressible by them,
    - the laws used when a formula is simplified (0 (+) x = x and so on),
    - the elementary facts about the clipping function sigma.

    The operations are total functions on R; a law that holds only on [0,1]
    says so by hypotheses [unit x]. *)

Require Import Reals Lra.
Local Open Scope R_scope.

(** ** Definitions *)

(** The clipped ReLU. *)
Definition sigma (t : R) : R := Rmin 1 (Rmax 0 t).

(** The ReLU. *)
Definition rho (t : R) : R := Rmax 0 t.

(** Lukasiewicz's sum (disjunction), product (conjunction) and negation. *)
Definition oplus (a b : R) : R := Rmin 1 (a + b).
Definition odot (a b : R) : R := Rmax 0 (a + b - 1).
Definition neg (a : R) : R := 1 - a.

(** Being a truth value. *)
Definition unit (x : R) : Prop := 0 <= x <= 1.

(** ** The tactic

    [minmax] opens the definitions, replaces one innermost minimum or maximum
    after the other by the argument it equals, and gives what remains to [lra].
    A branch whose assumptions contradict each other is closed as soon as it
    appears; so the number of open branches stays small and so does the memory
    that [lra] needs. *)

Lemma Rmin_split (a b : R) :
  (Rmin a b = a /\ a <= b) \/ (Rmin a b = b /\ b <= a).
Proof. apply Rmin_case_strong; intro; [left | right]; split; trivial. Qed.

Lemma Rmax_split (a b : R) :
  (Rmax a b = a /\ b <= a) \/ (Rmax a b = b /\ a <= b).
Proof. apply Rmax_case_strong; intro; [left | right]; split; trivial. Qed.

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
      flat a; flat b; replace_by_case (Rmin a b) (Rmin_split a b)
  | |- context [Rmax ?a ?b] =>
      flat a; flat b; replace_by_case (Rmax a b) (Rmax_split a b)
  | _ : context [Rmin ?a ?b] |- _ =>
      flat a; flat b; replace_by_case (Rmin a b) (Rmin_split a b)
  | _ : context [Rmax ?a ?b] |- _ =>
      flat a; flat b; replace_by_case (Rmax a b) (Rmax_split a b)
  end.

Ltac minmax :=
  intros; unfold sigma, rho, oplus, odot, neg, unit in *;
  repeat one_case; lra.

(** ** Closure: the operations lead from [0,1] to [0,1] *)

Lemma unit_zero : unit 0.
Proof. minmax. Qed.

Lemma unit_one : unit 1.
Proof. minmax. Qed.

Lemma oplus_unit a b : unit a -> unit b -> unit (oplus a b).
Proof. minmax. Qed.

Lemma odot_unit a b : unit a -> unit b -> unit (odot a b).
Proof. minmax. Qed.

Lemma neg_unit a : unit a -> unit (neg a).
Proof. minmax. Qed.

Lemma scale_unit r a : unit r -> unit a -> unit (r * a).
Proof. unfold unit; intros; nra. Qed.

(** ** The axioms of MV-algebras *)

Lemma oplus_assoc a b c :
  unit a -> unit b -> unit c -> oplus a (oplus b c) = oplus (oplus a b) c.
Proof. minmax. Qed.

Lemma oplus_comm a b : oplus a b = oplus b a.
Proof. minmax. Qed.

Lemma oplus_zero a : unit a -> oplus a 0 = a.
Proof. minmax. Qed.

Lemma neg_neg a : neg (neg a) = a.
Proof. minmax. Qed.

Lemma oplus_one a : unit a -> oplus a 1 = 1.
Proof. minmax. Qed.

Lemma neg_zero : neg 0 = 1.
Proof. minmax. Qed.

(** The axiom that is peculiar to Lukasiewicz's logic: both sides are the
    maximum of a and b. *)
Lemma lukasiewicz a b : unit a -> unit b ->
  oplus (neg (oplus (neg a) b)) b = oplus (neg (oplus (neg b) a)) a.
Proof. minmax. Qed.

(** ** The product, by duality *)

Lemma odot_dual a b : odot a b = neg (oplus (neg a) (neg b)).
Proof. minmax. Qed.

Lemma oplus_dual a b : oplus a b = neg (odot (neg a) (neg b)).
Proof. minmax. Qed.

Lemma odot_assoc a b c :
  unit a -> unit b -> unit c -> odot a (odot b c) = odot (odot a b) c.
Proof. minmax. Qed.

Lemma odot_comm a b : odot a b = odot b a.
Proof. minmax. Qed.

Lemma odot_one a : unit a -> odot a 1 = a.
Proof. minmax. Qed.

Lemma odot_zero a : unit a -> odot a 0 = 0.
Proof. minmax. Qed.

Lemma neg_one : neg 1 = 0.
Proof. minmax. Qed.

(** ** Maximum and minimum *)

Lemma max_identity x y : unit x -> unit y ->
  Rmax x y = oplus (neg (oplus (neg x) y)) y.
Proof. minmax. Qed.

Lemma min_identity x y : unit x -> unit y ->
  Rmin x y = odot (neg (odot (neg x) y)) y.
Proof. minmax. Qed.

(** ** Laws for simplifying a formula while it is built *)

Lemma zero_oplus x : unit x -> oplus 0 x = x.
Proof. minmax. Qed.

Lemma one_oplus x : unit x -> oplus 1 x = 1.
Proof. minmax. Qed.

Lemma one_odot x : unit x -> odot 1 x = x.
Proof. minmax. Qed.

Lemma zero_odot x : unit x -> odot 0 x = 0.
Proof. minmax. Qed.

Lemma one_scale x : 1 * x = x.
Proof. lra. Qed.

Lemma zero_scale x : 0 * x = 0.
Proof. lra. Qed.

(** ** The clipping function *)

Lemma sigma_unit t : unit (sigma t).
Proof. minmax. Qed.

Lemma sigma_id t : unit t -> sigma t = t.
Proof. minmax. Qed.

Lemma sigma_low t : t <= 0 -> sigma t = 0.
Proof. minmax. Qed.

Lemma sigma_high t : 1 <= t -> sigma t = 1.
Proof. minmax. Qed.

Lemma sigma_complement t : sigma (1 - t) = neg (sigma t).
Proof. minmax. Qed.

Lemma sigma_idempotent t : sigma (sigma t) = sigma t.
Proof. minmax. Qed.

Lemma sigma_monotone s t : s <= t -> sigma s <= sigma t.
Proof. minmax. Qed.

Lemma rho_nonnegative t : 0 <= rho t.
Proof. minmax. Qed.
