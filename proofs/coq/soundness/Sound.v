(** * Sound.v -- the main theorem

    If [run] accepts a certificate, what it says (Meaning.v) is true at every
    point of the unit cube; and every point of the box belongs to one.

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List Bool NArith Nnat.
From VeriMV Require Export CheckerSound SharingSound.
From VeriMV Require Networks Checker.
Import ListNotations.
Open Scope Qc_scope.

Section Sound.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.

  Section Point.
  Variable us : list F.
  Hypothesis unit_us : Forall unit us.
  Notation inputs := (N.of_nat (length us)).

  (** ** Values for all nodes at the end *)

  Definition no_part : part t := Part [] (zero K) (zero K) 0.

  Lemma final_values s : wf (value := value) us s ->
    exists den part_no, based us den /\ models (value := value) den part_no s.
  Proof.
    intros [(_ & _ & _ & _ & den & Hb & Hm) _].
    exists den, (fun id => match find id (part_at (all_parts s)) with Some p => p | None => no_part end).
    split; [exact Hb |]. split; [exact Hm |]. intros id p E. now rewrite E.
  Qed.

  Lemma some_values : exists den, based us den.
  Proof.
    destruct (final_values _ (wf_empty (value := value) us unit_us 0)) as (den & _ & H & _). now exists den.
  Qed.

  (** From a start that is right to the end: [P] is what is known of the goals. *)
  Lemma run_true def v (P : (positive -> F) -> list Checker.goal -> Prop) g0 lines g' pairs :
    (forall k x, find k def = Some x -> variable_holds value v k x) ->
    (forall den part_no, based us den ->
       wf (value := value) us (Checker.kept g0)
       /\ (models (value := value) den part_no (Checker.kept g0) ->
           exists all, P den all /\ true_state (value := value) den part_no def v all g0)) ->
    Checker.steps K lines g0 = Ok g' -> Checker.finish K g' = Ok pairs ->
    exists den done bs xs, based us den /\ P den (map fst done ++ map Checker.Lies xs)
      /\ pairs = map snd done ++ bs /\ Forall (goal_true (value := value) den v) done
      /\ Forall2 (fun x b => value (fst b) <= v x <= value (snd b)) xs bs.
  Proof.
    intros Hdef H0 Hsteps Hfin. destruct some_values as [d0 Hd0].
    destruct (H0 d0 (fun _ => no_part) Hd0) as [W0 _].
    destruct (steps_step sound us d0 (fun _ => no_part) Hd0 def v Hdef [] lines g0 g' Hsteps W0) as [W' _].
    destruct (final_values _ W') as (den & part_no & Hd & M').
    destruct (H0 den part_no Hd) as [_ H0'].
    destruct (steps_step sound us den part_no Hd def v Hdef [] lines g0 g' Hsteps W0) as [_ Hm].
    destruct (Hm M') as [M0 _]. destruct (H0' M0) as (all & HP & T0).
    destruct (steps_step sound us den part_no Hd def v Hdef all lines g0 g' Hsteps W0) as [_ Hm'].
    destruct (Hm' M') as [_ T]. specialize (T T0).
    destruct (finish_true sound den part_no def v Hdef all g' pairs T Hfin) as (done & bs & xs & E1 & E2 & E3 & E4).
    subst all. now exists den, done, bs, xs.
  Qed.

  (** ** Goals *)

  Lemma pair_up_ok A B C (f : A -> B -> C) l : forall m cs, Checker.pair_up f l m = Ok cs ->
    length l = length m /\ cs = map (fun ab => f (fst ab) (snd ab)) (combine l m).
  Proof.
    induction l as [| a l IH]; intros [| b m] cs; simpl; try discriminate.
    - intros [= <-]. auto.
    - intros H. apply bind_ok in H. destruct H as (cs' & H & E). injection E as <-.
      destruct (IH m cs' H) as [Hl ->]. split; [lia | reflexivity].
  Qed.

  (** Goals that are all of one kind, but not bounds. *)
  Lemma no_bounds (done : list (Checker.goal * (t * t))) xs gs :
    map fst done ++ map Checker.Lies xs = gs ->
    (forall x, ~ In (Checker.Lies x) gs) -> xs = [] /\ gs = map fst done.
  Proof.
    intros E H. destruct xs as [| x xs].
    - rewrite app_nil_r in E. auto.
    - exfalso. apply (H x). rewrite <- E. apply in_or_app. right. now left.
  Qed.

  Lemma computes_scaled den v done : forall xs ns, Forall (goal_true (value := value) den v) done ->
    length xs = length ns ->
    map fst done = map (fun xn => Checker.Computes (fst xn) (snd xn)) (combine xs ns) ->
    scaled value (map snd done) (map den ns) (map v xs).
  Proof.
    induction done as [| [g [a b]] done IH]; intros [| x xs] [| n ns] Hd Hl E; try discriminate.
    - split; reflexivity.
    - cbn [map combine fst snd] in E. injection E as -> E. inversion_clear Hd as [| ? ? Hg Hd'].
      destruct (IH xs ns Hd') as [L Ev]; [now injection Hl | exact E |].
      split; [cbn [map length]; now rewrite L |]. cbn [map combine fst snd]. now rewrite <- Ev, <- Hg.
  Qed.

  Lemma agrees_equal den v done : forall ns ms, Forall (goal_true (value := value) den v) done ->
    length ns = length ms ->
    map fst done = map (fun nm => Checker.Agrees (fst nm) (snd nm)) (combine ns ms) ->
    map den ns = map den ms.
  Proof.
    induction done as [| [g ab] done IH]; intros [| n ns] [| m ms] Hd Hl E; try discriminate; trivial.
    cbn [map combine fst snd] in E. injection E as -> E. inversion_clear Hd as [| ? ? Hg Hd'].
    cbn [map]. f_equal; [exact Hg |]. apply IH; trivial. now injection Hl.
  Qed.

  (** Goals that are bounds only. *)
  Lemma only_bounds den v (done : list (Checker.goal * (t * t))) xs ys :
    Forall (goal_true (value := value) den v) done ->
    map fst done ++ map Checker.Lies xs = map Checker.Lies ys -> done = [] /\ xs = ys.
  Proof.
    intros Hd E. destruct done as [| [g ab] done].
    - split; [reflexivity |]. revert ys E. induction xs as [| x xs IH]; intros [| y ys] E; try discriminate; trivial.
      cbn [map app] in *. injection E as -> E. f_equal. now apply IH.
    - inversion_clear Hd as [| ? ? Hg _]. destruct ys as [| y ys]; [discriminate |].
      cbn [map app fst] in E. injection E as -> _. destruct Hg.
  Qed.

  (** ** Each kind of subjects *)

  Lemma inputs_at_keys v : inputs_at v 1 us ->
    forall j, (j < length us)%nat -> v (Pos.of_succ_nat j) = nth j us 0.
  Proof.
    intros H j Hj. rewrite <- (H j Hj). f_equal. apply Pos2Nat.inj.
    rewrite key_at_to_nat, SuccNat2Pos.id_succ. lia.
  Qed.

  Lemma some_layers n fl stop outs : Networks.read_network K n = Ok (fl, stop, outs) -> fl <> [] -> layers n <> [].
  Proof.
    intros H Hfl E. unfold Networks.read_network in H. rewrite E in H.
    apply bind_ok in H. destruct H as (b & _ & H). apply bind_ok in H. destruct H as (below & _ & H).
    injection H as <- _ _. now apply Hfl.
  Qed.

  (** A network and a formula. *)
  Lemma network_formula_true budget n f fl stop outs g0 lines g' pairs :
    Networks.read_network K n = Ok (fl, stop, outs) -> length us = length (box n) ->
    Checker.start_network K budget n f fl stop = Ok g0 ->
    Checker.steps K lines g0 = Ok g' -> Checker.finish K g' = Ok pairs ->
    scaled value pairs (outputs_of_formula meaning f us) (outputs_of_network meaning n us)
    /\ exists v, inputs_at v 1 us /\ Forall (holds_flat value v) fl /\ fl <> [].
  Proof.
    intros Hn Hl H0 Hs Hf.
    destruct (network_values sound us n fl stop outs Hn Hl) as (v & Hin & Hv).
    set (def := fold_left (Networks.define_layer K) fl (Networks.free_inputs inputs)).
    assert (Hdef : forall k x, find k def = Some x -> variable_holds value v k x)
      by now apply (definitions_hold sound).
    assert (Hfound : Forall (defined_in value v def) fl).
    { apply (definitions_found sound) with (key_at 1 (length (box n))) stop.
      exact (network_consecutive n fl stop outs Hn). }
    assert (Hstart := fun den part_no Hd =>
      start_network_true sound us den part_no Hd def v Hdef unit_us (inputs_at_keys v Hin)
        budget n f fl stop g0 H0 Hl eq_refl Hfound).
    destruct some_values as [d0 Hd0]. destruct (Hstart d0 (fun _ => no_part) Hd0) as (_ & Hsome & _).
    split; [| now exists v].
    destruct (run_true def v (fun den all => exists ns, map den ns = outputs_of_formula meaning f us
        /\ Checker.pair_up Checker.Computes (Checker.last_layer fl) ns = Ok all) g0 lines g' pairs Hdef)
      as (den & done & bs & xs & Hd & (ns & Ens & Ep) & -> & Hdone & Hbs); trivial.
    { intros den part_no Hd. destruct (Hstart den part_no Hd) as (W & _ & Hm). split; [exact W |].
      intros M. destruct (Hm M) as (ns & gs & E1 & E2 & T). exists gs. split; [now exists ns | exact T]. }
    apply pair_up_ok in Ep. destruct Ep as [Hlen Eg].
    apply no_bounds in Eg as Eg'.
    2: { intros x Hx. apply in_map_iff in Hx. destruct Hx as (xn & E & _). discriminate. }
    destruct Eg' as [-> Eg']. inversion Hbs. subst bs. rewrite app_nil_r.
    rewrite <- Ens, <- (network_outputs sound us v n fl stop outs Hn Hl (some_layers _ _ _ _ Hn Hsome) Hin Hv).
    apply computes_scaled; trivial. now rewrite <- Eg'.
  Qed.

  (** Bounds of the last layer. *)
  Lemma bounds_true_at budget fl stop g0 lines g' pairs v :
    inputs_at v 1 us -> Forall (holds_flat value v) fl ->
    consecutive (key_at 1 (length us)) fl stop ->
    Checker.start_bounds K budget inputs fl stop = Ok g0 ->
    Checker.steps K lines g0 = Ok g' -> Checker.finish K g' = Ok pairs ->
    between value pairs (map v (Checker.last_layer fl)) /\ fl <> [].
  Proof.
    intros Hin Hv Hc H0 Hs Hf.
    set (def := fold_left (Networks.define_layer K) fl (Networks.free_inputs inputs)).
    assert (Hdef : forall k x, find k def = Some x -> variable_holds value v k x)
      by now apply (definitions_hold sound).
    assert (Hfound : Forall (defined_in value v def) fl)
      by now apply (definitions_found sound) with (key_at 1 (length us)) stop.
    assert (Hstart := fun den part_no Hd =>
      start_bounds_true sound us den part_no Hd def v Hdef unit_us (inputs_at_keys v Hin)
        budget fl stop g0 H0 eq_refl Hfound).
    destruct some_values as [d0 Hd0]. destruct (Hstart d0 (fun _ => no_part) Hd0) as (_ & Hsome & _).
    split; [| exact Hsome].
    destruct (run_true def v (fun _ all => all = map Checker.Lies (Checker.last_layer fl)) g0 lines g' pairs Hdef)
      as (den & done & bs & xs & Hd & E & -> & Hdone & Hbs); trivial.
    { intros den part_no Hd. destruct (Hstart den part_no Hd) as (W & _ & Hm). split; [exact W |].
      intros M. eexists. split; [reflexivity | exact (Hm M)]. }
    apply (only_bounds den v) in E; trivial. destruct E as [-> ->]. cbn [map app].
    unfold between. clear - Hbs. induction Hbs; constructor; trivial.
  Qed.

  Lemma formulas_true budget original f g0 lines g' pairs :
    Checker.start K budget (OriginalFormula inputs original f) = Ok g0 ->
    Checker.steps K lines g0 = Ok g' -> Checker.finish K g' = Ok pairs ->
    outputs_of_formula meaning original us = outputs_of_formula meaning f us.
  Proof.
    intros H0 Hs Hf. set (v := fun k => nth (Pos.to_nat k - 1) us 0).
    assert (Hin : inputs_at v 1 us).
    { intros j Hj. unfold v. rewrite key_at_to_nat. f_equal. lia. }
    set (def := Networks.free_inputs (t := t) inputs).
    assert (Hdef : forall k x, find k def = Some x -> variable_holds value v k x)
      by now apply (definitions_hold sound us v []).
    assert (Hstart := fun den part_no Hd =>
      start_formulas_true sound us den part_no Hd def v unit_us (inputs_at_keys v Hin)
        budget original f g0 H0 eq_refl).
    destruct (run_true def v (fun den all => exists ns ms, map den ns = outputs_of_formula meaning original us
        /\ map den ms = outputs_of_formula meaning f us
        /\ Checker.pair_up Checker.Agrees ns ms = Ok all) g0 lines g' pairs Hdef)
      as (den & done & bs & xs & Hd & (ns & ms & E1 & E2 & Ep) & -> & Hdone & Hbs); trivial.
    { intros den part_no Hd. destruct (Hstart den part_no Hd) as [W Hm]. split; [exact W |].
      intros M. destruct (Hm M) as (ns & ms & gs & E1 & E2 & E3 & T). exists gs. split; [now exists ns, ms | exact T]. }
    apply pair_up_ok in Ep. destruct Ep as [Hlen Eg].
    apply no_bounds in Eg as Eg'.
    2: { intros x Hx. apply in_map_iff in Hx. destruct Hx as (nm & E & _). discriminate. }
    destruct Eg' as [-> Eg']. rewrite <- E1, <- E2.
    apply (agrees_equal den v done); trivial. now rewrite <- Eg'.
  Qed.
  End Point.

  Lemma same_flat_eq l1 l2 : Networks.same_flat K l1 l2 = true -> l1 = l2.
  Proof.
    destruct l1 as [k1 a1 n1], l2 as [k2 a2 n2]. unfold Networks.same_flat. cbn.
    destruct (Pos.eqb_spec k1 k2) as [-> |]; [| discriminate].
    destruct (Networks.same_activation a1 a2) eqn:Ea; [| discriminate]. intros H.
    apply same_all_eq in H; [| apply (same_sum_eq sound)]. subst.
    destruct a1, a2; trivial; discriminate.
  Qed.

  (** ** The main theorem *)

  Theorem run_sound budget subject lines pairs us :
    Checker.run K budget subject lines = Ok pairs ->
    length us = number_of_inputs subject -> Forall unit us ->
    statement value meaning subject pairs us.
  Proof.
    intros H Hl Hu. unfold Checker.run in H.
    apply bind_ok in H. destruct H as (g0 & H0 & H). apply bind_ok in H. destruct H as (g' & Hs & Hf).
    destruct subject as [n f | n f source | i original f | n | n other]; cbn [Checker.start] in H0;
      cbn [number_of_inputs] in Hl; cbn [statement].
    - apply bind_ok in H0. destruct H0 as ([[fl stop] outs] & Hn & H0).
      now apply (network_formula_true us Hu budget n f fl stop outs g0 lines g' pairs).
    - apply bind_ok in H0. destruct H0 as ([[fl stop] outs] & Hn & H0).
      apply bind_ok in H0. destruct H0 as ([[fl' stop'] outs'] & Hn' & H0).
      apply bind_ok in H0. destruct H0 as (x1 & H1 & H0). apply need_ok, N.eqb_eq in H1.
      apply bind_ok in H0. destruct H0 as (x2 & H2 & H0). apply need_ok in H2.
      apply same_all_eq in H2; [| exact same_flat_eq]. subst fl'.
      destruct (network_formula_true us Hu budget n f fl stop outs g0 lines g' pairs Hn Hl H0 Hs Hf)
        as [Hst (v & Hin & Hv & Hsome)]. split; [exact Hst |].
      unfold Checker.count_inputs in H1. apply Nat2N.inj in H1.
      rewrite <- (network_outputs sound us v n fl stop outs Hn Hl (some_layers _ _ _ _ Hn Hsome) Hin Hv).
      rewrite <- (network_outputs sound us v source fl stop' outs' Hn'); trivial; [congruence |].
      now apply (some_layers source fl stop' outs').
    - rewrite <- (N2Nat.id i), <- Hl in H0.
      now apply (formulas_true us Hu budget original f g0 lines g' pairs).
    - apply bind_ok in H0. destruct H0 as ([[fl stop] outs] & Hn & H0).
      unfold Checker.count_inputs in H0. rewrite <- Hl in H0.
      destruct (network_values sound us n fl stop outs Hn Hl) as (v & Hin & Hv).
      assert (Hc := network_consecutive n fl stop outs Hn). rewrite <- Hl in Hc.
      destruct (bounds_true_at us Hu budget fl stop g0 lines g' pairs v Hin Hv Hc H0 Hs Hf) as [Hb Hsome].
      now rewrite (network_outputs sound us v n fl stop outs Hn Hl (some_layers _ _ _ _ Hn Hsome) Hin Hv) in Hb.
    - apply bind_ok in H0. destruct H0 as ([fl stop] & Hn & H0).
      unfold Checker.count_inputs in H0. rewrite <- Hl in H0.
      assert (Ho : length us = length (box other)).
      { destruct (read_difference_ok sound _ _ _ _ Hn) as (b & _ & _ & _ & _ & _ & _ & _ & _ & Hb & Hb' & _).
        rewrite (Forall2_length Hb'), <- (Forall2_length Hb). exact Hl. }
      apply bind_ok in H0. destruct H0 as ([shared st] & Hshare & H0).
      destruct (difference_values sound us n other fl stop Hn Hl Ho) as (v & Hin & Hv).
      destruct (share_holds sound v _ _ _ _ Hshare) as [Hshape Hsame].
      assert (Hc := same_shape_consecutive _ _ Hshape _ _ (difference_consecutive sound n other fl stop Hn)).
      rewrite <- Hl in Hc. apply Hsame in Hv.
      destruct (bounds_true_at us Hu (Store.budget st) shared stop g0 lines g' pairs v Hin Hv Hc H0 Hs Hf) as [Hb _].
      apply Hsame in Hv. rewrite <- (same_shape_last _ _ Hshape) in Hb.
      destruct (difference_outputs sound us v n other fl stop Hn Hl Ho Hin Hv) as [Ed El].
      rewrite Ed in Hb. now split.
  Qed.

  (** ** Every point of the box *)

  Lemma box_reached b xs : in_box meaning b xs ->
    exists us, length us = length b /\ Forall unit us /\ point_of_box meaning b us = xs.
  Proof.
    induction 1 as [| [low high] x b xs Hx _ (us & Hl & Hu & E)].
    - exists []. now repeat split.
    - destruct (input_map_onto _ _ _ Hx) as (u & Hu' & Eu). exists (u :: us). cbn [length].
      split; [now rewrite Hl |]. split; [now constructor |].
      unfold point_of_box in *. cbn [combine map fst snd]. rewrite E, Eu. reflexivity.
  Qed.

  (** At every point of the box, the outputs of the network are the values of
      the formula at the point of the unit cube that belongs to it, scaled. *)
  Corollary every_point_of_the_box budget n f lines pairs xs :
    Checker.run K budget (NetworkFormula n f) lines = Ok pairs -> in_box meaning (box n) xs ->
    exists us, Forall unit us /\ point_of_box meaning (box n) us = xs
      /\ scaled value pairs (outputs_of_formula meaning f us) (forward meaning (layers n) xs).
  Proof.
    intros H Hx. destruct (box_reached _ _ Hx) as (us & Hl & Hu & E). exists us.
    split; [exact Hu |]. split; [exact E |]. rewrite <- E.
    exact (run_sound budget (NetworkFormula n f) lines pairs us H Hl Hu).
  Qed.
End Sound.
