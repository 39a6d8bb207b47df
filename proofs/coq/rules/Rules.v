(** * Rules.v -- the rules of the certificate are sound

    What this file proves, in plain words.  A certificate attaches to every
    node of a formula a claim "the value v of this node is sigma f", where f is
    the value of an affine form at the same point.  Every rule derives such a
    claim from claims about other nodes.  There is one lemma per rule; all
    statements are pointwise: they speak about the values at one point, which
    is arbitrary.

    Side conditions such as [0 <= f] or [f <= 1] are what a checker has to
    establish for all points, for instance by the interval ranges of Forms.v or
    the bounds of Bounds.v.

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List Arith.
From VeriMV Require Export Unit.
Import ListNotations.
Open Scope Qc_scope.

(** ** Rules for the connectives *)

(** An atom stands for itself. *)
Lemma rule_atom v : unit v -> v = sigma v.
Proof. minmax. Qed.

(** The two constants. *)
Lemma rule_constant : 0 = sigma 0 /\ 1 = sigma 1.
Proof. split; minmax. Qed.

Lemma rule_not v f : v = sigma f -> neg v = sigma (1 - f).
Proof. minmax. Qed.

(** Multiplication by a constant r of [0,1] needs a form that is not clipped. *)
Lemma rule_scale v f r :
  v = sigma f -> 0 <= f <= 1 -> 0 <= r <= 1 -> r * v = sigma (r * f).
Proof.
  intros -> Hf Hr.
  rewrite !sigma_id by (unfold unit; nra). reflexivity.
Qed.

(** It is enough that the form does not exceed 1. *)
Lemma rule_scale_below v f r :
  v = sigma f -> f <= 1 -> 0 <= r <= 1 -> r * v = sigma (r * f).
Proof.
  intros Hv Hf Hr. destruct (le_or_lt 0 f) as [H | H].
  - apply rule_scale; lra.
  - rewrite Hv, !sigma_low by nra. lra.
Qed.

(** Division by a number that is at least 1, in particular by a positive
    natural number. *)
Lemma rule_divide_real v f d :
  v = sigma f -> 0 <= f <= 1 -> 1 <= d -> v / d = sigma (f / d).
Proof.
  intros Hv Hf Hd.
  assert (0 < / d) by (apply inv_pos; lra).
  assert (d * / d = 1) by (algebra; lra).
  rewrite !div_as_mul. apply rule_scale; trivial; nra.
Qed.

Lemma rule_divide v f (i : nat) :
  v = sigma f -> 0 <= f <= 1 -> (0 < i)%nat -> v / of_nat i = sigma (f / of_nat i).
Proof.
  intros Hv Hf Hi. apply rule_divide_real; trivial.
  apply (of_Z_le 1). lia.
Qed.

Lemma rule_plus v w f g :
  v = sigma f -> w = sigma g -> 0 <= f -> 0 <= g -> oplus v w = sigma (f + g).
Proof. minmax. Qed.

Lemma rule_times v w f g :
  v = sigma f -> w = sigma g -> f <= 1 -> g <= 1 ->
  odot v w = sigma (f + g - 1).
Proof. minmax. Qed.

(** With the same node twice, nothing is needed about its form. *)
Lemma rule_plus_self v f : v = sigma f -> oplus v v = sigma (f + f).
Proof. minmax. Qed.

Lemma rule_times_self v f : v = sigma f -> odot v v = sigma (f + f - 1).
Proof. minmax. Qed.

(** Lemma 3.3 (integer weights) and Lemma 6.4 (rational weights) of the paper:
    a summand h of [0,1] is split off.  Nothing is needed about g. *)
Lemma rule_lemma a h' b g h :
  a = sigma g -> h' = sigma h -> 0 <= h <= 1 -> b = sigma (g + 1) ->
  odot (oplus a h') b = sigma (g + h).
Proof. minmax. Qed.

(** The same for a subtracted summand, from [rule_lemma] by negation. *)
Lemma lemma_negative g h : unit h ->
  sigma (g - h) =
  neg (odot (oplus (neg (sigma g)) h) (neg (sigma (g - 1)))).
Proof.
  intros Hh.
  rewrite (rule_lemma (neg (sigma g)) h (neg (sigma (g - 1))) (1 - g) h).
  - rewrite <- sigma_complement. f_equal. lra.
  - now rewrite sigma_complement.
  - now apply rule_atom.
  - exact Hh.
  - rewrite <- sigma_complement. f_equal. lra.
Qed.

(** A sum f1 + f2 is cut at f2 = 0: f1 is at most 1 where f2 is not positive,
    and at least 0 where f2 is not negative. *)
Lemma cut_by_cases a b c f1 f2 :
  a = sigma f1 -> b = sigma (f2 + 1) -> c = sigma f2 ->
  (f2 <= 0 -> f1 <= 1) -> (0 <= f2 -> 0 <= f1) ->
  oplus (odot a b) c = sigma (f1 + f2).
Proof.
  intros -> -> -> Hlow Hhigh.
  destruct (le_or_lt f2 0) as [H | H].
  - specialize (Hlow H). clear Hhigh. minmax.
  - assert (H1 : 0 <= f1) by (apply Hhigh; lra). clear Hlow Hhigh. minmax.
Qed.

(** Multipliers that are not negative show both. *)
Lemma cut_multipliers lam mu f1 f2 :
  0 <= lam -> 0 <= mu -> f1 - lam * f2 <= 1 -> 0 <= f1 - mu * f2 ->
  (f2 <= 0 -> f1 <= 1) /\ (0 <= f2 -> 0 <= f1).
Proof. intros. split; intros; nra. Qed.

Lemma rule_cut a b c f1 f2 lam mu :
  a = sigma f1 -> b = sigma (f2 + 1) -> c = sigma f2 ->
  0 <= lam -> 0 <= mu -> f1 - lam * f2 <= 1 -> 0 <= f1 - mu * f2 ->
  oplus (odot a b) c = sigma (f1 + f2).
Proof.
  intros Ha Hb Hc Hlam Hmu H1 H0.
  now apply cut_by_cases; trivial; apply (cut_multipliers lam mu).
Qed.

(** Saturation. *)
Lemma rule_zero f : f <= 0 -> 0 = sigma f.
Proof. minmax. Qed.

Lemma rule_one f : 1 <= f -> 1 = sigma f.
Proof. minmax. Qed.

(** A node with the same form as another one has the same value; so its form
    may be replaced by the other node taken as an atom. *)
Lemma rule_same v w f : v = sigma f -> w = sigma f -> w = sigma v.
Proof. minmax. Qed.

Lemma rule_same_value v w f : v = sigma f -> w = sigma f -> w = v.
Proof. intros -> ->. reflexivity. Qed.

(** Nodes whose difference is never positive, either way round, are equal. *)
Lemma rule_equals v w f : v = sigma f -> v - w <= 0 -> w - v <= 0 -> w = sigma f.
Proof. minmax. Qed.

(** ** Sums of clipped values *)

(** f 0 + ... + f (m-1) *)
Fixpoint sum_below (f : nat -> F) (m : nat) : F :=
  match m with
  | O => 0
  | S k => sum_below f k + f k
  end.

Lemma sum_below_ext f g m :
  (forall k, (k < m)%nat -> f k = g k) -> sum_below f m = sum_below g m.
Proof.
  induction m as [| m IH]; intros H; simpl; trivial.
  rewrite IH by (intros; apply H; lia). rewrite (H m) by lia. reflexivity.
Qed.

Lemma sum_below_app f p m :
  sum_below f (p + m) = sum_below f p + sum_below (fun k => f (p + k)%nat) m.
Proof.
  induction m as [| m IH]; simpl.
  - rewrite Nat.add_0_r. lra.
  - rewrite Nat.add_succ_r. simpl. rewrite IH. lra.
Qed.

Lemma sum_below_const f c m :
  (forall k, (k < m)%nat -> f k = c) -> sum_below f m = of_nat m * c.
Proof.
  intros H. rewrite (sum_below_ext f (fun _ => c)) by assumption. clear H.
  induction m as [| m IH].
  - rewrite of_nat_0. simpl. lra.
  - rewrite of_nat_S. simpl. rewrite IH. lra.
Qed.

Lemma sum_below_div f s m :
  sum_below (fun k => f k / s) m = sum_below f m / s.
Proof.
  induction m as [| m IH]; simpl.
  - rewrite div_as_mul. lra.
  - rewrite IH, !div_as_mul. lra.
Qed.

(** The staircase: m unit steps add up to t clipped to [0,m]. *)
Lemma staircase_step t n : 0 <= n ->
  fmin n (fmax 0 t) + sigma (t - n) = fmin (n + 1) (fmax 0 t).
Proof. minmax. Qed.

Lemma staircase t m :
  sum_below (fun k => sigma (t - of_nat k)) m = fmin (of_nat m) (fmax 0 t).
Proof.
  induction m as [| m IH].
  - rewrite of_nat_0. simpl. minmax.
  - rewrite of_nat_S. simpl. rewrite IH. apply staircase_step, of_nat_nonneg.
Qed.

(** s sigma(x) is the sum of the sigma(s x - i) for i < s. *)
Theorem rational_identity (s : nat) x :
  of_nat s * sigma x = sum_below (fun i => sigma (of_nat s * x - of_nat i)) s.
Proof.
  rewrite staircase. pose proof (of_nat_nonneg s) as Hs.
  destruct (le_or_lt x 0) as [H0 | H0].
  - rewrite sigma_low by assumption.
    rewrite (fmax_left 0) by nra. rewrite fmin_right by assumption. lra.
  - rewrite (fmax_right 0) by nra.
    destruct (le_or_lt x 1) as [H1 | H1].
    + rewrite sigma_id by (unfold unit; lra). rewrite fmin_right by nra. lra.
    + rewrite sigma_high by lra. rewrite fmin_left by nra. lra.
Qed.

(** Theorem 6.2 of the paper, with the saturated steps left out: of the s steps
    of [rational_identity] the first p are always 1, the last s-p-m always 0. *)
Lemma rule_average (s p m : nat) (G form n : F) (u : nat -> F) :
  (0 < s)%nat -> (p + m <= s)%nat ->
  (forall k, (k < m)%nat -> u k = sigma (G - of_nat k)) ->
  form = of_nat p / of_nat s + sum_below (fun k => u k / of_nat s) m ->
  n = sigma form ->
  ((0 < p)%nat -> 0 <= G) ->
  ((p + m < s)%nat -> G - of_nat m <= 0) ->
  n = sigma ((G + of_nat p) / of_nat s).
Proof.
  intros Hs Hle Hu -> -> Hlow Hhigh.
  assert (Hpos : 0 < of_nat s) by now apply of_nat_pos.
  set (x := (G + of_nat p) / of_nat s).
  assert (Hx : of_nat s * x = G + of_nat p) by now apply mul_div.
  rewrite <- (sigma_idempotent x). f_equal.
  rewrite sum_below_div, (sum_below_ext u (fun k => sigma (G - of_nat k)) m Hu).
  enough (E : of_nat s * (of_nat p / of_nat s + sum_below (fun k => sigma (G - of_nat k)) m / of_nat s)
              = of_nat s * sigma x) by nra.
  rewrite rational_identity, Hx.
  replace s with ((p + m) + (s - (p + m)))%nat at 4 by lia.
  rewrite !sum_below_app.
  (* the p steps that are 1 *)
  rewrite (sum_below_const _ 1 p).
  2: { intros k Hk. apply sigma_high.
       assert (of_nat (S k) <= of_nat p) by (apply of_nat_le; lia).
       rewrite of_nat_S in *. assert (0 <= G) by (apply Hlow; lia). lra. }
  (* the steps that are 0 *)
  rewrite (sum_below_const _ 0 (s - (p + m))).
  2: { intros k Hk. apply sigma_low. rewrite !of_nat_add.
       pose proof (of_nat_nonneg k). assert (G - of_nat m <= 0) by (apply Hhigh; lia). lra. }
  (* the m steps between *)
  rewrite (sum_below_ext (fun k => sigma (G + of_nat p - of_nat (p + k)))
             (fun k => sigma (G - of_nat k)) m).
  2: { intros k _. f_equal. rewrite of_nat_add. lra. }
  algebra. lra.
Qed.

(** ** Rules for neurons; t is the argument of the neuron *)

Lemma neuron_dead t : t <= 0 -> rho t = 0 /\ sigma t = 0.
Proof. intros; split; minmax. Qed.

Lemma neuron_full t : 1 <= t -> sigma t = 1.
Proof. minmax. Qed.

Lemma neuron_affine_rho t : 0 <= t -> rho t = t.
Proof. minmax. Qed.

Lemma neuron_affine_sigma t : 0 <= t <= 1 -> sigma t = t.
Proof. minmax. Qed.

Lemma neuron_affine t :
  (0 <= t -> rho t = t) /\ (0 <= t <= 1 -> sigma t = t).
Proof. split; [apply neuron_affine_rho | apply neuron_affine_sigma]. Qed.

(** Step 1, equation (3) of the paper: a ReLU whose argument is at most p+m,
    and at least p unless p is 0, is p plus m clipped neurons. *)
Theorem relu_replacement t (p m : nat) :
  p = O \/ of_nat p <= t -> t <= of_nat p + of_nat m ->
  rho t = of_nat p + sum_below (fun k => sigma (t - of_nat p - of_nat k)) m.
Proof.
  intros Hp Hm. rewrite staircase.
  pose proof (of_nat_nonneg p). pose proof (of_nat_nonneg m).
  destruct Hp as [-> | Hp]; [rewrite of_nat_0 in * |]; minmax.
Qed.

(** With a factor B, and in terms of nodes v k that were claimed to be the
    steps: a ReLU whose argument is at most B (p+m), and at least B p unless p
    is 0, is B times p plus m clipped neurons. *)
Lemma rho_scale B t : 0 < B -> rho t = B * rho (t / B).
Proof.
  intros HB. pose proof (mul_div B t HB). unfold rho.
  destruct (le_or_lt 0 (t / B)); [rewrite !fmax_right by nra | rewrite !fmax_left by nra]; lra.
Qed.

Theorem neuron_clip t B (p m : nat) (v : nat -> F) :
  0 < B -> p = O \/ B * of_nat p <= t -> t <= B * (of_nat p + of_nat m) ->
  (forall k, (k < m)%nat -> v k = sigma (t / B - of_nat p - of_nat k)) ->
  rho t = B * (of_nat p + sum_below v m).
Proof.
  intros HB Hp Hm Hv.
  assert (E : B * (t / B) = t) by now apply mul_div.
  rewrite (sum_below_ext v _ m Hv), (rho_scale B t HB). f_equal.
  apply relu_replacement.
  - destruct Hp as [Hp | Hp]; [now left | right]. nra.
  - nra.
Qed.

(** A clipped neuron is one step, or none where its argument leaves [0,1]. *)
Lemma neuron_clip_sigma t (p m : nat) (v : nat -> F) :
  p = 0%nat /\ m = 1%nat \/ p = 1%nat /\ m = 0%nat /\ 1 <= t
    \/ p = 0%nat /\ m = 0%nat /\ t <= 0 ->
  (forall k, (k < m)%nat -> v k = sigma (t - of_nat p - of_nat k)) ->
  sigma t = of_nat p + sum_below v m.
Proof.
  intros [[-> ->] | [(-> & -> & H) | (-> & -> & H)]] Hv;
    change (of_nat 1) with 1; rewrite ?of_nat_0; cbn [sum_below].
  - rewrite Hv, !of_nat_0 by lia. replace (t - 0 - 0) with t by lra. lra.
  - rewrite sigma_high by lra. lra.
  - rewrite sigma_low by lra. lra.
Qed.

(** A node with the form of a clipped neuron's argument is that neuron. *)
Lemma neuron_sigma v t : v = sigma t -> sigma t = v /\ unit v.
Proof. intros ->. split; [reflexivity | apply sigma_unit]. Qed.

(** The i-th step may be referred to by a node for its complement. *)
Lemma complement_reference v t i : v = sigma (1 - (t - i)) -> sigma (t - i) = 1 - v.
Proof. minmax. Qed.

(** ** Neurons that two networks share *)

(** A ReLU, or the identity, of p times an argument is p times that of the
    argument; for the clipped ReLU this is so for p = 1 only. *)
Lemma shared_relu p t : 0 < p -> rho (p * t) = p * rho t.
Proof.
  intros Hp. unfold rho. destruct (le_or_lt t 0).
  - rewrite (fmax_left 0 t), (fmax_left 0 (p * t)) by (trivial; nra). lra.
  - rewrite (fmax_right 0 t), (fmax_right 0 (p * t)) by nra. lra.
Qed.

(** A ReLU of opposite sign: the halves of a neuron that was split. *)
Lemma opposite_relu p t : p < 0 -> rho (p * t) = - p * rho t + p * t.
Proof.
  intros Hp. unfold rho. destruct (le_or_lt t 0).
  - rewrite (fmax_left 0 t), (fmax_right 0 (p * t)) by (trivial; nra). lra.
  - rewrite (fmax_right 0 t), (fmax_left 0 (p * t)) by nra. lra.
Qed.

(** ** The output *)

Lemma rule_output v f y scale offset :
  v = sigma f -> 0 <= f <= 1 -> y = scale * f + offset ->
  y = scale * v + offset.
Proof. intros -> Hf ->. now rewrite sigma_id. Qed.

(** The same for a value y whose range [low,high] is proved; if the range is a
    point, so is the value. *)
Lemma rule_output_range v y low high :
  low < high -> low <= y <= high -> v = sigma ((y - low) / (high - low)) ->
  y = low + (high - low) * v.
Proof.
  intros Hlt Hy Hv.
  assert (E : (high - low) * ((y - low) / (high - low)) = y - low) by (apply mul_div; lra).
  enough (y = (high - low) * v + low) by lra.
  apply (rule_output v ((y - low) / (high - low))); trivial.
  - split; nra.
  - lra.
Qed.

Lemma rule_output_constant y low high : low <= y <= high -> low = high -> y = low.
Proof. lra. Qed.
