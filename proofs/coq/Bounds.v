(** * Bounds.v -- certified bounds by multipliers and case splits

    What this file proves, in plain words.  We want an upper bound of a linear
    function of the last hidden layer's values, over all inputs of a box; lower
    bounds come from the negated function.  The certificate has one multiplier
    per hidden neuron.  A walk from the last hidden layer to the first replaces
    the activation a(z) of each neuron, with coefficient c, by the linear
    function lam z of its argument plus a constant: the largest value of
    c a(z) - lam z over the range of z, which is found at finitely many points
    because a is piecewise linear ([neuron_peak]).  At the inputs the bound is
    read off the box.

    - The result of the walk is an upper bound for ANY choice of multipliers
      ([walk_sound]): finding good ones is not the checker's business.
    - If the walk proves 0 < 0, the box with these ranges contains no point
      ([walk_infeasible]).
    - A box or the range of a neuron may be cut in two ([split_box],
      [split_phase], [split_range]); a tree of such cuts, tightened ranges and
      walks at its leaves is sound ([bounded_sound]); and if the ranges of
      each layer were derived so from the layers before it, nothing remains to
      be assumed ([network_bound]). *)

Require Import Reals Lra Lia List.
From VeriMV Require Import Unit Forms.
Import ListNotations.
Local Open Scope R_scope.

(** ** One neuron *)

(** What a neuron with coefficient c and multiplier lam contributes. *)
Definition gain (a : activation) (c lam z : R) : R := c * activate a z - lam * z.

(** A linear function between p and q is at most its larger end value. *)
Lemma linear_between k d p q z M :
  p <= z <= q -> k * p + d <= M -> k * q + d <= M -> k * z + d <= M.
Proof. intros. destruct (Rle_or_lt 0 k); nra. Qed.

Lemma relu_peak c lam l u z M : l <= z <= u ->
  gain Relu c lam l <= M -> gain Relu c lam u <= M ->
  (l <= 0 <= u -> gain Relu c lam 0 <= M) ->
  gain Relu c lam z <= M.
Proof.
  unfold gain; simpl. intros Hz Hl Hu H0.
  assert (neg_side : forall t, t <= 0 -> rho t = 0) by minmax.
  assert (pos_side : forall t, 0 <= t -> rho t = t) by minmax.
  destruct (Rle_or_lt z 0) as [Hs | Hs].
  - (* left of the kink *)
    rewrite (neg_side z), (neg_side l) in * by lra.
    destruct (Rle_or_lt u 0) as [Hu0 | Hu0].
    + rewrite (neg_side u) in * by lra.
      pose proof (linear_between (- lam) 0 l u z M Hz). lra.
    + rewrite (neg_side 0) in * by lra.
      pose proof (linear_between (- lam) 0 l 0 z M). lra.
  - (* right of the kink *)
    rewrite (pos_side z), (pos_side u) in * by lra.
    destruct (Rle_or_lt 0 l) as [Hl0 | Hl0].
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
  destruct (Rle_or_lt z 1) as [Hs | Hs].
  - rewrite (left_side z), (left_side l), (left_side 0), (left_side 1) in * by lra.
    destruct (Rle_or_lt u 1) as [Hu1 | Hu1].
    + rewrite (left_side u) in * by lra.
      now apply (relu_peak c lam l u z M).
    + apply (relu_peak c lam l 1 z M); unfold gain; simpl; lra.
  - rewrite (right_side z), (right_side u) in * by lra.
    destruct (Rle_or_lt 1 l) as [Hl1 | Hl1].
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

Definition kinks (a : activation) : list R :=
  match a with
  | Relu => [0]
  | Clip => [0; 1]
  | Identity => []
  end.

Definition inside (l u k : R) : bool :=
  if Rle_dec l k then if Rle_dec k u then true else false else false.

Lemma inside_spec l u k : inside l u k = true <-> l <= k <= u.
Proof.
  unfold inside. destruct (Rle_dec l k), (Rle_dec k u); split; intros;
    trivial; try discriminate; lra.
Qed.

(** The largest value of f at x and at the points of the list. *)
Fixpoint max_over (f : R -> R) (x : R) (xs : list R) : R :=
  match xs with
  | [] => f x
  | y :: ys => Rmax (f x) (max_over f y ys)
  end.

Lemma max_over_ge f p x xs : In p (x :: xs) -> f p <= max_over f x xs.
Proof.
  revert x. induction xs as [| y ys IH]; intros x [-> | H]; simpl.
  - lra.
  - contradiction.
  - apply Rmax_l.
  - eapply Rle_trans; [apply IH, H | apply Rmax_r].
Qed.

Lemma max_over_attained f x xs : exists p, In p (x :: xs) /\ max_over f x xs = f p.
Proof.
  revert x. induction xs as [| y ys IH]; intros x; simpl.
  - exists x. auto.
  - destruct (IH y) as (p & Hp & ->).
    destruct (Rmax_split (f x) (f p)) as [[-> _] | [-> _]]; eauto.
Qed.

(** The two ends, and the kinks of the activation between them. *)
Definition peak (a : activation) (c lam l u : R) : R :=
  max_over (gain a c lam) l (u :: filter (inside l u) (kinks a)).

Theorem neuron_peak a c lam l u z :
  l <= z <= u -> gain a c lam z <= peak a c lam l u.
Proof.
  intros Hz. set (M := peak a c lam l u).
  assert (Hl : gain a c lam l <= M) by (apply max_over_ge; now left).
  assert (Hu : gain a c lam u <= M) by (apply max_over_ge; right; now left).
  assert (Hk : forall k, In k (kinks a) -> l <= k <= u -> gain a c lam k <= M).
  { intros k Hin Hk. apply max_over_ge. right. right.
    apply filter_In. split; trivial. now apply inside_spec. }
  destruct a.
  - apply (relu_peak c lam l u); trivial. apply Hk. now left.
  - apply (clip_peak c lam l u); trivial; apply Hk; simpl; auto.
  - now apply (identity_peak c lam l u).
Qed.

(** The bound cannot be improved: it is a value within the range. *)
Lemma peak_attained a c lam l u :
  l <= u -> exists z, l <= z <= u /\ peak a c lam l u = gain a c lam z.
Proof.
  intros H. unfold peak.
  destruct (max_over_attained (gain a c lam) l (u :: filter (inside l u) (kinks a)))
    as (p & [<- | [<- | Hp]] & E); rewrite E; eexists; split; try reflexivity; try lra.
  apply filter_In in Hp. now apply inside_spec.
Qed.

(** ** Coefficient vectors *)

(** Missing entries count as 0. *)
Fixpoint vadd (xs ys : list R) : list R :=
  match xs, ys with
  | [], _ => ys
  | _, [] => xs
  | x :: xs', y :: ys' => x + y :: vadd xs' ys'
  end.

Definition vscale (k : R) (xs : list R) : list R := map (Rmult k) xs.

Lemma dot_vadd xs ys zs : dot (vadd xs ys) zs = dot xs zs + dot ys zs.
Proof.
  revert ys zs. induction xs as [| x xs IH]; intros [| y ys] [| z zs]; simpl; try lra.
  rewrite IH. lra.
Qed.

Lemma dot_vscale k xs zs : dot (vscale k xs) zs = k * dot xs zs.
Proof.
  revert zs. induction xs as [| x xs IH]; intros [| z zs]; simpl; try lra.
  rewrite IH. lra.
Qed.

Lemma dot_first cs x xs : dot cs (x :: xs) = hd 0 cs * x + dot (tl cs) xs.
Proof. destruct cs as [| c cs]; simpl; [destruct xs |]; lra. Qed.

Lemma dot_zero cs xs : Forall (fun c => c = 0) cs -> dot cs xs = 0.
Proof.
  intros H. revert xs. induction H as [| c cs -> _ IH]; intros [| x xs]; simpl; trivial.
  rewrite IH. lra.
Qed.

(** ** Hidden layers with ranges *)

(** A neuron with the range [l,u] claimed for its argument. *)
Definition ranged : Type := row * (R * R).
Definition ranged_layer : Type := list ranged * activation.

(** The network without the ranges, as in Forms.v. *)
Definition erase (L : ranged_layer) : layer := (map fst (fst L), snd L).
Definition plain (net : list ranged_layer) : list layer := map erase net.

Definition argument_in_range (xs : list R) (n : ranged) : Prop :=
  fst (snd n) <= apply_row (fst n) xs <= snd (snd n).

(** At the input xs all arguments lie in their ranges. *)
Fixpoint in_range (net : list ranged_layer) (xs : list R) : Prop :=
  match net with
  | [] => True
  | L :: rest =>
      Forall (argument_in_range xs) (fst L)
      /\ in_range rest (apply_layer (erase L) xs)
  end.

(** A box: an interval for every input. *)
Definition in_box (box : list (R * R)) (xs : list R) : Prop :=
  Forall2 (fun b x => fst b <= x <= snd b) box xs.

Lemma in_range_app net1 net2 xs :
  in_range (net1 ++ net2) xs <->
  in_range net1 xs /\ in_range net2 (forward (plain net1) xs).
Proof.
  revert xs. induction net1 as [| L net1 IH]; intros xs; simpl; [tauto |].
  rewrite IH. tauto.
Qed.

(** ** The backward walk *)

(** One layer: cs are the coefficients of its activations, the result is a
    constant and the coefficients of its inputs. *)
Fixpoint layer_walk (a : activation) (ns : list ranged) (lams cs : list R)
    : R * list R :=
  match ns with
  | [] => (0, [])
  | n :: ns' =>
      let lam := hd 0 lams in
      let rest := layer_walk a ns' (tl lams) (tl cs) in
      (peak a (hd 0 cs) lam (fst (snd n)) (snd (snd n))
         + lam * snd (fst n) + fst rest,
       vadd (vscale lam (fst (fst n))) (snd rest))
  end.

(** All layers, the last one first. *)
Fixpoint back (net : list ranged_layer) (lams : list (list R)) (cs : list R)
    : R * list R :=
  match net with
  | [] => (0, cs)
  | L :: net' =>
      let later := back net' (tl lams) cs in
      let here := layer_walk (snd L) (fst L) (hd [] lams) (snd later) in
      (fst later + fst here, snd here)
  end.

Fixpoint box_max (cs : list R) (box : list (R * R)) : R :=
  match cs, box with
  | c :: cs', b :: box' => Rmax (c * fst b) (c * snd b) + box_max cs' box'
  | _, _ => 0
  end.

Definition walk (net : list ranged_layer) (lams : list (list R))
    (target : row) (box : list (R * R)) : R :=
  let inputs := back net lams (fst target) in
  snd target + fst inputs + box_max (snd inputs) box.

Lemma layer_walk_sound a ns lams cs xs :
  Forall (argument_in_range xs) ns ->
  dot cs (apply_layer (erase (ns, a)) xs)
  <= fst (layer_walk a ns lams cs) + dot (snd (layer_walk a ns lams cs)) xs.
Proof.
  unfold apply_layer, erase; cbn [fst snd].
  intros H. revert lams cs. induction H as [| n ns Hn _ IH]; intros lams cs.
  - destruct cs; simpl; lra.
  - cbn [map layer_walk fst snd]. rewrite dot_first, dot_vadd, dot_vscale.
    specialize (IH (tl lams) (tl cs)).
    pose proof (neuron_peak a (hd 0 cs) (hd 0 lams) _ _ _ Hn) as Hp.
    unfold gain, apply_row in *. lra.
Qed.

Lemma back_sound net lams cs xs : in_range net xs ->
  dot cs (forward (plain net) xs)
  <= fst (back net lams cs) + dot (snd (back net lams cs)) xs.
Proof.
  revert lams xs. induction net as [| [ns a] net IH]; intros lams xs.
  - simpl. lra.
  - cbn [in_range plain map forward back fst snd]. intros [Hns Hrest].
    specialize (IH (tl lams) _ Hrest).
    pose proof (layer_walk_sound a ns (hd [] lams) (snd (back net (tl lams) cs)) xs Hns).
    unfold plain in IH. lra.
Qed.

Lemma box_max_sound cs box xs : in_box box xs -> dot cs xs <= box_max cs box.
Proof.
  intros H. revert cs. induction H as [| b x box xs Hb _ IH]; intros [| c cs]; simpl;
    try lra.
  specialize (IH cs).
  enough (c * x <= Rmax (c * fst b) (c * snd b)) by lra.
  pose proof (Rmax_l (c * fst b) (c * snd b)).
  pose proof (Rmax_r (c * fst b) (c * snd b)).
  pose proof (linear_between c 0 (fst b) (snd b) x (Rmax (c * fst b) (c * snd b)) Hb).
  lra.
Qed.

(** The multipliers lams are arbitrary. *)
Theorem walk_sound net lams target box xs :
  in_box box xs -> in_range net xs ->
  apply_row target (forward (plain net) xs) <= walk net lams target box.
Proof.
  intros Hbox Hrange. unfold apply_row, walk.
  pose proof (back_sound net lams (fst target) xs Hrange).
  pose proof (box_max_sound (snd (back net lams (fst target))) box xs Hbox).
  lra.
Qed.

(** A walk for the constant 0 that ends below 0: there is no such point. *)
Theorem walk_infeasible net lams target box xs :
  Forall (fun c => c = 0) (fst target) -> snd target = 0 ->
  walk net lams target box < 0 ->
  ~ (in_box box xs /\ in_range net xs).
Proof.
  intros Hc Hb Hw [Hbox Hrange].
  pose proof (walk_sound net lams target box xs Hbox Hrange) as H.
  unfold apply_row in H. rewrite dot_zero in H by assumption. lra.
Qed.

(** *** Lower bounds, by negation *)

Definition row_neg (r : row) : row := (vscale (-1) (fst r), - snd r).

Lemma row_neg_sound r xs : apply_row (row_neg r) xs = - apply_row r xs.
Proof. unfold apply_row, row_neg; simpl. rewrite dot_vscale. lra. Qed.

Corollary walk_lower net lams target box xs :
  in_box box xs -> in_range net xs ->
  - walk net lams (row_neg target) box <= apply_row target (forward (plain net) xs).
Proof.
  intros Hbox Hrange.
  pose proof (walk_sound net lams (row_neg target) box xs Hbox Hrange) as H.
  rewrite row_neg_sound in H. lra.
Qed.

(** ** Case splits *)

Lemma split_box (x p : R) : x <= p \/ p <= x.
Proof. lra. Qed.

Lemma split_phase (z : R) : z <= 0 \/ 0 <= z.
Proof. lra. Qed.

Lemma split_phase_clip (z : R) : z <= 0 \/ 0 <= z <= 1 \/ 1 <= z.
Proof. lra. Qed.

(** The same for a box with input number [length b1] cut at p ... *)
Lemma split_box_at b1 l h b2 p xs :
  in_box (b1 ++ (l, h) :: b2) xs ->
  in_box (b1 ++ (l, p) :: b2) xs \/ in_box (b1 ++ (p, h) :: b2) xs.
Proof.
  unfold in_box. revert xs. induction b1 as [| b b1 IH]; intros xs H;
    inversion H as [| ? x ? xs' Hx Hrest]; subst; simpl in *.
  - destruct (split_box x p); [left | right]; constructor; simpl; trivial; lra.
  - destruct (IH xs' Hrest); [left | right]; constructor; trivial.
Qed.

(** ... and for the range of one neuron of one layer.  [put] is the network
    in which that neuron has the range [l,u]. *)
Definition put (net1 : list ranged_layer) (ns1 : list ranged) (r : row)
    (l u : R) (ns2 : list ranged) (a : activation) (net2 : list ranged_layer)
    : list ranged_layer :=
  net1 ++ (ns1 ++ (r, (l, u)) :: ns2, a) :: net2.

Lemma put_plain net1 ns1 r l u l' u' ns2 a net2 :
  plain (put net1 ns1 r l u ns2 a net2) = plain (put net1 ns1 r l' u' ns2 a net2).
Proof.
  unfold plain, put, erase. rewrite !map_app. cbn [map fst snd].
  rewrite !map_app. reflexivity.
Qed.

(** Only the neuron itself matters when its range is changed. *)
Lemma put_range net1 ns1 r l u l' u' ns2 a net2 xs :
  in_range (put net1 ns1 r l u ns2 a net2) xs ->
  l' <= apply_row r (forward (plain net1) xs) <= u' ->
  in_range (put net1 ns1 r l' u' ns2 a net2) xs.
Proof.
  unfold put. rewrite !in_range_app. cbn [in_range fst snd].
  rewrite !Forall_app, !Forall_cons_iff.
  unfold erase. cbn [fst snd]. rewrite !map_app. cbn [map fst].
  unfold argument_in_range at 2 5. cbn [fst snd]. tauto.
Qed.

Lemma put_argument net1 ns1 r l u ns2 a net2 xs :
  in_range (put net1 ns1 r l u ns2 a net2) xs ->
  in_range net1 xs /\ l <= apply_row r (forward (plain net1) xs) <= u.
Proof.
  unfold put. rewrite in_range_app. cbn [in_range fst snd].
  rewrite Forall_app, Forall_cons_iff.
  unfold argument_in_range at 2. cbn [fst snd]. tauto.
Qed.

Lemma split_range net1 ns1 r l u ns2 a net2 p xs :
  in_range (put net1 ns1 r l u ns2 a net2) xs ->
  in_range (put net1 ns1 r l p ns2 a net2) xs \/
  in_range (put net1 ns1 r p u ns2 a net2) xs.
Proof.
  intros H. destruct (put_argument _ _ _ _ _ _ _ _ _ H) as [_ Hz].
  destruct (split_box (apply_row r (forward (plain net1) xs)) p);
    [left | right]; apply (put_range _ _ _ l u); trivial; lra.
Qed.

(** ** Trees of case splits *)

(** [bounded target B box net]: there is a tree of case splits that proves
    target <= B at all points of the box whose arguments are in range. *)
Inductive bounded : row -> R -> list (R * R) -> list ranged_layer -> Prop :=
  (* a leaf: a walk *)
  | by_walk target B box net lams :
      walk net lams target box <= B -> bounded target B box net
  (* a leaf without points *)
  | by_infeasibility target B box net lams :
      walk net lams ([], 0) box < 0 -> bounded target B box net
  (* an input is cut at p *)
  | by_box_split target B b1 l h b2 net p :
      bounded target B (b1 ++ (l, p) :: b2) net ->
      bounded target B (b1 ++ (p, h) :: b2) net ->
      bounded target B (b1 ++ (l, h) :: b2) net
  (* the range of a neuron is cut at p, for instance at its kink *)
  | by_range_split target B box net1 ns1 r l u ns2 a net2 p :
      bounded target B box (put net1 ns1 r l p ns2 a net2) ->
      bounded target B box (put net1 ns1 r p u ns2 a net2) ->
      bounded target B box (put net1 ns1 r l u ns2 a net2)
  (* the range of a neuron is tightened, by bounds of its argument *)
  | by_tightening target B box net1 ns1 r l u l' u' ns2 a net2 :
      bounded r u' box net1 ->
      bounded (row_neg r) (- l') box net1 ->
      bounded target B box (put net1 ns1 r l' u' ns2 a net2) ->
      bounded target B box (put net1 ns1 r l u ns2 a net2).

Theorem bounded_sound target B box net xs :
  bounded target B box net -> in_box box xs -> in_range net xs ->
  apply_row target (forward (plain net) xs) <= B.
Proof.
  intros H. revert xs. induction H as
    [target B box net lams Hw | target B box net lams Hw
    | target B b1 l h b2 net p _ IH1 _ IH2
    | target B box net1 ns1 r l u ns2 a net2 p _ IH1 _ IH2
    | target B box net1 ns1 r l u l' u' ns2 a net2 _ IHu _ IHl _ IH];
    intros xs Hbox Hrange.
  - pose proof (walk_sound net lams target box xs Hbox Hrange). lra.
  - exfalso. now apply (walk_infeasible net lams ([], 0) box xs (Forall_nil _) eq_refl Hw).
  - destruct (split_box_at b1 l h b2 p xs Hbox); auto.
  - destruct (split_range net1 ns1 r l u ns2 a net2 p xs Hrange).
    + rewrite (put_plain _ _ _ l u l p). auto.
    + rewrite (put_plain _ _ _ l u p u). auto.
  - destruct (put_argument _ _ _ _ _ _ _ _ _ Hrange) as [Hnet1 _].
    rewrite (put_plain _ _ _ l u l' u'). apply IH; trivial.
    apply (put_range _ _ _ l u); trivial.
    specialize (IHu xs Hbox Hnet1). specialize (IHl xs Hbox Hnet1).
    rewrite row_neg_sound in IHl. lra.
Qed.

(** ** Ranges of all layers, derived from the box alone *)

(** Each layer's ranges are bounds over the layers before it. *)
Inductive certified (box : list (R * R)) : list ranged_layer -> Prop :=
  | certified_nil : certified box []
  | certified_layer net ns a :
      certified box net ->
      Forall (fun n => bounded (fst n) (snd (snd n)) box net /\
                       bounded (row_neg (fst n)) (- fst (snd n)) box net) ns ->
      certified box (net ++ [(ns, a)]).

Theorem certified_sound box net xs :
  certified box net -> in_box box xs -> in_range net xs.
Proof.
  intros H Hbox. induction H as [| net ns a _ IH Hns]; simpl; trivial.
  apply in_range_app. split; trivial. split; [| exact I]. cbn [fst].
  apply Forall_impl with (2 := Hns). intros n [Hu Hl].
  apply (bounded_sound _ _ _ _ xs) in Hu; trivial.
  apply (bounded_sound _ _ _ _ xs) in Hl; trivial.
  rewrite row_neg_sound in Hl. unfold argument_in_range. lra.
Qed.

(** The bound holds at every point of the box; no range is assumed. *)
Theorem network_bound target B box net :
  certified box net -> bounded target B box net ->
  forall xs, in_box box xs -> apply_row target (forward (plain net) xs) <= B.
Proof.
  intros Hnet HB xs Hbox. apply (bounded_sound target B box net); trivial.
  now apply certified_sound with box.
Qed.

(** ** An example, to see the definitions at work

    |x| = rho x + rho (-x) is at most 1 on [-1,1].  Intervals alone give 2; the
    multipliers 1/2 and 1/2 give the exact bound. *)
Example absolute_value :
  let net := [([(([1], 0), (-1, 1)); (([-1], 0), (-1, 1))], Relu)] in
  forall x, -1 <= x <= 1 -> apply_row ([1; 1], 0) (forward (plain net) [x]) <= 1.
Proof.
  intros net x Hx.
  assert (Hin : inside (-1) 1 0 = true) by (apply inside_spec; lra).
  apply (network_bound ([1; 1], 0) 1 [(-1, 1)] net).
  - apply (certified_layer _ []); [constructor |].
    repeat constructor; apply by_walk with []; unfold walk; simpl; minmax.
  - apply by_walk with [[/ 2; / 2]]. unfold walk, net.
    cbn [back layer_walk fst snd hd tl].
    unfold peak, gain. cbn [kinks filter]. rewrite Hin. simpl. minmax.
  - apply Forall2_cons; [exact Hx | apply Forall2_nil].
Qed.
