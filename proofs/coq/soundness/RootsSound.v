(** * RootsSound.v -- computing with sums of square roots is right

    What this file proves, in plain words: the operations of Roots.v, and of
    rational numbers, do with real numbers what they say ([surd_sound],
    [rational_sound]).  [real_number] is what a number means that was read. *)

From Coq Require Import List QArith Qcanon Qreals Bool.
From VeriMV Require Export SumsSoundR Fractions Roots.
Import ListNotations.
Open Scope R_scope.

(** The sum of all terms numerator / denominator sqrt(radicand). *)
Fixpoint real_number (e : exact) : R :=
  match e with
  | [] => 0
  | t :: rest =>
      IZR (numerator t) / IZR (Zpos (denominator t)) * sqrt (IZR (Z.of_N (radicand t)))
      + real_number rest
  end.

(** ** Rational numbers *)

Definition real (c : Qc) : R := Q2R c.

Lemma real_of_fraction n d : real (Q2Qc (n # d)) = IZR n / IZR (Zpos d).
Proof. unfold real. cbn [this Q2Qc]. now rewrite (Qeq_eqR _ _ (Qred_correct (n # d))). Qed.

Lemma real_add a b : real (a + b)%Qc = real a + real b.
Proof.
  unfold real, Qcplus, Q2Qc. cbn [this]. rewrite (Qeq_eqR _ _ (Qred_correct _)). apply Q2R_plus.
Qed.

Lemma real_mul a b : real (a * b)%Qc = real a * real b.
Proof.
  unfold real, Qcmult, Q2Qc. cbn [this]. rewrite (Qeq_eqR _ _ (Qred_correct _)). apply Q2R_mult.
Qed.

Lemma real_zero : real (Q2Qc 0) = 0.
Proof. rewrite real_of_fraction. lra. Qed.

Lemma Qle_bool_true (a b : Qc) : Qle_bool a b = true -> real a <= real b.
Proof. intros H. apply Qle_Rle. now apply Qle_bool_iff. Qed.

Lemma Qle_bool_false (a b : Qc) : Qle_bool a b = false -> real b < real a.
Proof.
  intros H. apply Qlt_Rlt. destruct (Qlt_le_dec b a) as [L | L]; [exact L |].
  apply Qle_bool_iff in L. congruence.
Qed.

Lemma sqrt_one : sqrt (IZR 1) = 1.
Proof. exact sqrt_1. Qed.

Lemma rational_read_ok e : forall x y,
  fold_left read_term e (Ok x) = Ok y -> real y = real x + real_number e.
Proof.
  induction e as [| t e IH]; intros x y; cbn [fold_left read_term real_number].
  { intros [= ->]. lra. }
  destruct (N.eqb_spec (radicand t) 1) as [E | _].
  - intros H. apply IH in H. rewrite H, real_add, real_of_fraction, E. cbn [Z.of_N].
    rewrite sqrt_one. lra.
  - intros H. exfalso. clear IH. induction e as [| t' e IH]; [discriminate | now apply IH].
Qed.

Theorem rational_sound : sound_number rational real real_number.
Proof.
  constructor; cbn [rational fraction add mul dot align read eqb leb rational_part].
  - apply real_of_fraction.
  - apply real_add.
  - apply real_mul.
  - induction l as [| [c y] l IH]; intros x; cbn [fold_left value_of_products fst snd]; [lra |].
    rewrite IH, real_add, real_mul. lra.
  - reflexivity.
  - intros e x H. apply rational_read_ok in H. rewrite real_zero in H. lra.
  - intros x y H. apply andb_prop in H. destruct H as [H1 H2].
    apply Z.eqb_eq in H1. apply Pos.eqb_eq in H2. apply Qc_decomp.
    destruct (this x), (this y). cbn in *. congruence.
  - intros x y [= H]. now apply Qle_bool_true.
  - intros x y [= H]. now apply Qle_bool_false.
  - intros x n d [= <- <-]. reflexivity.
Qed.

(** ** Fractions *)

Lemma Q2R_reduced q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma Q2R_fraction n d : Q2R (n # d) = IZR n / IZR (Zpos d).
Proof. reflexivity. Qed.

Lemma read_fraction_ok e : forall x y,
  fold_left read_fraction e (Ok x) = Ok y -> Q2R y = Q2R x + real_number e.
Proof.
  induction e as [| t e IH]; intros x y; cbn [fold_left read_fraction real_number].
  { intros [= ->]. lra. }
  destruct (N.eqb_spec (radicand t) 1) as [E | _].
  - intros H. apply IH in H. rewrite H, Q2R_reduced, Q2R_plus, Q2R_fraction, E. cbn [Z.of_N].
    rewrite sqrt_one. lra.
  - intros H. exfalso. clear IH. induction e as [| t' e IH]; [discriminate | now apply IH].
Qed.

Theorem fractions_sound : sound_number fractions Q2R real_number.
Proof.
  constructor; cbn [fractions fraction add mul dot align read eqb leb rational_part].
  - intros n d. apply (Qeq_eqR _ _ (reduced_eq n d)).
  - intros x y. rewrite Q2R_reduced. apply Q2R_plus.
  - intros x y. rewrite Q2R_reduced. apply Q2R_mult.
  - intros l x. rewrite (Qeq_eqR _ _ (dot_fractions_eq l x)).
    induction l as [| [c y] l IH]; cbn [fold_right value_of_products fst snd]; [lra |].
    rewrite Q2R_plus, Q2R_mult, IH. lra.
  - intros x y. apply Qeq_eqR, over_common_eq.
  - intros e x H. apply read_fraction_ok in H. rewrite H. unfold Q2R. cbn. lra.
  - intros [n d] [n' d']. cbn [Qnum Qden]. destruct (Z.eqb_spec n n') as [-> |]; [| discriminate].
    intros H. apply Pos.eqb_eq in H. now subst.
  - intros x y [= H]. rewrite leb_fractions_eq in H. now apply Qle_Rle, Qle_bool_iff.
  - intros x y [= H]. rewrite leb_fractions_eq in H. apply Qlt_Rlt.
    destruct (Qlt_le_dec y x) as [L | L]; [exact L |]. apply Qle_bool_iff in L. congruence.
  - intros [n d] n' d' [= <- <-]. apply Q2R_fraction.
Qed.

(** ** Sums of roots *)

Definition root_of (n : positive) : R := sqrt (IZR (Zpos n)).

Definition real_of_roots (x : roots) : R := value_of_terms real root_of x.

Lemma root_value n c : real_of_roots (root n c) = real c * root_of n.
Proof.
  unfold root. destruct (is_zero rational c) eqn:E; cbn [value_of_terms].
  - apply (is_zero_sound rational_sound) in E. unfold real_of_roots. cbn. rewrite E. lra.
  - unfold real_of_roots. cbn. lra.
Qed.

Lemma root_of_one : root_of 1 = 1.
Proof. exact sqrt_1. Qed.

Lemma add_roots_value x y : real_of_roots (add_roots x y) = real_of_roots x + real_of_roots y.
Proof. apply (add_terms_sound rational_sound). Qed.

(** sqrt(g m) sqrt(g n) = g sqrt(m n) *)
Lemma root_of_product m n : root_of (m * n) = root_of m * root_of n.
Proof.
  unfold root_of. rewrite Pos2Z.inj_mul, mult_IZR. apply sqrt_mult; apply IZR_le; lia.
Qed.

Lemma root_of_square n : root_of n * root_of n = IZR (Zpos n).
Proof. apply sqrt_sqrt, IZR_le. lia. Qed.

Lemma multiply_root_value m a nb :
  real (snd (multiply_root m a nb)) * root_of (fst (multiply_root m a nb))
  = real a * root_of m * (real (snd nb) * root_of (fst nb)).
Proof.
  destruct nb as [n b]. unfold multiply_root. cbn [fst snd].
  pose proof (Pos.ggcd_correct_divisors m n) as H.
  destruct (Pos.ggcd m n) as [g [m' n']]. destruct H as [Hm Hn]. cbn [fst snd].
  rewrite !(value_mul _ _ _ rational_sound), (value_int rational_sound).
  rewrite Hm, Hn, !root_of_product. pose proof (root_of_square g) as Hg. rewrite <- Hg. ring.
Qed.

Lemma multiply_all m a y : forall total,
  real_of_roots (fold_left (fun total nb => add_roots [multiply_root m a nb] total) y total)
  = real_of_roots total + real a * root_of m * real_of_roots y.
Proof.
  induction y as [| [n b] y IH]; intros total; cbn [fold_left].
  - unfold real_of_roots at 3. cbn. lra.
  - rewrite IH, add_roots_value. pose proof (multiply_root_value m a (n, b)) as H.
    unfold real_of_roots at 1 5. destruct (multiply_root m a (n, b)) as [k c].
    cbn [value_of_terms fst snd] in *. fold (real_of_roots y). rewrite H. ring.
Qed.

Lemma multiply_all_all x y : forall total,
  real_of_roots (fold_left (fun total ma =>
    fold_left (fun total nb => add_roots [multiply_root (fst ma) (snd ma) nb] total) y total) x total)
  = real_of_roots total + real_of_roots x * real_of_roots y.
Proof.
  induction x as [| [m a] x IH]; intros total; cbn [fold_left].
  - unfold real_of_roots at 3. cbn. lra.
  - rewrite IH, multiply_all. cbn [fst snd].
    change (real_of_roots ((m, a) :: x)) with (real a * root_of m + real_of_roots x). ring.
Qed.

Lemma mul_roots_value x y : real_of_roots (mul_roots x y) = real_of_roots x * real_of_roots y.
Proof.
  assert (E0 : real_of_roots [] = 0) by reflexivity.
  unfold mul_roots. destruct x as [| [m a] x]; [rewrite E0; lra |].
  destruct y as [| nb y]; [rewrite E0; destruct x; rewrite ?E0; lra |].
  destruct x as [| p x].
  - assert (Ex : real_of_roots [(m, a)] = real a * root_of m) by (unfold real_of_roots; cbn; lra).
    rewrite Ex. destruct (Pos.eqb_spec m 1) as [-> | _].
    + rewrite root_of_one. unfold real_of_roots. rewrite (scale_terms_sound rational_sound). lra.
    + rewrite multiply_all, E0. lra.
  - rewrite multiply_all_all, E0. lra.
Qed.

Lemma dot_roots_value l : forall x,
  real_of_roots (dot_roots l x) = real_of_roots x + value_of_products real_of_roots l.
Proof.
  unfold dot_roots. induction l as [| [c y] l IH]; intros x; cbn [fold_left value_of_products fst snd]; [lra |].
  rewrite IH, add_roots_value, mul_roots_value. lra.
Qed.

(** ** Reading *)

Lemma without_square_ok n m s : without_square n = (m, s) -> Npos n = (Npos m * (s * s))%N.
Proof.
  unfold without_square. set (r := square_root_in (Npos n)). clearbody r.
  destruct (N.div (Npos n) (r * r)) as [| q].
  - intros [= <- <-]. lia.
  - destruct (N.eqb_spec (N.pos q * (r * r)) (N.pos n)) as [E | _].
    + intros [= <- <-]. now rewrite E.
    + intros [= <- <-]. lia.
Qed.

Lemma root_of_term_value t : real_of_roots (root_of_term t)
  = IZR (numerator t) / IZR (Zpos (denominator t)) * sqrt (IZR (Z.of_N (radicand t))).
Proof.
  unfold root_of_term. destruct (radicand t) as [| n].
  { cbn [Z.of_N]. rewrite sqrt_0. unfold real_of_roots. cbn. lra. }
  destruct (if Pos.eqb n 1 then (n, 1%N) else without_square n) as [m s] eqn:E.
  assert (H : Npos n = (Npos m * (s * s))%N).
  { destruct (Pos.eqb n 1); [injection E as <- <-; lia | now apply without_square_ok]. }
  rewrite root_value, real_of_fraction, mult_IZR. rewrite H. clear E H.
  rewrite !N2Z.inj_mul, !mult_IZR. cbn [Z.of_N].
  assert (Hs : 0 <= IZR (Z.of_N s)) by (apply IZR_le; lia).
  rewrite sqrt_mult; [| apply IZR_le; lia | nra].
  rewrite sqrt_square by trivial. unfold root_of, Rdiv. ring.
Qed.

Lemma read_roots_value e : forall x y, fold_left read_root e (Ok x) = Ok y ->
  real_of_roots y = real_of_roots x + real_number e.
Proof.
  induction e as [| t e IH]; intros x y; cbn [fold_left read_root real_number].
  { intros [= ->]. lra. }
  cbv zeta. destruct (roots_fit _).
  - intros H. apply IH in H. rewrite H, add_roots_value, root_of_term_value. lra.
  - intros H. exfalso. clear IH. induction e as [| t' e IH]; [discriminate | now apply IH].
Qed.

(** ** Comparison *)

(** A root, rounded down to an integer, of a number times B^2. *)
Lemma rounded_root n B : (0 < B)%Z ->
  IZR (Z.sqrt (Zpos n * (B * B))) <= root_of n * IZR B <= IZR (Z.sqrt (Zpos n * (B * B))) + 1.
Proof.
  intros HB. set (N := (Zpos n * (B * B))%Z).
  assert (HN : (0 <= N)%Z) by (unfold N; nia).
  destruct (Z.sqrt_spec N HN) as [H1 H2].
  assert (HB' : 0 < IZR B) by now apply IZR_lt.
  assert (E : (root_of n * IZR B) * (root_of n * IZR B) = IZR N).
  { unfold N. rewrite !mult_IZR, <- root_of_square. ring. }
  assert (Hr : 0 <= root_of n) by apply sqrt_pos.
  assert (Hs := Z.sqrt_nonneg N). apply IZR_le in Hs.
  apply IZR_le in H1. apply IZR_lt in H2.
  rewrite mult_IZR in H1, H2. rewrite succ_IZR in H2.
  set (a := root_of n * IZR B) in *. assert (Ha : 0 <= a) by (unfold a; nra).
  clearbody a. split.
  - apply Rnot_lt_le. intros L. nra.
  - apply Rnot_lt_le. intros L. nra.
Qed.

Lemma absolute_value_of c : real (absolute c) = Rabs (real c).
Proof.
  unfold absolute. destruct (Qle_bool c 0) eqn:E.
  - change (Qle_bool c (Q2Qc 0) = true) in E. apply Qle_bool_true in E. rewrite real_zero in E.
    rewrite (value_opp rational_sound), Rabs_left1; lra.
  - change (Qle_bool c (Q2Qc 0) = false) in E. apply Qle_bool_false in E. rewrite real_zero in E.
    rewrite Rabs_right; lra.
Qed.

(** What was computed is off by no more than the tolerance. *)
Lemma scaled_close B x : (0 < B)%Z -> forall s m,
  Rabs (real_of_roots x * IZR B
        - (real (fold_left (fun total nc => add rational total
             (mul rational (snd nc) (int rational (Z.sqrt (Z.mul (Zpos (fst nc)) (Z.mul B B)))))) x s) - real s))
  <= real (fold_left (fun total nc => add rational total (absolute (snd nc))) x m) - real m.
Proof.
  intros HB. induction x as [| [n c] x IH]; intros s m; cbn [fold_left fst snd].
  { unfold real_of_roots. cbn. rewrite Rabs_right; lra. }
  specialize (IH (add rational s (mul rational c (int rational (Z.sqrt (Z.mul (Zpos n) (Z.mul B B))))))
                 (add rational m (absolute c))).
  rewrite !(value_add _ _ _ rational_sound), (value_mul _ _ _ rational_sound),
    (value_int rational_sound), absolute_value_of in IH.
  pose proof (rounded_root n B HB) as Hr. set (z := IZR (Z.sqrt (Z.pos n * (B * B)))) in *.
  assert (Ex : real_of_roots ((n, c) :: x) = real c * root_of n + real_of_roots x) by reflexivity.
  rewrite Ex. clear Ex.
  match goal with |- context [real (fold_left ?f x ?i)] => set (S := real (fold_left f x i)) in * end.
  match goal with |- context [real (fold_left ?f x ?i)] => set (T := real (fold_left f x i)) in * end.
  assert (Hc : Rabs (real c * (root_of n * IZR B - z)) <= Rabs (real c)).
  { rewrite Rabs_mult, (Rabs_right (root_of n * IZR B - z)) by lra.
    pose proof (Rabs_pos (real c)). nra. }
  replace ((real c * root_of n + real_of_roots x) * IZR B - (S - real s))
    with (real c * (root_of n * IZR B - z) + (real_of_roots x * IZR B - (S - (real s + real c * z)))) by ring.
  eapply Rle_trans; [apply Rabs_triang |]. lra.
Qed.

Lemma sign_by_sound ps x : forall b, sign_by ps x (tolerance x) = Some b ->
  if b then 0 <= real_of_roots x else real_of_roots x < 0.
Proof.
  induction ps as [| p ps IH]; intros b; cbn [sign_by]; [discriminate |].
  set (B := Z.shiftl 1 p).
  destruct (negb (Qle_bool (absolute (scaled B x)) (tolerance x)) && Z.ltb 0 B)%bool eqn:E; [| apply IH].
  apply andb_prop in E. destruct E as [E HB]. apply Z.ltb_lt in HB.
  apply negb_true_iff, Qle_bool_false in E. rewrite absolute_value_of in E.
  pose proof (scaled_close B x HB (zero rational) (zero rational)) as H.
  fold (scaled B x) (tolerance x) in H. rewrite (value_zero rational_sound) in H.
  assert (HB' : 0 < IZR B) by now apply IZR_lt.
  set (S := real (scaled B x)) in *. set (T := real (tolerance x)) in *.
  set (d := real_of_roots x * IZR B - (S - 0)) in H.
  pose proof (Rle_abs d) as H1. pose proof (Rle_abs (- d)) as H2. rewrite Rabs_Ropp in H2.
  unfold d in *. clear d.
  intros [= <-]. destruct (Qle_bool 0 (scaled B x)) eqn:E0.
  - change (Qle_bool (Q2Qc 0) (scaled B x) = true) in E0. apply Qle_bool_true in E0.
    rewrite real_zero in E0. fold S in E0. rewrite Rabs_right in E by lra.
    apply Rnot_lt_le. intros L. nra.
  - change (Qle_bool (Q2Qc 0) (scaled B x) = false) in E0. apply Qle_bool_false in E0.
    rewrite real_zero in E0. fold S in E0. rewrite Rabs_left in E by lra.
    apply Rnot_le_lt. intros L. nra.
Qed.

Lemma not_negative_sound x b : not_negative x = Some b ->
  if b then 0 <= real_of_roots x else real_of_roots x < 0.
Proof.
  destruct x as [| [n c] [| p x]]; cbn [not_negative].
  - intros [= <-]. unfold real_of_roots. cbn. lra.
  - intros [= <-]. unfold real_of_roots. cbn [value_of_terms].
    assert (Hr : 0 < root_of n) by (apply sqrt_lt_R0, IZR_lt; lia).
    destruct (Qle_bool 0 c) eqn:E.
    + change (Qle_bool (Q2Qc 0) c = true) in E. apply Qle_bool_true in E. rewrite real_zero in E. nra.
    + change (Qle_bool (Q2Qc 0) c = false) in E. apply Qle_bool_false in E. rewrite real_zero in E. nra.
  - apply sign_by_sound.
Qed.

Lemma leb_roots_sound x y b : leb_roots x y = Some b ->
  if b then real_of_roots x <= real_of_roots y else real_of_roots y < real_of_roots x.
Proof.
  unfold leb_roots. intros H. apply not_negative_sound in H.
  rewrite add_roots_value in H. unfold real_of_roots at 2 4 in H.
  rewrite (scale_terms_sound rational_sound), (value_int rational_sound) in H.
  fold (real_of_roots x) in H. destruct b; lra.
Qed.

Theorem surd_sound : sound_number surd real_of_roots real_number.
Proof.
  constructor; cbn [surd fraction add mul dot align read eqb leb rational_part].
  - intros n d. rewrite root_value, real_of_fraction, root_of_one. lra.
  - apply add_roots_value.
  - apply mul_roots_value.
  - apply dot_roots_value.
  - reflexivity.
  - intros e x H. apply read_roots_value in H. rewrite H. change (real_of_roots []) with 0. lra.
  - apply (same_terms_eq rational_sound).
  - intros x y H. exact (leb_roots_sound x y true H).
  - intros x y H. exact (leb_roots_sound x y false H).
  - intros [| [m c] [| mc x]] n d; cbn [rational_of_roots]; try discriminate.
    + intros [= <- <-]. unfold real_of_roots. cbn. lra.
    + destruct (Pos.eqb_spec m 1) as [-> |]; [| discriminate]. intros H.
      apply (value_rational _ _ _ rational_sound) in H. unfold real_of_roots. cbn [value_of_terms].
      rewrite H, root_of_one. lra.
Qed.
