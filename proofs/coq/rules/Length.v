(** * Length.v -- the length of formulas extracted by Lemma 3.3

    What this file proves, in plain words.  Take a clipped neuron with integer
    weights w 0, ..., w (n-1) and bias b, and let m be the sum of the |w i|.
    The paper's procedure produces a formula for it: it stops where the form is
    saturated, it may pass to the complement, and otherwise it splits off one
    variable by Lemma 3.3 and continues with two smaller forms.  The relation
    [extracted] describes all formulas that can arise so, with the variables
    eliminated in any order, and with trivial subformulas simplified at any
    moment.  We show that

    - every extracted formula computes the neuron on the whole cube,
    - it has at most 2^m - 1 occurrences of variables,
    - the procedure reaches a formula, whatever the order of elimination.

    The length proof applies the induction hypothesis to both smaller forms.
    (It would not do to say that the formula for f+1 is at most as long as the
    one for f: see [no_comparison].) *)

From Coq Require Import List.
From VeriMV Require Import FormsR.
Local Open Scope R_scope.

(** ** Length and simplification of formulas *)

(** Number of occurrences of variables. *)
Fixpoint len (t : term) : nat :=
  match t with
  | Var _ => 1
  | Zero | One => 0
  | Not t => len t
  | Plus t u | Times t u => len t + len u
  | Scale _ t => len t
  end.

(** Rewriting by the unit laws, anywhere in the formula. *)
Inductive simplifies : term -> term -> Prop :=
  | simp_refl t : simplifies t t
  | simp_trans t u v : simplifies t u -> simplifies u v -> simplifies t v
  | simp_not t t' : simplifies t t' -> simplifies (Not t) (Not t')
  | simp_plus t t' u u' :
      simplifies t t' -> simplifies u u' -> simplifies (Plus t u) (Plus t' u')
  | simp_times t t' u u' :
      simplifies t t' -> simplifies u u' -> simplifies (Times t u) (Times t' u')
  | simp_not_not t : simplifies (Not (Not t)) t
  | simp_not_zero : simplifies (Not Zero) One
  | simp_not_one : simplifies (Not One) Zero
  | simp_plus_comm t u : simplifies (Plus t u) (Plus u t)
  | simp_times_comm t u : simplifies (Times t u) (Times u t)
  | simp_zero_plus t : simplifies (Plus Zero t) t
  | simp_one_plus t : simplifies (Plus One t) One
  | simp_one_times t : simplifies (Times One t) t
  | simp_zero_times t : simplifies (Times Zero t) Zero.

Lemma simplifies_len t u : simplifies t u -> (len u <= len t)%nat.
Proof. induction 1; simpl; lia. Qed.

Lemma simplifies_proper t u : simplifies t u -> proper t -> proper u.
Proof. induction 1; simpl; tauto. Qed.

Lemma simplifies_sound env t u :
  (forall i, unit (env i)) -> simplifies t u -> proper t -> eval env u = eval env t.
Proof.
  intros He H. induction H; simpl; intros Hp.
  - reflexivity.
  - rewrite IHsimplifies2, IHsimplifies1; trivial. eapply simplifies_proper; eauto.
  - now rewrite IHsimplifies.
  - now rewrite IHsimplifies1, IHsimplifies2 by tauto.
  - now rewrite IHsimplifies1, IHsimplifies2 by tauto.
  - now rewrite neg_neg.
  - now rewrite neg_zero.
  - now rewrite neg_one.
  - apply oplus_comm.
  - apply odot_comm.
  - symmetry. apply zero_oplus, eval_unit; tauto.
  - symmetry. apply one_oplus, eval_unit; tauto.
  - symmetry. apply one_odot, eval_unit; tauto.
  - symmetry. apply zero_odot, eval_unit; tauto.
Qed.

(** ** Integer forms *)

(** Weights are functions; only their values below n count. *)
Definition weights : Type := nat -> Z.

(** The value of the neuron's argument. *)
Definition value (n : nat) (w : weights) (b : Z) (env : nat -> R) : R :=
  sum_below (fun i => IZR (w i) * env i) n + IZR b.

Fixpoint sumZ (f : nat -> Z) (n : nat) : Z :=
  match n with
  | O => 0%Z
  | S k => (sumZ f k + f k)%Z
  end.

(** The largest and the smallest value on the cube. *)
Definition top (n : nat) (w : weights) (b : Z) : Z :=
  (sumZ (fun i => Z.max 0 (w i)) n + b)%Z.
Definition bottom (n : nat) (w : weights) (b : Z) : Z :=
  (sumZ (fun i => Z.min 0 (w i)) n + b)%Z.

(** m, the sum of the |w i|. *)
Fixpoint norm (w : weights) (n : nat) : nat :=
  match n with
  | O => O
  | S k => (norm w k + Z.abs_nat (w k))%nat
  end.

(** d is added to the weight of variable i; all weights change sign. *)
Definition bump (w : weights) (i : nat) (d : Z) : weights :=
  fun j => if Nat.eqb j i then (w j + d)%Z else w j.
Definition opposite (w : weights) : weights := fun i => (- w i)%Z.

Lemma bump_outside w i d j : j <> i -> bump w i d j = w j.
Proof. intros H. unfold bump. now apply Nat.eqb_neq in H as ->. Qed.

Lemma bump_at w i d : bump w i d i = (w i + d)%Z.
Proof. unfold bump. now rewrite Nat.eqb_refl. Qed.

Lemma sum_bump w i d env n :
  sum_below (fun j => IZR (bump w i d j) * env j) n
  = sum_below (fun j => IZR (w j) * env j) n
    + (if Nat.ltb i n then IZR d * env i else 0).
Proof.
  induction n as [| n IH]; simpl.
  - lra.
  - rewrite IH. destruct (Nat.eq_dec n i) as [-> | Hne].
    + rewrite bump_at, of_Z_add.
      replace (Nat.ltb i i) with false by (symmetry; apply Nat.ltb_ge; lia).
      replace (Nat.ltb i (S i)) with true by (symmetry; apply Nat.ltb_lt; lia).
      lra.
    + rewrite bump_outside by assumption.
      replace (Nat.ltb i (S n)) with (Nat.ltb i n); [lra |].
      apply Bool.eq_iff_eq_true. rewrite !Nat.ltb_lt. lia.
Qed.

Lemma value_bump n w b i d env : (i < n)%nat ->
  value n (bump w i d) b env = value n w b env + IZR d * env i.
Proof.
  intros Hi. unfold value. rewrite sum_bump.
  apply Nat.ltb_lt in Hi as ->. lra.
Qed.

Lemma value_shift n w b d env :
  value n w (b + d) env = value n w b env + IZR d.
Proof. unfold value. rewrite of_Z_add. lra. Qed.

Lemma value_opposite n w b env :
  value n (opposite w) (1 - b) env = 1 - value n w b env.
Proof.
  unfold value. rewrite of_Z_sub.
  enough (sum_below (fun i => IZR (opposite w i) * env i) n
          = - sum_below (fun i => IZR (w i) * env i) n) by lra.
  induction n as [| n IH]; simpl; [lra |].
  rewrite IH. unfold opposite at 1. rewrite opp_IZR. lra.
Qed.

Lemma value_range n w b env : (forall i, unit (env i)) ->
  IZR (bottom n w b) <= value n w b env <= IZR (top n w b).
Proof.
  intros He. unfold bottom, top, value. rewrite !of_Z_add.
  induction n as [| n IH]; simpl; [lra |].
  rewrite !of_Z_add. pose proof (He n) as [Hlow Hhigh].
  enough (IZR (Z.min 0 (w n)) <= IZR (w n) * env n <= IZR (Z.max 0 (w n))) by lra.
  destruct (Z.le_ge_cases 0 (w n)) as [H | H].
  - rewrite Z.min_l, Z.max_r by assumption. apply of_Z_le in H. nra.
  - rewrite Z.min_r, Z.max_l by assumption. apply of_Z_le in H. nra.
Qed.

Lemma norm_opposite w n : norm (opposite w) n = norm w n.
Proof. induction n as [| n IH]; simpl; trivial. rewrite IH. unfold opposite. lia. Qed.

Lemma norm_bump w i d n : (i < n)%nat ->
  S (Z.abs_nat (w i + d)) = Z.abs_nat (w i) ->
  norm w n = S (norm (bump w i d) n).
Proof.
  intros Hi Hd.
  enough (H : (norm w n = norm (bump w i d) n + (if Nat.ltb i n then 1 else 0))%nat).
  { rewrite H. apply Nat.ltb_lt in Hi as ->. lia. }
  clear Hi. induction n as [| n IH]; simpl; trivial.
  rewrite IH. destruct (Nat.eq_dec n i) as [-> | Hne].
  - rewrite bump_at.
    replace (Nat.ltb i i) with false by (symmetry; apply Nat.ltb_ge; lia).
    replace (Nat.ltb i (S i)) with true by (symmetry; apply Nat.ltb_lt; lia).
    lia.
  - rewrite bump_outside by assumption.
    replace (Nat.ltb i (S n)) with (Nat.ltb i n); [lia |].
    apply Bool.eq_iff_eq_true. rewrite !Nat.ltb_lt. lia.
Qed.

(** ** The procedure as a relation *)

Inductive extracted (n : nat) : weights -> Z -> term -> Prop :=
  | ext_zero w b : (top n w b <= 0)%Z -> extracted n w b Zero
  | ext_one w b : (1 <= bottom n w b)%Z -> extracted n w b One
  | ext_not w b t :
      extracted n (opposite w) (1 - b) t -> extracted n w b (Not t)
  | ext_step w b i t u :
      (i < n)%nat -> (0 < w i)%Z ->
      extracted n (bump w i (-1)) b t ->
      extracted n (bump w i (-1)) (b + 1) u ->
      extracted n w b (Times (Plus t (Var i)) u)
  | ext_step_negative w b i t u :
      (i < n)%nat -> (w i < 0)%Z ->
      extracted n (bump w i 1) b t ->
      extracted n (bump w i 1) (b + -1) u ->
      extracted n w b (Not (Times (Plus (Not t) (Var i)) (Not u)))
  | ext_simplify w b t u :
      extracted n w b t -> simplifies t u -> extracted n w b u.

Lemma extracted_proper n w b t : extracted n w b t -> proper t.
Proof. induction 1; simpl; try tauto. eapply simplifies_proper; eauto. Qed.

(** Every extracted formula computes the neuron. *)
Theorem extracted_sound n w b t env : (forall i, unit (env i)) ->
  extracted n w b t -> eval env t = sigma (value n w b env).
Proof.
  intros He. induction 1 as
    [w b H | w b H | w b t _ IH | w b i t u Hi _ _ IHt _ IHu
    | w b i t u Hi _ _ IHt _ IHu | w b t u Ht IH Hs]; simpl.
  - apply rule_zero. apply of_Z_le in H. pose proof (value_range n w b env He). lra.
  - apply rule_one. apply of_Z_le in H. pose proof (value_range n w b env He). lra.
  - rewrite IH, value_opposite, sigma_complement. apply neg_neg.
  - rewrite value_shift in IHu. rewrite value_bump in IHt, IHu by assumption.
    rewrite (rule_lemma _ _ _ (value n w b env + -1 * env i) (env i) IHt); trivial.
    + f_equal. lra.
    + apply rule_atom, He.
    + apply He.
  - rewrite value_shift in IHu. rewrite value_bump in IHt, IHu by assumption.
    rewrite IHt, IHu.
    replace (sigma (value n w b env))
      with (sigma ((value n w b env + 1 * env i) - env i)) by (f_equal; lra).
    rewrite lemma_negative by apply He. reflexivity.
  - rewrite <- IH. apply simplifies_sound; trivial. now apply (extracted_proper n w b).
Qed.

(** The length bound. *)
Lemma extracted_len n w b t : extracted n w b t -> (len t + 1 <= 2 ^ norm w n)%nat.
Proof.
  assert (one : forall k, (1 <= 2 ^ k)%nat)
    by (intros k; pose proof (Nat.pow_nonzero 2 k); lia).
  induction 1 as
    [w b _ | w b _ | w b t _ IH | w b i t u Hi Hw _ IHt _ IHu
    | w b i t u Hi Hw _ IHt _ IHu | w b t u _ IH Hs]; cbn [len].
  - apply one.
  - apply one.
  - now rewrite norm_opposite in IH.
  - rewrite (norm_bump w i (-1) n Hi) by lia. rewrite Nat.pow_succ_r'. lia.
  - rewrite (norm_bump w i 1 n Hi) by lia. rewrite Nat.pow_succ_r'. lia.
  - apply simplifies_len in Hs. lia.
Qed.

Theorem length_bound n w b t :
  extracted n w b t -> (len t <= 2 ^ norm w n - 1)%nat.
Proof. intros H. apply extracted_len in H. lia. Qed.

(** ** The procedure as a function, for any order of elimination *)

(** A strategy says which variable is eliminated next; it has to name one that
    occurs, as long as there is one. *)
Definition strategy (n : nat) (pick : weights -> Z -> nat) : Prop :=
  forall w b, norm w n <> O -> (pick w b < n)%nat /\ w (pick w b) <> 0%Z.

Fixpoint extract (n : nat) (pick : weights -> Z -> nat)
    (fuel : nat) (w : weights) (b : Z) : term :=
  if (top n w b <=? 0)%Z then Zero
  else if (1 <=? bottom n w b)%Z then One
  else match fuel with
  | O => Zero
  | S k =>
      let i := pick w b in
      if (0 <? w i)%Z then
        let w' := bump w i (-1) in
        Times (Plus (extract n pick k w' b) (Var i)) (extract n pick k w' (b + 1))
      else
        let w' := bump w i 1 in
        Not (Times (Plus (Not (extract n pick k w' b)) (Var i))
                   (Not (extract n pick k w' (b + -1))))
  end.

Lemma norm_zero w b n : norm w n = O -> top n w b = b /\ bottom n w b = b.
Proof.
  unfold top, bottom. induction n as [| n IH]; simpl; intros H; [lia |].
  destruct IH as [IHt IHb]; [lia |].
  assert (E : w n = 0%Z) by lia. rewrite E. simpl. lia.
Qed.

(** With m as fuel the procedure ends, and its result is extracted. *)
Theorem extract_extracted n pick w b : strategy n pick ->
  extracted n w b (extract n pick (norm w n) w b).
Proof.
  intros Hpick. remember (norm w n) as m eqn:Hm. symmetry in Hm. revert w b Hm.
  induction m as [| m IH]; intros w b Hm; simpl;
    destruct (Z.leb_spec (top n w b) 0) as [Ht | Ht]; try now apply ext_zero.
  - destruct (Z.leb_spec 1 (bottom n w b)) as [Hb | Hb]; try now apply ext_one.
    destruct (norm_zero w b n Hm). lia.
  - destruct (Z.leb_spec 1 (bottom n w b)) as [Hb | Hb]; try now apply ext_one.
    destruct (Hpick w b) as [Hi Hw]; [lia |].
    destruct (Z.ltb_spec 0 (w (pick w b))) as [Hpos | Hneg].
    + rewrite (norm_bump w (pick w b) (-1) n Hi) in Hm by lia.
      apply ext_step; auto.
    + rewrite (norm_bump w (pick w b) 1 n Hi) in Hm by lia.
      apply ext_step_negative; auto. lia.
Qed.

(** There is a strategy: the variable of largest index that occurs. *)
Fixpoint last_nonzero (w : weights) (n : nat) : nat :=
  match n with
  | O => O
  | S k => if (w k =? 0)%Z then last_nonzero w k else k
  end.

Lemma last_nonzero_strategy n : strategy n (fun w _ => last_nonzero w n).
Proof.
  intros w _. induction n as [| n IH]; simpl; intros H; [lia |].
  destruct (Z.eqb_spec (w n) 0) as [E | E].
  - rewrite E in H. simpl in H. destruct IH; [lia |]. lia.
  - auto.
Qed.

Theorem extraction_exists n w b : exists t, extracted n w b t.
Proof. eexists. apply extract_extracted, last_nonzero_strategy. Qed.

(** All together: every clipped neuron with integer weights is a formula with
    at most 2^m - 1 occurrences of variables. *)
Theorem length_theorem n w b : exists t,
  (forall env, (forall i, unit (env i)) -> eval env t = sigma (value n w b env))
  /\ (len t <= 2 ^ norm w n - 1)%nat.
Proof.
  destruct (extraction_exists n w b) as [t Ht]. exists t. split.
  - intros env He. now apply extracted_sound.
  - now apply length_bound with b.
Qed.

(** Adding 1 to the form can make the formula longer: for f = -x the formula
    is 0 (length 0), while every formula for f+1 = 1-x has a variable. *)
Lemma closed_constant t env env' : len t = O -> eval env t = eval env' t.
Proof.
  induction t; simpl; intros H; try discriminate; trivial;
    try (rewrite IHt by lia; reflexivity);
    rewrite IHt1, IHt2 by lia; reflexivity.
Qed.

Lemma no_comparison :
  extracted 1 (fun _ => (-1)%Z) 0 Zero /\
  forall t, extracted 1 (fun _ => (-1)%Z) 1 t -> (len Zero < len t)%nat.
Proof.
  split; [apply ext_zero; cbv; discriminate |].
  intros t Ht. simpl. destruct (len t) eqn:E; [exfalso | lia].
  pose proof (extracted_sound _ _ _ _ (fun _ => 0) (fun _ => unit_zero) Ht) as H0.
  pose proof (extracted_sound _ _ _ _ (fun _ => 1) (fun _ => unit_one) Ht) as H1.
  rewrite (closed_constant t (fun _ => 0) (fun _ => 1) E), H1 in H0.
  unfold value in H0. simpl in H0. revert H0. minmax.
Qed.
