(** * SharingSound.v -- sharing neurons changes nothing

    What this file proves, in plain words.  Sharing (Sharing.v) turns layers of
    variables into layers of the same shape, and values of the variables obey
    the definitions of the one exactly if they obey those of the other
    ([share_holds]).  For, going through the neurons in order, each variable
    that is taken for a multiple is one ([multiple_neuron]), and each that is
    taken for a number is that number.

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List Bool NArith.
From VeriMV Require Export StoreSound CasesSound ReadSound.
From VeriMV Require Networks Cases Sharing Checker.
Import ListNotations.
Open Scope Qc_scope.

Section Shared.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.

  (** ** Shapes *)

  Definition same_shape (l l' : Networks.flat t) : Prop :=
    Networks.start_at l = Networks.start_at l' /\ Networks.kind l = Networks.kind l'
    /\ length (Networks.neurons l) = length (Networks.neurons l').

  Lemma same_shape_consecutive fl fl' : Forall2 same_shape fl fl' ->
    forall k stop, consecutive k fl stop -> consecutive k fl' stop.
  Proof.
    induction 1 as [| l l' fl fl' (Es & _ & El) _ IH]; intros k stop; cbn [consecutive]; trivial.
    intros [E H]. split; [congruence |]. apply IH. rewrite !after_key_at in *. now rewrite <- El.
  Qed.

  Lemma output_variables_length (l l' : list (sum t)) : length l = length l' ->
    forall k, Checker.output_variables k l = Checker.output_variables k l'.
  Proof.
    revert l'. induction l as [| s l IH]; intros [| s' l']; simpl; try discriminate; trivial.
    intros [= E] k. now rewrite (IH l' E).
  Qed.

  Lemma same_shape_rev fl fl' : Forall2 same_shape fl fl' -> Forall2 same_shape (rev fl) (rev fl').
  Proof. induction 1; simpl; [constructor |]. apply Forall2_app; auto. Qed.

  Lemma same_shape_last fl fl' : Forall2 same_shape fl fl' -> Checker.last_layer fl = Checker.last_layer fl'.
  Proof.
    intros H. apply same_shape_rev in H. unfold Checker.last_layer, rev'. rewrite <- !rev_alt.
    destruct H as [| l l' r r' (Es & _ & El) _]; trivial. rewrite Es. now apply output_variables_length.
  Qed.

  (** ** Values *)

  Variable v : positive -> F.
  Notation on_sum := (value_of_sum value v).

  (** A variable has the value that its definition says. *)
  Notation defined a k s := (v k = activate a (on_sum s)).

  Definition all_defined (a : activation) (k : positive) (ss : list (sum t)) : Prop :=
    forall i s, nth_error ss i = Some s -> defined a (key_at k i) s.

  Lemma all_defined_cons a k s ss : all_defined a k (s :: ss) <-> defined a k s /\ all_defined a (Pos.succ k) ss.
  Proof.
    split.
    - intros H. split; [exact (H O s eq_refl) |]. intros i s' E. exact (H (S i) s' E).
    - intros [H Hs] [| i] s' E; [injection E as <-; exact H | exact (Hs i s' E)].
  Qed.

  (** What is shared is right. *)
  Record right_sharing (h : Sharing.sharing t) : Prop := RightSharing {
    right_originals : each (fun key o => defined (fst key) (Sharing.who o) (Sharing.argument o)) (Sharing.originals h);
    right_multiples : forall k u, find k (Sharing.multiples h) = Some u -> v k = on_sum u }.

  Lemma nothing_shared_right : right_sharing Sharing.nothing_shared.
  Proof. split; [apply each_empty | discriminate]. Qed.

  Lemma over_originals_sound m s s' : (forall k u, find k m = Some u -> v k = on_sum u) ->
    Sharing.over_originals K m s = Ok s' -> on_sum s' = on_sum s.
  Proof.
    intros Hm H. unfold Sharing.over_originals in H. apply (add_sums_sound sound v) in H. rewrite H, map_map.
    unfold value_of_sum at 2. f_equal. clear H. induction (terms s) as [| [k c] l IH]; simpl; trivial.
    simpl in IH. rewrite IH. f_equal. f_equal. destruct (find k m) as [u |] eqn:E; [| apply (on_variable sound)].
    symmetry. exact (Hm k u E).
  Qed.

  Lemma same_activation_eq a b : Networks.same_activation a b = true -> a = b.
  Proof. now destruct a, b. Qed.

  Lemma same_key_eq x y : Sharing.same_key K x y = true -> x = y.
  Proof.
    destruct x as [a s], y as [b u]. unfold Sharing.same_key. cbn [fst snd].
    destruct (Networks.same_activation a b) eqn:E; [| discriminate]. intros H.
    apply same_activation_eq in E. apply (same_sum_eq sound) in H. congruence.
  Qed.

  (** A neuron whose argument is p times another one's. *)
  Lemma multiple_neuron a p k o s : Sharing.is_multiple K a p o s = Ok true ->
    defined a (Sharing.who o) (Sharing.argument o) -> defined a k s -> v k = value p * v (Sharing.who o).
  Proof.
    unfold Sharing.is_multiple. intros H Ho Hk.
    apply bind_ok in H. destruct H as (allowed & Ha & H). apply bind_ok in H. destruct H as (u & Hu & H).
    apply ok_same, andb_prop in H. destruct H as [-> H]. apply (same_sum_eq sound) in H. subst u.
    apply (add_sums_sound sound v) in Hu. cbn [map fst snd total fold_right] in Hu. rewrite (value_zero sound) in Hu.
    assert (E : on_sum s = value p * on_sum (Sharing.argument o)) by lra.
    rewrite Hk, Ho, E. unfold Sharing.factor_allowed in Ha. destruct a; cbn [Networks.same_activation] in Ha.
    - apply (lt_true sound) in Ha. rewrite (value_zero sound) in Ha. now apply shared_relu.
    - apply ok_same in Ha. apply (eqb_sound sound) in Ha. rewrite Ha, (value_one sound). cbn [activate].
      replace (1 * on_sum (Sharing.argument o)) with (on_sum (Sharing.argument o)) by lra. lra.
    - cbn [activate]. lra.
  Qed.

  Lemma share_neuron_sound a k s h : right_sharing h -> forall st s' h' st',
    Sharing.share_neuron K a k s h st = Ok ((s', h'), st') ->
    on_sum s' = on_sum s /\ (defined a k s -> right_sharing h').
  Proof.
    intros [Ho Hm] st s' h' st' H. unfold Sharing.share_neuron in H.
    apply andthen_ok in H. destruct H as (s1 & st1 & H1 & H). unfold lift in H1.
    destruct (Sharing.over_originals K (Sharing.multiples h) s) as [s2 |] eqn:E1; [| discriminate].
    injection H1 as <- <-. apply (over_originals_sound _ _ _ Hm) in E1.
    apply andthen_ok in H. destruct H as (u & st2 & _ & H).
    destruct (terms s2) as [| kc l] eqn:Et.
    { apply andthen_ok in H. destruct H as (y & st3 & Hy & H). injection H as <- <- <-. split; [exact E1 |].
      unfold lift in Hy. destruct (Cases.image K a (constant s2)) as [y' |] eqn:Ey; [| discriminate].
      injection Hy as <- <-. intros Hk. rewrite <- E1 in Hk. apply (image_sound sound) in Ey.
      split; cbn [Sharing.originals Sharing.multiples]; [exact Ho |]. intros j w Hj.
      apply find_set_cases in Hj. destruct Hj as [[-> ->] | [_ Hj]]; [| now apply Hm].
      rewrite Hk. unfold value_of_sum. rewrite Et. cbn [terms constant value_of_terms]. rewrite Ey.
      replace (0 + value (constant s2)) with (value (constant s2)) by lra. lra. }
    destruct (find_entry _ _ _ _) as [o |] eqn:E.
    - apply andthen_ok in H. destruct H as (found & st3 & Hf & H). injection H as <- <- <-. split; [exact E1 |].
      unfold lift in Hf. destruct (Sharing.is_multiple _ _ _ _ _) as [b |] eqn:Hb; [| discriminate].
      injection Hf as <- <-. intros Hk. rewrite <- E1 in Hk. destruct b; [| now split].
      apply (each_find _ _ same_key_eq) with (1 := Ho) in E.
      split; cbn [Sharing.originals Sharing.multiples]; [exact Ho |]. intros j w Hj.
      apply find_set_cases in Hj. destruct Hj as [[-> ->] | [_ Hj]]; [| now apply Hm].
      rewrite (multiple_neuron _ _ _ _ _ Hb E Hk). unfold value_of_sum. cbn [terms constant value_of_terms].
      rewrite (value_zero sound). lra.
    - injection H as <- <- <-. split; [exact E1 |]. intros Hk. rewrite <- E1 in Hk.
      split; cbn [Sharing.originals Sharing.multiples]; [| exact Hm]. now apply each_add.
  Qed.

  Lemma share_neurons_sound a ss : forall k h st done us h' st',
    Sharing.share_neurons K a k ss h done st = Ok ((us, h'), st') ->
    exists ss', us = rev done ++ ss' /\ length ss = length ss'
    /\ (right_sharing h -> (all_defined a k ss <-> all_defined a k ss') /\ (all_defined a k ss -> right_sharing h')).
  Proof.
    induction ss as [| s ss IH]; intros k h st done us h' st'; cbn [Sharing.share_neurons].
    - intros [= <- <- <-]. exists []. unfold rev'. rewrite <- rev_alt, app_nil_r. now intuition.
    - intros H. apply andthen_ok in H. destruct H as ([s' h1] & st1 & H1 & H). cbn [fst snd] in H.
      apply IH in H. destruct H as (ss' & -> & El & Hs). exists (s' :: ss').
      split; [simpl; now rewrite <- app_assoc |]. split; [simpl; now f_equal |].
      intros Hh. destruct (share_neuron_sound _ _ _ _ Hh _ _ _ _ H1) as [E1 Hh1].
      rewrite !all_defined_cons, E1. split; [| intros [Hk Hss]; now apply (Hs (Hh1 Hk))].
      split; intros [Hk Hss]; (split; [exact Hk |]); now apply (Hs (Hh1 Hk)).
  Qed.

  Lemma share_layers_sound ls : forall h st done fl st',
    Sharing.share_layers K ls h done st = Ok (fl, st') ->
    exists ls', fl = rev done ++ ls' /\ Forall2 same_shape ls ls'
    /\ (right_sharing h -> (Forall (holds_flat value v) ls <-> Forall (holds_flat value v) ls')).
  Proof.
    induction ls as [| [k a ss] ls IH]; intros h st done fl st'; cbn [Sharing.share_layers].
    - intros [= <- <-]. exists []. unfold rev'. rewrite <- rev_alt, app_nil_r. intuition.
    - intros H. apply andthen_ok in H. destruct H as ([us h1] & st1 & H1 & H).
      cbn [fst snd Networks.kind Networks.start_at Networks.neurons] in *.
      apply share_neurons_sound in H1. destruct H1 as (ss' & -> & El & Hs).
      apply IH in H. destruct H as (ls' & -> & Hshape & Hl). exists (Networks.Flat k a ss' :: ls').
      split; [simpl; now rewrite <- app_assoc |]. split; [now constructor |].
      intros Hh. destruct (Hs Hh) as [E Hh1]. rewrite !Forall_cons_iff.
      change (holds_flat value v (Networks.Flat k a ss)) with (all_defined a k ss).
      change (holds_flat value v (Networks.Flat k a ss')) with (all_defined a k ss').
      split; intros [Hss Hls]; (split; [now apply E |]); apply Hl; trivial; apply Hh1; trivial; now apply E.
  Qed.

  (** Sharing says the same of the variables as before. *)
  Theorem share_holds ls st fl st' : Sharing.share K ls st = Ok (fl, st') ->
    Forall2 same_shape ls fl /\ (Forall (holds_flat value v) ls <-> Forall (holds_flat value v) fl).
  Proof.
    intros H. apply share_layers_sound in H. destruct H as (ls' & -> & Hshape & H).
    split; [exact Hshape |]. apply H, nothing_shared_right.
  Qed.
End Shared.
