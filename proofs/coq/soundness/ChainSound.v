(** * ChainSound.v -- the main theorem, for certificates of one part or two

    If [Chain.run] accepts a certificate, what it says (Meaning.v) is true at
    every point of the unit cube.  Each part is accepted by the checker of
    Checker.v, so Sound.v says what it proves; two such statements are put
    together here.

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List.
From VeriMV Require Export Sound.
From VeriMV Require Networks Checker Chain.
Import ListNotations.
Open Scope Qc_scope.

Section ChainSound.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.

  (** ** The parts of a run *)

  (** A line is the line "formula", or one of a part. *)
  Lemma chain_step_ok l c c' : Chain.step K l c = Ok c' ->
    Chain.next_part K l c = Ok c' \/ Chain.same_part K l c = Ok c'.
  Proof. unfold Chain.step. destruct (what l); auto. Qed.

  Lemma same_part_ok l c c' : Chain.same_part K l c = Ok c' ->
    Checker.step K l (Chain.part c) = Ok (Chain.part c')
    /\ Chain.next c' = Chain.next c /\ Chain.errors c' = Chain.errors c.
  Proof.
    unfold Chain.same_part. intros H. apply bind_ok in H. destruct H as (g & Hg & H). now injection H as <-.
  Qed.

  Lemma next_part_ok l c c' : Chain.next_part K l c = Ok c' ->
    exists other f bounds budget, Chain.next c = Some (other, f)
      /\ Checker.finish K (Chain.part c) = Ok bounds
      /\ collect (Chain.error_of K) bounds [] = Ok (Chain.errors c')
      /\ Checker.start K budget (NetworkFormula other f) = Ok (Chain.part c')
      /\ Chain.next c' = None.
  Proof.
    unfold Chain.next_part. intros H. apply bind_ok in H. destruct H as (budget & _ & H).
    destruct (Chain.next c) as [[other f] |] eqn:En; [| discriminate].
    apply bind_ok in H. destruct H as (bounds & Hb & H). apply bind_ok in H. destruct H as (es & He & H).
    apply bind_ok in H. destruct H as (g & Hg & H). injection H as <-.
    now exists other, f, bounds, budget.
  Qed.

  (** Without a next part, the lines are those of the checker. *)
  Lemma last_part ls : forall c c', Chain.steps K ls c = Ok c' -> Chain.next c = None ->
    Checker.steps K ls (Chain.part c) = Ok (Chain.part c')
    /\ Chain.next c' = None /\ Chain.errors c' = Chain.errors c.
  Proof.
    induction ls as [| l ls IH]; intros c c' H Hn; cbn [Chain.steps Checker.steps] in *.
    - now injection H as <-.
    - apply bind_ok in H. destruct H as (c1 & H1 & H). apply chain_step_ok in H1. destruct H1 as [H1 | H1].
      { apply next_part_ok in H1. destruct H1 as (o & f & _ & _ & E & _). congruence. }
      apply same_part_ok in H1. destruct H1 as (Hs & En & Ee). rewrite Hs. cbn [bind].
      destruct (IH c1 c' H ltac:(congruence)) as (H2 & H3 & H4). now rewrite H4, Ee.
  Qed.

  (** With a next part, that part has been reached, or is still to come. *)
  Lemma both_parts ls other f : forall c c', Chain.steps K ls c = Ok c' -> Chain.next c = Some (other, f) ->
    Chain.next c' <> None
    \/ exists lines g bounds budget g' lines',
      Checker.steps K lines (Chain.part c) = Ok g /\ Checker.finish K g = Ok bounds
      /\ collect (Chain.error_of K) bounds [] = Ok (Chain.errors c')
      /\ Checker.start K budget (NetworkFormula other f) = Ok g'
      /\ Checker.steps K lines' g' = Ok (Chain.part c').
  Proof.
    induction ls as [| l ls IH]; intros c c' H Hn; cbn [Chain.steps] in H.
    - left. injection H as <-. congruence.
    - apply bind_ok in H. destruct H as (c1 & H1 & H). apply chain_step_ok in H1. destruct H1 as [H1 | H1].
      + right. apply next_part_ok in H1. destruct H1 as (o & f' & bounds & budget & E & Hf & He & Hs & En).
        assert (o = other /\ f' = f) as [-> ->] by (split; congruence).
        destruct (last_part ls c1 c' H En) as (H2 & _ & Ee). rewrite <- Ee in He.
        exists [], (Chain.part c), bounds, budget, (Chain.part c1), ls. now repeat split.
      + apply same_part_ok in H1. destruct H1 as (Hs & En & _).
        destruct (IH c1 c' H ltac:(congruence)) as [Hleft | (lines & g & rest)]; [now left | right].
        destruct rest as (bounds & budget & g' & lines' & Hg & rest).
        exists (l :: lines), g, bounds, budget, g', lines'. split; [| exact rest].
        cbn [Checker.steps]. rewrite Hs. exact Hg.
  Qed.

  (** A certificate in one part. *)
  Lemma one_part budget subject lines es pairs :
    Chain.run K budget (OnePart subject) lines = Ok (es, pairs) ->
    Checker.run K budget subject lines = Ok pairs.
  Proof.
    unfold Chain.run, Checker.run. cbn [Chain.start]. intros H.
    apply bind_ok in H. destruct H as (c & H0 & H). apply bind_ok in H0. destruct H0 as (g & Hg & H0).
    injection H0 as <-. rewrite Hg. cbn [bind].
    apply bind_ok in H. destruct H as (c' & Hs & H). apply last_part in Hs; [| reflexivity].
    destruct Hs as (Hs & Hn & _). cbn [Chain.part] in Hs. rewrite Hs. cbn [bind].
    unfold Chain.finish in H. rewrite Hn in H. apply bind_ok in H. destruct H as (ps & Hf & H).
    now injection H as _ ->.
  Qed.

  (** A certificate in two parts is two certificates. *)
  Lemma two_parts budget n other f lines es pairs :
    Chain.run K budget (Within n other f) lines = Ok (es, pairs) ->
    exists first bounds budget' second,
      Checker.run K budget (NetworkOther n other) first = Ok bounds
      /\ collect (Chain.error_of K) bounds [] = Ok es
      /\ Checker.run K budget' (NetworkFormula other f) second = Ok pairs.
  Proof.
    unfold Chain.run. cbn [Chain.start]. intros H.
    apply bind_ok in H. destruct H as (c & H0 & H). apply bind_ok in H0. destruct H0 as (g & Hg & H0).
    injection H0 as <-. apply bind_ok in H. destruct H as (c' & Hs & H).
    unfold Chain.finish in H. apply bind_ok in H. destruct H as (ps & Hf & H).
    destruct (Chain.next c') eqn:En; [discriminate |]. injection H as <- ->.
    apply (both_parts lines other f) in Hs; [| reflexivity].
    destruct Hs as [Hs | (first & g1 & bounds & budget' & g2 & second & H1 & H2 & H3 & H4 & H5)]; [congruence |].
    exists first, bounds, budget', second. unfold Checker.run. rewrite Hg, H4. cbn [bind].
    cbn [Chain.part] in H1. rewrite H1, H5. cbn [bind]. now repeat split.
  Qed.

  (** ** The main theorem *)

  Lemma within_errors bounds es ds : collect (Chain.error_of K) bounds [] = Ok es ->
    between value bounds ds -> Forall2 (fun d e => - value e <= d <= value e) ds es.
  Proof.
    intros H Hb. apply collect_all in H. revert es H. unfold between in Hb.
    induction Hb as [| d [low high] ds bounds Hd Hb IH]; intros es H; inversion_clear H; constructor; auto.
    cbn [fst snd] in *. match goal with E : Chain.error_of _ _ = Ok _ |- _ =>
      unfold Chain.error_of in E; apply (larger_ok sound) in E; cbn [fst snd] in E;
      rewrite (value_opp sound) in E; destruct E as (E1 & E2 & _) end.
    split; lra.
  Qed.

  Theorem chain_sound budget about lines es pairs us :
    Chain.run K budget about lines = Ok (es, pairs) ->
    length us = inputs_of_topic about -> Forall unit us ->
    proved value meaning about es pairs us.
  Proof.
    destruct about as [subject | n other f]; cbn [inputs_of_topic proved]; intros H Hl Hu.
    - apply one_part in H. now apply (run_sound sound budget subject lines).
    - apply two_parts in H. destruct H as (first & bounds & budget' & second & H1 & He & H2).
      assert (Ho : length us = length (box other)).
      { unfold Checker.run in H1. cbn [Checker.start] in H1. apply bind_ok in H1. destruct H1 as (g & Hg & _).
        apply bind_ok in Hg. destruct Hg as ([fl stop] & Hd & _).
        destruct (read_difference_ok sound _ _ _ _ Hd) as (b & _ & _ & _ & _ & _ & _ & _ & _ & Hb & Hb' & _).
        rewrite (Forall2_length Hb'), <- (Forall2_length Hb). exact Hl. }
      apply (run_sound sound _ _ _ _ us) in H1; trivial. destruct H1 as [Hb Hlen].
      apply (run_sound sound _ _ _ _ us) in H2; trivial. cbn [statement] in H2.
      exists (outputs_of_network meaning other us). split; [exact H2 |]. split; [exact Hlen |].
      now apply (within_errors bounds).
  Qed.

  (** ** Every point of the box *)

  Corollary every_point_is_computed budget n f lines es pairs xs :
    Chain.run K budget (OnePart (NetworkFormula n f)) lines = Ok (es, pairs) -> in_box meaning (box n) xs ->
    exists us, Forall unit us /\ point_of_box meaning (box n) us = xs
      /\ scaled value pairs (outputs_of_formula meaning f us) (forward meaning (layers n) xs).
  Proof. intros H. apply one_part in H. now apply (every_point_of_the_box sound budget n f lines pairs xs). Qed.

  Corollary every_point_is_within budget n other f lines es pairs xs :
    Chain.run K budget (Within n other f) lines = Ok (es, pairs) -> in_box meaning (box n) xs ->
    exists us, Forall unit us /\ point_of_box meaning (box n) us = xs
      /\ approximated value es pairs (outputs_of_formula meaning f us) (forward meaning (layers n) xs).
  Proof.
    intros H Hx. destruct (box_reached _ _ Hx) as (us & Hl & Hu & E). exists us.
    split; [exact Hu |]. split; [exact E |]. rewrite <- E.
    exact (chain_sound budget (Within n other f) lines es pairs us H Hl Hu).
  Qed.
End ChainSound.
