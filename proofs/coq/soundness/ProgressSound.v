(** * ProgressSound.v -- the rules about neurons are right

    Compiled twice, over the rational and over the real numbers: see Unit.v.
    [v] are the values of all variables of the network at the point that is
    fixed.  What the checker knows about neurons is true ([true_progress]), as
    long as no bound is assumed; the rules of section 7 keep it so. *)

From Coq Require Import List Bool NArith Nnat.
From VeriMV Require Export ClaimsSound ReadSound.
From VeriMV Require Twins Networks.
Import ListNotations.
Open Scope Qc_scope.

Section ProgressSound.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.
  Variable us : list F.
  Variable den : positive -> F.
  Variable part_no : positive -> part t.
  Hypothesis den_based : based us den.

  Notation valid := (valid (value := value) us den part_no).
  Notation on_form := (on_form (value := value) den part_no).
  Notation on_sum := (value_of_sum value den).

  Tactic Notation "step" uconstr(H) := eapply valid_bind; [eapply H; eassumption |].
  Ltac values := rewrite ?(value_mul _ _ _ sound), ?(value_zero sound), ?(value_one sound), ?(value_int sound),
    ?(value_opp sound) in *.

  (** The definitions of all variables, and their values. *)
  Variable def : trie (variable t).
  Variable v : positive -> F.
  Hypothesis def_holds : forall k x, find k def = Some x -> variable_holds value v k x.

  Definition facts_true (known : facts t) : Prop := forall b, facts_hold value v (Variables b def) known.

  Record true_progress (p : Networks.progress t) : Prop := {
    same_def : definition (Networks.system p) = def;
    true_values : forall k u, find k (Networks.values p) = Some u -> on_sum u = v k;
    true_arguments : forall k u a s, find k (Networks.arguments p) = Some u -> find k def = Some (Neuron a s) ->
      on_sum u = value_of_sum value v s;
    true_facts : facts_true (Networks.known p);
    true_twins : twins_hold (value := value) v def (Networks.twins p);
    true_cache : forall b, cache_sound value v (Variables b def) (Networks.cached p);
    defined : Forall (defined_in value v def) (Networks.to_come p) }.

  (** Once a bound is assumed, nothing is known. *)
  Definition progress_ok (p : Networks.progress t) : Prop := Networks.assumed p = false -> true_progress p.

  (** ** Entering layers *)

  Lemma substituted_sound vals s pairs : (forall k u, find k vals = Some u -> on_sum u = v k) ->
    Networks.substituted vals s = Ok pairs ->
    total (map (fun p => value (snd p) * on_sum (fst p)) pairs) = value_of_terms value v (terms s).
  Proof.
    intros Hv H. unfold Networks.substituted in H. apply collect_all in H.
    induction H as [| [k c] [u d] l l' E _ IH]; [reflexivity |].
    cbn [map value_of_terms]. unfold total in *. cbn [fold_right fst snd] in *. rewrite IH. f_equal.
    destruct (find k vals) as [u' |] eqn:Ek; [| discriminate]. injection E as <- <-. now rewrite (Hv k u' Ek).
  Qed.

  Lemma layer_arguments_valid vals ss (C pre : Prop) :
    (pre -> C -> forall k u, find k vals = Some u -> on_sum u = v k) ->
    valid pre (Networks.layer_arguments K vals ss)
      (fun us => C -> Forall2 (fun u s => on_sum u = value_of_sum value v s) us ss).
  Proof.
    intros Hp. unfold Networks.layer_arguments.
    apply valid_lift. intros rows Hrows. step spend_valid. intros paid.
    apply valid_lift_last. intros l Hl [Hpre _] HC. assert (Hvals := Hp Hpre HC).
    apply collect_all in Hrows, Hl. revert l Hl.
    induction Hrows as [| s pairs ss rows Hs _ IH]; intros l Hl; inversion_clear Hl as [| ? ? ? ? Hu Hr]; constructor.
    - cbn [fst snd] in Hu. rewrite (add_sums_sound sound den _ _ _ Hu), (substituted_sound _ _ _ Hvals Hs).
      reflexivity.
    - now apply IH.
  Qed.

  Lemma set_all_find (ss : list (sum t)) : forall k m j u, find j (Networks.set_all k ss m) = Some u ->
    find j m = Some u \/ exists i, j = key_at k i /\ nth_error ss i = Some u.
  Proof.
    induction ss as [| s ss IH]; intros k m j u H; cbn [Networks.set_all] in H; [now left |].
    apply IH in H. destruct H as [H | (i & -> & H)].
    - apply find_set_cases in H. destruct H as [[-> ->] | [_ H]]; [right; now exists O | now left].
    - right. now exists (S i).
  Qed.

  Lemma related_nth A B (R : A -> B -> Prop) l m i a : Forall2 R l m -> nth_error l i = Some a ->
    exists b, nth_error m i = Some b /\ R a b.
  Proof.
    intros H. revert i. induction H as [| x y l m Hxy _ IH]; intros [| i]; simpl; try discriminate.
    - intros [= <-]. eauto.
    - apply IH.
  Qed.

  (** The arguments of a layer that is defined. *)
  Lemma layer_sums l us' j u : defined_in value v def l ->
    Forall2 (fun u s => on_sum u = value_of_sum value v s) us' (Networks.neurons l) ->
    find j (Networks.set_all (Networks.start_at l) us' Empty) = Some u ->
    exists s, find j def = Some (Neuron (Networks.kind l) s) /\ on_sum u = value_of_sum value v s.
  Proof.
    intros Hd Hs H. apply set_all_find in H. destruct H as [H | (i & -> & H)]; [discriminate |].
    destruct (related_nth _ _ _ _ _ _ _ Hs H) as (s & Es & E). destruct (Hd _ _ Es) as (s' & Es' & E'). exists s'. split; [exact Es' | now rewrite E, E'].
  Qed.

  Lemma enter_valid ls : forall p (pre : Prop),
    (pre -> Networks.assumed p = false -> true_progress p /\ Forall (defined_in value v def) ls) ->
    valid pre (Networks.enter K ls p) progress_ok.
  Proof.
    induction ls as [| l ls IH]; intros p pre Hp; cbn [Networks.enter].
    { apply valid_ret. intros H E. now apply Hp. }
    eapply valid_bind; [apply (layer_arguments_valid _ _ (Networks.assumed p = false)) |].
    { intros Hpre E. apply true_values. now apply Hp. }
    intros ss. cbv zeta.
    set (p' := Networks.Progress _ _ _ _ _ _ _ _ _ _ _ _ _).
    assert (Hp' : pre /\ (Networks.assumed p = false ->
                    Forall2 (fun u s => on_sum u = value_of_sum value v s) ss (Networks.neurons l)) ->
                  Networks.assumed p' = false -> true_progress p' /\ Forall (defined_in value v def) ls).
    { intros [Hpre Hss] E. destruct (Hp Hpre E) as [[T1 T2 T3 T4 T5 T6 T7] Hls]. specialize (Hss E).
      inversion_clear Hls as [| ? ? Hl Hrest]. split; [| exact Hrest].
      split; unfold p'; cbn; trivial.
      - intros k u. destruct (Networks.same_activation (Networks.kind l) Identity) eqn:Ei; [| apply T2].
        intros H. apply set_all_find in H. destruct H as [H | (i & -> & H)]; [now apply T2 |].
        destruct (related_nth _ _ _ _ _ _ _ Hss H) as (s & Es & ->). apply Hl in Es.
        destruct Es as (s' & Es & Ev). assert (Hx := def_holds _ _ Es). simpl in Hx. rewrite Hx, Ev.
        destruct (Networks.kind l); try discriminate. reflexivity.
      - intros k u a s H Es. destruct (layer_sums _ _ _ _ Hl Hss H) as (s' & Es' & E').
        congruence. }
    destruct (Networks.same_activation (Networks.kind l) Identity).
    - apply IH. exact Hp'.
    - apply valid_ret. intros H E. now apply Hp'.
  Qed.

  Lemma give_value_valid u p (pre : Prop) :
    (pre -> Networks.assumed p = false -> true_progress p /\ on_sum u = v (Networks.due p)) ->
    valid pre (Networks.give_value K u p) progress_ok.
  Proof.
    intros Hp. unfold Networks.give_value. cbv zeta.
    set (p' := Networks.Progress _ _ _ _ _ _ _ _ _ _ _ _ _).
    assert (Hp' : pre -> Networks.assumed p' = false -> true_progress p').
    { intros Hpre E. destruct (Hp Hpre E) as [[T1 T2 T3 T4 T5 T6 T7] Hu]. split; unfold p'; cbn; trivial.
      intros k w H. apply find_set_cases in H. destruct H as [[-> ->] | [_ H]]; [exact Hu | now apply T2]. }
    destruct (Pos.eqb _ _).
    - apply enter_valid. intros Hpre E. split; [now apply Hp' |]. apply (defined p'). now apply Hp'.
    - apply valid_ret. exact Hp'.
  Qed.

  (** ** Neurons *)

  Lemma neuron_valid l i p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.neuron l i p)
      (fun n => let '(k, u, a) := n in Networks.assumed p = false ->
         exists s, find k def = Some (Neuron a s) /\ on_sum u = value_of_sum value v s).
  Proof.
    intros Hp. unfold Networks.neuron. cbv zeta. set (k := N.succ_pos _).
    apply valid_lift. intros x _.
    destruct (find k (Networks.arguments p)) as [u |] eqn:Eu; [| intros s a s'; discriminate].
    destruct (find k (definition (Networks.system p))) as [[| a s] |] eqn:Es;
      try (intros st y st'; discriminate).
    apply valid_ret. intros Hpre E. destruct (Hp Hpre E) as [T1 T2 T3 T4 T5 T6 T7]. rewrite T1 in Es.
    exists s. split; [exact Es | exact (T3 k u a s Eu Es)].
  Qed.

  Lemma narrowed_valid k a s f p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.narrowed K k f p)
      (fun r => Networks.assumed p = false -> find k def = Some (Neuron a s) ->
         on_form f = value_of_sum value v s -> value (fst r) <= on_form f <= value (snd r)).
  Proof.
    intros Hp. unfold Networks.narrowed. step (range_of_form_valid sound us den part_no). intros r.
    destruct (find k (Networks.known p)) as [[low high] |] eqn:Ek.
    - eapply valid_bind with (post := fun l => value l <= on_form f \/ exists x, low = Some x /\
        (value x <= on_form f -> value l <= on_form f)).
      { destruct low as [x |].
        - apply valid_lift_last. intros l Hl [_ Hr]. apply (larger_ok sound) in Hl.
          right. exists x. split; [reflexivity |]. intros. destruct Hl as (_ & _ & [-> | ->]); lra.
        - apply valid_ret. intros [_ Hr]. left. lra. }
      intros l. eapply valid_bind with (post := fun h => on_form f <= value h \/ exists x, high = Some x /\
        (on_form f <= value x -> on_form f <= value h)).
      { destruct high as [x |].
        - apply valid_lift_last. intros h Hh [[_ Hr] _]. apply (smaller_ok sound) in Hh.
          right. exists x. split; [reflexivity |]. intros. destruct Hh as (_ & _ & [-> | ->]); lra.
        - apply valid_ret. intros [[_ Hr] _]. left. lra. }
      intros h. apply valid_ret. intros [[[Hpre _] Hl] Hh] E Es Ef. cbn [fst snd].
      destruct (true_facts _ (Hp Hpre E) (Pos.succ k) k low high) as [F1 F2]; [cbn; lia | exact Ek |].
      unfold argument_of in F1, F2. cbn [definition] in F1, F2. rewrite Es, <- Ef in F1, F2.
      split.
      + destruct Hl as [Hl | (x & -> & Hl)]; auto.
      + destruct Hh as [Hh | (x & -> & Hh)]; auto.
    - apply valid_ret. intros [_ Hr] _ _ _. exact Hr.
  Qed.

  (** What is known of the neuron that is due. *)
  Definition due_known (p : Networks.progress t) (n : sum t * Store.form t * (t * t) * activation) : Prop :=
    let '(u, f, r, a) := n in
    Networks.assumed p = false ->
    v (Networks.due p) = activate a (on_form f) /\ on_sum u = on_form f
    /\ value (fst r) <= on_form f <= value (snd r).

  Lemma due_neuron_valid l i p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.due_neuron K l i p) (due_known p).
  Proof.
    intros Hp. unfold Networks.due_neuron. eapply valid_bind; [apply neuron_valid, Hp |].
    intros [[k u] a]. apply valid_lift. intros x Hk. apply need_ok, Pos.eqb_eq in Hk. subst k.
    step (form_of_valid sound us den part_no). intros f.
    destruct (find (Networks.due p) def) as [[| a' s] |] eqn:Es.
    - eapply valid_bind; [apply (narrowed_valid _ Relu (Sum_ [] (zero K))); tauto |]. intros r.
      apply valid_ret. intros [[[_ Hn] _] _] E. destruct (Hn E) as (s & Hs & _). congruence.
    - eapply valid_bind; [apply (narrowed_valid _ a' s); tauto |]. intros r.
      apply valid_ret. intros [[[_ Hn] Hf] Hr] E. destruct (Hn E) as (s' & Hs & Hu).
      injection Hs as -> ->.
      assert (Hx := def_holds _ _ Es). simpl in Hx. rewrite Hf, Hu.
      repeat split; trivial; rewrite <- Hu, <- Hf; apply Hr; trivial; now rewrite Hf.
    - eapply valid_bind; [apply (narrowed_valid _ Relu (Sum_ [] (zero K))); tauto |]. intros r.
      apply valid_ret. intros [[[_ Hn] _] _] E. destruct (Hn E) as (s & Hs & _). congruence.
  Qed.

  (** ** The rules *)

  Lemma rule_unit_valid l i r s p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.rule_unit K l i r s p) (fun _ => True).
  Proof.
    intros Hp. unfold Networks.rule_unit. apply valid_lift. intros share _.
    eapply valid_bind; [apply neuron_valid, Hp |]. intros [[k u] a].
    step (form_of_valid sound us den part_no). intros f.
    step (total_form_valid sound us den part_no). intros g.
    step written_valid. intros w. step unit_node_valid. intros n.
    apply add_claim_valid. intros [[_ Hw] Hn]. now rewrite Hn, Hw.
  Qed.

  Lemma rule_affine_valid l i p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.rule_affine K l i p) progress_ok.
  Proof.
    intros Hp. unfold Networks.rule_affine. eapply valid_bind; [apply due_neuron_valid, Hp |].
    intros [[[u f] [low high]] a].
    apply valid_lift. intros b1 Hb1. apply valid_lift. intros x1 H1. apply need_ok in H1. subst b1.
    apply (le_true sound) in Hb1. values.
    eapply valid_bind with (post := fun b => b = true -> a = Relu \/ value high <= 1).
    { destruct (Networks.same_activation a Relu) eqn:Ea.
      - apply valid_ret. intros _ _. left. destruct a; trivial; discriminate.
      - apply valid_lift_last. intros b Hb _ ->. right. apply (le_true sound) in Hb. now values. }
    intros b. apply valid_lift. intros x2 H2. apply need_ok in H2. subst b.
    apply give_value_valid. intros [[Hpre Hk] Ha] E. split; [now apply Hp |].
    destruct (Hk E) as (Hv & Hu & Hr). cbn [fst snd] in Hr. specialize (Ha eq_refl).
    rewrite Hv, Hu. symmetry. destruct a; simpl; trivial.
    - apply neuron_affine_rho. lra.
    - apply neuron_affine_sigma. destruct Ha as [Ha | Ha]; [discriminate | lra].
  Qed.

  (** *** clip *)

  Lemma mul_cancel (b x y : F) : 0 < b -> b * x = b * y -> x = y.
  Proof. intros Hb E. destruct (le_or_lt x y), (le_or_lt y x); try lra; exfalso; nra. Qed.

  Lemma clip_unit_valid f B i c pre : 0 < value B ->
    valid pre (Networks.clip_unit K f B i c)
      (fun x => value (snd x) * on_sum (fst x) + value B * (if (0 <? c)%Z then 0 else 1)
                = value B * sigma (on_form f / value B - of_Z i)).
  Proof.
    intros HB. unfold Networks.clip_unit. step claim_valid. intros nf. cbv zeta.
    step (one_form_valid sound us den part_no). intros found.
    apply valid_lift. intros x Hx. apply need_ok in Hx. apply valid_ret. intros [[_ Hn] Hf]. cbn [fst snd].
    rewrite (node_sum_sound sound us) by assumption.
    apply (same_form_sound sound den part_no) in Hx. rewrite Hx in Hf. clear Hx.
    assert (E : value B * (on_form f / value B) = on_form f) by now apply mul_div.
    set (T := on_form f / value B) in *. rewrite <- E in Hf. clear E.
    destruct (0 <? c)%Z; values.
    - assert (Et : on_form (snd nf) = T - of_Z i) by (apply (mul_cancel (value B)); lra). rewrite Hn, Et. algebra.
    - rewrite of_Z_add in Hf. change (of_Z 1) with 1 in Hf.
      assert (Et : on_form (snd nf) = 1 - (T - of_Z i)) by (apply (mul_cancel (value B)); lra). rewrite Et in Hn.
      rewrite (complement_reference _ _ _ Hn). algebra.
  Qed.

  Lemma clip_units_valid f B cs : 0 < value B -> forall i ones done pre,
    valid pre (Networks.clip_units K f B i cs ones done)
      (fun x => exists new, snd x = rev done ++ new
        /\ total (map (fun p => value (snd p) * on_sum (fst p)) new) + value B * of_Z (fst x - ones)
           = value B * total (good (on_form f / value B - of_Z i) (length cs))).
  Proof.
    intros HB. induction cs as [| c cs IH]; intros i ones done pre; cbn [Networks.clip_units].
    - apply valid_ret. intros _. exists []. unfold rev'. rewrite <- rev_alt, app_nil_r. cbn [fst snd].
      split; [reflexivity |]. rewrite Z.sub_diag. unfold total. cbn [map fold_right good length].
      change (of_Z 0) with 0. lra.
    - eapply valid_bind; [apply clip_unit_valid, HB |]. intros x.
      eapply valid_post; [apply IH |]. intros [ones' pairs] [_ Hx] (new & E & Ht). cbn [fst snd] in *.
      exists (x :: new). split; [cbn [rev] in E; now rewrite E, <- app_assoc |].
      cbn [map length good]. unfold total in *. cbn [fold_right].
      replace (on_form f / value B - of_Z (i + 1)) with (on_form f / value B - of_Z i - 1) in Ht
        by (rewrite of_Z_add; change (of_Z 1) with 1; lra).
      set (S1 := fold_right _ _ (map _ new)) in *. set (S2 := fold_right _ _ (good _ _)) in *.
      set (y := value (snd x) * on_sum (fst x)) in *. set (z := sigma _) in *.
      destruct (0 <? c)%Z.
      + nra.
      + replace (ones' - (ones + 1))%Z with (ones' - ones - 1)%Z in Ht by lia.
        rewrite of_Z_sub in Ht. change (of_Z 1) with 1 in Ht. nra.
  Qed.

  Lemma relu_covered_sound B p m r T : Networks.relu_covered K B p m r = Ok tt ->
    value (fst r) <= T <= value (snd r) ->
    0 < value B /\ (N.to_nat p = O \/ value B * of_nat (N.to_nat p) <= T)
    /\ T <= value B * (of_nat (N.to_nat p) + of_nat (N.to_nat m)).
  Proof.
    unfold Networks.relu_covered. intros H Hr.
    apply bind_ok in H. destruct H as (b1 & H1 & H).
    apply bind_ok in H. destruct H as (x1 & N1 & H). apply need_ok in N1. subst b1.
    apply bind_ok in H. destruct H as (b2 & H2 & H).
    apply bind_ok in H. destruct H as (x2 & N2 & H). apply need_ok in N2. subst b2.
    apply bind_ok in H. destruct H as (b3 & H3 & H). apply need_ok in H. subst b3.
    apply (lt_true sound) in H1. apply (le_true sound) in H3. values.
    assert (Ep : of_nat (N.to_nat p) = of_Z (Z.of_N p)) by (unfold of_nat; now rewrite N_nat_Z).
    assert (Em : of_nat (N.to_nat m) = of_Z (Z.of_N m)) by (unfold of_nat; now rewrite N_nat_Z).
    rewrite Ep, Em. rewrite N2Z.inj_add, of_Z_add in H3.
    split; [exact H1 |]. split; [| lra].
    destruct (N.eqb_spec p 0) as [-> | Hp]; [now left | right].
    apply (le_true sound) in H2. values. lra.
  Qed.

  Lemma clip_covered_sound B p m r T : Networks.clip_covered K B p m r = Ok tt ->
    value (fst r) <= T <= value (snd r) ->
    value B = 1 /\ (N.to_nat p = 0%nat /\ N.to_nat m = 1%nat \/ N.to_nat p = 1%nat /\ N.to_nat m = 0%nat /\ 1 <= T
      \/ N.to_nat p = 0%nat /\ N.to_nat m = 0%nat /\ T <= 0).
  Proof.
    unfold Networks.clip_covered. intros H Hr.
    apply bind_ok in H. destruct H as (x & HB & H). apply need_ok in HB.
    apply (eqb_sound sound) in HB. values. split; [exact HB |].
    destruct (N.eqb_spec p 0) as [-> | Hp0]; cbn [andb] in H.
    - destruct (N.eqb_spec m 1) as [-> | Hm1]; [now left | cbn [andb] in H].
      destruct (N.eqb_spec 0 1); [discriminate |]. cbn [andb] in H.
      destruct (N.eqb_spec m 0) as [-> | Hm0]; [| discriminate].
      apply bind_ok in H. destruct H as (b & Hb & H). apply need_ok in H. subst b.
      apply (le_true sound) in Hb. values. right; right. repeat split; lra.
    - destruct (N.eqb_spec p 1) as [-> | Hp1]; [| discriminate]. cbn [andb] in H.
      destruct (N.eqb_spec m 0) as [-> | Hm0]; [| discriminate].
      apply bind_ok in H. destruct H as (b & Hb & H). apply need_ok in H. subst b.
      apply (le_true sound) in Hb. values. right; left. repeat split; lra.
  Qed.

  Lemma covered_positive a B p m r x :
    Networks.covered K a B p m r = Ok x -> 0 < value B.
  Proof.
    unfold Networks.covered. destruct a; [| | discriminate]; intros H.
    - unfold Networks.relu_covered in H. apply bind_ok in H. destruct H as (b & Hb & H).
      apply bind_ok in H. destruct H as (y & Hy & _). apply need_ok in Hy. subst b.
      apply (lt_true sound) in Hb. now values.
    - unfold Networks.clip_covered in H. apply bind_ok in H. destruct H as (y & Hy & _). apply need_ok in Hy.
      apply (eqb_sound sound) in Hy. values. rewrite Hy. lra.
  Qed.

  (** The units add up to the value of the neuron. *)
  Lemma units_cover a B p m r x T :
    Networks.covered K a B p m r = Ok x ->
    value (fst r) <= T <= value (snd r) ->
    activate a T = value B * (of_nat (N.to_nat p) + total (good (T / value B - of_nat (N.to_nat p)) (N.to_nat m))).
  Proof.
    intros H Hr. assert (HB := covered_positive _ _ _ _ _ _ H).
    set (X := T / value B - of_nat (N.to_nat p)). set (xs := good X (N.to_nat m)).
    assert (Hl : length xs = N.to_nat m) by apply good_length.
    assert (Hs : sum_below (fun k => nth k xs 0) (N.to_nat m) = total xs) by (rewrite <- Hl; apply sum_below_total).
    assert (Hx : forall k, (k < N.to_nat m)%nat -> nth k xs 0 = sigma (X - of_nat k)) by (intros; now apply nth_good).
    rewrite <- Hs. destruct x. destruct a; [| | discriminate]; cbn [activate].
    - apply relu_covered_sound with (T := T) in H; trivial. destruct H as (_ & H1 & H2).
      now apply neuron_clip.
    - apply clip_covered_sound with (T := T) in H; trivial. destruct H as (EB & H).
      assert (ET : T / value B = T) by (rewrite EB; apply (mul_cancel 1); [lra | rewrite mul_div; lra]).
      rewrite EB. rewrite (neuron_clip_sigma T _ _ (fun k => nth k xs 0) H); [lra |].
      intros k Hk. rewrite Hx by trivial. unfold X. now rewrite ET.
  Qed.

  Lemma rule_clip_valid l i B p cs g (pre : Prop) : (pre -> progress_ok g) ->
    valid pre (Networks.rule_clip K l i B p cs g) progress_ok.
  Proof.
    intros Hp. unfold Networks.rule_clip. apply valid_lift. intros factor _.
    eapply valid_bind; [apply due_neuron_valid, Hp |]. intros [[[u f] r] a]. cbv zeta.
    apply valid_lift. intros x Hx. assert (HB := covered_positive _ _ _ _ _ _ Hx).
    eapply valid_bind; [apply clip_units_valid, HB |]. intros [ones pairs].
    apply valid_lift. intros w Hw. apply give_value_valid.
    intros [[Hpre Hk] (new & En & Ht)] E. split; [now apply Hp |].
    destruct (Hk E) as (Hv & _ & Hr). rewrite Hv, (units_cover _ _ _ _ _ _ _ Hx Hr).
    rewrite (add_sums_sound sound den _ _ _ Hw). cbn [fst snd rev app] in *. subst new.
    rewrite Nat2N.id, Z.sub_0_r in *. values. rewrite of_Z_add.
    assert (Ep : of_nat (N.to_nat p) = of_Z (Z.of_N p)) by (unfold of_nat; now rewrite N_nat_Z).
    rewrite Ep. set (S1 := total (map _ _)) in *. set (S2 := total (good _ _)) in *. lra.
  Qed.

  (** *** bound *)

  Lemma solution_def b : solution value v (Variables b def).
  Proof.
    intros k _. cbn [definition]. destruct (find k def) as [x |] eqn:E; [| trivial].
    apply def_holds in E. destruct x; exact E.
  Qed.

  Lemma new_fact s x k a u known : facts_true known -> find k def = Some (Neuron a u) ->
    bounded_by (value := value) s x (value_of_sum value v u) ->
    facts_true (set k (Cases.replaced (find k known) s x) known).
  Proof.
    intros Hf Hk Hx b. apply replaced_holds; [apply Hf |].
    unfold argument_of. cbn [definition]. now rewrite Hk.
  Qed.

  Lemma any_neuron_sound l i p first k a u : Networks.any_neuron l i p = Ok (first, k, a, u) ->
    definition (Networks.system p) = def -> find k def = Some (Neuron a u).
  Proof.
    unfold Networks.any_neuron. intros H Ed.
    destruct (match l with N0 => None | Npos q => find q (Networks.shapes p) end) as [[f stop] |]; [| discriminate].
    cbv zeta in H. apply bind_ok in H. destruct H as (x & _ & H). rewrite Ed in H.
    destruct (find _ def) as [[| b w] |] eqn:E; try discriminate. injection H as <- <- <- <-. exact E.
  Qed.

  (** What is proved by cases is true, and so are the ranges that are kept. *)
  Lemma prove_bound_valid first u s x c cs p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.prove_bound K first u s x (c :: cs) p)
      (fun c' => Networks.assumed p = false -> (forall b, cache_sound value v (Variables b def) c')
                 /\ bounded_by (value := value) s x (value_of_sum value v u)).
  Proof.
    intros Hp. unfold Networks.prove_bound. apply valid_lift. intros target Ht.
    eapply valid_post; [apply (prove_valid sound us den part_no v _ _ _ _ _ _ (Networks.assumed p = false)) |].
    - intros Hpre E. destruct (Hp Hpre E) as [T1 T2 T3 T4 T5 T6 T7]. rewrite T1.
      split; [apply T6 |]. split; [apply solution_def |]. split; [apply T4 | exact T5].
    - intros c' Hpre Hc E. destruct (Hc E) as [Hc' Hf]. inversion_clear Hf as [| ? ? Ht' _].
      split; [| exact (bound_target_sound sound v _ _ _ _ Ht Ht')].
      intros b. rewrite (same_def _ (Hp Hpre E)) in Hc'. exact Hc'.
  Qed.

  (** A bound that is assumed ends what is known. *)
  Lemma assumed_valid facts twins first u s x p (pre : Prop) :
    valid pre (let! c := Networks.prove_bound K first u s x [] p in ret (Networks.with_bound facts twins [] c p))
      progress_ok.
  Proof.
    unfold Networks.prove_bound. eapply valid_bind; [now apply (valid_ret _ _ _ _ _ _ (fun _ => True)) |].
    intros c. apply valid_ret. intros _ E. cbn in E. now rewrite orb_true_r in E.
  Qed.

  Lemma rule_bound_valid l i s x cs p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.rule_bound K l i s x cs p) progress_ok.
  Proof.
    intros Hp. unfold Networks.rule_bound. apply valid_lift. intros y _.
    apply valid_lift. intros [[[first k] a] u] Hn.
    destruct cs as [| c cs]; [apply assumed_valid |].
    eapply valid_bind; [apply prove_bound_valid, Hp |].
    intros c'. apply valid_ret. intros [Hpre Hc] E. cbn in E. rewrite orb_false_r in E.
    destruct (Hp Hpre E) as [T1 T2 T3 T4 T5 T6 T7]. destruct (Hc E) as [Hc1 Hc2].
    apply any_neuron_sound in Hn; trivial.
    split; cbn; trivial. exact (new_fact _ _ _ _ _ _ T4 Hn Hc2).
  Qed.

  (** *** twin, apart *)

  Lemma rule_twin_valid l i m f p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.rule_twin K l i m f p) progress_ok.
  Proof.
    intros Hp. unfold Networks.rule_twin. apply valid_lift. intros y _.
    apply valid_lift. intros [[[first k] a] u] Hn. cbv zeta.
    apply valid_lift. intros x1 _.
    destruct (find (N.succ_pos m) (definition (Networks.system p))) as [[| b s] |] eqn:Em;
      try (intros st q st'; discriminate).
    apply valid_lift. intros x2 Ha. apply need_ok in Ha.
    apply valid_lift. intros x3 _. apply valid_lift. intros x4 _.
    apply valid_lift. intros w Hw. apply (new_twin_holds sound) in Hw. destruct Hw as (Hw & Em' & Ec).
    apply valid_ret. intros Hpre E. destruct (Hp Hpre E) as [T1 T2 T3 T4 T5 T6 T7].
    apply any_neuron_sound in Hn; trivial. rewrite T1 in Em.
    split; cbn; trivial. intros j z Hj. apply find_set_cases in Hj. destruct Hj as [[-> ->] | [_ Hj]]; [| now apply T5].
    exists a, u, s. split; [exact Hn |]. rewrite Em'.
    split; [destruct a, b; try discriminate; exact Em |]. split; [exact Hw |]. rewrite Ec. split; discriminate.
  Qed.

  Lemma rule_apart_valid l i s x cs p (pre : Prop) : (pre -> progress_ok p) ->
    valid pre (Networks.rule_apart K l i s x cs p) progress_ok.
  Proof.
    intros Hp. unfold Networks.rule_apart. apply valid_lift. intros y _.
    apply valid_lift. intros [[[first k] a] u] Hn.
    destruct (find k (Networks.twins p)) as [w |] eqn:Ew; [| intros st q st'; discriminate].
    destruct (find (Twins.partner w) (definition (Networks.system p))) as [[| b z] |] eqn:Em;
      try (intros st q st'; discriminate).
    apply valid_lift. intros d Hd. cbv zeta.
    destruct cs as [| c cs]; [apply assumed_valid |].
    eapply valid_bind; [apply prove_bound_valid, Hp |].
    intros c'. apply valid_ret. intros [Hpre Hc] E. cbn in E. rewrite orb_false_r in E.
    destruct (Hp Hpre E) as [T1 T2 T3 T4 T5 T6 T7]. destruct (Hc E) as [Hc1 Hc2].
    apply any_neuron_sound in Hn; trivial. rewrite T1 in Em.
    split; cbn; trivial. intros j w' Hj. apply find_set_cases in Hj. destruct Hj as [[-> ->] | [_ Hj]]; [| now apply T5].
    destruct (T5 _ _ Ew) as (a' & s1 & s2 & D1 & D2 & P & W).
    exists a', s1, s2. do 3 (split; [assumption |]). apply new_change; [exact W |].
    rewrite Hn in D1. injection D1 as <- <-. rewrite Em in D2. injection D2 as <- <-.
    rewrite (add_sums_sound sound v _ _ _ Hd) in Hc2. unfold total in Hc2. cbn [map fold_right fst snd] in Hc2.
    values.
    match type of Hc2 with bounded_by _ _ ?e => replace e with
      (value_of_sum value v u - (value (Twins.factor w) * value_of_sum value v z + value (Twins.offset w)))
      in Hc2 by lra end.
    exact Hc2.
  Qed.
End ProgressSound.
