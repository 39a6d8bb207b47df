(** * CheckerSound.v -- reading formulas, outputs, and steps

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List Bool NArith Nnat.
From VeriMV Require Export ProgressSound.
From VeriMV Require Networks Checker.
Import ListNotations.
Open Scope Qc_scope.

Section CheckerSound.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.
  Variable us : list F.
  Variable den : positive -> F.
  Variable part_no : positive -> part t.
  Hypothesis den_based : based us den.

  Notation valid := (valid (value := value) us den part_no).
  Notation wf := (wf (value := value) us).
  Notation models := (models (value := value) den part_no).
  Notation honest := (honest (value := value) den part_no).
  Notation on_form := (on_form (value := value) den part_no).
  Notation on_sum := (value_of_sum value den).

  Tactic Notation "step" uconstr(H) := eapply valid_bind; [eapply H; eassumption |].

  (** ** Formulas *)

  Notation inputs := (N.of_nat (length us)).

  (** Names stand for nodes with the values of [known]. *)
  Definition names_hold (names : trie positive) (known : list F) : Prop :=
    forall x n, Checker.node_of_name inputs names x = Ok n ->
    (N.to_nat x < length known)%nat /\ den n = nth (N.to_nat x) known 0.

  Lemma apply_prefix_valid p n pre : valid pre (Checker.apply_prefix K p n)
    (fun m => den m = value_of_prefix meaning p (den n)).
  Proof.
    destruct p as [| f]; cbn [Checker.apply_prefix value_of_prefix].
    - now apply (not_node_valid sound).
    - apply valid_lift. intros c Hc. apply (factor_amount_sound sound) in Hc. destruct Hc as [-> Hc].
      now apply (scale_node_valid sound).
  Qed.

  Lemma apply_prefixes_valid ps : forall n pre, valid pre (Checker.apply_prefixes K ps n)
    (fun m => den m = fold_left (fun x p => value_of_prefix meaning p x) ps (den n)).
  Proof.
    induction ps as [| p ps IH]; intros n pre; cbn [Checker.apply_prefixes].
    - now apply valid_ret.
    - step apply_prefix_valid. intros m. eapply valid_post; [apply IH |].
      intros k [_ Hm] ->. cbn [fold_left]. now rewrite Hm.
  Qed.

  Lemma read_operand_valid names known o (pre : Prop) : (pre -> names_hold names known) ->
    valid pre (Checker.read_operand K inputs names o) (fun m => den m = value_of_operand meaning known o).
  Proof.
    intros Hp. unfold Checker.read_operand. apply valid_lift. intros n Hn.
    eapply valid_post; [apply apply_prefixes_valid |]. intros m Hpre ->.
    apply (Hp Hpre) in Hn. destruct Hn as [_ ->]. unfold value_of_operand, rev'.
    now rewrite <- rev_alt, <- fold_left_rev_right, rev_involutive.
  Qed.

  Lemma fold_left_map A B C (f : C -> B -> C) (g : A -> B) l : forall c,
    fold_left f (map g l) c = fold_left (fun c a => f c (g a)) l c.
  Proof. induction l as [| a l IH]; intros c; simpl; auto. Qed.

  Lemma read_definition_valid names known d (pre : Prop) : (pre -> names_hold names known) ->
    valid pre (Checker.read_definition K inputs names d) (fun m => den m = value_of_definition meaning known d).
  Proof.
    intros Hp. unfold Checker.read_definition.
    eapply valid_bind; [apply read_operand_valid, Hp |]. intros n.
    eapply valid_bind; [apply (valid_all _ _ _ _ _ _ _ (fun o m => den m = value_of_operand meaning known o));
      intros o; apply read_operand_valid; tauto |]. intros ns.
    eapply valid_post; [apply (connect_nodes_valid us den part_no _ (connect (op d))) |].
    - intros a b pre'. destruct (op d); [apply (plus_node_valid sound) | apply (times_node_valid sound)].
    - intros m [[_ Hn] Hns] ->. unfold value_of_definition.
      assert (E : map den ns = map (value_of_operand meaning known) (others d)).
      { induction Hns as [| o k os ks E _ IH]; simpl; trivial. now rewrite E, IH. }
      now rewrite Hn, E, fold_left_map.
  Qed.

  Lemma names_hold_add names known n x : names_hold names known -> length known = N.to_nat x ->
    (2 + inputs <= x)%N -> names_hold (set (N.succ_pos x) n names) (known ++ [den n]).
  Proof.
    intros H Hl Hx y m E. unfold Checker.node_of_name in E. specialize (H y m). unfold Checker.node_of_name in H.
    rewrite app_length. cbn [length].
    destruct (N.ltb_spec y (2 + inputs)) as [Hy | Hy].
    - destruct (H E) as [H1 H2]. split; [lia |]. now rewrite app_nth1.
    - destruct (find (N.succ_pos y) (set (N.succ_pos x) n names)) as [k |] eqn:Ek; [| discriminate].
      injection E as <-. apply find_set_cases in Ek. destruct Ek as [[Ey ->] | [_ Ek]].
      + assert (y = x) as -> by (apply (f_equal Npos) in Ey; rewrite !N.succ_pos_spec in Ey; lia).
        split; [lia |]. rewrite app_nth2, <- Hl, Nat.sub_diag by lia. reflexivity.
      + rewrite Ek in H. destruct (H eq_refl) as [H1 H2]. split; [lia |]. now rewrite app_nth1.
  Qed.

  Lemma read_definitions_valid ds : forall names x known (pre : Prop),
    (2 + inputs <= x)%N -> (pre -> names_hold names known /\ length known = N.to_nat x) ->
    valid pre (Checker.read_definitions K inputs names x ds)
      (fun names' => names_hold names'
         (fold_left (fun known d => known ++ [value_of_definition meaning known d]) ds known)).
  Proof.
    induction ds as [| d ds IH]; intros names x known pre Hx Hp; cbn [Checker.read_definitions fold_left].
    - apply valid_ret. apply Hp.
    - eapply valid_bind; [apply (read_definition_valid _ known); apply Hp |]. intros n.
      apply IH; [lia |]. intros [Hpre Hn]. destruct (Hp Hpre) as [Hh Hl]. rewrite <- Hn.
      split; [now apply names_hold_add |]. rewrite app_length. cbn [length]. lia.
  Qed.

  Lemma names_hold_start : names_hold Empty (0 :: 1 :: us).
  Proof.
    intros x n. unfold Checker.node_of_name. destruct (N.ltb_spec x (2 + inputs)) as [Hx | Hx]; [| discriminate].
    intros [= <-]. split; [simpl; lia |].
    destruct (N.to_nat x) as [| [| j]] eqn:Ex.
    - assert (x = 0%N) as -> by lia. apply den_based.
    - assert (x = 1%N) as -> by lia. apply den_based.
    - cbn [nth]. rewrite <- (based_input _ _ den_based) by lia. f_equal. unfold input_key.
      apply Pos2Nat.inj. rewrite SuccNat2Pos.id_succ. rewrite <- (N2Nat.id x), Ex.
      assert (E := N.succ_pos_spec (N.of_nat (S (S j)))). apply (f_equal N.to_nat) in E.
      cbn [N.to_nat] in E. rewrite E. lia.
  Qed.

  Lemma read_formula_valid f pre : valid pre (Checker.read_formula K inputs f)
    (fun ns => map den ns = outputs_of_formula meaning f us).
  Proof.
    unfold Checker.read_formula.
    eapply valid_bind; [apply (read_definitions_valid _ _ _ (0 :: 1 :: us)) |].
    - lia.
    - intros _. split; [apply names_hold_start |]. cbn [length]. lia.
    - intros names. apply valid_lift_last. intros ns Hns [_ Hh]. apply collect_all in Hns.
      unfold outputs_of_formula, values_of_names.
      induction Hns as [| o n os ns E _ IH]; simpl; trivial. f_equal; [apply Hh, E | exact IH].
  Qed.

  (** ** Outputs *)

  Variable def : trie (variable t).
  Variable v : positive -> F.
  Hypothesis def_holds : forall k x, find k def = Some x -> variable_holds value v k x.

  Notation true_progress := (true_progress (value := value) den def v).
  Notation progress_ok := (progress_ok (value := value) den def v).

  Definition goal_true (g : Checker.goal * (t * t)) : Prop :=
    match fst g with
    | Checker.Computes x n => v x = value (fst (snd g)) * den n + value (snd (snd g))
    | Checker.Agrees n m => den n = den m
    | Checker.Lies _ => False  (* is shown at the end *)
    end.

  Lemma part_of_nothing_valid pre : valid pre (part_of K []) (fun id => forall c, on_form (Form id c) = value c).
  Proof.
    eapply valid_post; [apply (part_of_valid sound us den part_no); assumption |]. intros id _ H c.
    rewrite on_form_made, H. simpl. lra.
  Qed.

  (** The value y lies between offset and offset + scale; so the form lies in [0,1]. *)
  Lemma output_inside f y n scale offset least most : n = sigma f -> scale * f + offset = y ->
    (least <= offset /\ least <= offset + scale /\ (least = offset \/ least = offset + scale)) ->
    (offset <= most /\ offset + scale <= most /\ (most = offset \/ most = offset + scale)) ->
    least <= y <= most -> y = scale * n + offset.
  Proof.
    intros Hn Hy (L1 & L2 & L3) (M1 & M2 & M3) Hin. subst y.
    destruct (le_or_lt scale 0) as [Hs | Hs].
    - destruct (le_or_lt 0 scale) as [Hs' | Hs'].
      { assert (scale = 0) as -> by lra. lra. }
      assert (Hf : scale <= scale * f <= 0) by (destruct L3 as [L3 | L3], M3 as [M3 | M3]; lra).
      rewrite Hn, sigma_id; [lra |]. split; nra.
    - assert (Hf : 0 <= scale * f <= scale) by (destruct L3 as [L3 | L3], M3 as [M3 | M3]; lra).
      rewrite Hn, sigma_id; [lra |]. split; nra.
  Qed.

  Lemma rule_output_valid k c scale offset g (pre : Prop) : (pre -> progress_ok (Checker.place g)) ->
    valid pre (Checker.rule_output K k c scale offset g)
      (fun r => (exists rest, Checker.goals g = fst r :: rest)
                /\ (Networks.assumed (Checker.place g) = false -> goal_true r)).
  Proof.
    intros Hp. unfold Checker.rule_output. apply valid_lift. intros a _. apply valid_lift. intros b _.
    step claim_valid. intros nf. apply valid_lift. intros x1 _. apply valid_lift. intros x2 _.
    destruct (Checker.goals g) as [| [x n | n m | x] rest]; try (intros s y s'; discriminate).
    apply valid_lift. intros x3 Hn. apply need_ok, Pos.eqb_eq in Hn.
    destruct (find x (Networks.values (Checker.place g))) as [u |] eqn:Eu; [| intros s y s'; discriminate].
    destruct (find x (definition (Networks.system (Checker.place g)))) as [[| act z] |] eqn:Ez;
      try (intros s y s'; discriminate).
    step (form_of_valid sound us den part_no). intros f.
    eapply valid_bind with (post := fun r => Networks.assumed (Checker.place g) = false ->
      value (fst r) <= on_form f <= value (snd r)).
    { destruct (Networks.same_activation act Identity) eqn:Ea.
      - eapply valid_post; [apply (narrowed_valid sound us den part_no def v x act z) |]; [tauto |].
        intros r [[Hpre _] Hf] Hr E. destruct (Hp Hpre E) as [T1 T2 T3 T4 T5 T6]. rewrite T1 in Ez.
        apply Hr; trivial. rewrite Hf, (T2 x u Eu). assert (Hx := def_holds _ _ Ez). simpl in Hx. rewrite Hx.
        destruct act; try discriminate. reflexivity.
      - eapply valid_post; [apply (range_of_form_valid sound us den part_no); assumption |]. auto. }
    intros [low high]. step (one_form_valid sound us den part_no). intros found.
    apply valid_lift. intros proper Hproper. step part_of_nothing_valid. intros id. cbv zeta.
    apply valid_lift. intros x4 Hsame. apply need_ok in Hsame.
    apply (same_form_sound sound den part_no) in Hsame.
    apply valid_lift. intros x5 _. apply valid_lift. intros least Hleast. apply valid_lift. intros most Hmost.
    apply valid_lift. intros b1 Hb1. apply valid_lift. intros x6 H6. apply need_ok in H6. subst b1.
    apply valid_lift. intros b2 Hb2. apply valid_lift. intros x7 H7. apply need_ok in H7. subst b2.
    apply valid_ret. intros [[[[[Hpre Hnf] Hf] Hr] Hfound] Hid]. split; [now exists rest |].
    intros E. destruct (Hp Hpre E) as [T1 T2 T3 T4 T5 T6]. specialize (Hr E). cbn [fst snd] in Hr.
    apply (smaller_ok sound) in Hleast. apply (larger_ok sound) in Hmost.
    apply (le_true sound) in Hb1, Hb2. rewrite (T2 x u Eu) in Hf.
    assert (Hv : value a * on_form (snd nf) + value b = v x).
    { rewrite <- Hfound, Hsame. destruct proper; [exact Hf |].
      rewrite Hid. apply (lt_false sound) in Hproper. lra. }
    unfold goal_true. cbn [fst snd]. rewrite <- Hn.
    rewrite (value_add _ _ _ sound) in Hleast, Hmost.
    apply (output_inside _ _ _ _ _ (value least) (value most) Hnf Hv).
    - destruct Hleast as (L1 & L2 & [-> | ->]); rewrite ?(value_add _ _ _ sound) in *; repeat split; auto; lra.
    - destruct Hmost as (L1 & L2 & [-> | ->]); rewrite ?(value_add _ _ _ sound) in *; repeat split; auto; lra.
    - lra.
  Qed.

  Lemma rule_equal_valid k a b g pre : valid pre (Checker.rule_equal K k a b g)
    (fun r => (exists rest, Checker.goals g = fst r :: rest) /\ goal_true r).
  Proof.
    unfold Checker.rule_equal. step claim_valid. intros nf. apply valid_lift. intros x1 _.
    destruct (Checker.goals g) as [| [x n | n m | x] rest]; try (intros s y s'; discriminate).
    step (node_of_valid sound us den part_no). intros m'.
    apply valid_lift. intros x2 H2. apply need_ok, Pos.eqb_eq in H2.
    apply valid_lift. intros x3 H3. apply need_ok, Pos.eqb_eq in H3. subst.
    apply valid_ret. intros [[_ Ha] Hb]. split; [now exists rest |].
    unfold goal_true. cbn [fst]. now rewrite Ha, Hb.
  Qed.

  (** ** Steps *)

  (** What is true of a state; [all] are the goals of the certificate. *)
  Record true_state (all : list Checker.goal) (g : Checker.state (t := t)) : Prop := {
    state_honest : honest (Checker.kept g);
    state_progress : progress_ok (Checker.place g);
    state_done : Networks.assumed (Checker.place g) = false -> Forall goal_true (Checker.done g);
    state_goals : rev (map fst (Checker.done g)) ++ Checker.goals g = all }.

  Definition state_step (all : list Checker.goal) (g g' : Checker.state (t := t)) : Prop :=
    wf (Checker.kept g) ->
    wf (Checker.kept g')
    /\ (models (Checker.kept g') -> models (Checker.kept g) /\ (true_state all g -> true_state all g')).

  Lemma claiming_step all m g g' :
    valid (progress_ok (Checker.place g)) m (fun _ => True) -> Checker.claiming m g = Ok g' -> state_step all g g'.
  Proof.
    intros Hm H Hs. unfold Checker.claiming in H. apply bind_ok in H. destruct H as ([u s'] & E & H).
    injection H as <-. destruct (Hm _ _ _ E Hs) as [Hs' Hm']. split; [exact Hs' |].
    intros M. destruct (Hm' M) as [M0 G]. split; [exact M0 |].
    intros [H1 H2 H3 H4]. destruct (G H1 H2) as [G1 _]. now split.
  Qed.

  Lemma moving_step all m g g' :
    valid (progress_ok (Checker.place g)) (m (Checker.place g)) progress_ok ->
    (forall s p' s', m (Checker.place g) s = Ok (p', s') ->
       Networks.assumed p' = false -> Networks.assumed (Checker.place g) = false) ->
    Checker.moving m g = Ok g' -> state_step all g g'.
  Proof.
    intros Hm Ha H Hs. unfold Checker.moving in H. apply bind_ok in H. destruct H as ([p s'] & E & H).
    injection H as <-. destruct (Hm _ _ _ E Hs) as [Hs' Hm']. split; [exact Hs' |].
    intros M. destruct (Hm' M) as [M0 G]. split; [exact M0 |].
    intros [H1 H2 H3 H4]. destruct (G H1 H2) as [G1 G2]. split; trivial.
    cbn. intros Ep. apply H3. exact (Ha _ _ _ E Ep).
  Qed.

  Lemma reaching_step all m g g' :
    valid (progress_ok (Checker.place g)) (m g)
      (fun r => (exists rest, Checker.goals g = fst r :: rest)
                /\ (Networks.assumed (Checker.place g) = false -> goal_true r)) ->
    Checker.reaching m g = Ok g' -> state_step all g g'.
  Proof.
    intros Hm H Hs. unfold Checker.reaching in H. apply bind_ok in H. destruct H as ([r s'] & E & H).
    injection H as <-. destruct (Hm _ _ _ E Hs) as [Hs' Hm']. split; [exact Hs' |].
    intros M. destruct (Hm' M) as [M0 G]. split; [exact M0 |].
    intros [H1 H2 H3 H4]. destruct (G H1 H2) as [G1 [[rest Hr] G2]]. split; cbn; trivial.
    - intros Ea. constructor; auto.
    - rewrite Hr in *. cbn. now rewrite <- app_assoc.
  Qed.

  (** *** Assumptions stay *)

  Lemma enter_assumed ls : forall p s p' s', Networks.enter K ls p s = Ok (p', s') ->
    Networks.assumed p' = Networks.assumed p.
  Proof.
    induction ls as [| l ls IH]; intros p s p' s' H; cbn [Networks.enter] in H.
    - now injection H as <- _.
    - apply andthen_ok in H. destruct H as (ss & s1 & _ & H).
      destruct (Networks.same_activation _ _); [now apply IH in H | now injection H as <- _].
  Qed.

  Lemma give_value_assumed u p s p' s' : Networks.give_value K u p s = Ok (p', s') ->
    Networks.assumed p' = Networks.assumed p.
  Proof.
    unfold Networks.give_value. cbv zeta. destruct (Pos.eqb _ _).
    - intros H. now apply enter_assumed in H.
    - intros H. now injection H as <- _.
  Qed.

  (** The last action of a sequence. *)
  Ltac peel H :=
    repeat (apply andthen_ok in H; let a := fresh "a" in let s := fresh "s" in
            destruct H as (a & s & _ & H); cbv beta iota zeta in H;
            repeat match type of H with
            | (let (_, _) := ?x in _) _ = _ => destruct x
            | (match ?x with _ => _ end) _ = _ => destruct x
            end).

  Lemma rule_affine_assumed l i p s p' s' : Networks.rule_affine K l i p s = Ok (p', s') ->
    Networks.assumed p' = Networks.assumed p.
  Proof. unfold Networks.rule_affine. intros H. peel H. now apply give_value_assumed in H. Qed.

  Lemma rule_clip_assumed l i B q cs p s p' s' : Networks.rule_clip K l i B q cs p s = Ok (p', s') ->
    Networks.assumed p' = Networks.assumed p.
  Proof. unfold Networks.rule_clip. intros H. peel H. now apply give_value_assumed in H. Qed.

  Lemma rule_bound_assumed l i d x cs p s p' s' : Networks.rule_bound K l i d x cs p s = Ok (p', s') ->
    Networks.assumed p' = false -> Networks.assumed p = false.
  Proof.
    unfold Networks.rule_bound. intros H E. peel H; try discriminate;
      injection H as <- _; cbn in E; now apply orb_false_iff in E.
  Qed.

  Lemma rule_twin_assumed l i m f p s p' s' : Networks.rule_twin K l i m f p s = Ok (p', s') ->
    Networks.assumed p' = Networks.assumed p.
  Proof. unfold Networks.rule_twin. intros H. peel H; try discriminate. now injection H as <- _. Qed.

  Lemma rule_apart_assumed l i d x cs p s p' s' : Networks.rule_apart K l i d x cs p s = Ok (p', s') ->
    Networks.assumed p' = false -> Networks.assumed p = false.
  Proof.
    unfold Networks.rule_apart. intros H E. peel H; try discriminate;
      injection H as <- _; cbn in E; now apply orb_false_iff in E.
  Qed.

  (** *** Lines *)

  Lemma follow_step all x g g' : Checker.follow K x g = Ok g' -> state_step all g g'.
  Proof.
    intros H. destruct x; cbn [Checker.follow] in H; [.. | discriminate | discriminate].
    1-13: eapply claiming_step; [| exact H].
    - now apply (rule_node_valid sound).
    - now apply (rule_atom_valid sound).
    - now apply (rule_not_valid sound).
    - now apply (rule_scale_valid sound).
    - now apply (rule_plus_valid sound).
    - now apply (rule_times_valid sound).
    - now apply (rule_lemma_valid sound).
    - now apply (rule_cut_valid sound).
    - now apply (rule_sort_valid sound).
    - now apply (rule_average_valid sound).
    - now apply (rule_same_valid sound).
    - now apply (rule_equals_valid sound).
    - now apply (rule_unit_valid sound us den part_no den_based def v).
    - apply moving_step with (3 := H); [now apply (rule_affine_valid sound) |].
      intros st p' st' E. now rewrite (rule_affine_assumed _ _ _ _ _ _ E).
    - apply moving_step with (3 := H); [now apply (rule_clip_valid sound) |].
      intros st p' st' E. now rewrite (rule_clip_assumed _ _ _ _ _ _ _ _ _ E).
    - apply moving_step with (3 := H); [now apply (rule_bound_valid sound) |].
      intros st p' st' E. exact (rule_bound_assumed _ _ _ _ _ _ _ _ _ E).
    - apply moving_step with (3 := H); [now apply (rule_twin_valid sound) |].
      intros st p' st' E. now rewrite (rule_twin_assumed _ _ _ _ _ _ _ _ E).
    - apply moving_step with (3 := H); [now apply (rule_apart_valid sound) |].
      intros st p' st' E. exact (rule_apart_assumed _ _ _ _ _ _ _ _ _ E).
    - apply reaching_step with (2 := H). now apply rule_output_valid.
    - apply reaching_step with (2 := H). eapply valid_post; [apply rule_equal_valid |].
      intros r _ [H1 H2]. now split.
  Qed.

  Lemma state_step_trans all g1 g2 g3 : state_step all g1 g2 -> state_step all g2 g3 -> state_step all g1 g3.
  Proof.
    intros H12 H23 W1. destruct (H12 W1) as [W2 H12']. destruct (H23 W2) as [W3 H23'].
    split; [exact W3 |]. intros M3. destruct (H23' M3) as [M2 T23]. destruct (H12' M2) as [M1 T12].
    split; [exact M1 |]. auto.
  Qed.

  Lemma step_step all l g g' : Checker.step K l g = Ok g' -> state_step all g g'.
  Proof.
    unfold Checker.step. intros H. apply bind_ok in H. destruct H as ([u s] & E & H).
    eapply state_step_trans; [| apply (follow_step all _ _ _ H)].
    apply (claiming_step all (spend (Z.of_N (N.succ (Syntax.arguments l))))).
    - apply spend_valid.
    - unfold Checker.claiming. now rewrite E.
  Qed.

  Lemma steps_step all ls : forall g g', Checker.steps K ls g = Ok g' -> state_step all g g'.
  Proof.
    induction ls as [| l ls IH]; intros g g' H; cbn [Checker.steps] in H.
    - injection H as <-. intros W. split; [exact W |]. auto.
    - apply bind_ok in H. destruct H as (g1 & H1 & H).
      eapply state_step_trans; [apply (step_step all _ _ _ H1) | now apply IH].
  Qed.

  (** ** The start *)

  Hypothesis unit_us : Forall unit us.

  Lemma succ_pos_nat x : Pos.to_nat (N.succ_pos x) = S (N.to_nat x).
  Proof. destruct x; simpl; lia. Qed.

  Lemma input_key_nat j : Pos.to_nat (input_key j) = S (2 + j).
  Proof. unfold input_key. apply SuccNat2Pos.id_succ. Qed.

  Lemma wf_empty budget : wf (Checker.empty_store budget inputs).
  Proof.
    split; [| discriminate]. unfold Checker.empty_store. cbn [all_nodes].
    set (d := fun k => if Pos.eqb k zero_node then 0 else if Pos.eqb k one_node then 1
                       else nth (Pos.to_nat k - 3) us 0).
    repeat split; cbn [fresh interned units]; trivial; try apply each_empty; try constructor.
    - intros j Hj. apply Pos2Nat.inj_lt. rewrite input_key_nat, succ_pos_nat. lia.
    - apply Pos2Nat.inj_lt. rewrite succ_pos_nat. unfold one_node. lia.
    - exists d. split; [| split; [apply each_empty | constructor]]. split; trivial.
      + intros j Hj. unfold d. assert (E := input_key_nat j).
        destruct (Pos.eqb_spec (input_key j) zero_node) as [Ez | _]; [rewrite Ez in E; unfold zero_node in E; lia |].
        destruct (Pos.eqb_spec (input_key j) one_node) as [Ez | _]; [rewrite Ez in E; unfold one_node in E; lia |].
        rewrite E. f_equal. lia.
      + intros n. unfold d. destruct (Pos.eqb n zero_node); [apply unit_zero |].
        destruct (Pos.eqb n one_node); [apply unit_one |].
        destruct (nth_in_or_default (Pos.to_nat n - 3) us 0) as [Hin | ->]; [| apply unit_zero].
        rewrite Forall_forall in unit_us. now apply unit_us.
  Qed.

  Lemma honest_empty budget : honest (Checker.empty_store budget inputs).
  Proof. split; cbn; try discriminate; apply each_empty. Qed.

  (** Entries that are made one after the other. *)
  Lemma iterated_find A (f : positive -> A) n :
    let r := N.iter (N.of_nat n)
      (fun km => (Pos.succ (fst km), set (fst km) (f (fst km)) (snd km))) (1%positive, Empty) in
    fst r = Pos.of_succ_nat n
    /\ forall k a, find k (snd r) = Some a -> a = f k /\ exists j, (j < n)%nat /\ k = Pos.of_succ_nat j.
  Proof.
    cbv zeta. rewrite N2Nat.inj_iter, Nat2N.id. induction n as [| n [IH1 IH2]].
    - split; [reflexivity | discriminate].
    - cbn [Nat.iter nat_rect]. unfold Nat.iter in *. cbn [nat_rect fst snd]. split; [now rewrite IH1 |].
      intros k a H. apply find_set_cases in H. destruct H as [[-> ->] | [_ H]].
      + split; [reflexivity |]. exists n. split; [lia | exact IH1].
      + destruct (IH2 k a H) as [E (j & Hj & Ej)]. split; [exact E |]. exists j. split; [lia | exact Ej].
  Qed.

  Hypothesis v_inputs : forall j, (j < length us)%nat -> v (Pos.of_succ_nat j) = nth j us 0.

  Lemma initial_true ls stop : def = fold_left (Networks.define_layer K) ls (Networks.free_inputs inputs) ->
    Forall (defined_in value v def) ls -> true_progress (Checker.initial_progress K inputs ls stop).
  Proof.
    intros Ed Hls. split; cbn; [now rewrite Ed | | discriminate | now intros b k low high _ H | apply no_twins | | exact Hls].
    2: { intros b. exact (no_cache_sound value v (Variables b def)). }
    intros k u H. apply (iterated_find _ (fun k => Sum_ [(Pos.succ (Pos.succ k), one K)] (zero K)) (length us)) in H.
    destruct H as [-> (j & Hj & ->)]. unfold value_of_sum. cbn [terms constant value_of_terms].
    rewrite (value_one sound), (value_zero sound), v_inputs, <- (based_input _ _ den_based) by trivial.
    unfold input_key. cbn. lra.
  Qed.

  Lemma start_network_true budget n f ls stop g : Checker.start_network K budget n f ls stop = Ok g ->
    length us = length (box n) -> def = fold_left (Networks.define_layer K) ls (Networks.free_inputs inputs) ->
    Forall (defined_in value v def) ls ->
    wf (Checker.kept g) /\ ls <> []
    /\ (models (Checker.kept g) -> exists ns gs, map den ns = outputs_of_formula meaning f us
         /\ Checker.pair_up Checker.Computes (Checker.last_layer ls) ns = Ok gs /\ true_state gs g).
  Proof.
    intros H Hl Ed Hls. unfold Checker.start_network, Checker.count_inputs in H. rewrite <- Hl in H. cbv zeta in H.
    apply bind_ok in H. destruct H as (x & Hsome & H). apply well_formed_ok in Hsome.
    apply bind_ok in H. destruct H as ([[gs p] s] & Ha & H). injection H as <-.
    set (post := fun r : list Checker.goal * Networks.progress t => exists ns,
      map den ns = outputs_of_formula meaning f us
      /\ Checker.pair_up Checker.Computes (Checker.last_layer ls) ns = Ok (fst r) /\ progress_ok (snd r)).
    match type of Ha with ?m _ = _ => assert (Hv : valid True m post) end.
    { eapply valid_bind; [apply read_formula_valid |]. intros ns. apply valid_lift. intros gs' Hgs.
      eapply valid_bind; [apply (enter_valid sound us den part_no def v def_holds) |].
      - intros _ _. split; [now apply initial_true | exact Hls].
      - intros p'. apply valid_ret. intros [[_ Hns] Hp']. now exists ns. }
    destruct (Hv _ _ _ Ha (wf_empty budget)) as [W Hm]. split; [exact W |].
    split; [intros ->; discriminate |].
    intros M. destruct (Hm M) as [_ G]. destruct (G (honest_empty budget) I) as [Hh (ns & E1 & E2 & E3)].
    exists ns, gs. split; [exact E1 |]. split; [exact E2 |]. split; trivial; cbn; intros; constructor.
  Qed.

  Lemma start_bounds_true budget ls stop g : Checker.start_bounds K budget inputs ls stop = Ok g ->
    def = fold_left (Networks.define_layer K) ls (Networks.free_inputs inputs) -> Forall (defined_in value v def) ls ->
    wf (Checker.kept g) /\ ls <> []
    /\ (models (Checker.kept g) -> true_state (map Checker.Lies (Checker.last_layer ls)) g).
  Proof.
    intros H Ed Hls. unfold Checker.start_bounds in H.
    apply bind_ok in H. destruct H as (x & Hsome & H). apply well_formed_ok in Hsome.
    apply bind_ok in H. destruct H as ([p s] & Ha & H). injection H as <-.
    assert (Hv : valid True (Networks.enter K ls (Checker.initial_progress K inputs ls stop)) progress_ok).
    { apply (enter_valid sound us den part_no def v def_holds). intros _ _.
      split; [now apply initial_true | exact Hls]. }
    destruct (Hv _ _ _ Ha (wf_empty budget)) as [W Hm]. split; [exact W |].
    split; [intros ->; discriminate |].
    intros M. destruct (Hm M) as [_ G]. destruct (G (honest_empty budget) I) as [Hh Hp].
    split; trivial; cbn; intros; constructor.
  Qed.

  Lemma start_formulas_true budget original f g :
    Checker.start K budget (OriginalFormula inputs original f) = Ok g ->
    def = Networks.free_inputs inputs ->
    wf (Checker.kept g)
    /\ (models (Checker.kept g) -> exists ns ms gs, map den ns = outputs_of_formula meaning original us
         /\ map den ms = outputs_of_formula meaning f us
         /\ Checker.pair_up Checker.Agrees ns ms = Ok gs /\ true_state gs g).
  Proof.
    intros H Ed. cbn [Checker.start] in H. cbv zeta in H.
    apply bind_ok in H. destruct H as ([gs s] & Ha & H). injection H as <-.
    set (post := fun gs => exists ns ms, map den ns = outputs_of_formula meaning original us
      /\ map den ms = outputs_of_formula meaning f us /\ Checker.pair_up Checker.Agrees ns ms = Ok gs).
    match type of Ha with ?m _ = _ => assert (Hv : valid True m post) end.
    { eapply valid_bind; [apply read_formula_valid |]. intros ns.
      eapply valid_bind; [apply read_formula_valid |]. intros ms.
      apply valid_lift_last. intros gs' Hgs [[_ H1] H2]. now exists ns, ms. }
    destruct (Hv _ _ _ Ha (wf_empty budget)) as [W Hm]. split; [exact W |].
    intros M. destruct (Hm M) as [_ G]. destruct (G (honest_empty budget) I) as [Hh (ns & ms & E1 & E2 & E3)].
    exists ns, ms, gs. split; [exact E1 |]. split; [exact E2 |]. split; [exact E3 |].
    split; [exact Hh | | constructor | reflexivity].
    intros _. apply initial_true; [exact Ed | constructor].
  Qed.

  (** ** The end *)

  Lemma all_bounds_lies p gs : forall bs, Checker.all_bounds K p gs = Ok bs ->
    exists xs, gs = map Checker.Lies xs /\ Forall2 (fun x b => Checker.bounds_of_output K p x = Ok b) xs bs.
  Proof.
    induction gs as [| [x n | n m | x] gs IH]; intros bs H; cbn [Checker.all_bounds] in H; try discriminate.
    - injection H as <-. now exists [].
    - apply bind_ok in H. destruct H as (b & Hb & H). apply bind_ok in H. destruct H as (bs' & Hbs & H).
      injection H as <-. destruct (IH bs' Hbs) as (xs & -> & Hxs). exists (x :: xs). now split; [| constructor].
  Qed.

  Lemma bounds_true p x b : true_progress p -> Checker.bounds_of_output K p x = Ok b ->
    value (fst b) <= v x <= value (snd b).
  Proof.
    intros T H. unfold Checker.bounds_of_output in H.
    destruct (find x (Networks.known p)) as [[[low |] [high |]] |] eqn:Ek; try discriminate.
    destruct (find x (definition (Networks.system p))) as [[| a z] |] eqn:Ez; try discriminate.
    apply bind_ok in H. destruct H as (l & Hl & H). apply bind_ok in H. destruct H as (h & Hh & H).
    injection H as <-. apply (image_sound sound) in Hl, Hh. cbn [fst snd]. rewrite Hl, Hh.
    destruct T as [T1 T2 T3 T4 T5 T6]. rewrite T1 in Ez.
    destruct (T4 (Pos.succ x) x (Some low) (Some high)) as [F1 F2]; [cbn; lia | exact Ek |].
    unfold argument_of in F1, F2. cbn [definition] in F1, F2. rewrite Ez in F1, F2.
    assert (Hx := def_holds _ _ Ez). simpl in Hx. rewrite Hx.
    split; apply activate_monotone; auto.
  Qed.

  (** All goals are reached: each with its pair of numbers, or by bounds. *)
  Lemma finish_true all g pairs : true_state all g -> Checker.finish K g = Ok pairs ->
    exists done bs xs, pairs = map snd done ++ bs /\ all = map fst done ++ map Checker.Lies xs
    /\ Forall goal_true done /\ Forall2 (fun x b => value (fst b) <= v x <= value (snd b)) xs bs.
  Proof.
    intros [H1 H2 H3 H4] H. unfold Checker.finish in H.
    destruct (Networks.assumed (Checker.place g)) eqn:Ea; [discriminate |].
    apply bind_ok in H. destruct H as (bs & Hbs & H). injection H as <-.
    apply all_bounds_lies in Hbs. destruct Hbs as (xs & Ex & Hxs).
    exists (rev (Checker.done g)), bs, xs. rewrite map_rev. unfold rev'. rewrite <- rev_alt.
    rewrite Ex, <- map_rev in H4. split; [reflexivity |]. split; [now rewrite <- H4 |].
    split; [now apply Forall_rev, H3 |].
    specialize (H2 Ea). clear Ex H4.
    induction Hxs as [| x b xs' bs' Hx _ IH]; constructor; trivial. now apply (bounds_true _ _ _ H2).
  Qed.
End CheckerSound.
