(** * Bounds.v -- certified bounds by multipliers and case splits

    What this file proves, in plain words.  Variables are numbered 0, 1, 2, ...;
    each is either free, with a known range, or an activation of an affine
    function of earlier ones, its argument.  We want to know that an affine
    function of the variables below K, the target, is at most 0.  A case of the
    certificate has one multiplier per variable.  A walk from variable K-1 down
    to 0 replaces the activation a(z), with coefficient c, by the linear function
    lam z of its argument plus a constant: the largest value of c a(z) - lam z
    over the range of z, which is found at finitely many points because a is
    piecewise linear ([neuron_peak]).  Only free variables remain, and the bound
    is read off their ranges.

    - The result of the walk is an upper bound for ANY choice of multipliers
      ([walk_sound]): finding good ones is not the checker's business.
    - Ranges come from interval arithmetic, in the order of the variables, and
      from facts "argument k is at most p", "at least p" ([ranges_sound]).  An
      empty range means that there is no such point ([empty_range]).
    - An argument is at most p or at least p ([split_sound]); a tree of such
      splits with walks or empty ranges at its leaves is sound
      ([bounded_sound]); and if every fact was derived so from facts before it,
      nothing remains to be assumed ([system_bound]).

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List Arith.
From VeriMV Require Import Syntax.
From VeriMV Require Export Forms.
Import ListNotations.
Open Scope Qc_scope.


(** ** One neuron *)

(** What a neuron with coefficient c and multiplier lam contributes. *)
Definition gain (a : activation) (c lam z : F) : F := c * activate a z - lam * z.

(** A linear function between p and q is at most its larger end value. *)
Lemma linear_between k d p q z M :
  p <= z <= q -> k * p + d <= M -> k * q + d <= M -> k * z + d <= M.
Proof. intros. destruct (le_or_lt 0 k); nra. Qed.

Lemma relu_peak c lam l u z M : l <= z <= u ->
  gain Relu c lam l <= M -> gain Relu c lam u <= M ->
  (l <= 0 <= u -> gain Relu c lam 0 <= M) ->
  gain Relu c lam z <= M.
Proof.
  unfold gain; simpl. intros Hz Hl Hu H0.
  assert (neg_side : forall t, t <= 0 -> rho t = 0) by minmax.
  assert (pos_side : forall t, 0 <= t -> rho t = t) by minmax.
  destruct (le_or_lt z 0) as [Hs | Hs].
  - (* left of the kink *)
    rewrite (neg_side z), (neg_side l) in * by lra.
    destruct (le_or_lt u 0) as [Hu0 | Hu0].
    + rewrite (neg_side u) in * by lra.
      pose proof (linear_between (- lam) 0 l u z M Hz). lra.
    + rewrite (neg_side 0) in * by lra.
      pose proof (linear_between (- lam) 0 l 0 z M). lra.
  - (* right of the kink *)
    rewrite (pos_side z), (pos_side u) in * by lra.
    destruct (le_or_lt 0 l) as [Hl0 | Hl0].
    + rewrite (pos_side l) in * by lra.
      pose proof (linear_between (c - lam) 0 l u z M Hz). lra.
    + rewrite (pos_side 0) in * by lra.
      pose proof (linear_between (c - lam) 0 0 u z M). lra.
Qed.

(** The clipped neuron is the ReLU left of 1 and constant right of 1. *)
Lemma clip_peak c lam l u z M : l <= z <= u ->
  gain Clip c lam l <= M -> gain Clip c lam u <= M ->
  (l <= 0 <= u -> gain Clip c lam 0 <= M) ->
  (l <= 1 <= u -> gain Clip c lam 1 <= M) ->
  gain Clip c lam z <= M.
Proof.
  unfold gain; simpl. intros Hz Hl Hu H0 H1.
  assert (left_side : forall t, t <= 1 -> sigma t = rho t) by minmax.
  assert (right_side : forall t, 1 <= t -> sigma t = 1) by minmax.
  destruct (le_or_lt z 1) as [Hs | Hs].
  - rewrite (left_side z), (left_side l), (left_side 0), (left_side 1) in * by lra.
    destruct (le_or_lt u 1) as [Hu1 | Hu1].
    + rewrite (left_side u) in * by lra.
      now apply (relu_peak c lam l u z M).
    + apply (relu_peak c lam l 1 z M); unfold gain; simpl; lra.
  - rewrite (right_side z), (right_side u) in * by lra.
    destruct (le_or_lt 1 l) as [Hl1 | Hl1].
    + rewrite (right_side l) in * by lra.
      pose proof (linear_between (- lam) c l u z M Hz). lra.
    + rewrite (right_side 1) in * by lra.
      pose proof (linear_between (- lam) c 1 u z M). lra.
Qed.

Lemma identity_peak c lam l u z M : l <= z <= u ->
  gain Identity c lam l <= M -> gain Identity c lam u <= M ->
  gain Identity c lam z <= M.
Proof.
  unfold gain; simpl. intros Hz Hl Hu.
  pose proof (linear_between (c - lam) 0 l u z M Hz). lra.
Qed.

(** *** The maximum over the critical points *)

Definition kinks (a : activation) : list F :=
  match a with
  | Relu => [0]
  | Clip => [0; 1]
  | Identity => []
  end.

Definition inside (l u k : F) : bool :=
  if le_or_lt k l then false else if le_or_lt u k then false else true.

Lemma inside_spec l u k : inside l u k = true <-> l < k < u.
Proof.
  unfold inside. destruct (le_or_lt k l), (le_or_lt u k); split; intros;
    trivial; try discriminate; lra.
Qed.

(** The largest value of f at x and at the points of the list. *)
Fixpoint max_over (f : F -> F) (x : F) (xs : list F) : F :=
  match xs with
  | [] => f x
  | y :: ys => fmax (f x) (max_over f y ys)
  end.

Lemma max_over_ge f p x xs : In p (x :: xs) -> f p <= max_over f x xs.
Proof.
  revert x. induction xs as [| y ys IH]; intros x [-> | H]; simpl.
  - lra.
  - contradiction.
  - minmax.
  - specialize (IH _ H). minmax.
Qed.

Lemma max_over_attained f x xs : exists p, In p (x :: xs) /\ max_over f x xs = f p.
Proof.
  revert x. induction xs as [| y ys IH]; intros x; simpl.
  - exists x. auto.
  - destruct (IH y) as (p & Hp & ->).
    destruct (le_or_lt (f x) (f p)); [rewrite fmax_right | rewrite fmax_left]; eauto; lra.
Qed.

(** The two ends, and the kinks of the activation strictly between them. *)
Definition peak (a : activation) (c lam l u : F) : F :=
  max_over (gain a c lam) l (u :: filter (inside l u) (kinks a)).

Theorem neuron_peak a c lam l u z :
  l <= z <= u -> gain a c lam z <= peak a c lam l u.
Proof.
  intros Hz. set (M := peak a c lam l u).
  assert (Hl : gain a c lam l <= M) by (apply max_over_ge; now left).
  assert (Hu : gain a c lam u <= M) by (apply max_over_ge; right; now left).
  assert (Hk : forall k, In k (kinks a) -> l <= k <= u -> gain a c lam k <= M).
  { intros k Hin [H1 H2].
    destruct (lt_or_eq l k H1) as [H1' | <-]; [| exact Hl].
    destruct (lt_or_eq k u H2) as [H2' | ->]; [| exact Hu].
    apply max_over_ge. right. right. apply filter_In. split; trivial.
    now apply inside_spec. }
  destruct a.
  - apply (relu_peak c lam l u); trivial. apply Hk. now left.
  - apply (clip_peak c lam l u); trivial; apply Hk; simpl; auto.
  - now apply (identity_peak c lam l u).
Qed.

(** The same in terms of the points: what holds there holds in between. *)
Corollary neuron_points a c lam l u z M :
  (forall p, In p (l :: u :: filter (inside l u) (kinks a)) -> c * activate a p - lam * p <= M) ->
  l <= z <= u -> c * activate a z - lam * z <= M.
Proof.
  intros Hp Hz. pose proof (neuron_peak a c lam l u z Hz) as H. unfold peak in H.
  destruct (max_over_attained (gain a c lam) l (u :: filter (inside l u) (kinks a)))
    as (p & Hin & E). rewrite E in H. specialize (Hp p Hin). unfold gain in H. lra.
Qed.

(** The bound cannot be improved: it is a value within the range. *)
Lemma peak_attained a c lam l u :
  l <= u -> exists z, l <= z <= u /\ peak a c lam l u = gain a c lam z.
Proof.
  intros H. unfold peak.
  destruct (max_over_attained (gain a c lam) l (u :: filter (inside l u) (kinks a)))
    as (p & [<- | [<- | Hp]] & E); rewrite E; eexists; split; try reflexivity; try lra.
  apply filter_In, proj2, inside_spec in Hp. lra.
Qed.

(** ** Variables *)

(** Weights w j count for j below the number of the variable only.  After the
    last variable of a certificate, one may think of [Free 0 0]. *)
Inductive variable :=
  | Free (l h : F)
  | Neuron (a : activation) (w : nat -> F) (b : F).

Definition system : Type := nat -> variable.

(** b + c 0 v 0 + ... + c (K-1) v (K-1) *)
Definition affine (c : nat -> F) (b : F) (v : nat -> F) (K : nat) : F :=
  b + sum_below (fun j => c j * v j) K.

(** The argument of variable k; a free variable is its own. *)
Definition argument (sys : system) (v : nat -> F) (k : nat) : F :=
  match sys k with
  | Free _ _ => v k
  | Neuron _ w b => affine w b v k
  end.

(** v gives every variable a value as it is defined. *)
Definition solution (sys : system) (v : nat -> F) : Prop := forall k,
  match sys k with
  | Free l h => l <= v k <= h
  | Neuron a w b => v k = activate a (affine w b v k)
  end.

(** The connectives of a formula are such variables, too. *)
Lemma connectives x y : unit x -> unit y ->
  neg x = activate Identity (1 - x) /\
  oplus x y = activate Clip (x + y) /\
  odot x y = activate Clip (x + y - 1) /\
  (forall r, r * x = activate Identity (r * x)).
Proof. simpl. repeat split; minmax. Qed.

Section System.
Variable sys : system.

(** ** The walk *)

(** Ranges of the arguments of the variables below K. *)
Definition in_ranges (rg : nat -> F * F) (v : nat -> F) (K : nat) : Prop :=
  forall k, (k < K)%nat -> fst (rg k) <= argument sys v k <= snd (rg k).

(** The target has coefficients c and constant b; lam k is the multiplier of
    variable k.  The coefficient of a free variable is final when the walk gets
    there, so that its largest value can be added at once. *)
Fixpoint walk (rg : nat -> F * F) (lam : nat -> F) (K : nat) (c : nat -> F) (b : F) : F :=
  match K with
  | O => b
  | S k =>
      let l := fst (rg k) in
      let u := snd (rg k) in
      match sys k with
      | Free _ _ => walk rg lam k c (b + fmax (c k * l) (c k * u))
      | Neuron a w d =>
          walk rg lam k (fun j => c j + lam k * w j)
               (b + peak a (c k) (lam k) l u + lam k * d)
      end
  end.

Lemma sum_below_linear f g r v m :
  sum_below (fun j => (f j + r * g j) * v j) m
  = sum_below (fun j => f j * v j) m + r * sum_below (fun j => g j * v j) m.
Proof. induction m as [| m IH]; simpl; [| rewrite IH]; lra. Qed.

Lemma product_range c l u x : l <= x <= u ->
  fmin (c * l) (c * u) <= c * x <= fmax (c * l) (c * u).
Proof.
  intros H. pose proof (linear_between c 0 l u x (fmax (c * l) (c * u)) H).
  pose proof (linear_between (- c) 0 l u x (- fmin (c * l) (c * u)) H).
  split; minmax.
Qed.

(** The multipliers are arbitrary. *)
Theorem walk_sound rg lam v K c b :
  solution sys v -> in_ranges rg v K -> affine c b v K <= walk rg lam K c b.
Proof.
  intros Hv. revert c b. induction K as [| k IH]; intros c b Hr; cbn [walk].
  - unfold affine. simpl. lra.
  - assert (Hk := Hr k (Nat.lt_succ_diag_r k)). specialize (Hv k).
    assert (Hr' : in_ranges rg v k) by (intros j Hj; apply Hr; lia).
    unfold argument in Hk. destruct (sys k) as [l h | a w d].
    + specialize (IH c (b + fmax (c k * fst (rg k)) (c k * snd (rg k))) Hr').
      pose proof (product_range (c k) _ _ _ Hk).
      unfold affine in *. simpl. lra.
    + specialize (IH (fun j => c j + lam k * w j)
        (b + peak a (c k) (lam k) (fst (rg k)) (snd (rg k)) + lam k * d) Hr').
      pose proof (neuron_peak a (c k) (lam k) _ _ _ Hk) as Hp.
      unfold gain in Hp. rewrite <- Hv in Hp. unfold affine in *.
      rewrite sum_below_linear in IH. simpl. lra.
Qed.

(** A walk for the constant 0 that ends below 0: there is no such point. *)
Corollary walk_infeasible rg lam v K :
  walk rg lam K (fun _ => 0) 0 < 0 -> solution sys v -> ~ in_ranges rg v K.
Proof.
  intros Hw Hv Hr. pose proof (walk_sound rg lam v K (fun _ => 0) 0 Hv Hr) as H.
  unfold affine in H. rewrite (sum_below_const _ 0) in H by (intros; lra). lra.
Qed.

(** ** Facts and ranges *)

Inductive fact := AtMost (k : nat) (p : F) | AtLeast (k : nat) (p : F).

Definition holds (v : nat -> F) (f : fact) : Prop :=
  match f with
  | AtMost k p => argument sys v k <= p
  | AtLeast k p => p <= argument sys v k
  end.

(** A range intersected with all facts about k. *)
Fixpoint tighten (k : nat) (facts : list fact) (r : F * F) : F * F :=
  match facts with
  | [] => r
  | AtMost i p :: facts' =>
      let r' := tighten k facts' r in if Nat.eqb i k then (fst r', fmin (snd r') p) else r'
  | AtLeast i p :: facts' =>
      let r' := tighten k facts' r in if Nat.eqb i k then (fmax (fst r') p, snd r') else r'
  end.

(** The range of a variable, from that of its argument. *)
Definition value_range (k : nat) (r : F * F) : F * F :=
  match sys k with
  | Free _ _ => r
  | Neuron a _ _ => (activate a (fst r), activate a (snd r))
  end.

(** The range of an argument, from those of the arguments before it. *)
Definition interval (rg : nat -> F * F) (k : nat) : F * F :=
  match sys k with
  | Free l h => (l, h)
  | Neuron _ w b =>
      let low j := fst (value_range j (rg j)) in
      let high j := snd (value_range j (rg j)) in
      (b + sum_below (fun j => fmin (w j * low j) (w j * high j)) k,
       b + sum_below (fun j => fmax (w j * low j) (w j * high j)) k)
  end.

(** All ranges below K, one after the other. *)
Fixpoint ranges (facts : list fact) (K : nat) : nat -> F * F :=
  match K with
  | O => fun _ => (0, 0)
  | S k =>
      let rg := ranges facts k in
      fun i => if Nat.eqb i k then tighten k facts (interval rg k) else rg i
  end.

Lemma activate_monotone a s t : s <= t -> activate a s <= activate a t.
Proof. destruct a; simpl; minmax. Qed.

Lemma value_range_sound v k r : solution sys v ->
  fst r <= argument sys v k <= snd r ->
  fst (value_range k r) <= v k <= snd (value_range k r).
Proof.
  intros Hv Hr. specialize (Hv k). unfold value_range, argument in *.
  destruct (sys k); trivial. rewrite Hv. simpl. split; now apply activate_monotone.
Qed.

Lemma sum_below_le f g m :
  (forall k, (k < m)%nat -> f k <= g k) -> sum_below f m <= sum_below g m.
Proof.
  induction m as [| m IH]; intros H; simpl; [lra |].
  assert (sum_below f m <= sum_below g m) by (apply IH; intros; apply H; lia).
  specialize (H m (Nat.lt_succ_diag_r m)). lra.
Qed.

Lemma interval_sound rg v k : solution sys v -> in_ranges rg v k ->
  fst (interval rg k) <= argument sys v k <= snd (interval rg k).
Proof.
  intros Hv Hr. assert (Hk := Hv k). unfold interval, argument.
  destruct (sys k) as [l h | a w b]; trivial. cbn [fst snd]. unfold affine.
  assert (H : forall j, (j < k)%nat -> _)
    by (intros j Hj; exact (product_range (w j) _ _ _ (value_range_sound v j (rg j) Hv (Hr j Hj)))).
  match goal with |- b + ?low <= b + ?mid <= b + ?high =>
    assert (low <= mid /\ mid <= high)
      by (split; apply sum_below_le; intros j Hj; apply (H j Hj)) end.
  lra.
Qed.

Lemma tighten_sound v k facts r : Forall (holds v) facts ->
  fst r <= argument sys v k <= snd r ->
  fst (tighten k facts r) <= argument sys v k <= snd (tighten k facts r).
Proof.
  intros HF Hr. induction HF as [| [i p | i p] facts Hf _ IH]; simpl in *; trivial;
    destruct (Nat.eqb_spec i k) as [-> | _]; trivial; simpl;
    split; try apply IH.
  - destruct IH. minmax.
  - destruct IH. minmax.
Qed.

Theorem ranges_sound facts v K : solution sys v -> Forall (holds v) facts ->
  in_ranges (ranges facts K) v K.
Proof.
  intros Hv HF. induction K as [| k IH]; intros i Hi; [lia |]. cbn [ranges].
  destruct (Nat.eqb_spec i k) as [-> | H].
  - apply tighten_sound; trivial. now apply interval_sound.
  - apply IH. lia.
Qed.

Corollary empty_range facts v K k : (k < K)%nat ->
  snd (ranges facts K k) < fst (ranges facts K k) -> solution sys v -> ~ Forall (holds v) facts.
Proof. intros Hk He Hv HF. pose proof (ranges_sound facts v K Hv HF k Hk). lra. Qed.

(** ** Trees of cases *)

Lemma split_sound v facts k p : Forall (holds v) facts ->
  Forall (holds v) (AtMost k p :: facts) \/ Forall (holds v) (AtLeast k p :: facts).
Proof.
  intros H. destruct (le_or_lt (argument sys v k) p); [left | right];
    constructor; simpl; trivial; lra.
Qed.

(** [bounded facts K c b]: there is a tree of cases that proves, from the facts facts,
    that the target with coefficients c and constant b is at most 0. *)
Inductive bounded : list fact -> nat -> (nat -> F) -> F -> Prop :=
  (* a leaf: a walk *)
  | by_walk facts K c b lam :
      walk (ranges facts K) lam K c b <= 0 -> bounded facts K c b
  (* a leaf without points *)
  | by_empty_range facts K c b i m :
      (i < m)%nat -> snd (ranges facts m i) < fst (ranges facts m i) -> bounded facts K c b
  (* the argument of variable i is at most p, or it is at least p *)
  | by_split facts K c b i p :
      bounded (AtMost i p :: facts) K c b -> bounded (AtLeast i p :: facts) K c b ->
      bounded facts K c b
  (* some facts are not used *)
  | by_fewer facts facts' K c b :
      incl facts' facts -> bounded facts' K c b -> bounded facts K c b.

Theorem bounded_sound facts K c b v : bounded facts K c b ->
  solution sys v -> Forall (holds v) facts -> affine c b v K <= 0.
Proof.
  intros H Hv. induction H as
    [facts K c b lam Hw | facts K c b i m Hi He | facts K c b i p _ IH1 _ IH2 | facts facts' K c b Hi _ IH];
    intros HF.
  - pose proof (walk_sound _ lam v K c b Hv (ranges_sound facts v K Hv HF)). lra.
  - now destruct (empty_range facts v m i Hi He Hv).
  - destruct (split_sound v facts i p HF); auto.
  - apply IH. rewrite Forall_forall in *. auto.
Qed.

(** ** Facts derived from the definitions alone *)

(** Each fact is a bound that was derived from the facts before it. *)
Inductive certified : list fact -> Prop :=
  | certified_nil : certified []
  | certified_high facts k a w b p :
      certified facts -> sys k = Neuron a w b ->
      bounded facts k w (b - p) -> certified (AtMost k p :: facts)
  | certified_low facts k a w b p :
      certified facts -> sys k = Neuron a w b ->
      bounded facts k (fun j => - w j) (p - b) -> certified (AtLeast k p :: facts).

Theorem certified_sound facts v : certified facts -> solution sys v -> Forall (holds v) facts.
Proof.
  intros H Hv. induction H as [| facts k a w b p _ IH E H | facts k a w b p _ IH E H];
    constructor; trivial; apply (bounded_sound _ _ _ _ v) in H; trivial;
    unfold holds, argument; rewrite E; unfold affine in *.
  - lra.
  - rewrite (sum_below_ext _ (fun j => (0 + (-1) * w j) * v j)) in H by (intros; lra).
    rewrite (sum_below_linear (fun _ => 0)), (sum_below_const _ 0) in H by (intros; lra).
    lra.
Qed.

(** The bound holds at every point; no range is assumed. *)
Theorem system_bound facts K c b v : certified facts -> bounded facts K c b ->
  solution sys v -> affine c b v K <= 0.
Proof.
  intros HF HB Hv. apply (bounded_sound facts K c b v HB Hv). now apply certified_sound.
Qed.
End System.

(** ** An example, to see the definitions at work

    |x| = rho x + rho (-x) is at most 1 on [-1,1].  Intervals alone give 2; the
    multipliers 1/2 and 1/2 give the exact bound. *)
Example absolute_value x : -1 <= x <= 1 -> rho x + rho (- x) <= 1.
Proof.
  intros Hx.
  set (first := fun c j => match j with O => c | _ => 0 end : F).
  set (sys := fun k => match k with
    | O => Free (-1) 1
    | 1%nat => Neuron Relu (first 1) 0
    | 2%nat => Neuron Relu (first (-1)) 0
    | _ => Free 0 0
    end).
  set (v := fun k => match k with
    | O => x | 1%nat => rho x | 2%nat => rho (- x) | _ => 0 end).
  assert (P : forall c l u, c = 1 -> l = -1 -> u = 1 -> peak Relu c (/ 2) l u = / 2).
  { intros c l u -> -> ->. unfold peak, gain. cbn [kinks filter].
    rewrite (proj2 (inside_spec (-1) 1 0)) by lra. simpl. minmax. }
  assert (H : affine (fun j => match j with O => 0 | _ => 1 end) (-1) v 3 <= 0).
  { apply (system_bound sys [] 3); [constructor | |].
    - apply by_walk with (fun _ => / 2).
      cbn -[peak]. unfold interval, value_range. cbn -[peak].
      rewrite !P by minmax. minmax.
    - intros [| [| [| k]]]; unfold affine; simpl; [exact Hx | | | lra]; f_equal; lra. }
  unfold affine in H. simpl in H. lra.
Qed.
