(** * Unit.v -- the unit interval [0,1] as an MV-algebra

    What this file proves, in plain words.  The truth values of Lukasiewicz
    logic are the numbers between 0 and 1.  We define its operations by minimum
    and maximum over an ordered field F, and show

    - that they satisfy the axioms of MV-algebras,
    - that minimum and maximum of two values are expressible by them,
    - the laws used when a formula is simplified (0 (+) x = x and so on),
    - the elementary facts about the clipping function sigma.

    The operations are total functions on F; a law that holds only on [0,1]
    says so by hypotheses [unit x].

    F is the field of the rational numbers, with the tactics of FieldQc.v.  From
    this file make writes reals/UnitR.v, where F is the field of the real
    numbers (FieldR.v).  All that differs are the names after [Require] and the
    scope.  Many files below are compiled twice in this way; each says so. *)

From Coq Require Import List Arith.
From VeriMV Require Export FieldQc.
Import ListNotations.
Open Scope Qc_scope.

(** ** Definitions *)

(** The clipped ReLU. *)
Definition sigma (t : F) : F := fmin 1 (fmax 0 t).

(** The ReLU. *)
Definition rho (t : F) : F := fmax 0 t.

(** Lukasiewicz's sum (disjunction), product (conjunction) and negation. *)
Definition oplus (a b : F) : F := fmin 1 (a + b).
Definition odot (a b : F) : F := fmax 0 (a + b - 1).
Definition neg (a : F) : F := 1 - a.

(** Being a truth value. *)
Definition unit (x : F) : Prop := 0 <= x <= 1.

(** ** The tactic

    [minmax] opens the definitions; [by_cases], of FieldR.v and FieldQc.v, looks at
    both arguments of every minimum and maximum. *)

Ltac minmax :=
  intros; unfold sigma, rho, oplus, odot, neg, unit in *; by_cases.

(** ** Minimum, maximum, integers, quotients *)

Lemma fmin_left a b : a <= b -> fmin a b = a.
Proof. minmax. Qed.

Lemma fmin_right a b : b <= a -> fmin a b = b.
Proof. minmax. Qed.

Lemma fmax_left a b : b <= a -> fmax a b = a.
Proof. minmax. Qed.

Lemma fmax_right a b : a <= b -> fmax a b = b.
Proof. minmax. Qed.

Lemma lt_or_eq (a b : F) : a <= b -> {a < b} + {a = b}.
Proof. intros. destruct (le_or_lt b a); [right | left]; lra. Qed.

Lemma of_Z_sub y z : of_Z (y - z) = of_Z y - of_Z z.
Proof. pose proof (of_Z_add (y - z) z) as E. rewrite Z.sub_add in E. lra. Qed.

Lemma of_Z_opp z : of_Z (- z) = - of_Z z.
Proof. rewrite <- Z.sub_0_l, of_Z_sub. lra. Qed.

Lemma of_Z_lt y z : (y < z)%Z -> of_Z y < of_Z z.
Proof.
  intros H. assert (L : (y + 1 <= z)%Z) by lia. apply of_Z_le in L.
  rewrite of_Z_add in L. lra.
Qed.

Lemma of_nat_0 : of_nat 0 = 0.
Proof. reflexivity. Qed.

Lemma of_nat_add m n : of_nat (m + n) = of_nat m + of_nat n.
Proof. unfold of_nat. now rewrite Nat2Z.inj_add, of_Z_add. Qed.

Lemma of_nat_S n : of_nat (S n) = of_nat n + 1.
Proof. unfold of_nat. now rewrite Nat2Z.inj_succ, <- of_Z_add. Qed.

Lemma of_nat_le m n : (m <= n)%nat -> of_nat m <= of_nat n.
Proof. intros. apply of_Z_le. lia. Qed.

Lemma of_nat_nonneg n : 0 <= of_nat n.
Proof. apply of_Z_le. lia. Qed.

Lemma of_nat_pos n : (0 < n)%nat -> 0 < of_nat n.
Proof. intros. apply (of_Z_lt 0). lia. Qed.

Lemma inv_pos (d : F) : 0 < d -> 0 < / d.
Proof. intros. assert (d * / d = 1) by (algebra; lra). nra. Qed.

Lemma mul_div (d a : F) : 0 < d -> d * (a / d) = a.
Proof. intros. algebra. lra. Qed.

Lemma div_as_mul (a d : F) : a / d = / d * a.
Proof. unfold fdiv. lra. Qed.

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
  fmax x y = oplus (neg (oplus (neg x) y)) y.
Proof. minmax. Qed.

Lemma min_identity x y : unit x -> unit y ->
  fmin x y = odot (neg (odot (neg x) y)) y.
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
