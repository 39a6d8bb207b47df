(** * ClaimsSound.v -- every rule that makes claims is right

    Compiled twice, over the rational and over the real numbers: see Unit.v.
    One lemma for each rule of section 6 of FORMAT.md: if the claims before it
    are true, so are the new ones.  The reasons are the lemmas of Rules.v,
    Sort.v and Bounds.v. *)

From Coq Require Import List Bool.
From VeriMV Require Export CasesSound MergeSound StoreSound.
From VeriMV Require Claims.
Import ListNotations.
Open Scope Qc_scope.

Section ClaimsSound.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.
  Variable us : list F.
  Variable den : positive -> F.
  Variable part_no : positive -> part t.
  Hypothesis den_based : based us den.

  Notation valid := (valid (value := value) us den part_no).
  Notation on_form := (on_form (value := value) den part_no).
  Notation wf := (wf (value := value) us).
  Notation models := (models (value := value) den part_no).
  Notation honest := (honest (value := value) den part_no).
  Notation meaning_of := (value_of_operation (value := value) den).
  Notation on_sum := (value_of_sum value den).

  Tactic Notation "step" uconstr(H) := eapply valid_bind; [eapply H; eassumption |].
  Ltac values := rewrite ?(value_zero sound), ?(value_one sound), ?(value_int sound), ?(value_opp sound) in *.

  (** ** Sums of forms *)

  Lemma total_ones fs :
    total (map (fun p => value (snd p) * on_form (fst p)) (map (fun f => (f, one K)) fs)) = total (map on_form fs).
  Proof.
    rewrite map_map. f_equal. apply map_ext. intros f. cbn [fst snd]. values. algebra.
  Qed.

  Lemma sum_of_forms_valid fs plus pre : valid pre (Claims.sum_of_forms K fs plus)
    (fun f => on_form f = total (map on_form fs) + value plus).
  Proof.
    unfold Claims.sum_of_forms. eapply valid_post; [apply (total_form_valid sound); assumption |].
    intros f _ H. cbv beta in H. now rewrite total_ones in H.
  Qed.

  Lemma one_form_valid f c plus pre : valid pre (total_form K [(f, c)] plus)
    (fun g => on_form g = value c * on_form f + value plus).
  Proof.
    eapply valid_post; [apply (total_form_valid sound); assumption |].
    intros g _ H. cbn [map fst snd] in H. rewrite H. unfold total. simpl. lra.
  Qed.

  Lemma two_forms_valid f g c d plus pre : valid pre (total_form K [(f, c); (g, d)] plus)
    (fun h => on_form h = value c * on_form f + value d * on_form g + value plus).
  Proof.
    eapply valid_post; [apply (total_form_valid sound); assumption |].
    intros h _ H. cbn [map fst snd] in H. rewrite H. unfold total. simpl. lra.
  Qed.

  (** ** The rules *)

  Lemma node_claim_valid n pre :
    valid pre (let! f := form_of K (node_sum K n) in add_claim K n f) (fun _ => True).
  Proof.
    step (form_of_valid sound us den part_no). intros f. apply add_claim_valid. intros [_ ->].
    rewrite (node_sum_sound sound us) by assumption. apply rule_atom, den_based.
  Qed.

  Lemma rule_node_valid i k pre : valid pre (Claims.rule_node K i k) (fun _ => True).
  Proof. unfold Claims.rule_node. apply valid_lift. intros u _. apply node_claim_valid. Qed.

  Lemma rule_atom_valid c pre : valid pre (Claims.rule_atom K c) (fun _ => True).
  Proof. unfold Claims.rule_atom. step claim_valid. intros nf. apply node_claim_valid. Qed.

  Lemma rule_not_valid c pre : valid pre (Claims.rule_not K c) (fun _ => True).
  Proof.
    unfold Claims.rule_not. step claim_valid. intros nf. step (not_node_valid sound us den part_no). intros n.
    step one_form_valid. intros f. apply add_claim_valid. intros [[[_ Hv] Hn] ->].
    rewrite Hn, (rule_not _ _ Hv). apply (f_equal sigma). values. lra.
  Qed.

  Lemma rule_scale_valid x c pre : valid pre (Claims.rule_scale K x c) (fun _ => True).
  Proof.
    unfold Claims.rule_scale. apply valid_lift. intros r Hr.
    apply (factor_amount_sound sound) in Hr. destruct Hr as [_ Hr].
    step claim_valid. intros nf. step (form_at_most_valid sound us den part_no). intros u.
    step (scale_node_valid sound us den part_no). intros n. step one_form_valid. intros f.
    apply add_claim_valid. intros [[[[_ Hv] Hle] Hn] ->].
    rewrite Hn. values. rewrite (rule_scale_below _ _ _ Hv Hle Hr). apply (f_equal sigma). lra.
  Qed.

  (** *** plus and times *)

  Lemma connect_nodes_valid (op : positive -> positive -> action t positive) (opF : F -> F -> F) pre :
    (forall a b pre, valid pre (op a b) (fun n => den n = opF (den a) (den b))) ->
    forall rest n, valid pre (Claims.connect_nodes op n rest) (fun m => den m = fold_left opF (map den rest) (den n)).
  Proof.
    intros Hop rest. revert pre. induction rest as [| m rest IH]; intros pre n; cbn [Claims.connect_nodes].
    - now apply valid_ret.
    - eapply valid_bind; [apply Hop |]. intros a.
      eapply valid_post; [apply IH |]. intros b [_ H] ->. simpl. now rewrite H.
  Qed.

  Definition claims_hold (nfs : list (positive * Store.form t)) : Prop :=
    Forall (fun nf => den (fst nf) = sigma (on_form (snd nf))) nfs.

  Lemma plus_all nfs : claims_hold nfs -> Forall (fun nf => 0 <= on_form (snd nf)) nfs ->
    forall v f, v = sigma f -> 0 <= f ->
    fold_left oplus (map den (map fst nfs)) v = sigma (f + total (map on_form (map snd nfs))).
  Proof.
    induction 1 as [| [n g] nfs Hn _ IH]; intros Hg v f Hv Hf; simpl in *.
    - rewrite Hv. apply (f_equal sigma). lra.
    - inversion_clear Hg as [| ? ? Hg1 Hg2]. simpl in *.
      rewrite (IH Hg2 _ (f + on_form g)); [apply (f_equal sigma); lra | now apply rule_plus | lra].
  Qed.

  Lemma times_all nfs : claims_hold nfs -> Forall (fun nf => on_form (snd nf) <= 1) nfs ->
    forall v f, v = sigma f -> f <= 1 ->
    fold_left odot (map den (map fst nfs)) v
    = sigma (f + total (map on_form (map snd nfs)) - of_nat (length nfs)).
  Proof.
    induction 1 as [| [n g] nfs Hn _ IH]; intros Hg v f Hv Hf; simpl in *.
    - rewrite Hv. apply (f_equal sigma). unfold of_nat. simpl. lra.
    - inversion_clear Hg as [| ? ? Hg1 Hg2]. simpl in *.
      rewrite (IH Hg2 _ (f + on_form g - 1)); [| now apply rule_times | lra].
      apply (f_equal sigma). rewrite of_nat_S. lra.
  Qed.

  Lemma all_claims_valid cs pre : valid pre (each_in_turn claim cs []) claims_hold.
  Proof.
    eapply valid_post; [apply (valid_all _ _ _ _ _ _ _ (fun _ nf => den (fst nf) = sigma (on_form (snd nf))));
      intros c; apply claim_valid |].
    intros nfs _ H. induction H; constructor; trivial.
  Qed.

  Lemma each_form_valid (test : Store.form t -> action t Datatypes.unit) (P : Store.form t -> Prop)
      (nfs : list (positive * Store.form t)) pre :
    (forall f pre, valid pre (test f) (fun _ => P f)) ->
    valid pre (each_in_turn (fun nf => test (snd nf)) nfs []) (fun _ => Forall (fun nf => P (snd nf)) nfs).
  Proof.
    intros Ht.
    eapply valid_post; [apply (valid_all _ _ _ _ _ _ _ (fun nf _ => P (snd nf))); intros nf; apply Ht |].
    intros l _ H. induction H; constructor; trivial.
  Qed.

  Lemma rule_double_valid op opF plus c pre :
    (forall a b pre, valid pre (op a b) (fun n => den n = opF (den a) (den b))) ->
    (forall v f, v = sigma f -> opF v v = sigma (f + f + value plus)) ->
    valid pre (Claims.rule_double K op plus c) (fun _ => True).
  Proof.
    intros Hop Hr. unfold Claims.rule_double. step claim_valid. intros nf.
    eapply valid_bind; [apply Hop |]. intros n. step sum_of_forms_valid. intros f.
    apply add_claim_valid. intros [[[_ Hv] Hn] ->]. rewrite Hn, (Hr _ _ Hv). f_equal.
    unfold total. simpl. lra.
  Qed.

  Lemma rule_plus_valid cs pre : valid pre (Claims.rule_plus K cs) (fun _ => True).
  Proof.
    unfold Claims.rule_plus. destruct (Claims.twice cs) as [c |].
    { apply (rule_double_valid _ oplus); [intros; apply (plus_node_valid sound) |].
      intros v f Hv. values. rewrite (rule_plus_self _ _ Hv). apply (f_equal sigma). lra. }
    step all_claims_valid. intros nfs.
    eapply valid_bind; [apply (each_form_valid _ (fun f => value (zero K) <= on_form f)); intros f pre';
      apply (form_at_least_valid sound) |].
    intros u. destruct nfs as [| nf rest]; [apply valid_lift_last; discriminate |].
    eapply valid_bind; [apply (connect_nodes_valid _ oplus); intros; apply (plus_node_valid sound) |].
    intros n. step sum_of_forms_valid. intros f. apply add_claim_valid.
    intros [[[[_ Hc] Hf] Hn] ->]. values.
    inversion_clear Hc as [| ? ? Hc1 Hc2]. inversion_clear Hf as [| ? ? Hf1 Hf2].
    rewrite Hn, (plus_all rest Hc2 Hf2 _ _ Hc1 Hf1). apply (f_equal sigma). simpl. unfold total. lra.
  Qed.

  Lemma rule_times_valid cs pre : valid pre (Claims.rule_times K cs) (fun _ => True).
  Proof.
    unfold Claims.rule_times. destruct (Claims.twice cs) as [c |].
    { apply (rule_double_valid _ odot); [intros; apply (times_node_valid sound) |].
      intros v f Hv. values. rewrite (rule_times_self _ _ Hv). apply (f_equal sigma). lra. }
    step all_claims_valid. intros nfs.
    eapply valid_bind; [apply (each_form_valid _ (fun f => on_form f <= value (one K))); intros f pre';
      apply (form_at_most_valid sound) |].
    intros u. destruct nfs as [| nf rest]; [apply valid_lift_last; discriminate |].
    eapply valid_bind; [apply (connect_nodes_valid _ odot); intros; apply (times_node_valid sound) |].
    intros n. step sum_of_forms_valid. intros f. apply add_claim_valid.
    intros [[[[_ Hc] Hf] Hn] ->]. values.
    inversion_clear Hc as [| ? ? Hc1 Hc2]. inversion_clear Hf as [| ? ? Hf1 Hf2].
    rewrite Hn, (times_all rest Hc2 Hf2 _ _ Hc1 Hf1). apply (f_equal sigma). simpl. unfold total, of_nat.
    rewrite of_Z_opp. lra.
  Qed.

  (** *** lemma and cut *)

  Lemma rule_lemma_valid g h c pre : valid pre (Claims.rule_lemma K g h c) (fun _ => True).
  Proof.
    unfold Claims.rule_lemma. step claim_valid. intros nf. step claim_valid. intros mh.
    step (form_at_least_valid sound us den part_no). intros u1.
    step (form_at_most_valid sound us den part_no). intros u2.
    step (plus_node_valid sound us den part_no). intros s.
    step (node_of_valid sound us den part_no). intros a.
    step (times_node_valid sound us den part_no). intros n.
    step sum_of_forms_valid. intros f. apply add_claim_valid.
    intros [[[[[[[[_ Hg] Hh] H0] H1] Hs] Ha] Hn] ->].
    rewrite Hn, Hs. rewrite (less_sound sound) in Ha. values.
    rewrite (rule_lemma _ _ _ (on_form (snd nf)) (on_form (snd mh)) Hg Hh).
    - apply (f_equal sigma). unfold total. simpl. lra.
    - now split.
    - rewrite Ha. apply (f_equal sigma). lra.
  Qed.

  Lemma rule_cut_valid f g c lambda mu pre : valid pre (Claims.rule_cut K f g c lambda mu) (fun _ => True).
  Proof.
    unfold Claims.rule_cut. apply valid_lift. intros most _. apply valid_lift. intros least _.
    step claim_valid. intros nf. step claim_valid. intros mg.
    apply valid_lift. intros b1 Hb1. apply valid_lift. intros u1 Hu1. apply need_ok in Hu1. subst b1.
    apply valid_lift. intros b2 Hb2. apply valid_lift. intros u2 Hu2. apply need_ok in Hu2. subst b2.
    apply (le_true sound) in Hb1, Hb2.
    step two_forms_valid. intros low. step (form_at_least_valid sound us den part_no). intros u3.
    step two_forms_valid. intros high. step (form_at_most_valid sound us den part_no). intros u4.
    step (node_of_valid sound us den part_no). intros a.
    step (times_node_valid sound us den part_no). intros p.
    step (plus_node_valid sound us den part_no). intros n.
    step sum_of_forms_valid. intros s. apply add_claim_valid.
    intros [[[[[[[[[[_ Hf] Hg] El] Hl] Eh] Hh] Ha] Hp] Hn] ->].
    rewrite Hn, Hp. rewrite (less_sound sound) in Ha. values.
    assert (Hc : den a = sigma (on_form (snd mg) + 1)) by (rewrite Ha; apply (f_equal sigma); lra).
    assert (H1 : on_form (snd nf) - value most * on_form (snd mg) <= 1) by (rewrite Eh in Hh; lra).
    assert (H0 : 0 <= on_form (snd nf) - value least * on_form (snd mg)) by (rewrite El in Hl; lra).
    rewrite (rule_cut _ _ _ _ _ (value most) (value least) Hf Hc Hg Hb2 Hb1 H1 H0).
    apply (f_equal sigma). unfold total. simpl. lra.
  Qed.

  Lemma rule_same_valid a b pre : valid pre (Claims.rule_same K a b) (fun _ => True).
  Proof.
    unfold Claims.rule_same. step claim_valid. intros nf. step claim_valid. intros mg.
    step (range_of_form_valid sound us den part_no). intros r.
    step (range_of_form_valid sound us den part_no). intros r'.
    apply valid_lift. intros low Hlow. apply valid_lift. intros high Hhigh.
    apply valid_lift. intros ones Hones. apply valid_lift. intros zeros Hzeros.
    apply valid_lift. intros u Hu. apply need_ok in Hu.
    step (form_of_valid sound us den part_no). intros f. apply add_claim_valid.
    intros [[[[[_ Ha] Hb] Hr] Hr'] ->]. rewrite (node_sum_sound sound us) by assumption.
    apply (smaller_ok sound) in Hlow. apply (larger_ok sound) in Hhigh.
    apply orb_prop in Hu. destruct Hu as [Hu | Hu]; [apply orb_prop in Hu; destruct Hu as [Hu | Hu] |].
    - apply (same_form_sound sound den part_no) in Hu. rewrite Hu in Ha. exact (rule_same _ _ _ Ha Hb).
    - subst ones. apply (le_true sound) in Hones. values.
      rewrite Hb, Ha, sigma_idempotent, !sigma_high by lra. reflexivity.
    - subst zeros. apply (le_true sound) in Hzeros. values.
      rewrite Hb, Ha, sigma_idempotent, !sigma_low by lra. reflexivity.
  Qed.

  (** *** sort *)

  Lemma steps_down_valid f cs : forall k done pre, valid pre (Claims.steps_down K f k cs done)
    (fun ns => exists ms, ns = rev done ++ ms /\ length ms = length cs
               /\ map den ms = good (on_form f - of_Z k) (length cs)).
  Proof.
    induction cs as [| c cs IH]; intros k done pre; cbn [Claims.steps_down].
    - apply valid_ret. intros _. exists []. unfold rev'. rewrite <- rev_alt, app_nil_r. auto.
    - step (node_of_valid sound us den part_no). intros n.
      eapply valid_post; [apply IH |]. intros ns [_ Hn] (ms & -> & Hl & Hm).
      rewrite (less_sound sound), (value_int sound) in Hn.
      exists (n :: ms). cbn [rev length map good]. rewrite <- app_assoc. cbn [app].
      split; [reflexivity |]. split; [now rewrite Hl |]. rewrite Hn, Hm. f_equal. f_equal.
      unfold Z.succ. rewrite of_Z_add. lra.
  Qed.

  Lemma all_steps_valid f cs pre : valid pre (Claims.steps_down K f 0 cs [])
    (fun ns => length ns = length cs /\ map den ns = good (on_form f) (length cs)).
  Proof.
    eapply valid_post; [apply steps_down_valid |]. intros ns _ (ms & -> & Hl & Hm).
    cbn [rev app]. split; [exact Hl |]. rewrite Hm. f_equal. lra.
  Qed.

  Lemma good_sequence_valid cs pre : valid pre (Claims.good_sequence K cs)
    (fun r => length (snd r) = length cs /\ map den (snd r) = good (on_form (fst r)) (length (snd r))
              /\ 0 <= on_form (fst r) <= of_nat (length (snd r))).
  Proof.
    unfold Claims.good_sequence, Claims.first_form.
    destruct cs as [| c cs]; [intros s a s'; discriminate |].
    eapply valid_bind; [step claim_valid; intros nf; now apply (valid_ret _ _ _ _ _ _ (fun _ => True)) |]. intros f.
    step (form_at_least_valid sound us den part_no). intros u1.
    step (form_at_most_valid sound us den part_no). intros u2.
    step all_steps_valid. intros ns. apply valid_ret. intros [[[_ H0] H1] [Hl Hn]]. cbn [fst snd].
    values. rewrite Hl. repeat split; trivial; apply H0 || apply H1.
  Qed.

  Lemma claim_steps_valid f g ns : forall k (pre : Prop),
    (pre -> map den ns = good (on_form f + on_form g - of_Z k) (length ns)) ->
    valid pre (Claims.claim_steps K f g k ns) (fun _ => True).
  Proof.
    induction ns as [| n ns IH]; intros k pre Hn; cbn [Claims.claim_steps].
    - now apply valid_ret.
    - step two_forms_valid. intros h. eapply valid_bind; [apply add_claim_valid |].
      + intros [Hp ->]. apply Hn in Hp. cbn [map good length] in Hp. injection Hp as -> _.
        apply (f_equal sigma). values. rewrite of_Z_opp. lra.
      + intros u. apply IH. intros [[Hp _] _]. apply Hn in Hp. cbn [map good length] in Hp.
        injection Hp as _ ->. f_equal. unfold Z.succ. rewrite of_Z_add. lra.
  Qed.

  (** Making nodes keeps what is true of stores; see MergeSound.v. *)
  Lemma intern_backward o s a s' : intern K o s = Ok (a, s') -> models s' ->
    models s /\ den a = meaning_of o.
  Proof.
    unfold intern. cbv zeta. destruct (find_entry _ _ o _) as [n |] eqn:E.
    - intros [= <- <-] M. split; [exact M |].
      exact (each_find _ _ (same_operation_eq sound) _ _ _ _ (proj1 (proj1 M)) E).
    - destruct (operands_exist _ o); [| discriminate]. intros [= <- <-] [[M1 M2] M3].
      cbn [set_nodes all_nodes all_parts interned units] in *.
      assert (H : each (fun o n => den n = meaning_of o)
                    (add_entry hash_operation o (fresh (all_nodes s)) (interned (all_nodes s)))).
      { destruct o; trivial. now apply each_add_inv in M1. }
      apply each_add_inv in H. now repeat split.
  Qed.

  Section Keeps.
    Variables (plus times : positive -> positive -> action t positive) (P : store t -> Prop).
    Hypothesis plus_keeps : forall a b s n s', plus a b s = Ok (n, s') -> P s -> P s'.
    Hypothesis times_keeps : forall a b s n s', times a b s = Ok (n, s') -> P s -> P s'.

    Lemma compare_pairs_keeps xs : forall ys done s zs s',
      compare_pairs plus times xs ys done s = Ok (zs, s') -> P s -> P s'.
    Proof.
      induction xs as [| x xs IH]; intros [| y ys] done s zs s' H Hs; cbn [compare_pairs] in H;
        try (now injection H as _ <-).
      apply bind_ok in H. destruct H as ([a s1] & Ha & H).
      apply bind_ok in H. destruct H as ([b s2] & Hb & H). eauto.
    Qed.

    Lemma merge_keeps depth : forall xs ys s zs s',
      merge_in plus times depth xs ys s = Ok (zs, s') -> P s -> P s'.
    Proof.
      induction depth as [| d depth IH]; intros xs ys s zs s' H Hs; cbn [merge_in] in H.
      { now injection H as _ <-. }
      destruct xs as [| x xs]; [now injection H as _ <- |].
      destruct ys as [| y ys]; [destruct xs; now injection H as _ <- |].
      assert (C : compare_pairs plus times [x] [y] [] s = Ok (zs, s')
        \/ exists o1 e1 o2 e2 odd s1 even s2,
             merge_in plus times depth o1 o2 s = Ok (odd, s1)
             /\ merge_in plus times depth e1 e2 s1 = Ok (even, s2)
             /\ match odd with
                | [] => Ok (even, s2)
                | first :: odd => compare_pairs plus times even odd [first] s2
                end = Ok (zs, s')).
      { destruct xs, ys; [now left | right | right | right];
          repeat match goal with
          | H : context [halves_of ?l [] []] |- _ => destruct (halves_of l [] []) as [? ?]
          end;
          apply bind_ok in H; destruct H as ([odd s1] & Ho & H);
          apply bind_ok in H; destruct H as ([even s2] & He & H);
          repeat eexists; eauto. }
      destruct C as [C | (o1 & e1 & o2 & e2 & odd & s1 & even & s2 & Ho & He & C)].
      - now apply compare_pairs_keeps in C.
      - apply IH in Ho; trivial. apply IH in He; trivial.
        destruct odd; [now injection C as _ <- |]. now apply compare_pairs_keeps in C.
    Qed.
  End Keeps.

  Lemma merge_valid xs ys X Y (pre : Prop) :
    (pre -> map den xs = good X (length xs) /\ 0 <= X <= of_nat (length xs)
            /\ map den ys = good Y (length ys) /\ 0 <= Y <= of_nat (length ys)) ->
    valid pre (Merge.merge (plus_node K) (times_node K) xs ys)
      (fun zs => map den zs = good (X + Y) (length zs)).
  Proof.
    intros Hp s zs s' H Hs.
    assert (Hwf : wf s').
    { apply (merge_keeps (plus_node K) (times_node K) wf) in H; trivial; intros a b s0 n s1 E W.
      - exact (proj1 (plus_node_valid sound us den part_no a b True s0 n s1 E W)).
      - exact (proj1 (times_node_valid sound us den part_no a b True s0 n s1 E W)). }
    split; [exact Hwf |]. intros M. split.
    - unfold Merge.merge in H. apply merge_in_sound with (den := den) (holds := models) in H;
        trivial; [apply H | |]; intros a b s0 c s1 E; exact (intern_backward _ _ _ _ E).
    - intros Hg Hpre. split.
      + apply (merge_keeps (plus_node K) (times_node K) (honest)) in H; trivial;
          intros a b s0 n s1 E [g1 g2 g3 g4]; unfold plus_node, times_node, intern in E; cbv zeta in E;
          destruct (find_entry _ _ _ _); [now injection E as _ <- | | now injection E as _ <- |];
          destruct (operands_exist _ _); try discriminate; injection E as _ <-; now split.
      + destruct (Hp Hpre) as (Ex & HX & Ey & HY).
        apply merge_sound with (den := den) (holds := models) (X := X) (Y := Y) in H; trivial.
        * destruct H as [_ E]. rewrite E. f_equal.
          apply (f_equal (@length F)) in E. rewrite map_length, good_length in E. now rewrite E.
        * intros a b s0 c s1 E; exact (intern_backward _ _ _ _ E).
        * intros a b s0 c s1 E; exact (intern_backward _ _ _ _ E).
  Qed.

  Lemma rule_sort_valid p cs pre : valid pre (Claims.rule_sort K p cs) (fun _ => True).
  Proof.
    unfold Claims.rule_sort. destruct (Claims.split_list p cs []) as [first second].
    step good_sequence_valid. intros a. step good_sequence_valid. intros b. cbv zeta.
    step spend_valid. intros u.
    eapply valid_bind; [apply (merge_valid _ _ (on_form (fst a)) (on_form (fst b))); tauto |]. intros ns.
    apply claim_steps_valid. intros [_ ->]. f_equal. lra.
  Qed.

  (** *** average *)

  Lemma nth_good p : forall X k, (k < p)%nat -> nth k (good X p) 0 = sigma (X - of_nat k).
  Proof.
    induction p as [| p IH]; intros X k Hk; [lia |]. destruct k as [| k]; cbn [good nth].
    - apply (f_equal sigma). rewrite of_nat_0. lra.
    - rewrite IH by lia. apply (f_equal sigma). rewrite of_nat_S. lra.
  Qed.

  Lemma sum_below_total l : sum_below (fun k => nth k l 0) (length l) = total l.
  Proof.
    induction l as [| x l IH] using rev_ind; [reflexivity |].
    rewrite app_length. cbn [length]. rewrite Nat.add_1_r. cbn [sum_below].
    rewrite (sum_below_ext _ (fun k => nth k l 0)) by (intros; apply app_nth1; lia).
    rewrite IH, app_nth2, Nat.sub_diag by lia. cbn [nth].
    clear IH. unfold total. induction l as [| y l IH]; simpl in *; lra.
  Qed.

  Lemma total_scaled c l : total (map (fun x => c * x) l) = c * total l.
  Proof. induction l as [| x l IH]; simpl; [lra |]. rewrite IH. algebra. Qed.

  Lemma average_sum_sound s p ns u : Claims.average_sum K s p ns = Ok u ->
    on_sum u = of_Z (Z.of_N p) / of_Z (Zpos s)
               + sum_below (fun k => nth k (map den ns) 0 / of_Z (Zpos s)) (length ns).
  Proof.
    unfold Claims.average_sum. intros H. apply (add_sums_sound sound den) in H.
    rewrite H, map_map. cbn [fst snd]. rewrite !(value_fraction _ _ _ sound).
    rewrite sum_below_div, <- (map_length den ns), sum_below_total, (div_as_mul (total _)).
    rewrite <- total_scaled, map_map.
    rewrite (map_ext (fun n => of_Z 1 / of_Z (Zpos s) * on_sum (node_sum K n))
               (fun n => / of_Z (Zpos s) * den n)); [lra |].
    intros n. rewrite (node_sum_sound sound us) by assumption. rewrite div_as_mul. f_equal. lra.
  Qed.

  Lemma first_form_valid cs pre : valid pre (Claims.first_form cs) (fun _ => True).
  Proof.
    unfold Claims.first_form. destruct cs as [| c cs]; [intros s a s'; discriminate |].
    step claim_valid. intros nf. now apply valid_ret.
  Qed.

  (** A test that is made only if it is needed. *)
  Lemma valid_if (b : bool) (m : action t Datatypes.unit) (P pre : Prop) :
    valid pre m (fun _ => P) -> valid pre (if b then m else ret tt) (fun _ => b = true -> P).
  Proof.
    intros H. destruct b.
    - eapply valid_post; [exact H |]. auto.
    - apply valid_ret. discriminate.
  Qed.

  Lemma rule_average_valid s p a cs pre : valid pre (Claims.rule_average K s p a cs) (fun _ => True).
  Proof.
    unfold Claims.rule_average. cbv zeta.
    apply valid_lift. intros u1 _. apply valid_lift. intros u2 Hle. apply need_ok, N.leb_le in Hle.
    destruct s as [| s]; [intros st x st'; discriminate |].
    step first_form_valid. intros f.
    eapply valid_bind; [apply valid_if, (form_at_least_valid sound us den part_no); assumption |]. intros u3.
    eapply valid_bind; [apply valid_if, (form_at_most_valid sound us den part_no); assumption |]. intros u4.
    step all_steps_valid. intros ns. apply valid_lift. intros u Hu.
    step (form_of_valid sound us den part_no). intros wanted.
    step (node_of_valid sound us den part_no). intros n. step one_form_valid. intros h.
    apply add_claim_valid. intros [[[[[[[_ _] Hlow] Hhigh] [Hl Hn]] Hw] Ha] ->].
    apply average_sum_sound in Hu. rewrite !(value_fraction _ _ _ sound). values.
    assert (Es : of_nat (Pos.to_nat s) = of_Z (Zpos s)) by (unfold of_nat; now rewrite positive_nat_Z).
    assert (Ep : of_nat (N.to_nat p) = of_Z (Z.of_N p)) by (unfold of_nat; now rewrite N_nat_Z).
    assert (Hs : 0 < of_Z (Zpos s)) by (rewrite <- Es; apply of_nat_pos; lia).
    rewrite (rule_average (Pos.to_nat s) (N.to_nat p) (length cs) (on_form f) (on_form wanted) (den n)
               (fun k => nth k (map den ns) 0)); trivial.
    - apply (f_equal sigma). rewrite Es, Ep, !div_as_mul. algebra. lra.
    - lia.
    - lia.
    - intros k Hk. rewrite Hn. now apply nth_good.
    - rewrite Hw, Hu, Es, Ep, Hl. reflexivity.
    - intros Hp. apply Hlow. apply N.ltb_lt. lia.
    - intros Hp. assert (H : on_form f <= of_Z (Z.of_N (N.of_nat (length cs)))) by (apply Hhigh, N.ltb_lt; lia).
      rewrite nat_N_Z in H. unfold of_nat. lra.
  Qed.

  (** *** equals *)

  (** [v] gives the variables that stand for nodes the values of these. *)
  Definition placed_at (places : trie positive) (v : positive -> F) : Prop :=
    forall n k, find n places = Some k -> v k = den n.

  Lemma place_sound places v n u : placed_at places v -> Claims.place K places n = Ok u ->
    value_of_sum value v u = den n.
  Proof.
    intros Hv. unfold Claims.place, value_of_sum.
    destruct (Pos.eqb_spec n zero_node) as [-> | _].
    { intros [= <-]. cbn [terms constant value_of_terms]. values. rewrite (based_zero _ _ den_based). lra. }
    destruct (Pos.eqb_spec n one_node) as [-> | _].
    { intros [= <-]. cbn [terms constant value_of_terms]. values. rewrite (based_one _ _ den_based). lra. }
    destruct (find n places) as [k |] eqn:E; [| discriminate].
    intros [= <-]. cbn [terms constant value_of_terms]. values. rewrite (Hv n k E). lra.
  Qed.

  Lemma placed_sound places v u z : placed_at places v -> Claims.placed K places u = Ok z ->
    value_of_sum value v z = on_sum u.
  Proof.
    intros Hv. unfold Claims.placed. intros H. unbind H.
    apply (add_sums_sound sound v) in H. apply collect_all in Ha. rewrite H. unfold value_of_sum at 2.
    f_equal. clear H.
    induction Ha as [| [n c] [s d] l l' E _ IH]; [reflexivity |].
    cbn [map value_of_terms]. unfold total in *. cbn [fold_right fst snd] in *. rewrite IH. f_equal.
    apply bind_ok in E. destruct E as (s' & Es & E). cbn [fst snd] in *. injection E as <- <-.
    now rewrite (place_sound _ _ _ _ Hv Es).
  Qed.

  (** Variable k stands for node [nd k]; definitions hold for all values that
      agree with those of the nodes so far. *)
  Definition agrees (nd : positive -> positive) (b : positive) (v : positive -> F) : Prop :=
    forall k, (k < b)%positive -> v k = den (nd k).

  Definition cone_ok (places : trie positive) (vs : variables t) (nd : positive -> positive) : Prop :=
    (forall n k, find n places = Some k -> (k < bound vs)%positive /\ nd k = n)
    /\ forall k a z, (k < bound vs)%positive -> find k (definition vs) = Some (Neuron a z) ->
       forall v, agrees nd (bound vs) v -> den (nd k) = activate a (value_of_sum value v z).

  Lemma agrees_placed places vs nd v : cone_ok places vs nd -> agrees nd (bound vs) v -> placed_at places v.
  Proof. intros [H _] Hv n k E. destruct (H n k E) as [Hk <-]. now apply Hv. Qed.

  Lemma cone_ok_add places vs nd n x : cone_ok places vs nd ->
    (forall a z, x = Neuron a z -> forall v, agrees nd (bound vs) v -> den n = activate a (value_of_sum value v z)) ->
    cone_ok (set n (bound vs) places) (Variables (Pos.succ (bound vs)) (set (bound vs) x (definition vs)))
      (fun k => if Pos.eqb k (bound vs) then n else nd k).
  Proof.
    intros [H1 H2] Hx. split; cbn [bound definition].
    - intros m k E. apply find_set_cases in E. destruct E as [[-> ->] | [_ E]].
      + rewrite Pos.eqb_refl. split; [lia | reflexivity].
      + destruct (H1 m k E) as [Hk Em]. split; [lia |].
        destruct (Pos.eqb_spec k (bound vs)); [lia | exact Em].
    - intros k a z Hk E v Hv.
      assert (Hv' : agrees nd (bound vs) v).
      { intros j Hj. rewrite Hv by lia. destruct (Pos.eqb_spec j (bound vs)); [lia | reflexivity]. }
      apply find_set_cases in E. destruct E as [[-> E] | [Hne E]].
      + rewrite Pos.eqb_refl. now apply (Hx a z).
      + destruct (Pos.eqb_spec k (bound vs)); [contradiction |]. apply (H2 k a z); trivial. lia.
  Qed.

  Lemma cone_variables_valid cone : forall places vs (pre : Prop),
    (pre -> exists nd, cone_ok places vs nd) ->
    valid pre (Claims.cone_variables K cone places vs) (fun r => exists nd, cone_ok (fst r) (snd r) nd).
  Proof.
    induction cone as [| [c |] cone IH]; intros places vs pre Hp; cbn [Claims.cone_variables].
    - apply valid_ret. exact Hp.
    - step claim_valid. intros [n f]. step written_valid. intros u.
      apply valid_lift. intros w _.
      eapply valid_bind with (post := fun x => (exists nd, cone_ok places vs nd) -> forall nd, cone_ok places vs nd ->
        forall a z, x = Neuron a z -> forall v, agrees nd (bound vs) v -> den n = activate a (value_of_sum value v z)).
      + destruct (Claims.is_node K n u).
        * apply valid_ret. discriminate.
        * apply valid_lift. intros z Hz. apply valid_ret. intros [[_ Hn] Hu] _ nd Hnd a z' [= <- <-] v Hv.
          rewrite (placed_sound _ _ _ _ (agrees_placed _ _ _ _ Hnd Hv) Hz), Hu. exact Hn.
      + intros x. apply IH. intros [[[Hpre _] _] Hx]. destruct (Hp Hpre) as [nd Hnd].
        eexists. apply cone_ok_add; [exact Hnd |]. apply Hx; eauto.
    - intros s a s'. discriminate.
  Qed.

  (** [C]: a condition under which more is known. *)
  Lemma prove_valid v vs twins targets known cs c (C pre : Prop) :
    (pre -> C -> cache_sound value v vs c /\ solution value v vs /\ facts_hold value v vs known
                 /\ twins_hold (value := value) v (definition vs) twins) ->
    valid pre (Claims.prove K vs twins targets known cs c)
      (fun c' => C -> cache_sound value v vs c'
                      /\ Forall (fun target => value_of_sum value v target <= 0) targets).
  Proof.
    intros Hp. apply valid_same. intros s c' s'. unfold Claims.prove. intros H.
    apply bind_ok in H. destruct H as ([c1 b] & H & E). injection E as <- <-.
    split; [repeat split |]. intros _ _ Hpre HC. destruct (Hp Hpre HC) as (H1 & H2 & H3 & H4).
    exact (prove_sound K value meaning v vs _ _ _ _ _ _ _ _ sound H H1 H2 H3 H4).
  Qed.

  Lemma cone_solution places vs nd : cone_ok places vs nd -> solution value (fun k => den (nd k)) vs.
  Proof.
    intros [_ H] k Hk. destruct (find k (definition vs)) as [[| a z] |] eqn:E; trivial.
    - apply den_based.
    - apply (H k a z Hk E). intros j _. reflexivity.
  Qed.

  Lemma no_facts v (vs : variables t) : facts_hold value v vs Empty.
  Proof. intros k low high _ H. discriminate. Qed.

  Lemma rule_equals_valid a b cone cs pre : valid pre (Claims.rule_equals K a b cone cs) (fun _ => True).
  Proof.
    unfold Claims.rule_equals.
    eapply valid_bind; [apply cone_variables_valid |].
    { intros _. exists (fun k => k). split; [discriminate |]. intros k x z _ H. discriminate. }
    intros [places vs]. step claim_valid. intros nf. step claim_valid. intros mg.
    apply valid_lift. intros x Hx. apply valid_lift. intros y Hy.
    apply valid_lift. intros down Hdown. apply valid_lift. intros up Hup.
    intros s u s' H Hs. apply andthen_ok in H. destruct H as (c' & s1 & H1 & H2).
    assert (Hprove : forall v, valid (cache_sound value v vs Cases.no_cache /\ solution value v vs) 
      (Claims.prove K vs Empty [down; up] Empty cs Cases.no_cache)
      (fun c' => Forall (fun target => value_of_sum value v target <= 0) [down; up])).
    { intros v. eapply valid_post; [apply (prove_valid v _ _ _ _ _ _ True) |].
      - intros [Hc Hv] _. split; [exact Hc |]. split; [exact Hv |]. split; [apply no_facts | apply no_twins].
      - intros c0 _ Hc. now apply Hc. }
    destruct (Hprove den s c' s1 H1 Hs) as [Hs1 _].
    assert (Hadd : forall P : Prop, (P -> den (fst mg) = sigma (on_form (snd nf))) ->
      valid P (add_claim K (fst mg) (snd nf)) (fun _ => True)) by (intros; now apply add_claim_valid).
    destruct (Hadd False) with (2 := H2) (3 := Hs1) as [Hs' Hback]; [contradiction |].
    split; [exact Hs' |]. intros M'. destruct (Hback M') as [M1 _].
    destruct (Hprove den s c' s1 H1 Hs) as [_ Hp]. destruct (Hp M1) as [M0 _]. split; [exact M0 |].
    intros Hg [[[Hpre [nd Hnd]] Hn] Hm]. cbn [fst snd] in Hnd.
    set (v := fun k => den (nd k)).
    destruct (Hprove v s c' s1 H1 Hs) as [_ Hp']. destruct (Hp' M1) as [_ Hp''].
    destruct Hp'' as [Hg1 Ht]; [exact Hg | split; [apply no_cache_sound | now apply cone_solution in Hnd] |].
    assert (Hv : placed_at places v) by (apply (agrees_placed _ _ _ _ Hnd); intros j _; reflexivity).
    apply (place_sound _ _ _ _ Hv) in Hx, Hy.
    apply (add_sums_sound sound v) in Hdown, Hup.
    inversion_clear Ht as [| ? ? Ht1 Ht']. inversion_clear Ht' as [| ? ? Ht2 _].
    rewrite Hdown in Ht1. rewrite Hup in Ht2. unfold total in Ht1, Ht2.
    cbn [map fold_right fst snd] in Ht1, Ht2. rewrite Hx, Hy in Ht1, Ht2. values.
    assert (E : den (fst mg) = sigma (on_form (snd nf))).
    { apply (rule_equals (den (fst nf))); trivial; lra. }
    destruct (Hadd True (fun _ => E) s1 u s' H2 Hs1) as [_ Hfin]. destruct (Hfin M') as [_ Hfin'].
    now apply Hfin'.
  Qed.
End ClaimsSound.
