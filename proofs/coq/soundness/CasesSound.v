(** * CasesSound.v -- proofs by cases are right

    What this file proves, in plain words.  If [prove] (Cases.v) accepts a tree of
    cases for some targets, then at every point at which the variables have the
    values that their definitions say, and at which the known bounds hold, no
    target is positive ([prove_sound]).  Nothing is assumed about multipliers.
    Twins must be what they are said to be ([twins_hold]).

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List.
From VeriMV Require Import TwinsSound SweepsSound.
From VeriMV Require Export SumsSound Cases.
From VeriMV Require Twins.
Import ListNotations.
Open Scope Qc_scope.

Section Cases.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.

  (** A point, and definitions of variables. *)
  Variable v : positive -> F.
  Variable def : trie (variable t).
  Notation on_terms := (value_of_terms value v).
  Notation on_sum := (value_of_sum value v).

  Definition argument (x : variable t) (k : positive) : F :=
    match x with
    | Free => v k
    | Neuron _ s => on_sum s
    end.

  (** Variable k has the value that its definition says. *)
  Definition defined (x : variable t) (k : positive) : Prop :=
    match x with
    | Free => 0 <= v k <= 1
    | Neuron a s => v k = activate a (on_sum s)
    end.

  Definition obeys (b : option (limits t)) (z : F) : Prop :=
    match b with
    | None => True
    | Some (l, h) =>
        (forall x, l = Some x -> value x <= z) /\ (forall x, h = Some x -> z <= value x)
    end.

  Definition in_range (r : t * t) (z : F) : Prop := value (fst r) <= z <= value (snd r).

  (** ** Ranges *)

  Lemma image_sound a z y : image K a z = Ok y -> value y = activate a (value z).
  Proof.
    pose proof (value_zero sound) as H0. pose proof (value_one sound) as H1.
    destruct a; cbn [image activate]; intros H.
    - apply (larger_ok sound) in H. destruct H as (Ha & Hb & [-> | ->]);
        rewrite H0 in *; unfold rho; [rewrite fmax_left by lra | rewrite fmax_right by lra]; reflexivity.
    - apply bind_ok in H. destruct H as (x & Hx & H).
      apply (larger_ok sound) in Hx. apply (smaller_ok sound) in H.
      destruct Hx as (Ha & Hb & Hx), H as (Hc & Hd & H).
      destruct H as [-> | ->], Hx as [-> | ->]; rewrite ?H0, ?H1 in *; minmax.
    - now injection H as ->.
  Qed.

  Lemma narrowed_sound r b r' z :
    narrowed K r b = Ok r' -> in_range r z -> obeys b z -> in_range r' z.
  Proof.
    destruct b as [[l h] |]; cbn [narrowed obeys]; [| now intros [= <-]].
    intros H [Hl Hh] [Ol Oh]. apply bind_ok in H. destruct H as (x & Hx & H).
    apply bind_ok in H. destruct H as (y & Hy & H). injection H as <-.
    split; cbn [fst snd].
    - destruct l as [l |]; [| injection Hx as <-; exact Hl].
      apply (larger_ok sound) in Hx. destruct Hx as (_ & _ & [-> | ->]); auto.
    - destruct h as [h |]; [| injection Hy as <-; exact Hh].
      apply (smaller_ok sound) in Hy. destruct Hy as (_ & _ & [-> | ->]); auto.
  Qed.

  Definition ranges_hold (known : trie (t * t)) : Prop :=
    forall k r, find k known = Some r -> in_range r (v k).

  Notation products := (value_of_products value).

  Lemma with_product_sound c x l : products (with_product K c x l) = value c * value x + products l.
  Proof.
    unfold with_product. destruct (is_zero K x) eqn:E; [| reflexivity].
    apply (is_zero_sound sound) in E. rewrite E. lra.
  Qed.

  Lemma range_over_sound known l : ranges_hold known -> forall low high r,
    range_over K known l low high = Ok r ->
    products (fst r) - products low <= on_terms l <= products (snd r) - products high.
  Proof.
    intros Hk. induction l as [| [k c] l IH]; intros low high r; cbn [range_over value_of_terms].
    { intros [= <-]. cbn [fst snd]. lra. }
    destruct (find k known) as [[least most] |] eqn:E; [| discriminate].
    apply Hk in E. destruct E as [E1 E2]. cbn [fst snd] in *. intros H.
    apply bind_ok in H. destruct H as ([] & Hc & H);
      [apply (le_true sound) in Hc | apply (le_false sound) in Hc];
      rewrite (value_zero sound) in Hc; apply IH in H; rewrite !with_product_sound in H.
    - assert (value c * value most <= value c * v k <= value c * value least) by (split; nra). lra.
    - assert (value c * value least <= value c * v k <= value c * value most) by (split; nra). lra.
  Qed.

  Lemma range_of_sum_sound known s r : ranges_hold known ->
    range_of_sum K known s = Ok r -> in_range r (on_sum s).
  Proof.
    intros Hk H. unfold range_of_sum in H. apply bind_ok in H. destruct H as (ps & H & E).
    injection E as <-. apply range_over_sound in H; trivial. cbn [value_of_products] in H.
    unfold in_range, value_of_sum. cbn [fst snd]. rewrite !(value_dot _ _ _ sound). lra.
  Qed.

  (** The points that matter, with their values. *)
  Definition points_cover (a : activation) (l h : t) (ps : list (t * t)) : Prop :=
    forall p, In p (value l :: value h :: filter (inside (value l) (value h)) (kinks a)) ->
    exists z y, In (z, y) ps /\ value z = p /\ value y = activate a p.

  Lemma kink_sound l h z ps : kink K l h z = Ok ps ->
    value l < value z < value h -> In (z, z) ps.
  Proof.
    unfold kink. intros H [H1 H2]. apply bind_ok in H. destruct H as (b1 & Hb1 & H).
    apply bind_ok in H. destruct H as (b2 & Hb2 & H). injection H as <-.
    destruct b1; [| apply (lt_false sound) in Hb1; lra].
    destruct b2; [| apply (lt_false sound) in Hb2; lra]. now left.
  Qed.

  Lemma kinks_between_sound a l h ps : kinks_between K a l h = Ok ps ->
    forall p, In p (filter (inside (value l) (value h)) (kinks a)) ->
    exists z y, In (z, y) ps /\ value z = p /\ value y = activate a p.
  Proof.
    intros H p Hp. apply filter_In in Hp. destruct Hp as [Hp Hi]. apply inside_spec in Hi.
    assert (A0 : forall a, activate a 0 = 0) by (intros []; cbn [activate]; minmax).
    assert (A1 : activate Clip 1 = 1) by (cbn [activate]; minmax).
    pose proof (value_zero sound) as V0. pose proof (value_one sound) as V1.
    destruct a; cbn [kinks In kinks_between] in *.
    - destruct Hp as [<- | []]. exists (zero K), (zero K). rewrite A0.
      repeat split; trivial. apply (kink_sound l h); trivial. now rewrite V0.
    - apply bind_ok in H. destruct H as (p0 & H0 & H). apply bind_ok in H.
      destruct H as (p1 & H1 & H). injection H as <-.
      destruct Hp as [<- | [<- | []]].
      + exists (zero K), (zero K). rewrite A0. repeat split; trivial.
        apply in_or_app. left. apply (kink_sound l h); trivial. now rewrite V0.
      + exists (one K), (one K). rewrite A1. repeat split; trivial.
        apply in_or_app. right. apply (kink_sound l h); trivial. now rewrite V1.
    - contradiction.
  Qed.

  (** ** Entries *)

  (** At this point, the variable has its value and obeys the bounds used. *)
  Definition applies (e : entry t) : Prop :=
    defined (shape e) (key e) /\ obeys (used e) (argument (shape e) (key e)).

  Definition entry_holds (e : entry t) : Prop :=
    in_range (low e, high e) (argument (shape e) (key e)) /\ ranges_hold (ranges e).

  Definition activation_of (x : variable t) : activation :=
    match x with Free => Identity | Neuron a _ => a end.

  (** What is true of kept entries wherever the bounds come from: they tell the
      truth if the bounds used do. *)
  Fixpoint cache_ok (c : cache t) : Prop :=
    match c with
    | [] => True
    | e :: before =>
        cache_ok before /\
        find (key e) def = Some (shape e) /\
        (forall e', In e' before -> (key e' < key e)%positive) /\
        points_cover (activation_of (shape e)) (low e) (high e) (points e) /\
        ((forall e', In e' (e :: before) -> applies e') -> entry_holds e)
    end.

  Lemma ranges_before_hold c : cache_ok c -> (forall e, In e c -> applies e) ->
    ranges_hold (ranges_before c).
  Proof.
    destruct c as [| e c]; intros Hc Ha; [intros k r; discriminate |].
    apply Hc. exact Ha.
  Qed.

  Lemma argument_in_range c k x r0 : cache_ok c -> (forall e, In e c -> applies e) -> defined x k ->
    match x with
    | Free => Ok (zero K, one K)
    | Neuron _ s => range_of_sum K (ranges_before c) s
    end = Ok r0 ->
    in_range r0 (argument x k).
  Proof.
    intros Hc Ha Hd. destruct x as [| a s]; cbn [defined argument] in *.
    - intros [= <-]. unfold in_range. cbn [fst snd].
      now rewrite (value_zero sound), (value_one sound).
    - intros H. apply range_of_sum_sound in H; trivial. now apply ranges_before_hold.
  Qed.

  Lemma measure_none known c k x : cache_ok c -> (forall e, In e c -> applies e) ->
    defined x k -> obeys (find k known) (argument x k) ->
    measure K known c k x = Ok None -> False.
  Proof.
    intros Hc Ha Hd Ho H. unfold measure in H.
    apply bind_ok in H. destruct H as (r0 & H0 & H).
    apply bind_ok in H. destruct H as ([l' h'] & H1 & H). cbn [fst snd] in H. cbv zeta in H.
    set (l := match c with [] => l' | e :: _ => align K (high e) l' end) in *.
    assert (El : value l = value l') by (unfold l; destruct c; rewrite ?(value_align _ _ _ sound); reflexivity).
    set (h := align K l h') in *. assert (Eh : value h = value h') by apply (value_align _ _ _ sound).
    clearbody l h.
    apply bind_ok in H. destruct H as (_ & _ & H).
    apply bind_ok in H. destruct H as (_ & _ & H).
    apply bind_ok in H. destruct H as (nonempty & H2 & H).
    apply argument_in_range with (k := k) in H0; trivial.
    apply (narrowed_sound _ _ _ (argument x k)) in H1; trivial.
    destruct nonempty; cbn [negb] in H.
    - apply bind_ok in H. destruct H as (y1 & _ & H).
      apply bind_ok in H. destruct H as (y2 & _ & H).
      apply bind_ok in H. destruct H as (ks & _ & H). discriminate.
    - apply (le_false sound) in H2. destruct H1. cbn [fst snd] in *. lra.
  Qed.

  Lemma measure_some known c k x e : cache_ok c -> find k def = Some x ->
    (forall e', In e' c -> (key e' < k)%positive) ->
    measure K known c k x = Ok (Some e) ->
    cache_ok (e :: c) /\ key e = k /\ shape e = x /\ used e = find k known.
  Proof.
    intros Hc Hx Hkeys H. unfold measure in H.
    apply bind_ok in H. destruct H as (r0 & H0 & H).
    apply bind_ok in H. destruct H as ([l' h'] & H1 & H). cbn [fst snd] in H. cbv zeta in H.
    set (l := match c with [] => l' | e :: _ => align K (high e) l' end) in *.
    assert (El : value l = value l') by (unfold l; destruct c; rewrite ?(value_align _ _ _ sound); reflexivity).
    set (h := align K l h') in *. assert (Eh : value h = value h') by apply (value_align _ _ _ sound).
    clearbody l h.
    apply bind_ok in H. destruct H as (_ & _ & H).
    apply bind_ok in H. destruct H as (_ & _ & H).
    apply bind_ok in H. destruct H as (nonempty & H2 & H).
    destruct nonempty; cbn [negb] in H; [| discriminate].
    apply bind_ok in H. destruct H as (y1 & Hy1 & H).
    apply bind_ok in H. destruct H as (y2 & Hy2 & H).
    apply bind_ok in H. destruct H as (ks & Hks & H). injection H as <-.
    apply image_sound in Hy1, Hy2.
    refine (conj _ (conj eq_refl (conj eq_refl eq_refl))).
    cbn [cache_ok key shape used ranges low high points].
    split; [exact Hc |]. split; [exact Hx |]. split; [exact Hkeys |].
    split.
    - (* points *)
      intros p [<- | [<- | Hp]].
      + exists l, y1. repeat split; [now left | exact Hy1].
      + exists h, y2. repeat split; [right; now left | exact Hy2].
      + destruct (kinks_between_sound _ _ _ _ Hks p Hp) as (z & y & Hin & Hz & Hy).
        exists z, y. repeat split; trivial. right. now right.
    - (* truth: the range of the argument *)
      intros Happ. assert (Hk : applies _) by (apply Happ; now left).
      destruct Hk as [Hd Ho]. cbn [shape key used] in Hd, Ho.
      assert (Hbefore : forall e', In e' c -> applies e') by (intros e' He'; apply Happ; now right).
      pose proof (argument_in_range c k x r0 Hc Hbefore Hd H0) as Hr.
      apply (narrowed_sound _ _ _ (argument x k)) in H1; trivial.
      assert (H1' : in_range (l, h) (argument x k)) by (unfold in_range in *; cbn [fst snd] in *; lra).
      clear H1. rename H1' into H1.
      split; cbn [low high ranges shape key]; [exact H1 |].
      (* and of the variable *)
      intros j r Hj. apply find_set_cases in Hj. destruct Hj as [[-> ->] | [_ Hj]].
      + unfold in_range in *. cbn [fst snd] in *. rewrite Hy1, Hy2.
        assert (Ev : v k = activate (activation_of x) (argument x k)) by now destruct x.
        change (match x with Free => Identity | Neuron a _ => a end) with (activation_of x).
        rewrite Ev. split; now apply activate_monotone.
      + now apply (ranges_before_hold c Hc Hbefore).
  Qed.

  (** ** Keeping and extending *)

  Variable vs : variables t.
  Hypothesis same_def : definition vs = def.
  Hypothesis Hv : solution value v vs.

  (** Only the variables before a number may matter. *)
  Definition facts_below (upto : positive) (known : facts t) : Prop :=
    facts_hold value v (Variables upto def) known.

  (** All entries of a cache are about these, and use the bounds that are known. *)
  Definition current (upto : positive) (known : facts t) (c : cache t) : Prop :=
    forall e, In e c -> (key e < upto)%positive /\ used e = find (key e) known.

  Lemma same_limits_eq x y : same_limits K x y = true -> x = y.
  Proof.
    assert (N : forall x y : option t, same_number K x y = true -> x = y).
    { intros [x' |] [y' |]; simpl; try easy. intros H.
      now apply (value_eqb _ _ _ sound) in H as ->. }
    destruct x as [[l h] |], y as [[l' h'] |]; simpl; try easy.
    intros H. apply andb_prop in H. destruct H as [H1 H2].
    now rewrite (N _ _ H1), (N _ _ H2).
  Qed.

  Lemma keep_ok upto known c : forall c' all, cache_ok c -> keep K upto known c = (c', all) ->
    cache_ok c' /\ current upto known c' /\ (all = true -> c' = c).
  Proof.
    induction c as [| e c IH]; intros c' all Hc; cbn [keep].
    { intros [= <- <-]. split; [exact I |]. split; [intros e [] | trivial]. }
    destruct (keep K upto known c) as [before all'] eqn:E.
    destruct (IH _ _ (proj1 Hc) eq_refl) as (Hb & Hcur & Hall).
    destruct (all' && Pos.ltb (key e) upto && same_limits K (used e) (find (key e) known))%bool
      eqn:Ec; intros [= <- <-].
    - apply andb_prop in Ec. destruct Ec as [Ec Hs]. apply andb_prop in Ec. destruct Ec as [-> Hlt].
      apply same_limits_eq in Hs. apply Pos.ltb_lt in Hlt. rewrite (Hall eq_refl) in *.
      split; [exact Hc |]. split; [| trivial].
      intros e' [<- | He']; [now split | now apply Hcur].
    - split; [exact Hb |]. now split.
  Qed.

  Lemma cache_ok_defined c e : cache_ok c -> In e c -> find (key e) def = Some (shape e).
  Proof.
    induction c as [| e' c IH]; [easy |]. intros (Hc & He & _) [<- | H]; auto.
  Qed.

  Lemma defined_here k x : find k def = Some x -> (k < bound vs)%positive -> defined x k.
  Proof.
    intros Hk Hb. specialize (Hv k Hb). rewrite same_def, Hk in Hv. now destruct x.
  Qed.

  Lemma obeys_here upto known k x : facts_below upto known ->
    find k def = Some x -> (k < upto)%positive -> obeys (find k known) (argument x k).
  Proof.
    intros Hf Hk Hb. destruct (find k known) as [[l h] |] eqn:E; [| exact I].
    destruct (Hf k l h Hb E) as [Hl Hh].
    assert (Ea : argument_of value v (Variables upto def) k = argument x k).
    { unfold argument_of. cbn [definition]. rewrite Hk. now destruct x. }
    rewrite Ea in Hl, Hh. now split.
  Qed.

  Lemma all_apply upto known c : (upto <= bound vs)%positive -> facts_below upto known ->
    cache_ok c -> current upto known c -> forall e, In e c -> applies e.
  Proof.
    intros Hup Hf Hc Hcur e He. destruct (Hcur e He) as [Hb Hu].
    pose proof (cache_ok_defined c e Hc He) as Hd. split.
    - apply defined_here; trivial. lia.
    - rewrite Hu. now apply (obeys_here upto).
  Qed.

  Definition items_ok (items : list (positive * variable t)) : Prop :=
    forall k x, In (k, x) items -> find k def = Some x.

  Lemma extend_ok upto known items : (upto <= bound vs)%positive -> items_ok items -> forall c c' empty,
    cache_ok c -> current upto known c -> extend K upto known items c = Ok (c', empty) ->
    cache_ok c' /\ current upto known c' /\ (empty = true -> facts_below upto known -> False).
  Proof.
    intros Hup. induction items as [| [k x] items IH]; intros Hi c c' empty Hc Hcur; cbn [extend].
    { intros [= <- <-]. split; [exact Hc |]. split; [exact Hcur | discriminate]. }
    assert (Hi' : items_ok items) by (intros j y Hj; apply Hi; now right).
    assert (Hk := Hi k x (or_introl eq_refl)).
    destruct (Pos.leb_spec upto k) as [_ | Hb].
    { intros [= <- <-]. split; [exact Hc |]. split; [exact Hcur | discriminate]. }
    destruct (match c with [] => false | e :: _ => Pos.leb k (key e) end) eqn:Eskip.
    { now apply IH. }
    assert (Hkeys : forall e', In e' c -> (key e' < k)%positive).
    { destruct c as [| e c]; [easy |]. apply Pos.leb_gt in Eskip.
      intros e' [<- | He']; trivial.
      destruct Hc as (_ & _ & Hord & _). specialize (Hord e' He'). lia. }
    intros H. apply bind_ok in H. destruct H as ([e |] & Hm & H).
    - destruct (measure_some _ _ _ _ _ Hc Hk Hkeys Hm) as (Hc' & Ek & Ex & Eu).
      apply (IH Hi') in H; trivial.
      intros e' [<- | He']; [| now apply Hcur]. now rewrite Ek, Eu.
    - injection H as <- <-. split; [exact Hc |]. split; [exact Hcur |].
      intros _ Hf. apply (measure_none known c k x); trivial.
      + now apply (all_apply upto known).
      + apply defined_here; trivial. lia.
      + now apply (obeys_here upto).
  Qed.

  (** ** The walk *)

  Fixpoint on_coefficients (cs : coefficients) : F :=
    match cs with
    | [] => 0
    | (k, ps) :: rest => products ps * v k + on_coefficients rest
    end.

  Lemma add_row_sound slope l : forall cs,
    on_coefficients (add_row slope l cs) = on_coefficients cs + value slope * on_terms l.
  Proof.
    induction l as [| [k w] l IH]; intros cs; [cbn; lra |].
    induction cs as [| [k' ps] cs IHcs].
    { cbn [add_row on_coefficients value_of_terms value_of_products]. rewrite IH. cbn [on_coefficients]. lra. }
    change (add_row slope ((k, w) :: l) ((k', ps) :: cs)) with
      (match Pos.compare k k' with
       | Gt => (k, [(slope, w)]) :: add_row slope l ((k', ps) :: cs)
       | Lt => (k', ps) :: add_row slope ((k, w) :: l) cs
       | Eq => (k, (slope, w) :: ps) :: add_row slope l cs
       end).
    destruct (Pos.compare_spec k k') as [-> | _ | _].
    - cbn [on_coefficients value_of_terms value_of_products]. rewrite IH. lra.
    - cbn [on_coefficients]. rewrite IHcs. lra.
    - cbn [on_coefficients value_of_terms value_of_products]. rewrite IH. cbn [on_coefficients]. lra.
  Qed.

  Lemma next_coefficient_sound k cs c cs' : next_coefficient K k cs = Ok (c, cs') ->
    on_coefficients cs = value c * v k + on_coefficients cs'.
  Proof.
    unfold next_coefficient. destruct cs as [| [k' ps] cs].
    { intros [= <- <-]. rewrite (value_zero sound). cbn [on_coefficients]. lra. }
    destruct (Pos.compare_spec k k') as [-> | _ | _]; [| discriminate |]; intros [= <- <-].
    - rewrite (value_dot _ _ _ sound), (value_zero sound). cbn [on_coefficients]. lra.
    - rewrite (value_zero sound). lra.
  Qed.

  (** *** Twins *)

  (** What is known of a neuron and its twin. *)
  Definition twins_hold (twins : trie (Twins.twin t)) : Prop :=
    forall k w, find k twins = Some w -> exists a s s',
      find k def = Some (Neuron a s) /\ find (Twins.partner w) def = Some (Neuron a s')
      /\ reduces (value := value) a w
      /\ within (value := value) (Twins.change w)
           (on_sum s - (value (Twins.factor w) * on_sum s' + value (Twins.offset w))).

  Lemma new_twin_holds a m p w : Twins.new_twin K a m p = Ok w ->
    reduces (value := value) a w /\ Twins.partner w = m /\ Twins.change w = (None, None).
  Proof. apply (new_twin_reduces sound). Qed.

  (** What is known of entries by their numbers. *)
  Definition entries_hold (entries : trie (entry t)) : Prop :=
    forall k e, find k entries = Some e -> find k def = Some (shape e) /\ defined (shape e) k
      /\ in_range (low e, high e) (argument (shape e) k).

  Lemma entries_of_cache c : cache_ok c -> (forall e, In e c -> applies e) -> forall found,
    entries_hold found -> entries_hold (fold_left (fun found e => set (key e) e found) c found).
  Proof.
    induction c as [| e c IH]; intros Hc Ha found Hf; [exact Hf |]. cbn [fold_left].
    destruct Hc as (Hc & Hd & _ & _ & Ht). apply IH; [exact Hc | intros e' He'; apply Ha; now right |].
    intros k e' H. apply find_set_cases in H. destruct H as [[-> ->] | [_ H]]; [| now apply Hf].
    split; [exact Hd |]. split; [exact (proj1 (Ha e (or_introl eq_refl))) | apply Ht, Ha].
  Qed.

  (** The order of terms does not matter. *)
  Lemma on_terms_reversed l : on_terms (rev' l) = on_terms l.
  Proof.
    assert (A : forall l l', on_terms (l ++ l') = on_terms l + on_terms l').
    { clear l. intros l l'. induction l as [| [k c] l IH]; cbn [app value_of_terms]; [| rewrite IH]; lra. }
    unfold rev'. rewrite <- rev_alt. induction l as [| [k c] l IH]; [reflexivity |].
    cbn [rev]. rewrite A, IH. cbn [value_of_terms]. lra.
  Qed.

  Lemma add_argument_sound slope s cs :
    on_coefficients (add_argument K slope s cs) = on_coefficients cs + value slope * on_terms (terms s).
  Proof.
    unfold add_argument. destruct (is_zero K slope) eqn:E.
    - apply (is_zero_sound sound) in E. rewrite E. lra.
    - now rewrite add_row_sound, on_terms_reversed.
  Qed.

  Lemma worth_sound c minus p :
    value (worth K c minus p) = value c * value (snd p) + value minus * value (fst p).
  Proof.
    unfold worth. rewrite (value_dot _ _ _ sound), (value_zero sound). cbn [value_of_products]. lra.
  Qed.

  Lemma highest_sound c minus ps : forall most m, highest K c minus most ps = Ok m ->
    value most <= value m /\ (forall p, In p ps -> value (worth K c minus p) <= value m).
  Proof.
    induction ps as [| p ps IH]; intros most m; cbn [highest].
    { intros [= <-]. split; [lra | contradiction]. }
    intros H. apply bind_ok in H. destruct H as (m1 & Hm1 & H).
    apply (larger_ok sound) in Hm1. destruct Hm1 as (L1 & L2 & _).
    destruct (IH _ _ H) as [H1 H2]. split; [lra |].
    intros q [<- | Hq]; [lra | now apply H2].
  Qed.

  Theorem walk_bounds by_default sp twins entries c : twins_hold twins -> entries_hold entries ->
    cache_ok c -> (forall e, In e c -> applies e) ->
    forall cs total last ms r, walk K by_default sp twins entries c cs total last ms = Ok r ->
    on_coefficients cs + value total <= value (fst r).
  Proof.
    intros Htw Hen.
    induction c as [| e c IH]; intros Hc Ha cs total last ms r; cbn [walk].
    { intros H. apply bind_ok in H. destruct H as (u & Hn & H). apply need_ok in Hn. injection H as <-.
      destruct cs; [| discriminate]. cbn [fst on_coefficients]. lra. }
    assert (Hrest : forall e', In e' c -> applies e') by (intros e' He'; apply Ha; now right).
    assert (Hd := proj1 (Ha e (or_introl eq_refl))).
    destruct Hc as (Hc & Hdef & _ & Hpoints & Htrue).
    destruct (Htrue Ha) as [Hr _]. specialize (IH Hc Hrest). unfold in_range in Hr.
    cbn [fst snd] in Hr. intros H. apply bind_ok in H. destruct H as ([q cs'] & Hq & H).
    apply next_coefficient_sound in Hq. rewrite Hq. clear Hq cs.
    apply bind_ok in H. destruct H as (_ & _ & H).
    destruct (shape e) as [| a s]; cbn [argument defined activation_of] in *.
    - apply bind_ok in H. destruct H as (negative & Hn & H). apply IH in H.
      rewrite (value_dot _ _ _ sound) in H. cbn [value_of_products] in H.
      destruct negative; [apply (le_true sound) in Hn | apply (le_false sound) in Hn];
        rewrite (value_zero sound) in Hn; nra.
    - cbv zeta in H.
      destruct (if (bent e || is_split sp (key e))%bool then find (key e) twins else None) as [w |] eqn:Ew.
      { (* compared with a twin *)
        assert (Hw : find (key e) twins = Some w) by (destruct (bent e || _)%bool; [exact Ew | discriminate]).
        destruct (Htw _ _ Hw) as (a' & s1 & s2 & D1 & D2 & P & W).
        rewrite Hdef in D1. injection D1 as <- <-.
        apply bind_ok in H. destruct H as ([[s' l] h] & Ht & H). unfold of_twin in Ht.
        destruct (find (Twins.partner w) entries) as [e' |] eqn:Ee; [| discriminate].
        destruct (Hen _ _ Ee) as (D3 & Hd' & Hr'). rewrite D2 in D3. injection D3 as D3.
        rewrite <- D3 in Ht, Hd', Hr'. injection Ht as <- <- <-. cbn [defined argument] in Hd', Hr'.
        apply bind_ok in H. destruct H as (found & Hf & H).
        apply (compare_sound sound _ _ _ _ _ _ _ _ _ _ _ (on_sum s) (on_sum s2)) in Hf; trivial.
        destruct found as [[[[mu nu] top] ms'] |]; [| contradiction].
        apply bind_ok in H. destruct H as (_ & _ & H). apply IH in H.
        rewrite add_row_sound, !add_argument_sound, !(value_align _ _ _ sound), !(value_dot _ _ _ sound) in H.
        cbn [value_of_products value_of_terms] in H. rewrite !(value_dot _ _ _ sound) in H.
        cbn [value_of_products] in H.
        rewrite (value_add _ _ _ sound), !(value_sub sound), (value_one sound), (value_zero sound) in H.
        rewrite Hd. rewrite Hd' in H. unfold value_of_sum in *. lra. }
      apply bind_ok in H. destruct H as ([slope ms'] & _ & H).
      destruct (is_zero K q && is_zero K slope)%bool eqn:Ez.
      { apply andb_prop in Ez. destruct Ez as [Ez _]. apply (is_zero_sound sound) in Ez.
        apply IH in H. rewrite Ez. lra. }
      destruct (points e) as [| p ps]; [discriminate |]. cbv zeta in H.
      set (minus := dot K [(int K (-1), slope)] (zero K)) in *.
      assert (Em : value minus = - value slope).
      { unfold minus. rewrite (value_dot _ _ _ sound), (value_zero sound). cbn [value_of_products].
        rewrite (value_int sound). lra. }
      clearbody minus.
      apply bind_ok in H. destruct H as (most & Hm & H).
      apply bind_ok in H. destruct H as (_ & _ & H).
      apply highest_sound in Hm. destruct Hm as [Hm1 Hm2].
      assert (Hpeak : value q * activate a (on_sum s) - value slope * on_sum s <= value most).
      { apply (neuron_points a _ _ (value (low e)) (value (high e))); trivial.
        intros z Hz. destruct (Hpoints z Hz) as (z' & y & Hin & <- & Ey). rewrite <- Ey.
        assert (W : value (worth K q minus (z', y)) <= value most)
          by (destruct Hin as [<- | Hin]; [exact Hm1 | now apply Hm2]).
        rewrite worth_sound, Em in W. cbn [fst snd] in W. lra. }
      assert (Hnext : on_coefficients cs' + value slope * on_terms (terms s)
        + value (dot K [(slope, constant s); (one K, most)] total) <= value (fst r)).
      { destruct (is_zero K slope) eqn:E0; apply IH in H.
        - apply (is_zero_sound sound) in E0. rewrite E0. lra.
        - rewrite add_argument_sound, (value_align _ _ _ sound) in H. exact H. }
      rewrite (value_dot _ _ _ sound) in Hnext. cbn [value_of_products] in Hnext.
      rewrite (value_one sound) in Hnext. rewrite Hd. unfold value_of_sum in *. lra.
  Qed.

  (** ** Leaves *)

  Lemma bound_by_sound c twins s ms m : twins_hold twins -> cache_ok c -> (forall e, In e c -> applies e) ->
    bound_by K c twins s ms = Ok m -> on_sum (target s) <= value m.
  Proof.
    intros Htw Hc Ha H. unfold bound_by in H. cbv zeta in H.
    set (entries := match twins with Empty => _ | _ => _ end) in H.
    assert (Hen : entries_hold entries).
    { assert (H0 : entries_hold Empty) by (intros k e; discriminate).
      unfold entries. destruct twins; [exact H0 | now apply entries_of_cache..]. }
    apply bind_ok in H. destruct H as ([total left] & Hw & H).
    apply bind_ok in H. destruct H as (_ & _ & H).
    apply bind_ok in H. destruct H as (_ & _ & H). injection H as <-.
    apply walk_bounds in Hw; trivial. cbn [fst] in Hw.
    rewrite add_row_sound, on_terms_reversed, (value_one sound) in Hw. cbn [on_coefficients] in Hw.
    unfold value_of_sum. lra.
  Qed.

  Lemma leaf_sound items c twins s ms c' : twins_hold twins -> (upto s <= bound vs)%positive -> items_ok items ->
    cache_ok c -> leaf K items c twins s ms = Ok c' ->
    cache_ok c' /\ (facts_below (upto s) (bounds s) -> on_sum (target s) <= 0).
  Proof.
    intros Htw Hup Hi Hc H. unfold leaf in H.
    destruct (keep K (upto s) (bounds s) c) as [c1 all] eqn:Ek.
    apply keep_ok in Ek; trivial. destruct Ek as (Hc1 & Hcur1 & _). cbn [fst] in H.
    apply bind_ok in H. destruct H as ([c2 empty] & He & H).
    apply extend_ok in He; trivial. destruct He as (Hc2 & Hcur2 & Hempty).
    destruct empty.
    { injection H as <-. split; trivial. intros Hf. now destruct (Hempty eq_refl Hf). }
    apply bind_ok in H. destruct H as (gap & Hg & H).
    apply bind_ok in H. destruct H as (closed & Hle & H).
    apply bind_ok in H. destruct H as (u & Hneed & H). injection H as <-.
    split; trivial. intros Hf. apply need_ok in Hneed. subst closed.
    apply (le_true sound) in Hle. rewrite (value_zero sound) in Hle.
    apply bound_by_sound in Hg; trivial; [lra |]. now apply (all_apply (upto s) (bounds s)).
  Qed.

  (** ** Trees *)

  (** What a bound says of a number. *)
  Definition bounded_by (which : side) (x : t) (z : F) : Prop :=
    match which with Low => value x <= z | High => z <= value x end.

  Lemma bound_target_sound which u x goal : bound_target K which u x = Ok goal ->
    on_sum goal <= 0 -> bounded_by which x (on_sum u).
  Proof.
    destruct which; cbn [bound_target bounded_by]; intros H Ht;
      rewrite (add_sums_sound sound v _ _ _ H) in Ht; unfold total in Ht; cbn [map fold_right fst snd] in Ht;
      rewrite ?(value_opp sound), ?(value_one sound), ?(value_int sound) in Ht; lra.
  Qed.

  Lemma replaced_holds upto known k which x : facts_below upto known ->
    bounded_by which x (argument_of value v (Variables upto def) k) ->
    facts_below upto (set k (replaced (find k known) which x) known).
  Proof.
    intros Hf Hx j l h Hj Hfind. apply find_set_cases in Hfind.
    destruct Hfind as [[-> E] | [_ Hfind]]; [| now apply (Hf j)].
    unfold replaced in E. destruct (find k known) as [[l0 h0] |] eqn:Ef.
    - destruct (Hf k l0 h0 Hj Ef) as [Hl Hh].
      destruct which; injection E as -> ->; split; trivial; intros y [= <-]; exact Hx.
    - destruct which; injection E as -> ->; split; try discriminate; intros y [= <-]; exact Hx.
  Qed.

  (** The same for the change of a neuron with a twin. *)
  Lemma new_change known which x d : within (value := value) known d -> bounded_by which x d ->
    within (value := value) (replaced (Some known) which x) d.
  Proof.
    intros [Hl Hh] Hx. destruct known as [l h]. destruct which; cbn [replaced]; split; cbn [fst snd] in *;
      try assumption; intros y [= <-]; exact Hx.
  Qed.

  Lemma fewer_facts upto upto' known : (upto' <= upto)%positive ->
    facts_below upto known -> facts_below upto' known.
  Proof. intros Hup Hf k l h Hk E. apply (Hf k l h); [| exact E]. cbn [bound] in *. lia. Qed.

  Lemma seek_ok k items : items_ok items -> forall weights x cost,
    seek K k items weights = Some (x, cost) -> find k def = Some x.
  Proof.
    induction items as [| [j y] items IH]; intros Hi weights x cost; cbn [seek]; [discriminate |].
    destruct (Pos.eqb_spec j k) as [-> | _].
    - intros [= <- _]. apply Hi. now left.
    - apply IH. intros i z Hz. apply Hi. now right.
  Qed.

  Lemma no_twins : twins_hold Empty.
  Proof. intros k w H. discriminate. Qed.

  Lemma follow_sound items twins cases : twins_hold twins -> items_ok items -> forall open c budget c' left,
    Forall (fun s => (upto s <= bound vs)%positive) open ->
    cache_ok c -> follow K items twins cases open c budget = Ok (c', left) ->
    cache_ok c' /\
    Forall (fun s => facts_below (upto s) (bounds s) -> on_sum (target s) <= 0) open.
  Proof.
    intros Htw Hi. induction cases as [| this cases IH]; intros open c budget c' left Hup Hc; cbn [follow].
    { intros H. apply bind_ok in H. destruct H as (u & Hn & H). apply need_ok in Hn.
      injection H as <- <-. destruct open; [now split | discriminate]. }
    destruct open as [| s open]; [discriminate |]. inversion_clear Hup as [| ? ? Hs Hups]. intros H.
    apply bind_ok in H. destruct H as (b1 & _ & H).
    destruct this as [k point | k which point | | ms | ms | |].
    - apply bind_ok in H. destruct H as (p & _ & H).
      apply bind_ok in H. destruct H as (u & _ & H).
      set (k' := N.succ_pos k) in *.
      assert (U : forall which, upto (with_split s k' which p) = upto s /\ target (with_split s k' which p) = target s
                  /\ bounds (with_split s k' which p) = set k' (replaced (find k' (bounds s)) which p) (bounds s)).
      { intros which. unfold with_split. destruct (match find _ (splits s) with Some b => b | None => _ end).
        repeat split. }
      apply IH in H; trivial.
      2: { repeat constructor; trivial; now rewrite (proj1 (U _)). }
      destruct H as [Hc' Hopen]. split; trivial.
      inversion_clear Hopen as [| ? ? Hhigh Hopen'].
      inversion_clear Hopen' as [| ? ? Hlow Hrest]. constructor; trivial.
      intros Hf. destruct (U High) as (-> & -> & ->) in Hhigh. destruct (U Low) as (-> & -> & ->) in Hlow.
      destruct (le_or_lt (argument_of value v (Variables (upto s) def) k') (value p)) as [L | L].
      + apply Hhigh, replaced_holds; trivial.
      + apply Hlow, replaced_holds; trivial. cbn [bounded_by]. lra.
    - apply bind_ok in H. destruct H as (p & _ & H).
      apply bind_ok in H. destruct H as (u & Hk & H). apply need_ok in Hk. apply Pos.ltb_lt in Hk.
      set (k' := N.succ_pos k) in *.
      destruct (seek K k' items 0) as [[[| a z] weight] |] eqn:Ez; try discriminate.
      apply seek_ok in Ez; trivial.
      apply bind_ok in H. destruct H as (b2 & _ & H).
      apply bind_ok in H. destruct H as (goal & Hg & H).
      apply IH in H; trivial.
      2: { repeat constructor; trivial. cbn [upto for_lemma]. lia. }
      destruct H as [Hc' Hopen]. split; trivial.
      inversion_clear Hopen as [| ? ? Hfirst Hopen'].
      inversion_clear Hopen' as [| ? ? Hthen Hrest]. constructor; trivial.
      cbn [upto bounds target for_lemma with_lemma] in Hfirst, Hthen.
      intros Hf. apply Hthen, replaced_holds; trivial.
      unfold argument_of. cbn [definition]. rewrite Ez.
      apply (bound_target_sound _ _ _ _ Hg), Hfirst. apply (fewer_facts (upto s)); trivial. lia.
    - apply bind_ok in H. destruct H as (b2 & _ & H).
      apply bind_ok in H. destruct H as ([known b3] & Hw & H).
      apply IH in H; trivial; [| now constructor].
      destruct H as [Hc' Hopen]. split; trivial.
      inversion_clear Hopen as [| ? ? Hthen Hrest]. constructor; trivial.
      cbn [upto bounds target with_bounds] in Hthen. intros Hf. apply Hthen.
      apply (sweep_sound sound v (Variables (upto s) def)) in Hw; trivial.
      intros k Hk. rewrite <- same_def. apply Hv. cbn [bound] in Hk. lia.
    - apply bind_ok in H. destruct H as (b2 & _ & H).
      apply bind_ok in H. destruct H as (ms' & _ & H).
      apply bind_ok in H. destruct H as (c1 & Hl & H).
      apply leaf_sound in Hl; trivial; [| exact no_twins]. destruct Hl as [Hc1 Hs'].
      destruct (IH _ _ _ _ _ Hups Hc1 H) as [Hc' Hopen]. split; trivial. now constructor.
    - apply bind_ok in H. destruct H as (b2 & _ & H).
      apply bind_ok in H. destruct H as (ms' & _ & H).
      apply bind_ok in H. destruct H as (c1 & Hl & H).
      apply leaf_sound in Hl; trivial. destruct Hl as [Hc1 Hs'].
      destruct (IH _ _ _ _ _ Hups Hc1 H) as [Hc' Hopen]. split; trivial. now constructor.
    - apply bind_ok in H. destruct H as (b2 & _ & H). discriminate.
    - discriminate.
  Qed.

  Lemma listed_ok : items_ok (listed vs).
  Proof.
    intros k x. unfold listed. destruct (Pos.eqb_spec (bound vs) 1) as [| Hb]; [contradiction |].
    set (next := fun kl : positive * list (positive * variable t) => _).
    assert (H : forall n, fst (Pos.iter next (1%positive, []) n) = Pos.succ n /\
      forall k x, In (k, x) (snd (Pos.iter next (1%positive, []) n)) ->
        find k (definition vs) = Some x /\ (k < Pos.succ n)%positive).
    { assert (Hstep : forall m kl, fst kl = m ->
        (forall k x, In (k, x) (snd kl) -> find k (definition vs) = Some x /\ (k < m)%positive) ->
        fst (next kl) = Pos.succ m /\
        forall k x, In (k, x) (snd (next kl)) -> find k (definition vs) = Some x /\ (k < Pos.succ m)%positive).
      { intros m [j l] E Hl. cbn [fst snd] in *. subst j. split; [reflexivity |].
        intros k' x'. cbn. destruct (find m (definition vs)) as [y |] eqn:Ef.
        - intros [[= <- <-] | Hin]; [split; [exact Ef | lia] |].
          apply Hl in Hin. split; [apply Hin | lia].
        - intros Hin. apply Hl in Hin. split; [apply Hin | lia]. }
      induction n as [| n IH] using Pos.peano_ind.
      - apply (Hstep 1%positive (1%positive, [])); [reflexivity | contradiction].
      - rewrite Pos.iter_succ. apply Hstep; apply IH. }
    unfold rev'. rewrite <- rev_alt, <- in_rev. intros Hin.
    apply H in Hin. rewrite same_def in Hin. apply Hin.
  Qed.
End Cases.

(** ** The theorem *)

(** What may be assumed, and is kept, of a cache: nothing about bounds. *)
Definition cache_sound {t : Type} (value : t -> F) (v : positive -> F) (vs : variables t) : cache t -> Prop :=
  cache_ok (value := value) v (definition vs).

Lemma no_cache_sound {t : Type} (value : t -> F) v (vs : variables t) : cache_sound value v vs no_cache.
Proof. exact I. Qed.

Theorem prove_sound {t : Type} (K : number t) (value : t -> F) (meaning : exact -> F)
    (v : positive -> F) (vs : variables t) twins targets known cases c budget c' left :
  sound_number K value meaning ->
  prove K vs twins targets known cases c budget = Ok (c', left) ->
  cache_sound value v vs c -> solution value v vs -> facts_hold value v vs known ->
  twins_hold (value := value) v (definition vs) twins ->
  cache_sound value v vs c' /\ Forall (fun target => value_of_sum value v target <= 0) targets.
Proof.
  intros sound H Hc Hv Hf Htw. unfold prove in H.
  eapply (follow_sound sound v (definition vs) vs eq_refl Hv _ _ _ Htw (listed_ok (definition vs) vs eq_refl)) in H;
    [| | exact Hc].
  2: { apply Forall_map, Forall_forall. intros target _. apply Pos.le_refl. }
  destruct H as [Hc' Hopen]. split; [exact Hc' |]. rewrite Forall_map in Hopen.
  eapply Forall_impl; [| exact Hopen]. intros target Ht. apply Ht. destruct vs. exact Hf.
Qed.
