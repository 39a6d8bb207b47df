(** * ReadSound.v -- networks are read right

    What this file proves, in plain words.  A network that was read is a list of
    layers of variables (Networks.v).  At every point of the unit cube there are
    values of all variables that obey the definitions ([network_values]), and
    wherever they do, the variables of the last layer have the values of the
    network's outputs ([network_outputs]).  The same is true of two networks
    and the layer of their differences ([difference_values],
    [difference_outputs]).  The table of definitions that the checker keeps says
    the same as the layers ([definitions_hold], [definitions_found]).

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List NArith.
From VeriMV Require Export SumsSound.
From VeriMV Require Networks Checker.
Import ListNotations.
Open Scope Qc_scope.

(** The i-th key from k on. *)
Fixpoint key_at (k : positive) (i : nat) : positive :=
  match i with
  | O => k
  | S i => key_at (Pos.succ k) i
  end.

(** The variables of a layer have the values that their definitions say. *)
Definition holds_flat {t} (value : t -> F) (v : positive -> F) (l : Networks.flat t) : Prop :=
  forall i s, nth_error (Networks.neurons l) i = Some s ->
  v (key_at (Networks.start_at l) i) = activate (Networks.kind l) (value_of_sum value v s).

(** A table has the definitions of a layer, or others with the same values. *)
Definition defined_in {t} (value : t -> F) (v : positive -> F) (def : trie (variable t)) (l : Networks.flat t) : Prop :=
  forall i s, nth_error (Networks.neurons l) i = Some s ->
  exists s', find (key_at (Networks.start_at l) i) def = Some (Neuron (Networks.kind l) s')
    /\ value_of_sum value v s' = value_of_sum value v s.

Definition variable_holds {t} (value : t -> F) (v : positive -> F) (k : positive) (x : variable t) : Prop :=
  match x with
  | Free => 0 <= v k <= 1
  | Neuron a s => v k = activate a (value_of_sum value v s)
  end.

Lemma Forall2_length {A B} {R : A -> B -> Prop} {l1 l2} : Forall2 R l1 l2 -> length l1 = length l2.
Proof. induction 1; simpl; congruence. Qed.

(** ** Keys *)

Lemma key_at_to_nat i : forall k, Pos.to_nat (key_at k i) = (Pos.to_nat k + i)%nat.
Proof. induction i as [| i IH]; intros k; cbn [key_at]; [lia |]. rewrite IH. lia. Qed.

Lemma key_at_add i : forall k j, key_at (key_at k i) j = key_at k (i + j).
Proof. induction i as [| i IH]; intros k j; cbn [key_at plus]; auto. Qed.

Lemma after_key_at {A} (l : list A) : forall k, Networks.after k l = key_at k (length l).
Proof. induction l as [| a l IH]; intros k; simpl; auto. Qed.

Lemma numbered_found {A} (l : list A) : forall k m p a,
  find p (snd (fold_left (fun km a => (Pos.succ (fst km), set (fst km) a (snd km))) l (k, m))) = Some a ->
  (exists i, p = key_at k i /\ nth_error l i = Some a) \/ find p m = Some a.
Proof.
  induction l as [| b l IH]; intros k m p a; cbn [fold_left fst snd]; [auto |].
  intros H. apply IH in H. destruct H as [(i & -> & Hi) | H].
  - left. now exists (S i).
  - apply find_set_cases in H. destruct H as [[-> ->] | [_ H]]; [left; now exists O | now right].
Qed.

Lemma numbered_entry {A} (l : list A) j a :
  find (N.succ_pos j) (Networks.numbered l) = Some a -> nth_error l (N.to_nat j) = Some a.
Proof.
  intros H. apply numbered_found in H. destruct H as [(i & E & Hi) | H]; [| discriminate].
  apply (f_equal Pos.to_nat) in E. rewrite key_at_to_nat in E.
  replace (N.to_nat j) with i; [exact Hi |].
  assert (Pos.to_nat (N.succ_pos j) = S (N.to_nat j)) by (destruct j; simpl; lia). lia.
Qed.

Section Read.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.

  (** ** What reading gives *)

  Inductive reads : positive -> list (sum t) -> list layer ->
      list (Networks.flat t) -> positive -> list (sum t) -> Prop :=
    | reads_none k below : reads k below [] [] k below
    | reads_layer k below l rest sums fl stop outs :
        Forall2 (fun r s => Networks.read_row K (Networks.numbered below) r = Ok s) (rows l) sums ->
        reads (Networks.after k sums) (Networks.variables_from K k sums) rest fl stop outs ->
        reads k below (l :: rest) (Networks.Flat k (act l) sums :: fl) stop outs.

  Lemma read_layers_reads ls : forall k below done fl stop outs,
    Networks.read_layers K k below ls done = Ok (fl, stop, outs) ->
    exists new, fl = rev done ++ new /\ reads k below ls new stop outs.
  Proof.
    induction ls as [| l ls IH]; intros k below done fl stop outs; cbn [Networks.read_layers].
    - intros [= <- <- <-]. exists []. unfold rev'. rewrite <- rev_alt, app_nil_r. split; [easy | constructor].
    - intros H. apply bind_ok in H. destruct H as (sums & Hs & H). apply collect_all in Hs.
      apply IH in H. destruct H as (new & -> & Hnew).
      exists (Networks.Flat k (act l) sums :: new). split.
      + simpl. now rewrite <- app_assoc.
      + now constructor.
  Qed.

  Lemma reads_all k below ls fl stop outs :
    Networks.read_layers K k below ls [] = Ok (fl, stop, outs) -> reads k below ls fl stop outs.
  Proof. intros H. apply read_layers_reads in H. destruct H as (new & -> & H). exact H. Qed.

  (** Layers follow each other without gaps. *)
  Fixpoint consecutive (k : positive) (fl : list (Networks.flat t)) (stop : positive) : Prop :=
    match fl with
    | [] => k = stop
    | l :: rest => Networks.start_at l = k /\ consecutive (Networks.after k (Networks.neurons l)) rest stop
    end.

  Lemma reads_consecutive k below ls fl stop outs : reads k below ls fl stop outs -> consecutive k fl stop.
  Proof. induction 1; cbn [consecutive]; auto. Qed.

  Lemma consecutive_app fl1 : forall k stop fl2 stop2,
    consecutive k fl1 stop -> consecutive stop fl2 stop2 -> consecutive k (fl1 ++ fl2) stop2.
  Proof.
    induction fl1 as [| l fl1 IH]; intros k stop fl2 stop2; cbn [consecutive app].
    - now intros ->.
    - intros [E H] H2. split; [exact E | now apply (IH _ stop)].
  Qed.

  Lemma reads_last k below ls fl stop outs : reads k below ls fl stop outs -> ls <> [] ->
    exists before l, fl = before ++ [l] /\ outs = Networks.variables_from K (Networks.start_at l) (Networks.neurons l).
  Proof.
    induction 1 as [| k below l rest sums fl stop outs Hs H IH]; [easy |]. intros _.
    destruct rest as [| l' rest].
    - inversion H; subst. exists [], (Networks.Flat k (act l) sums). now split.
    - destruct IH as (before & last & -> & ->); [discriminate |].
      now exists (Networks.Flat k (act l) sums :: before), last.
  Qed.

  (** ** Values *)

  Section Point.
    Variable v : positive -> F.
    Notation on_sum := (value_of_sum value v).

    (** Sums have given values. *)
    Definition agree (ss : list (sum t)) (xs : list F) : Prop := Forall2 (fun s x => on_sum s = x) ss xs.

    Lemma agree_map ss xs : agree ss xs -> map on_sum ss = xs.
    Proof. induction 1; simpl; congruence. Qed.

    Lemma agree_nth ss xs : agree ss xs -> forall i s, nth_error ss i = Some s -> on_sum s = nth i xs 0.
    Proof.
      induction 1 as [| s x ss xs E H IH]; intros [| i] s'; simpl; try discriminate.
      - now intros [= <-].
      - apply IH.
    Qed.

    Lemma on_variable k : on_sum (Sum_ [(k, one K)] (zero K)) = v k.
    Proof.
      unfold value_of_sum. cbn [terms constant value_of_terms].
      rewrite (value_one sound), (value_zero sound). lra.
    Qed.

    Lemma read_row_sound below xs r s : agree below xs ->
      Networks.read_row K (Networks.numbered below) r = Ok s -> on_sum s = argument_of_row meaning xs r.
    Proof.
      intros Hb H. unfold Networks.read_row in H.
      apply bind_ok in H. destruct H as (b & Hbias & H).
      apply bind_ok in H. destruct H as (pairs & Hp & H). apply collect_all in Hp.
      apply (add_sums_sound sound v) in H. rewrite H. unfold argument_of_row.
      rewrite (value_read _ _ _ sound _ _ Hbias). clear H Hbias.
      induction Hp as [| [j w] [u c] ws pairs Hw _ IH]; simpl; [lra |].
      unfold Networks.read_weight in Hw. cbn [fst snd] in Hw.
      apply bind_ok in Hw. destruct Hw as (c' & Hc & Hw).
      destruct (find (N.succ_pos j) (Networks.numbered below)) as [u' |] eqn:E; [| discriminate].
      injection Hw as <- <-. apply numbered_entry in E.
      rewrite (value_read _ _ _ sound _ _ Hc), <- (agree_nth _ _ Hb _ _ E). simpl in IH. lra.
    Qed.

    Lemma rows_agree below xs rs sums : agree below xs ->
      Forall2 (fun r s => Networks.read_row K (Networks.numbered below) r = Ok s) rs sums ->
      agree sums (map (argument_of_row meaning xs) rs).
    Proof.
      intros Hb. induction 1 as [| r s rs sums Hr _ IH]; simpl; constructor; trivial.
      now apply (read_row_sound below).
    Qed.

    Lemma variables_agree (sums : list (sum t)) : forall k xs, length xs = length sums ->
      (forall i, (i < length xs)%nat -> v (key_at k i) = nth i xs 0) ->
      agree (Networks.variables_from K k sums) xs.
    Proof.
      induction sums as [| s sums IH]; intros k [| x xs]; simpl; try discriminate; intros Hl Hv; constructor.
      - rewrite on_variable. apply (Hv O). lia.
      - apply IH; [lia |]. intros i Hi. apply (Hv (S i)). lia.
    Qed.

    Lemma layer_entry xs l sums i s : agree sums (map (argument_of_row meaning xs) (rows l)) ->
      nth_error sums i = Some s -> nth i (values_of_layer meaning xs l) 0 = activate (act l) (on_sum s).
    Proof.
      intros Hr E. rewrite (agree_nth _ _ Hr i s E). unfold values_of_layer.
      rewrite <- (map_map (argument_of_row meaning xs) (activate (act l))).
      rewrite (nth_indep _ 0 (activate (act l) 0)); [apply map_nth |].
      rewrite map_length, <- (Forall2_length Hr). apply nth_error_Some. congruence.
    Qed.

    (** Wherever the definitions of a layer hold, its variables are its values. *)
    Lemma layer_agrees k below xs l sums : agree below xs ->
      Forall2 (fun r s => Networks.read_row K (Networks.numbered below) r = Ok s) (rows l) sums ->
      holds_flat value v (Networks.Flat k (act l) sums) ->
      agree (Networks.variables_from K k sums) (values_of_layer meaning xs l).
    Proof.
      intros Hb Hr Hf. apply (rows_agree below xs) in Hr; trivial.
      assert (Hlen : length (values_of_layer meaning xs l) = length sums).
      { unfold values_of_layer. apply Forall2_length in Hr. rewrite map_length in *. lia. }
      apply variables_agree; trivial. intros i Hi. rewrite Hlen in Hi.
      destruct (nth_error sums i) as [s |] eqn:E; [| apply nth_error_None in E; lia].
      rewrite (layer_entry xs l sums i s Hr E). exact (Hf i s E).
    Qed.

    Lemma reads_agree k below ls fl stop outs : reads k below ls fl stop outs ->
      forall xs, agree below xs -> Forall (holds_flat value v) fl -> agree outs (forward meaning ls xs).
    Proof.
      induction 1 as [| k below l rest sums fl stop outs Hs H IH]; intros xs Hb Hf; [exact Hb |].
      inversion_clear Hf as [| ? ? Hl Hrest]. unfold forward. cbn [fold_left].
      apply IH; trivial. now apply (layer_agrees k below).
    Qed.

    (** *** Inputs *)

    Lemma read_interval_sound e lh : Networks.read_interval K e = Ok lh ->
      meaning (fst e) = value (fst lh) /\ meaning (snd e) = value (snd lh).
    Proof.
      unfold Networks.read_interval. intros H.
      apply bind_ok in H. destruct H as (l & Hl & H). apply bind_ok in H. destruct H as (h & Hh & H).
      apply bind_ok in H. destruct H as (o & _ & H). apply bind_ok in H. destruct H as (u & _ & H).
      injection H as <-. now rewrite (value_read _ _ _ sound _ _ Hl), (value_read _ _ _ sound _ _ Hh).
    Qed.

    Definition inputs_at (k : positive) (us : list F) : Prop :=
      forall j, (j < length us)%nat -> v (key_at k j) = nth j us 0.

    Lemma input_sums_agree bx b : Forall2 (fun e lh => Networks.read_interval K e = Ok lh) bx b ->
      forall k us below, Networks.input_sums K k b = Ok below -> length us = length bx -> inputs_at k us ->
      agree below (point_of_box meaning bx us).
    Proof.
      induction 1 as [| e [l h] bx b He _ IH]; intros k us below; cbn [Networks.input_sums].
      { intros [= <-] _ _. constructor. }
      destruct us as [| u us]; [discriminate |]. intros H Hl Hu. simpl in Hl.
      apply bind_ok in H. destruct H as (s & Hs & H). apply bind_ok in H. destruct H as (others & Ho & H).
      injection H as <-. apply (add_sums_sound sound v) in Hs.
      apply read_interval_sound in He. destruct He as [El Eh]. cbn [fst snd] in El, Eh.
      unfold point_of_box. cbn [combine map fst snd]. constructor.
      - rewrite Hs. simpl. rewrite on_variable, (value_sub sound), El, Eh.
        pose proof (Hu O) as H0. cbn in H0. rewrite H0 by (simpl; lia). lra.
      - apply (IH (Pos.succ k)); trivial; [lia |]. intros j Hj. apply (Hu (S j)). simpl. lia.
    Qed.
  End Point.

  Lemma input_sums_length b : forall k below, Networks.input_sums K k b = Ok below -> length below = length b.
  Proof.
    induction b as [| [l h] b IH]; intros k below; cbn [Networks.input_sums].
    - now intros [= <-].
    - intros H. apply bind_ok in H. destruct H as (s & _ & H). apply bind_ok in H. destruct H as (others & Ho & H).
      injection H as <-. simpl. f_equal. now apply (IH (Pos.succ k)).
  Qed.

  (** ** Values that obey the definitions *)

  (** The values of all neurons, layer by layer. *)
  Fixpoint flat_values (ls : list layer) (xs : list F) : list F :=
    match ls with
    | [] => []
    | l :: rest => let ys := values_of_layer meaning xs l in ys ++ flat_values rest ys
    end.

  Lemma reads_stop k below ls fl stop outs : reads k below ls fl stop outs ->
    forall xs, stop = key_at k (length (flat_values ls xs)).
  Proof.
    induction 1 as [| k below l rest sums fl stop outs Hs H IH]; intros xs; [reflexivity |].
    cbn [flat_values]. rewrite app_length, <- key_at_add. rewrite (IH (values_of_layer meaning xs l)).
    f_equal. rewrite after_key_at. f_equal. unfold values_of_layer. rewrite map_length.
    symmetry. now apply Forall2_length in Hs.
  Qed.

  Lemma reads_hold v k below ls fl stop outs : reads k below ls fl stop outs ->
    forall xs, agree v below xs -> inputs_at v k (flat_values ls xs) -> Forall (holds_flat value v) fl.
  Proof.
    induction 1 as [| k below l rest sums fl stop outs Hs H IH]; intros xs Hb Hv; [constructor |].
    cbn [flat_values] in Hv. set (ys := values_of_layer meaning xs l) in *.
    assert (Hr := rows_agree v below xs _ _ Hb Hs).
    assert (Hlen : length ys = length sums).
    { unfold ys, values_of_layer. apply Forall2_length in Hs. rewrite map_length. lia. }
    assert (Hys : inputs_at v k ys).
    { intros i Hi. rewrite (Hv i) by (rewrite app_length; lia). now apply app_nth1. }
    assert (Hl : holds_flat value v (Networks.Flat k (act l) sums)).
    { intros i s E. cbn [Networks.start_at Networks.kind Networks.neurons] in *.
      assert (Hi : (i < length sums)%nat) by (apply nth_error_Some; congruence).
      rewrite (Hys i) by lia. now apply (layer_entry v xs l sums). }
    constructor; [exact Hl |]. apply (IH ys).
    - now apply (layer_agrees v k below).
    - rewrite after_key_at, <- Hlen. intros i Hi. rewrite key_at_add.
      rewrite (Hv (length ys + i)%nat) by (rewrite app_length; lia). now rewrite app_nth2_plus.
  Qed.

  (** The point whose values from key 1 on are given. *)
  Definition listed_values (all : list F) (k : positive) : F := nth (pred (Pos.to_nat k)) all 0.

  Lemma listed_values_at before xs more :
    inputs_at (listed_values (before ++ xs ++ more)) (key_at 1 (length before)) xs.
  Proof.
    intros j Hj. unfold listed_values. rewrite key_at_add, key_at_to_nat.
    replace (pred (Pos.to_nat 1 + (length before + j))) with (length before + j)%nat by lia.
    rewrite app_nth2_plus. now apply app_nth1.
  Qed.

  Variable us : list F.

  Theorem network_values n fl stop outs : Networks.read_network K n = Ok (fl, stop, outs) ->
    length us = length (box n) ->
    exists v, inputs_at v 1 us /\ Forall (holds_flat value v) fl.
  Proof.
    intros H Hus. unfold Networks.read_network in H.
    apply bind_ok in H. destruct H as (b & Hb & H). apply collect_all in Hb.
    apply bind_ok in H. destruct H as (below & Hbelow & H). apply reads_all in H.
    set (xs := point_of_box meaning (box n) us).
    set (v := listed_values (us ++ flat_values (layers n) xs ++ [])).
    assert (Hin : inputs_at v 1 us) by exact (listed_values_at [] us _).
    exists v. split; [exact Hin |].
    apply (reads_hold v _ _ _ _ _ _ H xs).
    - now apply (input_sums_agree v (box n) b Hb 1).
    - rewrite after_key_at, (input_sums_length _ _ _ Hbelow).
      rewrite <- (Forall2_length Hb), <- Hus. apply listed_values_at.
  Qed.

  Lemma output_variables_values v (l : list (sum t)) : forall k,
    map v (Checker.output_variables k l) = map (value_of_sum value v) (Networks.variables_from K k l).
  Proof.
    induction l as [| s l IH]; intros k; simpl; trivial. now rewrite on_variable, IH.
  Qed.

  Lemma last_layer_app fl (l : Networks.flat t) :
    Checker.last_layer (fl ++ [l]) = Checker.output_variables (Networks.start_at l) (Networks.neurons l).
  Proof. unfold Checker.last_layer, rev'. now rewrite <- rev_alt, rev_app_distr. Qed.

  Theorem network_outputs v n fl stop outs : Networks.read_network K n = Ok (fl, stop, outs) ->
    length us = length (box n) -> layers n <> [] ->
    inputs_at v 1 us -> Forall (holds_flat value v) fl ->
    map v (Checker.last_layer fl) = outputs_of_network meaning n us.
  Proof.
    intros H Hus Hn Hin Hf. unfold Networks.read_network in H.
    apply bind_ok in H. destruct H as (b & Hb & H). apply collect_all in Hb.
    apply bind_ok in H. destruct H as (below & Hbelow & H). apply reads_all in H.
    assert (Ha : agree v below (point_of_box meaning (box n) us)) by now apply (input_sums_agree v (box n) b Hb 1).
    pose proof (reads_agree v _ _ _ _ _ _ H _ Ha Hf) as Ho. apply agree_map in Ho.
    destruct (reads_last _ _ _ _ _ _ H Hn) as (before & l & -> & ->).
    now rewrite last_layer_app, output_variables_values.
  Qed.

  Lemma network_consecutive n fl stop outs : Networks.read_network K n = Ok (fl, stop, outs) ->
    consecutive (key_at 1 (length (box n))) fl stop.
  Proof.
    intros H. unfold Networks.read_network in H.
    apply bind_ok in H. destruct H as (b & Hb & H). apply collect_all in Hb.
    apply bind_ok in H. destruct H as (below & Hbelow & H). apply reads_all in H.
    rewrite (Forall2_length Hb), <- (input_sums_length _ _ _ Hbelow), <- after_key_at.
    now apply (reads_consecutive _ below (layers n) _ _ outs).
  Qed.

  (** ** Two networks *)

  Lemma differences_agree v xs : forall ys ds ps qs, Networks.differences K xs ys = Ok ds ->
    agree v xs ps -> agree v ys qs ->
    agree v ds (map (fun pq => fst pq - snd pq) (combine ps qs)) /\ length ps = length qs.
  Proof.
    induction xs as [| x xs IH]; intros [| y ys] ds ps qs; cbn [Networks.differences]; try discriminate.
    - intros [= <-] Hp Hq. inversion Hp. inversion Hq. split; [constructor | reflexivity].
    - intros H Hp Hq. apply bind_ok in H. destruct H as (d & Hd & H). apply bind_ok in H. destruct H as (ds' & Hds & H).
      injection H as <-. inversion Hp as [| ? p ? ps' Ep Hp']. inversion Hq as [| ? q ? qs' Eq Hq']. subst.
      destruct (IH _ _ _ _ Hds Hp' Hq') as [Ha Hl]. simpl. split; [| lia].
      constructor; [| exact Ha]. apply (add_sums_sound sound v) in Hd. rewrite Hd. simpl.
      rewrite (value_one sound), (value_int sound), (value_zero sound). lra.
  Qed.

  Lemma same_all_eq {A} (same : A -> A -> bool) : (forall a b, same a b = true -> a = b) ->
    forall l1 l2, Networks.same_all same l1 l2 = true -> l1 = l2.
  Proof.
    intros Hs. induction l1 as [| a l1 IH]; intros [| b l2]; simpl; try discriminate; trivial.
    destruct (same a b) eqn:E; [| discriminate]. intros H. apply Hs in E. apply IH in H. congruence.
  Qed.

  Lemma same_interval_eq x y : Networks.same_interval K x y = true -> x = y.
  Proof.
    destruct x as [a b], y as [c d]. unfold Networks.same_interval. cbn [fst snd].
    destruct (eqb K a c) eqn:E; [| discriminate]. intros H.
    apply (value_eqb _ _ _ sound) in E, H. congruence.
  Qed.

  (** What reading two networks gives. *)
  Lemma read_difference_ok n other fl stop : Networks.read_difference K n other = Ok (fl, stop) ->
    exists b below ls k outs ls' k' outs' ds,
      Forall2 (fun e lh => Networks.read_interval K e = Ok lh) (box n) b /\
      Forall2 (fun e lh => Networks.read_interval K e = Ok lh) (box other) b /\
      Networks.input_sums K 1 b = Ok below /\
      reads (Networks.after 1 below) below (layers n) ls k outs /\
      reads k below (layers other) ls' k' outs' /\
      Networks.differences K outs outs' = Ok ds /\
      fl = ls ++ ls' ++ [Networks.Flat k' Identity ds] /\ stop = Networks.after k' ds.
  Proof.
    unfold Networks.read_difference. intros H.
    apply bind_ok in H. destruct H as (b & Hb & H). apply collect_all in Hb.
    apply bind_ok in H. destruct H as (below & Hbelow & H).
    apply bind_ok in H. destruct H as ([[ls k] outs] & Hls & H). apply reads_all in Hls.
    apply bind_ok in H. destruct H as (b' & Hb' & H). apply collect_all in Hb'.
    apply bind_ok in H. destruct H as ([[ls' k'] outs'] & Hls' & H). apply reads_all in Hls'.
    apply bind_ok in H. destruct H as (u & Hsame & H). apply need_ok in Hsame.
    apply bind_ok in H. destruct H as (ds & Hds & H). injection H as <- <-.
    apply (same_all_eq _ same_interval_eq) in Hsame. subst b'.
    exists b, below, ls, k, outs, ls', k', outs', ds. repeat split; trivial.
  Qed.

  Theorem difference_values n other fl stop : Networks.read_difference K n other = Ok (fl, stop) ->
    length us = length (box n) -> length us = length (box other) ->
    exists v, inputs_at v 1 us /\ Forall (holds_flat value v) fl.
  Proof.
    intros H Hn Ho. destruct (read_difference_ok _ _ _ _ H)
      as (b & below & ls & k & outs & ls' & k' & outs' & ds & Hb & Hb' & Hbelow & Hls & Hls' & Hds & -> & _).
    set (xs := point_of_box meaning (box n) us). set (xs' := point_of_box meaning (box other) us).
    set (all := flat_values (layers n) xs). set (all' := flat_values (layers other) xs').
    set (ys := map (fun pq => fst pq - snd pq)
                 (combine (forward meaning (layers n) xs) (forward meaning (layers other) xs'))).
    set (v := listed_values (us ++ all ++ all' ++ ys ++ [])).
    assert (Hin : inputs_at v 1 us) by exact (listed_values_at [] us _).
    assert (Hlen : length below = length us).
    { rewrite (input_sums_length _ _ _ Hbelow), <- (Forall2_length Hb). lia. }
    assert (Ha : agree v below xs) by now apply (input_sums_agree v (box n) b Hb 1).
    assert (Ha' : agree v below xs') by now apply (input_sums_agree v (box other) b Hb' 1).
    assert (Ek : k = key_at 1 (length (us ++ all))).
    { rewrite (reads_stop _ _ _ _ _ _ Hls xs), after_key_at, Hlen, key_at_add, app_length. reflexivity. }
    assert (Ek' : k' = key_at 1 (length (us ++ all ++ all'))).
    { rewrite (reads_stop _ _ _ _ _ _ Hls' xs'), Ek, key_at_add. f_equal. rewrite !app_length. unfold all'. lia. }
    assert (Hf : Forall (holds_flat value v) ls).
    { apply (reads_hold v _ _ _ _ _ _ Hls xs Ha). rewrite after_key_at, Hlen. apply listed_values_at. }
    assert (Hf' : Forall (holds_flat value v) ls').
    { apply (reads_hold v _ _ _ _ _ _ Hls' xs' Ha'). rewrite Ek.
      pose proof (listed_values_at (us ++ all) all' (ys ++ [])) as Hat. rewrite <- app_assoc in Hat. exact Hat. }
    exists v. split; [exact Hin |].
    apply Forall_app. split; [exact Hf |]. apply Forall_app. split; [exact Hf' |]. constructor; [| constructor].
    destruct (differences_agree v _ _ _ _ _ Hds (reads_agree v _ _ _ _ _ _ Hls xs Ha Hf)
                (reads_agree v _ _ _ _ _ _ Hls' xs' Ha' Hf')) as [Hd _].
    intros i s E. cbn [Networks.start_at Networks.kind Networks.neurons activate] in *.
    rewrite (agree_nth v _ _ Hd i s E). rewrite Ek'.
    pose proof (listed_values_at (us ++ all ++ all') ys []) as Hat. rewrite <- !app_assoc in Hat. apply Hat.
    unfold ys. rewrite <- (Forall2_length Hd). apply nth_error_Some. congruence.
  Qed.

  Theorem difference_outputs v n other fl stop : Networks.read_difference K n other = Ok (fl, stop) ->
    length us = length (box n) -> length us = length (box other) ->
    inputs_at v 1 us -> Forall (holds_flat value v) fl ->
    map v (Checker.last_layer fl)
    = map (fun pq => fst pq - snd pq) (combine (outputs_of_network meaning n us) (outputs_of_network meaning other us))
    /\ length (outputs_of_network meaning n us) = length (outputs_of_network meaning other us).
  Proof.
    intros H Hn Ho Hin Hf. destruct (read_difference_ok _ _ _ _ H)
      as (b & below & ls & k & outs & ls' & k' & outs' & ds & Hb & Hb' & Hbelow & Hls & Hls' & Hds & -> & _).
    apply Forall_app in Hf. destruct Hf as [Hf Hf2]. apply Forall_app in Hf2. destruct Hf2 as [Hf' Hfd].
    inversion_clear Hfd as [| ? ? Hlast _].
    assert (Ha := input_sums_agree v (box n) b Hb 1 us below Hbelow Hn Hin).
    assert (Ha' := input_sums_agree v (box other) b Hb' 1 us below Hbelow Ho Hin).
    destruct (differences_agree v _ _ _ _ _ Hds (reads_agree v _ _ _ _ _ _ Hls _ Ha Hf)
                (reads_agree v _ _ _ _ _ _ Hls' _ Ha' Hf')) as [Hd Hl].
    split; [| exact Hl]. unfold outputs_of_network.
    rewrite app_assoc, last_layer_app, output_variables_values. cbn [Networks.start_at Networks.neurons].
    apply agree_map, variables_agree.
    - now rewrite <- (Forall2_length Hd).
    - intros i Hi. rewrite <- (Forall2_length Hd) in Hi.
      destruct (nth_error ds i) as [s |] eqn:E; [| apply nth_error_None in E; lia].
      rewrite <- (agree_nth v _ _ Hd i s E). exact (Hlast i s E).
  Qed.

  Lemma difference_consecutive n other fl stop : Networks.read_difference K n other = Ok (fl, stop) ->
    consecutive (key_at 1 (length (box n))) fl stop.
  Proof.
    intros H. destruct (read_difference_ok _ _ _ _ H)
      as (b & below & ls & k & outs & ls' & k' & outs' & ds & Hb & _ & Hbelow & Hls & Hls' & _ & -> & ->).
    rewrite (Forall2_length Hb), <- (input_sums_length _ _ _ Hbelow), <- after_key_at.
    apply (consecutive_app _ _ k); [now apply (reads_consecutive _ below (layers n) _ _ outs) |].
    apply (consecutive_app _ _ k'); [now apply (reads_consecutive _ below (layers other) _ _ outs') |].
    now split.
  Qed.

  (** ** The table of definitions *)

  Notation table_of fl := (fold_left (Networks.define_layer K) fl (Networks.free_inputs (N.of_nat (length us)))).

  Lemma add_variables_found a ss : forall k (m : trie (variable t)) j x,
    find j (Networks.add_variables a k ss m) = Some x ->
    (exists i s, j = key_at k i /\ nth_error ss i = Some s /\ x = Neuron a s) \/ find j m = Some x.
  Proof.
    induction ss as [| s ss IH]; intros k m j x; cbn [Networks.add_variables]; [auto |].
    intros H. apply IH in H. destruct H as [(i & s' & -> & Hi & ->) | H].
    - left. now exists (S i), s'.
    - apply find_set_cases in H. destruct H as [[-> ->] | [_ H]]; [left; now exists O, s | now right].
  Qed.

  Lemma aligned_value v x s : value_of_sum value v (Networks.aligned K x s) = value_of_sum value v s.
  Proof.
    unfold value_of_sum, Networks.aligned. cbn [terms constant]. rewrite (value_align _ _ _ sound). f_equal.
    induction (terms s) as [| [k c] l IH]; [reflexivity |]. cbn [map value_of_terms fst snd].
    now rewrite IH, (value_align _ _ _ sound).
  Qed.

  Lemma aligned_at x ss i s' : nth_error (map (Networks.aligned K x) ss) i = Some s' ->
    exists s, nth_error ss i = Some s /\ s' = Networks.aligned K x s.
  Proof.
    rewrite nth_error_map. destruct (nth_error ss i) as [s |]; [| discriminate]. intros [= <-]. now exists s.
  Qed.

  Lemma free_inputs_found n : forall j (x : variable t), find j (Networks.free_inputs (N.of_nat n)) = Some x ->
    x = Free /\ exists i, (i < n)%nat /\ j = key_at 1 i.
  Proof.
    unfold Networks.free_inputs. rewrite N2Nat.inj_iter, Nat2N.id.
    set (step := fun km : positive * trie (variable t) => _).
    assert (Hk : forall n, fst (Nat.iter n step (1%positive, Empty)) = key_at 1 n).
    { induction n0 as [| m IH]; [reflexivity |]. simpl. rewrite IH.
      apply Pos2Nat.inj. rewrite Pos2Nat.inj_succ, !key_at_to_nat. lia. }
    induction n as [| n IH]; intros j x; [discriminate |]. simpl. intros H.
    apply find_set_cases in H. destruct H as [[-> ->] | [_ H]].
    - split; trivial. exists n. split; [lia | apply Hk].
    - destruct (IH j x H) as (-> & i & Hi & ->). split; trivial. exists i. split; [lia | trivial].
  Qed.

  Theorem definitions_hold v fl : inputs_at v 1 us -> Forall unit us -> Forall (holds_flat value v) fl ->
    forall k x, find k (table_of fl) = Some x -> variable_holds value v k x.
  Proof.
    intros Hin Hunit Hf.
    assert (H0 : forall k x, find k (Networks.free_inputs (N.of_nat (length us))) = Some x ->
      variable_holds value v k x).
    { intros k x H. apply free_inputs_found in H. destruct H as (-> & i & Hi & ->). simpl.
      rewrite (Hin i Hi). rewrite Forall_forall in Hunit. apply Hunit. now apply nth_In. }
    revert H0. generalize (Networks.free_inputs (t := t) (N.of_nat (length us))).
    induction Hf as [| l fl Hl _ IH]; intros m Hm; [exact Hm |]. cbn [fold_left]. apply IH.
    intros k x H. unfold Networks.define_layer in H. apply add_variables_found in H.
    destruct H as [(i & s' & -> & Hi & ->) | H]; [| now apply Hm].
    apply aligned_at in Hi. destruct Hi as (s & Hi & ->). cbn [variable_holds]. rewrite aligned_value. exact (Hl i s Hi).
  Qed.

  Lemma add_variables_below a ss : forall k (m : trie (variable t)) j, (j < k)%positive ->
    find j (Networks.add_variables a k ss m) = find j m.
  Proof.
    induction ss as [| s ss IH]; intros k m j Hj; cbn [Networks.add_variables]; trivial.
    rewrite IH by lia. apply find_set_other. lia.
  Qed.

  Lemma add_variables_at a ss : forall k (m : trie (variable t)) i s, nth_error ss i = Some s ->
    find (key_at k i) (Networks.add_variables a k ss m) = Some (Neuron a s).
  Proof.
    induction ss as [| s' ss IH]; intros k m [| i] s; simpl; try discriminate.
    - intros [= <-]. rewrite add_variables_below by lia. apply find_set.
    - apply IH.
  Qed.

  Lemma define_layers_below fl : forall k stop (m : trie (variable t)) j, consecutive k fl stop -> (j < k)%positive ->
    find j (fold_left (Networks.define_layer K) fl m) = find j m.
  Proof.
    induction fl as [| l fl IH]; intros k stop m j; cbn [consecutive fold_left]; trivial.
    intros [E H] Hj. rewrite after_key_at in H. rewrite (IH _ _ _ _ H).
    - unfold Networks.define_layer. apply add_variables_below. congruence.
    - apply Pos2Nat.inj_lt. rewrite key_at_to_nat. lia.
  Qed.

  Theorem definitions_found v fl : forall k stop, consecutive k fl stop -> Forall (defined_in value v (table_of fl)) fl.
  Proof.
    generalize (Networks.free_inputs (t := t) (N.of_nat (length us))).
    induction fl as [| l fl IH]; intros m k stop H; constructor; cbn [consecutive fold_left] in *.
    - destruct H as [E H]. rewrite after_key_at in H. intros i s Hi.
      exists (Networks.aligned K (Networks.common K (Networks.neurons l)) s). split; [| apply aligned_value].
      rewrite (define_layers_below _ _ _ _ _ H).
      + unfold Networks.define_layer. apply add_variables_at. now rewrite nth_error_map, Hi.
      + apply Pos2Nat.inj_lt. rewrite !key_at_to_nat, E.
        assert (i < length (Networks.neurons l))%nat by (apply nth_error_Some; congruence). lia.
    - destruct H as [_ H]. now apply (IH _ _ _ H).
  Qed.
End Read.
