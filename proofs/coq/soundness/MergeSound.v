(** * MergeSound.v -- the merge of rule [sort] is right

    What this file proves, in plain words.  Nodes whose values are a good
    sequence for X are merged with those of a good sequence for Y into nodes
    whose values are the good sequence for X + Y.  [den] gives the values, in a
    later state, so it is assumed and shown backwards that [holds] is true of
    states.

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List.
From VeriMV Require Export SumsSound Merge.
Import ListNotations.
Open Scope Qc_scope.

Section MergeSound.
  Context {A S : Type} (plus times : A -> A -> S -> result (A * S)).
  Context (den : A -> F) (holds : S -> Prop).
  Hypothesis plus_sound : forall a b s c s', plus a b s = Ok (c, s') ->
    holds s' -> holds s /\ den c = oplus (den a) (den b).
  Hypothesis times_sound : forall a b s c s', times a b s = Ok (c, s') ->
    holds s' -> holds s /\ den c = odot (den a) (den b).

  Lemma halves_of_sound n : forall (xs odd even : list A), (length xs <= n)%nat ->
    halves_of xs odd even = (rev odd ++ odds xs, rev even ++ evens xs).
  Proof.
    induction n as [| n IH]; intros [| x [| y xs]] odd even Hn; simpl in Hn; try lia;
      cbn [halves_of odds evens]; unfold rev'; rewrite <- ?rev_alt, ?app_nil_r; trivial.
    rewrite IH by lia. cbn [rev]. now rewrite <- !app_assoc.
  Qed.

  Lemma compare_pairs_sound xs : forall ys done s zs s',
    compare_pairs plus times xs ys done s = Ok (zs, s') -> holds s' ->
    holds s /\ map den zs = map den (rev done) ++ pairs oplus odot (map den xs) (map den ys).
  Proof.
    induction xs as [| x xs IH]; intros ys done s zs s' H Hs.
    { cbn [compare_pairs] in H. injection H as <- <-. split; [exact Hs |].
      now rewrite rev_append_rev, map_app. }
    destruct ys as [| y ys]; cbn [compare_pairs] in H.
    { injection H as <- <-. split; [exact Hs |]. now rewrite rev_append_rev, map_app. }
    apply bind_ok in H. destruct H as ([a s1] & Ha & H).
    apply bind_ok in H. destruct H as ([b s2] & Hb & H).
    destruct (IH _ _ _ _ _ H Hs) as [H2 E].
    destruct (times_sound _ _ _ _ _ Hb H2) as [H1 Eb].
    destruct (plus_sound _ _ _ _ _ Ha H1) as [H0 Ea].
    split; [exact H0 |]. rewrite E. cbn [rev map pairs]. rewrite !map_app, <- !app_assoc.
    cbn [map app]. now rewrite Ea, Eb.
  Qed.

  Lemma merge_in_sound depth : forall xs ys s zs s',
    merge_in plus times depth xs ys s = Ok (zs, s') -> holds s' ->
    holds s /\ map den zs = merge_within oplus odot (length depth) (map den xs) (map den ys).
  Proof.
    induction depth as [| d depth IH]; intros xs ys s zs s' H Hs.
    { injection H as <- <-. now split. }
    cbn [length].
    destruct xs as [| x xs]; [injection H as <- <-; now split |].
    destruct ys as [| y ys]; [destruct xs; injection H as <- <-; now split |].
    destruct (Nat.eq_dec (length xs + length ys) 0) as [H2 | H2].
    { destruct xs, ys; try discriminate. cbn [merge_in] in H.
      apply compare_pairs_sound in H; trivial. }
    rewrite merge_step by (rewrite ?map_length; simpl; lia).
    remember (x :: xs) as xs1 eqn:E1. remember (y :: ys) as ys1 eqn:E2.
    assert (H' : (let (odd1, even1) := halves_of xs1 [] [] in
        let (odd2, even2) := halves_of ys1 [] [] in
        let* p := merge_in plus times depth odd1 odd2 s in
        let (odd, s) := p in
        let* p := merge_in plus times depth even1 even2 s in
        let (even, s) := p in
        match odd with
        | [] => Ok (even, s)
        | first :: odd => compare_pairs plus times even odd [first] s
        end) = Ok (zs, s')).
    { subst. destruct xs, ys; simpl in H2; try lia; exact H. }
    clear H E1 E2 H2. rewrite !(halves_of_sound _ _ _ _ (le_n _)) in H'. cbn [rev app] in H'.
    apply bind_ok in H'. destruct H' as ([odd s1] & Ho & H').
    apply bind_ok in H'. destruct H' as ([even s2] & He & H').
    rewrite <- !(proj1 (map_halves _ _ den _)), <- !(proj2 (map_halves _ _ den _)).
    destruct odd as [| first odd].
    - injection H' as <- <-.
      destruct (IH _ _ _ _ _ He Hs) as [H1 Ee]. destruct (IH _ _ _ _ _ Ho H1) as [H0 Eo].
      rewrite <- Eo, <- Ee. now split.
    - apply compare_pairs_sound in H'; trivial. destruct H' as [H2 E].
      destruct (IH _ _ _ _ _ He H2) as [H1 Ee]. destruct (IH _ _ _ _ _ Ho H1) as [H0 Eo].
      rewrite <- Eo, <- Ee. now split.
  Qed.

  Theorem merge_sound xs ys s zs s' X Y :
    merge plus times xs ys s = Ok (zs, s') -> holds s' ->
    map den xs = good X (length xs) -> 0 <= X <= of_nat (length xs) ->
    map den ys = good Y (length ys) -> 0 <= Y <= of_nat (length ys) ->
    holds s /\ map den zs = good (X + Y) (length xs + length ys).
  Proof.
    intros H Hs Ex HX Ey HY. apply merge_in_sound in H; trivial. destruct H as [H0 E].
    split; [exact H0 |]. rewrite E, Ex, Ey. apply merge_good; trivial.
    rewrite rev_append_rev, app_length, rev_length. lia.
  Qed.
End MergeSound.
