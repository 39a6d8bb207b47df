(** * StoreSound.v -- nodes, forms and claims mean what they should

    Compiled twice, over the rational and over the real numbers: see Unit.v.

    A point of the unit cube is fixed.  [den] gives every node a value, [parts]
    every number of a linear part its terms; both are those of the end of the
    check, so that they do not change on the way.  A store is

    - [wf]: node numbers from [fresh] on, and part numbers from [next_part] on,
      are unused, and there are values for its nodes;
    - [models]: den and parts fit its nodes and parts; if they fit a later
      store, they fit an earlier one;
    - [honest]: what it says about forms and claims is true. *)

From Coq Require Import List.
From VeriMV Require Export SumsSound Store.
Import ListNotations.
Open Scope Qc_scope.

Section StoreSound.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.
  Variable us : list F.

  (** The key of the node of input j. *)
  Definition input_key (j : nat) : positive := Pos.of_succ_nat (2 + j).

  (** ** Values of nodes *)

  Record based (d : positive -> F) : Prop := {
    based_zero : d zero_node = 0;
    based_one : d one_node = 1;
    based_input : forall j, (j < length us)%nat -> d (input_key j) = nth j us 0;
    based_unit : forall n, unit (d n) }.

  Definition value_of_operation (d : positive -> F) (o : operation t) : F :=
    match o with
    | ONot a => neg (d a)
    | OScale _ c a => value c * d a
    | OPlus a b => oplus (d a) (d b)
    | OTimes a b => odot (d a) (d b)
    end.

  Definition fits_unit (d : positive -> F) (nu : positive * sum t) : Prop :=
    d (fst nu) = sigma (value_of_sum value d (snd nu)).

  Definition models_nodes (d : positive -> F) (ns : nodes t) : Prop :=
    each (fun o n => d n = value_of_operation d o) (interned ns) /\ Forall (fits_unit d) (units ns).

  Definition proper (o : operation t) : Prop :=
    match o with OScale _ c _ => 0 <= value c <= 1 | _ => True end.

  Definition below (n : positive) (o : operation t) : Prop := operands_exist n o = true.

  Definition wf_nodes (ns : nodes t) : Prop :=
    (forall j, (j < length us)%nat -> (input_key j < fresh ns)%positive)
    /\ (one_node < fresh ns)%positive
    /\ each (fun o n => below (fresh ns) o /\ (n < fresh ns)%positive) (interned ns)
    /\ Forall (fun nu => (fst nu < fresh ns)%positive
                 /\ Forall (fun kc => (fst kc < fresh ns)%positive) (terms (snd nu))) (units ns)
    /\ exists d, based d /\ models_nodes d ns.

  Definition wf_parts (ps : parts t) : Prop :=
    forall id p, find id (part_at ps) = Some p -> (id < next_part ps)%positive.

  Definition wf (s : store t) : Prop := wf_nodes (all_nodes s) /\ wf_parts (all_parts s).

  Variable den : positive -> F.
  Variable part_no : positive -> part t.
  Hypothesis den_based : based den.

  Definition models (s : store t) : Prop :=
    models_nodes den (all_nodes s)
    /\ forall id p, find id (part_at (all_parts s)) = Some p -> part_no id = p.

  Notation on_terms := (value_of_terms value den).
  Notation on_sum := (value_of_sum value den).

  (** The value of a part and of a form. *)
  Definition on_part (id : positive) : F := on_terms (linear (part_no id)).
  Definition on_form (f : form t) : F := on_part (linear_part f) + value (shift f).

  Lemma on_form_made id c : on_form (Form id c) = on_terms (linear (part_no id)) + value c.
  Proof. reflexivity. Qed.

  Record honest (s : store t) : Prop := {
    honest_range : forall id p, find id (part_at (all_parts s)) = Some p ->
      value (lowest p) <= on_terms (linear p) <= value (highest p);
    honest_parts : each (fun l id => linear (part_no id) = l) (known_parts (all_parts s));
    honest_totals : each (fun key id => on_part id = total (map (fun ic => value (snd ic) * on_part (fst ic)) key))
                    (known_totals (all_parts s));
    honest_claims : forall c n f, find c (claims s) = Some (n, f) -> den n = sigma (on_form f) }.

  (** ** Actions *)

  (** What an action does, if [pre] holds: [post] holds of its result. *)
  Definition valid {A} (pre : Prop) (m : action t A) (post : A -> Prop) : Prop :=
    forall s a s', m s = Ok (a, s') -> wf s ->
    wf s' /\ (models s' -> models s /\ (honest s -> pre -> honest s' /\ post a)).

  Lemma valid_ret A (pre : Prop) (a : A) (post : A -> Prop) : (pre -> post a) -> valid pre (ret a) post.
  Proof. intros H s b s' [= <- <-] Hs. split; [exact Hs |]. intros M. split; [exact M |]. auto. Qed.

  Lemma andthen_ok A B (m : action t A) (f : A -> action t B) s b s' :
    andthen m f s = Ok (b, s') -> exists a s1, m s = Ok (a, s1) /\ f a s1 = Ok (b, s').
  Proof. unfold andthen. destruct (m s) as [[a s1] |]; [eauto | discriminate]. Qed.

  Lemma valid_bind A B (pre : Prop) (m : action t A) (f : A -> action t B) post post' :
    valid pre m post -> (forall a, valid (pre /\ post a) (f a) post') -> valid pre (andthen m f) post'.
  Proof.
    intros Hm Hf s b s' H Hs. unfold andthen in H.
    destruct (m s) as [[a s1] | ] eqn:E; [| discriminate].
    destruct (Hm s a s1 E Hs) as [Hs1 Hm'].
    destruct (Hf a s1 b s' H Hs1) as [Hs' Hf'].
    split; [exact Hs' |]. intros M. destruct (Hf' M) as [M1 G1]. destruct (Hm' M1) as [M0 G0].
    split; [exact M0 |]. intros Hg Hp. destruct (G0 Hg Hp) as [Hg1 Ha]. apply G1; auto.
  Qed.

  (** A result that does not depend on the store. *)
  Lemma valid_lift A B (pre : Prop) (r : result A) (f : A -> action t B) post :
    (forall a, r = Ok a -> valid pre (f a) post) -> valid pre (andthen (lift r) f) post.
  Proof.
    intros Hf s b s' H Hs. unfold andthen, lift in H. destruct r as [a |]; [| discriminate].
    exact (Hf a eq_refl s b s' H Hs).
  Qed.

  Lemma valid_lift_last A (pre : Prop) (r : result A) (post : A -> Prop) :
    (forall a, r = Ok a -> pre -> post a) -> valid pre (lift r) post.
  Proof.
    intros Hf s b s' H Hs. unfold lift in H. destruct r as [a |]; [| discriminate].
    injection H as <- <-. split; [exact Hs |]. intros M. split; [exact M |]. auto.
  Qed.

  Lemma valid_weaken A (pre pre' : Prop) (m : action t A) (post post' : A -> Prop) :
    valid pre' m post -> (pre -> pre') -> (forall a, pre -> post a -> post' a) -> valid pre m post'.
  Proof.
    intros Hm H1 H2 s a s' E Hs. destruct (Hm s a s' E Hs) as [Hs' Hm'].
    split; [exact Hs' |]. intros M. destruct (Hm' M) as [M0 G]. split; [exact M0 |].
    intros Hg Hp. destruct (G Hg (H1 Hp)). auto.
  Qed.

  Lemma valid_post A (pre : Prop) (m : action t A) (post post' : A -> Prop) :
    valid pre m post -> (forall a, pre -> post a -> post' a) -> valid pre m post'.
  Proof. intros H H'. now apply (valid_weaken _ pre pre _ post). Qed.

  (** In turn: all results have the property. *)
  Lemma valid_each A B (pre : Prop) (f : A -> action t B) (P : A -> B -> Prop) :
    (forall a, valid pre (f a) (P a)) ->
    forall l done, valid pre (each_in_turn f l done) (fun bs => exists cs, bs = rev done ++ cs /\ Forall2 P l cs).
  Proof.
    intros Hf. induction l as [| a l IH]; intros done; cbn [each_in_turn].
    - apply valid_ret. intros _. exists []. unfold rev'. rewrite <- rev_alt, app_nil_r. auto.
    - eapply valid_bind; [apply Hf |]. intros b.
      eapply valid_weaken; [apply IH | tauto |].
      intros bs [_ Hb] (cs & -> & Hcs). exists (b :: cs). simpl. now rewrite <- app_assoc; auto.
  Qed.

  Lemma valid_all A B (pre : Prop) (f : A -> action t B) (P : A -> B -> Prop) l :
    (forall a, valid pre (f a) (P a)) -> valid pre (each_in_turn f l []) (Forall2 P l).
  Proof.
    intros Hf. eapply valid_post; [apply (valid_each _ _ pre f P Hf l []) |].
    intros bs _ (cs & -> & H). exact H.
  Qed.

  (** *** Steps that change neither nodes nor parts nor claims *)

  Definition same_store (s s' : store t) : Prop :=
    all_nodes s' = all_nodes s /\ all_parts s' = all_parts s /\ claims s' = claims s.

  Lemma valid_same A (pre : Prop) (m : action t A) (post : A -> Prop) :
    (forall s a s', m s = Ok (a, s') -> same_store s s' /\ (models s -> honest s -> pre -> post a)) ->
    valid pre m post.
  Proof.
    intros H s a s' E Hs. destruct (H s a s' E) as [(En & Ep & Ec) Hpost].
    unfold wf, models in *. rewrite En, Ep. split; [exact Hs |].
    intros M. split; [exact M |]. intros Hg Hp. split; [| auto].
    destruct Hg as [g1 g2 g3 g4]. split; rewrite ?Ep, ?Ec; trivial.
  Qed.

  Lemma spend_valid n pre : valid pre (spend n) (fun _ => True).
  Proof.
    apply valid_same. intros s a s'. unfold spend. cbv zeta.
    destruct (_ <? 0)%Z; [discriminate |]. intros [= _ <-]. repeat split; trivial.
  Qed.

  (** ** Nodes *)

  Lemma same_operation_eq o1 o2 : same_operation K o1 o2 = true -> o1 = o2.
  Proof.
    destruct o1, o2; simpl; try discriminate.
    - now intros ->%Pos.eqb_eq.
    - destruct (Pos.eqb_spec a a0) as [-> |]; [| discriminate].
      destruct (N.eqb_spec text text0) as [-> |]; [| discriminate].
      now intros ->%(value_eqb _ _ _ sound).
    - destruct (Pos.eqb_spec a a0) as [-> |]; [| discriminate]. now intros ->%Pos.eqb_eq.
    - destruct (Pos.eqb_spec a a0) as [-> |]; [| discriminate]. now intros ->%Pos.eqb_eq.
  Qed.

  Definition update (d : positive -> F) (n : positive) (x : F) : positive -> F :=
    fun k => if Pos.eqb k n then x else d k.

  Lemma update_other d n x k : (k < n)%positive -> update d n x k = d k.
  Proof. intros H. unfold update. destruct (Pos.eqb_spec k n); [lia | reflexivity]. Qed.

  Lemma update_same d n x : update d n x n = x.
  Proof. unfold update. now rewrite Pos.eqb_refl. Qed.

  Lemma update_operation d n x o : below n o -> value_of_operation (update d n x) o = value_of_operation d o.
  Proof.
    unfold below. destruct o as [a | y c a | a b | a b]; simpl.
    1, 2: intros H%Pos.ltb_lt; now rewrite update_other.
    1, 2: destruct (Pos.ltb_spec a n); [| discriminate]; intros H'%Pos.ltb_lt; now rewrite !update_other.
  Qed.

  Lemma update_terms d n x l : Forall (fun kc => (fst kc < n)%positive) l ->
    value_of_terms value (update d n x) l = value_of_terms value d l.
  Proof.
    induction 1 as [| [k c] l H _ IH]; simpl; trivial. now rewrite IH, update_other.
  Qed.

  Lemma operation_unit d o : (forall n, unit (d n)) -> proper o -> unit (value_of_operation d o).
  Proof.
    intros Hd. destruct o; simpl; intros H;
      [apply neg_unit | apply scale_unit | apply oplus_unit | apply odot_unit]; auto.
  Qed.

  Lemma below_more n n' o : (n <= n')%positive -> below n o -> below n' o.
  Proof.
    unfold below. destruct o as [a | y c a | a b | a b]; simpl.
    1, 2: rewrite !Pos.ltb_lt; lia.
    1, 2: destruct (Pos.ltb_spec a n), (Pos.ltb_spec a n'); try discriminate; rewrite ?Pos.ltb_lt; lia.
  Qed.

  Lemma update_based d n x : based d -> unit x -> (one_node < n)%positive ->
    (forall j, (j < length us)%nat -> (input_key j < n)%positive) -> based (update d n x).
  Proof.
    intros [H0 H1 Hi Hu] Hx Hn Hj. split.
    - rewrite update_other by (unfold one_node, zero_node in *; lia). exact H0.
    - rewrite update_other by trivial. exact H1.
    - intros j Hj'. rewrite update_other by auto. auto.
    - intros k. unfold update. now destruct (Pos.eqb k n).
  Qed.

  (** The old nodes with one more keep their values. *)
  Lemma update_models d ns x : wf_nodes ns -> models_nodes d ns -> models_nodes (update d (fresh ns) x) ns.
  Proof.
    intros (_ & _ & Hb & Hu & _) [M1 M2]. split.
    - intros h. specialize (Hb h). specialize (M1 h). induction Hb as [| [o n] b [Ho Hn] _ IH]; constructor.
      + inversion_clear M1. simpl in *. now rewrite update_other, update_operation.
      + apply IH. now inversion_clear M1.
    - induction Hu as [| [n u] l [Hn Ht] _ IH]; constructor; inversion_clear M2; auto.
      unfold fits_unit, value_of_sum in *. simpl in *. now rewrite update_other, update_terms.
  Qed.

  (** A new node for an operation on old ones. *)
  Lemma wf_new_node ns o : wf_nodes ns -> below (fresh ns) o -> proper o ->
    forall extra, (forall d, d (fresh ns) = value_of_operation d o ->
                   Forall (fun kv => d (snd kv) = value_of_operation d (fst kv)) extra) ->
    Forall (fun kv => below (Pos.succ (fresh ns)) (fst kv) /\ (snd kv < Pos.succ (fresh ns))%positive) extra ->
    wf_nodes (Nodes (Pos.succ (fresh ns))
      (fold_right (fun kv m => add_entry (hash_operation) (fst kv) (snd kv) m)
         (add_entry (hash_operation) o (fresh ns) (interned ns)) extra) (units ns)).
  Proof.
    intros W Ho Hp extra Hd He. assert (W' := W).
    destruct W' as (Hj & Hone & Hb & Hu & d & Bd & Md).
    assert (Hs : (fresh ns < Pos.succ (fresh ns))%positive) by lia.
    repeat split; cbn [fresh interned units].
    - intros j Hj'. specialize (Hj j Hj'). lia.
    - unfold one_node in *. lia.
    - assert (Hbase : each (fun o' n => below (Pos.succ (fresh ns)) o' /\ (n < Pos.succ (fresh ns))%positive)
                (add_entry (hash_operation) o (fresh ns) (interned ns))).
      { apply each_add.
        - revert Hb. apply each_weaken. intros o' n [H1 H2]. split; [eapply below_more; [| exact H1] |]; lia.
        - split; [eapply below_more; [| exact Ho] |]; lia. }
      induction He as [| [k v] l H _ IH]; simpl; trivial.
      apply each_add; [apply IH | exact H].
      intros d' E. specialize (Hd d' E). now inversion_clear Hd.
    - eapply Forall_impl; [| exact Hu]. intros [n u] [H1 H2]. cbn [fst snd] in *. split; [lia |].
      eapply Forall_impl; [| exact H2]. intros [k c]. cbn [fst]. lia.
    - set (x := value_of_operation d o). exists (update d (fresh ns) x).
      assert (Hu' : unit x) by (apply operation_unit; trivial; apply Bd).
      split; [now apply update_based |].
      destruct (update_models d ns x W Md) as [M1 M2]. split; [| exact M2].
      assert (E : update d (fresh ns) x (fresh ns) = value_of_operation (update d (fresh ns) x) o).
      { rewrite update_same, update_operation by trivial. reflexivity. }
      cbn [interned]. specialize (Hd _ E). clear He.
      induction Hd as [| [k v] l H _ IH]; simpl; apply each_add; trivial.
  Qed.

  Lemma intern_valid o pre : proper o ->
    valid pre (intern K o) (fun n => den n = value_of_operation den o).
  Proof.
    intros Hp s a s'. unfold intern. cbv zeta.
    destruct (find_entry _ _ o _) as [n |] eqn:E.
    - intros [= <- <-] Hs. split; [exact Hs |]. intros M. split; [exact M |].
      intros Hg _. split; [exact Hg |].
      exact (each_find _ _ same_operation_eq _ _ _ _ (proj1 (proj1 M)) E).
    - destruct (operands_exist _ o) eqn:Eo; [| discriminate].
      intros [= <- <-] [Wn Wp]. set (ns := all_nodes s) in *.
      set (extra := match o return list (operation t * positive) with ONot b => [(ONot (fresh ns), b)] | _ => [] end).
      assert (Et : match o with
                   | ONot b => add_entry hash_operation (ONot (fresh ns)) b
                                 (add_entry hash_operation o (fresh ns) (interned ns))
                   | _ => add_entry hash_operation o (fresh ns) (interned ns)
                   end = fold_right (fun kv m => add_entry hash_operation (fst kv) (snd kv) m)
                           (add_entry hash_operation o (fresh ns) (interned ns)) extra)
        by (unfold extra; destruct o; reflexivity).
      rewrite Et. split.
      + split; [| exact Wp]. apply wf_new_node; trivial.
        * intros d Hd. unfold extra. destruct o; constructor; [| constructor].
          simpl in *. rewrite Hd. symmetry. apply neg_neg.
        * unfold extra. destruct o; constructor; [| constructor]. unfold below. simpl in *.
          apply Pos.ltb_lt in Eo. rewrite Pos.ltb_lt. lia.
      + intros [[M1 M2] M3]. cbn [set_nodes all_nodes all_parts interned units] in *.
        assert (H : each (fun o n => den n = value_of_operation den o)
                      (add_entry hash_operation o (fresh ns) (interned ns))).
        { clear Et. induction extra as [| kv l IH]; simpl in M1; [exact M1 |].
          apply each_add_inv in M1. apply IH, M1. }
        apply each_add_inv in H. destruct H as [H H'].
        split; [now repeat split |]. intros [g1 g2 g3 g4] _. split; [| exact H'].
        now split.
  Qed.

  Lemma not_node_valid a pre : valid pre (not_node K a) (fun n => den n = neg (den a)).
  Proof.
    unfold not_node. destruct (Pos.eqb_spec a zero_node) as [-> | _].
    { apply valid_ret. intros _. rewrite (based_zero _ den_based), (based_one _ den_based). unfold neg. lra. }
    destruct (Pos.eqb_spec a one_node) as [-> | _].
    { apply valid_ret. intros _. rewrite (based_zero _ den_based), (based_one _ den_based). unfold neg. lra. }
    now apply intern_valid.
  Qed.

  Lemma plus_node_valid a b pre : valid pre (plus_node K a b) (fun n => den n = oplus (den a) (den b)).
  Proof. now apply intern_valid. Qed.

  Lemma times_node_valid a b pre : valid pre (times_node K a b) (fun n => den n = odot (den a) (den b)).
  Proof. now apply intern_valid. Qed.

  Lemma scale_node_valid x c a pre : 0 <= value c <= 1 ->
    valid pre (scale_node K x c a) (fun n => den n = value c * den a).
  Proof. intros H. now apply intern_valid. Qed.

  (** A factor that was read lies in [0,1]. *)
  Lemma factor_amount_sound f c : factor_amount K f = Ok c ->
    meaning (amount f) = value c /\ 0 <= value c <= 1.
  Proof.
    unfold factor_amount. intros H. unbind H.
    apply (le_true sound) in Ha0, Ha2. rewrite (value_zero sound) in Ha0. rewrite (value_one sound) in Ha2.
    split; [now apply (value_read _ _ _ sound) | lra].
  Qed.

  Lemma unit_node_valid u pre : valid pre (unit_node u) (fun n => den n = sigma (on_sum u)).
  Proof.
    intros s a s'. unfold unit_node. cbv zeta. destruct (forallb _ _) eqn:E; [| discriminate].
    intros [= <- <-] [Wn Wp]. set (ns := all_nodes s) in *.
    assert (Ht : Forall (fun kc => (fst kc < fresh ns)%positive) (terms u)).
    { rewrite Forall_forall. rewrite forallb_forall in E. intros kc H. now apply Pos.ltb_lt, E. }
    split; [split; [| exact Wp] |].
    - assert (W := Wn). destruct W as (Hj & Hone & Hb & Hu & d & Bd & Md).
      repeat split; cbn [fresh interned units set_nodes all_nodes].
      + intros j Hj'. specialize (Hj j Hj'). lia.
      + unfold one_node in *. lia.
      + revert Hb. apply each_weaken. intros o n [H1 H2]. split; [eapply below_more; [| exact H1] |]; lia.
      + constructor; cbn [fst snd].
        * split; [lia |]. eapply Forall_impl; [| exact Ht]. intros [k c]. cbn [fst]. lia.
        * eapply Forall_impl; [| exact Hu]. intros [n v] [H1 H2]. cbn [fst snd] in *. split; [lia |].
          eapply Forall_impl; [| exact H2]. intros [k c]. cbn [fst]. lia.
      + set (x := sigma (value_of_sum value d u)). exists (update d (fresh ns) x).
        split; [apply update_based; trivial; apply sigma_unit |].
        destruct (update_models d ns x Wn Md) as [M1 M2]. split; [exact M1 |].
        constructor; [| exact M2]. unfold fits_unit, value_of_sum. cbn [fst snd].
        rewrite update_same, update_terms by trivial. reflexivity.
    - intros [[M1 M2] M3]. cbn [set_nodes all_nodes all_parts interned units] in *.
      inversion_clear M2 as [| ? ? H H']. split; [now repeat split |].
      intros [g1 g2 g3 g4] _. split; [now split | exact H].
  Qed.

  (** ** Forms *)

  Lemma node_sum_sound n : on_sum (node_sum K n) = den n.
  Proof.
    unfold node_sum, value_of_sum.
    destruct (Pos.eqb_spec n zero_node) as [-> | _]; cbn [value_of_terms terms constant].
    { rewrite (value_zero sound), (based_zero _ den_based). lra. }
    destruct (Pos.eqb_spec n one_node) as [-> | _]; cbn [value_of_terms terms constant].
    { rewrite (value_one sound), (based_one _ den_based). lra. }
    cbn [value_of_terms terms constant]. rewrite (value_zero sound), (value_one sound). lra.
  Qed.

  Lemma find_part_valid id pre : valid pre (find_part id)
    (fun p => part_no id = p /\ value (lowest p) <= on_part id <= value (highest p)).
  Proof.
    apply valid_same. intros s p s'. unfold find_part.
    destruct (find id _) as [q |] eqn:E; [| discriminate]. intros [= <- <-].
    split; [repeat split |]. intros [_ M] Hg _. specialize (M id q E).
    split; [exact M |]. unfold on_part. rewrite M. exact (honest_range _ Hg id q E).
  Qed.

  Lemma new_part_valid l pre : valid pre (new_part K l) (fun id => linear (part_no id) = l).
  Proof.
    unfold new_part. eapply valid_bind; [apply spend_valid |]. intros paid.
    apply valid_lift. intros [low high] Hr s a s'. cbv zeta.
    intros [= <- <-] [Wn Wp]. set (ps := all_parts s) in *. cbn [fst snd].
    set (p := Part l low high (N.of_nat (length l))) in *.
    split; [split; [exact Wn |] |].
    - intros id q. cbn [set_parts all_parts part_at next_part]. intros H.
      apply find_set_cases in H. destruct H as [[-> _] | [_ H]]; [lia |].
      apply Wp in H. lia.
    - intros [M1 M2]. cbn [set_parts all_nodes all_parts part_at] in *.
      assert (Hp : part_no (next_part ps) = p) by (apply M2, find_set).
      assert (Hold : forall id q, find id (part_at ps) = Some q -> id <> next_part ps).
      { intros id q H. apply Wp in H. intros ->. lia. }
      split.
      + split; [exact M1 |]. intros id q H. apply M2. rewrite find_set_other; eauto.
      + intros [g1 g2 g3 g4] _. split; [| now rewrite Hp].
        split; cbn [set_parts all_parts part_at known_parts known_totals claims]; trivial.
        * intros id q H. apply find_set_cases in H. destruct H as [[-> ->] | [_ H]]; [| eauto].
          unfold p. cbn [lowest highest linear].
          apply (range_of_terms_sound sound den) in Hr; [| apply den_based].
          rewrite (value_zero sound) in Hr. cbn [fst snd] in Hr. lra.
        * apply each_add; trivial. now rewrite Hp.
  Qed.

  Lemma part_of_valid l pre : valid pre (part_of K l) (fun id => linear (part_no id) = l).
  Proof.
    intros s a s'. unfold part_of. destruct (find_entry _ _ l _) as [id |] eqn:E.
    - intros [= <- <-] Hs. split; [exact Hs |]. intros M. split; [exact M |].
      intros Hg _. split; [exact Hg |].
      exact (each_find _ _ (same_terms_eq sound) _ _ _ _ (honest_parts _ Hg) E).
    - apply new_part_valid.
  Qed.

  Lemma form_of_valid u pre : valid pre (form_of K u) (fun f => on_form f = on_sum u).
  Proof.
    unfold form_of. eapply valid_bind; [apply part_of_valid |]. intros id.
    apply valid_ret. intros [_ H]. unfold on_form, on_part, value_of_sum. cbn [linear_part shift].
    now rewrite H.
  Qed.

  Lemma map_parts_sound key ps :
    Forall2 (fun ic p => part_no (fst ic) = p /\ value (lowest p) <= on_part (fst ic) <= value (highest p)) key ps ->
    map (fun p => value (snd p) * on_terms (fst p)) (combine (map linear ps) (map snd key))
    = map (fun ic => value (snd ic) * on_part (fst ic)) key.
  Proof.
    induction 1 as [| [id c] p key ps [H _] _ IH]; simpl; trivial.
    rewrite IH. f_equal. unfold on_part. cbn [fst] in H. now rewrite H.
  Qed.

  Definition total_of (key : list (positive * t)) : F :=
    total (map (fun ic => value (snd ic) * on_part (fst ic)) key).

  Lemma new_total_valid key pre : valid pre (new_total K key) (fun id => on_part id = total_of key).
  Proof.
    unfold new_total.
    eapply valid_bind; [apply valid_all; intros ic; apply find_part_valid |]. intros ps.
    eapply valid_bind; [apply spend_valid |]. intros paid.
    apply valid_lift. intros l Hl.
    eapply valid_bind; [apply part_of_valid |]. intros id s a s'. cbv zeta.
    intros [= <- <-] [Wn Wp]. split; [now split |].
    intros [M1 M2]. cbn [set_parts all_nodes all_parts part_at] in *.
    split; [now split |]. intros [g1 g2 g3 g4] [[[_ Hps] _] Hid].
    assert (E : on_part id = total_of key).
    { unfold on_part. rewrite Hid, (add_all_sound sound den _ _ Hl).
      unfold total_of. f_equal. now apply map_parts_sound. }
    split; [| exact E]. split; cbn [set_parts all_parts part_at known_parts known_totals claims]; trivial.
    now apply each_add.
  Qed.

  Lemma total_part_valid key pre : valid pre (total_part K key) (fun id => on_part id = total_of key).
  Proof.
    intros s a s'. unfold total_part. destruct (find_entry _ _ key _) as [id |] eqn:E.
    - intros [= <- <-] Hs. split; [exact Hs |]. intros M. split; [exact M |].
      intros Hg _. split; [exact Hg |].
      exact (each_find _ _ (same_terms_eq sound) _ _ _ _ (honest_totals _ Hg) E).
    - apply new_total_valid.
  Qed.

  Lemma total_form_valid pairs plus pre : valid pre (total_form K pairs plus)
    (fun f => on_form f = total (map (fun p => value (snd p) * on_form (fst p)) pairs) + value plus).
  Proof.
    unfold total_form. eapply valid_bind; [apply total_part_valid |]. intros id.
    apply valid_lift. intros c Hc. apply valid_ret. intros [_ Hid].
    unfold on_form at 1. cbn [linear_part shift].
    rewrite Hid, (add_constants_sound sound _ _ _ Hc). unfold total_of. rewrite !map_map. cbn [fst snd].
    rewrite <- (total_plus _ (fun p => value (snd p) * on_part (linear_part (fst p)))
                  (fun p => value (snd p) * value (shift (fst p)))
                  (fun p => value (snd p) * on_form (fst p))).
    - lra.
    - intros p. unfold on_form. algebra.
  Qed.

  Lemma same_form_sound f g : same_form K f g = true -> on_form f = on_form g.
  Proof.
    unfold same_form, on_form.
    destruct (Pos.eqb_spec (linear_part f) (linear_part g)) as [-> |]; [| discriminate].
    intros H. now rewrite (eqb_sound sound _ _ H).
  Qed.

  Lemma less_sound f c : on_form (less K f c) = on_form f - value c.
  Proof. unfold less, on_form. cbn [linear_part shift]. rewrite (value_sub sound). lra. Qed.

  Lemma range_of_form_valid f pre : valid pre (range_of_form K f)
    (fun r => value (fst r) <= on_form f <= value (snd r)).
  Proof.
    unfold range_of_form. eapply valid_bind; [apply find_part_valid |]. intros p.
    apply valid_ret. intros [_ [_ H]]. cbn [fst snd]. unfold on_form.
    rewrite !(value_add _ _ _ sound). lra.
  Qed.

  Lemma form_at_least_valid x f pre : valid pre (form_at_least K x f) (fun _ => value x <= on_form f).
  Proof.
    unfold form_at_least. eapply valid_bind; [apply range_of_form_valid |]. intros r.
    apply valid_lift. intros b Hb. apply valid_lift_last. intros a Ha [_ Hr].
    apply need_ok in Ha. subst b. apply (le_true sound) in Hb. lra.
  Qed.

  Lemma form_at_most_valid x f pre : valid pre (form_at_most K x f) (fun _ => on_form f <= value x).
  Proof.
    unfold form_at_most. eapply valid_bind; [apply range_of_form_valid |]. intros r.
    apply valid_lift. intros b Hb. apply valid_lift_last. intros a Ha [_ Hr].
    apply need_ok in Ha. subst b. apply (le_true sound) in Hb. lra.
  Qed.

  Lemma written_valid f pre : valid pre (written f) (fun u => on_sum u = on_form f).
  Proof.
    unfold written. eapply valid_bind; [apply find_part_valid |]. intros p.
    apply valid_ret. intros [_ [H _]]. unfold on_form, on_part, value_of_sum. cbn [terms constant].
    now rewrite H.
  Qed.

  (** ** Claims *)

  Lemma claim_valid c pre : valid pre (claim c) (fun nf => den (fst nf) = sigma (on_form (snd nf))).
  Proof.
    apply valid_same. intros s nf s'. unfold claim. destruct c as [| c | c]; try discriminate.
    destruct (find c (claims s)) as [[n f] |] eqn:E; [| discriminate]. intros [= <- <-].
    split; [repeat split |]. intros _ Hg _. exact (honest_claims _ Hg c n f E).
  Qed.

  Lemma node_of_valid c f pre : valid pre (node_of K c f) (fun n => den n = sigma (on_form f)).
  Proof.
    unfold node_of. eapply valid_bind; [apply claim_valid |]. intros nf.
    apply valid_lift. intros u Hu. apply need_ok in Hu. apply valid_ret.
    intros [_ H]. now rewrite <- (same_form_sound _ _ Hu).
  Qed.

  Lemma add_claim_valid n f (pre : Prop) : (pre -> den n = sigma (on_form f)) ->
    valid pre (add_claim K n f) (fun _ => True).
  Proof.
    intros H. unfold add_claim. eapply valid_bind; [apply spend_valid |]. intros paid s a s'. cbv zeta.
    intros [= _ <-] [Wn Wp]. split; [now split |].
    intros M. split; [exact M |]. intros [g1 g2 g3 g4] [Hp _]. split; [| trivial].
    split; cbn [all_parts claims]; trivial. intros c m g Hc.
    apply find_set_cases in Hc. destruct Hc as [[_ [= -> ->]] | [_ Hc]]; eauto.
  Qed.
End StoreSound.
