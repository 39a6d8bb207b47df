(** * TwinsSound.v -- comparing a neuron with its twin is right

    What this file proves, in plain words.  Wherever the arguments of a neuron and
    of its twin lie in their ranges, and the change in its own, what [compare]
    (Twins.v) gives bounds the neuron by its twin ([compare_sound]); and if there is
    no cell, there is no such point.  Nothing is assumed about multipliers.

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List Bool.
From VeriMV Require Export SumsSound.
From VeriMV Require Import Twins.
Import ListNotations.
Open Scope Qc_scope.

Section Twins.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.

  Notation zero := (zero K).
  Notation one := (one K).

  (** What is promised of a twin, for every argument z. *)
  Definition reduces (a : activation) (w : twin t) : Prop := forall z,
    activate a (value (factor w) * z + value (offset w))
    = value (of_value w) * activate a z + value (of_argument w) * z + value (offset w).

  Lemma new_twin_reduces a m p w : new_twin K a m p = Ok w -> reduces a w /\ partner w = m /\ change w = (None, None).
  Proof.
    pose proof (value_zero sound) as V0. pose proof (value_one sound) as V1.
    intros H. unfold new_twin in H. apply bind_ok in H. destruct H as (negative & Hn & H).
    assert (N : if negative then value p < 0 else 0 <= value p).
    { destruct negative; [apply (lt_true sound) in Hn | apply (lt_false sound) in Hn]; rewrite V0 in Hn; exact Hn. }
    clear Hn. destruct a.
    - injection H as <-. destruct negative; (split; [| now split]); intros z;
        cbn [factor offset of_value of_argument activate]; rewrite ?(value_opp sound), V0;
        replace (value p * z + 0) with (value p * z) by lra.
      + rewrite opposite_relu by exact N. lra.
      + destruct (le_or_lt (value p) 0) as [L | L].
        * assert (E : value p = 0) by lra. rewrite E. replace (0 * z) with (0 * 0) by lra.
          unfold rho. rewrite fmax_left by lra. lra.
        * rewrite shared_relu by exact L. lra.
    - apply bind_ok in H. destruct H as (x & Hone & H). apply need_ok, orb_prop in Hone. injection H as <-.
      split; [| now split]. intros z. cbn [factor offset of_value of_argument activate].
      destruct Hone as [E | E]; apply (eqb_sound sound) in E; rewrite ?V1, ?(value_int sound) in E.
      + rewrite E in *. destruct negative; [lra |]. rewrite V0. replace (1 * z + 0) with z by lra. lra.
      + assert (E1 : value p = - (1)) by (rewrite E; lra). rewrite E1 in *.
        destruct negative; [| lra]. rewrite V0, V1. minmax.
    - injection H as <-. split; [| now split]. intros z. cbn [factor offset of_value of_argument activate].
      rewrite V0. lra.
  Qed.

  Definition in_piece (p : piece t) (x : F) : Prop := value (first p) <= x <= value (last p).

  (** What the activation is on a piece. *)
  Definition on_piece (p : piece t) (x : F) : F := (if rises p then x else 0) + (if full p then 1 else 0).

  (** ** Pieces and cells *)

  Lemma pieces_sound a l h ps x : pieces K a l h = Ok ps -> value l <= x <= value h ->
    exists p, In p ps /\ in_piece p x /\ activate a x = on_piece p x.
  Proof.
    pose proof (value_zero sound) as V0. pose proof (value_one sound) as V1.
    intros H Hx. unfold pieces in H.
    apply bind_ok in H. destruct H as (bb & Hbb & H).
    apply bind_ok in H. destruct H as (eb & Heb & H).
    apply bind_ok in H. destruct H as (uz & Huz & H). apply (smaller_ok sound) in Huz.
    apply bind_ok in H. destruct H as (fz & Hfz & H). apply (larger_ok sound) in Hfz.
    assert (Bb : if bb then value l < 0 else 0 <= value l).
    { destruct bb; [apply (lt_true sound) in Hbb | apply (lt_false sound) in Hbb]; rewrite V0 in Hbb; exact Hbb. }
    assert (Eb : if eb then value h <= 0 else 0 < value h).
    { destruct eb; [apply (le_true sound) in Heb | apply (le_false sound) in Heb]; rewrite V0 in Heb; exact Heb. }
    assert (Uz : x <= 0 -> x <= value uz) by (destruct Huz as (_ & _ & [-> | ->]); rewrite ?V0; lra).
    assert (Fz : 0 <= x -> value fz <= x) by (destruct Hfz as (_ & _ & [-> | ->]); rewrite ?V0; lra).
    clear Hbb Heb Huz Hfz. cbv zeta in H.
    set (flat := if bb || eb then [Piece l uz false false] else []) in *.
    (* where x is not positive, and the first piece exists *)
    assert (Flat : x <= 0 -> (bb || eb)%bool = true -> In (Piece l uz false false) flat /\
      in_piece (Piece l uz false false) x /\ forall a, a <> Identity -> activate a x = on_piece (Piece l uz false false) x).
    { intros Hneg E. unfold flat. rewrite E. split; [now left |].
      split; [unfold in_piece; cbn [first last]; split; [apply Hx | now apply Uz] |].
      intros a' Ha'. unfold on_piece. cbn [rises full]. destruct a'; cbn [activate]; [minmax | minmax | easy]. }
    destruct a.
    - (* relu *)
      injection H as <-. destruct (le_or_lt x 0) as [L | L].
      + destruct (bb || eb)%bool eqn:E.
        * destruct (Flat L eq_refl) as (F1 & F2 & F3). exists (Piece l uz false false).
          split; [apply in_or_app; now left |]. split; [exact F2 | now apply F3].
        * apply orb_false_iff in E. destruct E as [-> ->]. exists (Piece fz h true false).
          split; [apply in_or_app; right; now left |]. unfold in_piece, on_piece. cbn [first last rises full activate].
          split; [split; [apply Fz | ]; lra |]. assert (x = 0) by lra. subst x. minmax.
      + assert (E : eb = false) by (destruct eb; [lra | reflexivity]). subst eb.
        exists (Piece fz h true false). split; [apply in_or_app; right; now left |].
        unfold in_piece, on_piece. cbn [first last rises full activate].
        split; [split; [apply Fz |]; lra |]. minmax.
    - (* clipped *)
      apply bind_ok in H. destruct H as (be & Hbe & H).
      apply bind_ok in H. destruct H as (el & Hel & H).
      apply bind_ok in H. destruct H as (uo & Huo & H). apply (smaller_ok sound) in Huo.
      apply bind_ok in H. destruct H as (fo & Hfo & H). apply (larger_ok sound) in Hfo. injection H as <-.
      assert (Be : if be then value l < 1 else 1 <= value l).
      { destruct be; [apply (lt_true sound) in Hbe | apply (lt_false sound) in Hbe]; rewrite V1 in Hbe; exact Hbe. }
      assert (El : if el then 1 < value h else value h <= 1).
      { destruct el; [apply (lt_true sound) in Hel | apply (lt_false sound) in Hel]; rewrite V1 in Hel; exact Hel. }
      assert (Uo : x <= 1 -> x <= value uo) by (destruct Huo as (_ & _ & [-> | ->]); rewrite ?V1; lra).
      assert (Fo : 1 <= x -> value fo <= x) by (destruct Hfo as (_ & _ & [-> | ->]); rewrite ?V1; lra).
      clear Hbe Hel Huo Hfo.
      assert (Middle : 0 <= x <= 1 -> eb = false -> be = true -> exists p,
        In p (flat ++ (if negb eb && be then [Piece fz uo true false] else [])
                   ++ (if el || negb be then [Piece fo h false true] else []))
        /\ in_piece p x /\ activate Clip x = on_piece p x).
      { intros Hm -> ->. exists (Piece fz uo true false).
        split; [apply in_or_app; right; apply in_or_app; left; now left |].
        unfold in_piece, on_piece. cbn [first last rises full activate].
        split; [split; [apply Fz | apply Uo]; lra |]. minmax. }
      assert (Top : 1 <= x -> (el || negb be)%bool = true -> exists p,
        In p (flat ++ (if negb eb && be then [Piece fz uo true false] else [])
                   ++ (if el || negb be then [Piece fo h false true] else []))
        /\ in_piece p x /\ activate Clip x = on_piece p x).
      { intros Hm ->. exists (Piece fo h false true).
        split; [apply in_or_app; right; apply in_or_app; right; now left |].
        unfold in_piece, on_piece. cbn [first last rises full activate].
        split; [split; [now apply Fo | apply Hx] |]. minmax. }
      destruct (le_or_lt x 0) as [L | L].
      + destruct (bb || eb)%bool eqn:E.
        * destruct (Flat L eq_refl) as (F1 & F2 & F3). exists (Piece l uz false false).
          split; [apply in_or_app; now left |]. split; [exact F2 | now apply F3].
        * apply orb_false_iff in E. destruct E as [-> ->].
          apply Middle; [lra | reflexivity | destruct be; [reflexivity | lra]].
      + assert (eb = false) by (destruct eb; [lra | reflexivity]).
        destruct (le_or_lt x 1) as [M | M].
        * destruct be; [apply Middle; trivial; lra |]. apply Top; [lra | apply orb_true_r].
        * apply Top; [lra |]. destruct el; [reflexivity | lra].
    - (* identity *)
      injection H as <-. exists (Piece l h true false). split; [now left |].
      unfold in_piece, on_piece. cbn [first last rises full activate]. split; [exact Hx | lra].
  Qed.

  Lemma cells_sound least most zs ys cs z y x d : cells K least most zs ys = Ok cs ->
    In z zs -> In y ys -> in_piece z x -> in_piece y (x + d) -> value least <= d <= value most ->
    In (z, y) cs.
  Proof.
    intros H Hz Hy Px Py Hd. revert cs H. induction zs as [| z' zs IH]; intros cs; [contradiction |].
    cbn [cells]. intros H. apply bind_ok in H. destruct H as (some & Hs & H).
    apply bind_ok in H. destruct H as (others & Ho & H). injection H as <-.
    apply in_or_app. destruct Hz as [-> | Hz]; [left | right; now apply IH].
    clear IH Ho. revert some Hs. induction ys as [| y' ys IH]; intros some; [contradiction |].
    cbn [cells_with]. intros H. apply bind_ok in H. destruct H as (b & Hb & H).
    apply bind_ok in H. destruct H as (more & Hm & H). injection H as <-.
    destruct Hy as [-> | Hy].
    - assert (b = true) as ->; [| now left].
      unfold meet in Hb. apply bind_ok in Hb. destruct Hb as (b1 & H1 & Hb).
      apply bind_ok in Hb. destruct Hb as (b2 & H2 & Hb). injection Hb as <-.
      unfold in_piece in *.
      destruct b1; [| apply (le_false sound) in H1; rewrite (value_add _ _ _ sound) in H1; lra].
      destruct b2; [reflexivity | apply (le_false sound) in H2; rewrite (value_add _ _ _ sound) in H2; lra].
    - destruct b; [right |]; now apply IH.
  Qed.

  (** ** The peak *)

  Lemma largest_sound c l h m x : largest K c l h = Ok m -> value l <= x <= value h -> value c * x <= value m.
  Proof.
    unfold largest. intros H Hx. apply bind_ok in H. destruct H as (falling & Hf & H). injection H as <-.
    rewrite (value_dot _ _ _ sound), (value_zero sound). cbn [value_of_products].
    destruct falling; [apply (le_true sound) in Hf | apply (le_false sound) in Hf];
      rewrite (value_zero sound) in Hf; nra.
  Qed.

  Lemma value_where b c : value (where_ K b c) = (if b then value c else 0).
  Proof. destruct b; [reflexivity | apply (value_zero sound)]. Qed.

  Lemma height_sound c mu nu least most z y m x d : height K c mu nu least most (z, y) = Ok m ->
    in_piece z x -> in_piece y (x + d) -> value least <= d <= value most ->
    value c * (on_piece y (x + d) - on_piece z x) - value mu * d - value nu * x <= value m.
  Proof.
    unfold height. cbv zeta. set (B := sub K _ mu). set (A := sub K _ nu). intros H Px Py Hd.
    assert (EB : value B = (if rises y then value c else 0) - value mu).
    { unfold B. now rewrite (value_sub sound), value_where. }
    assert (EA : value A = (if rises y then value c else 0) - (if rises z then value c else 0) - value nu).
    { unfold A. now rewrite !(value_sub sound), !value_where. }
    clearbody A B.
    apply bind_ok in H. destruct H as (z1 & H1 & H). apply (largest_sound _ _ _ _ x) in H1; [| exact Px].
    apply bind_ok in H. destruct H as (d1 & H2 & H). apply (largest_sound _ _ _ _ d) in H2; [| exact Hd].
    apply bind_ok in H. destruct H as (z2 & H3 & H). apply (largest_sound _ _ _ _ x) in H3; [| exact Px].
    apply bind_ok in H. destruct H as (y2 & H4 & H). apply (largest_sound _ _ _ _ (x + d)) in H4; [| exact Py].
    apply bind_ok in H. destruct H as (y3 & H5 & H). apply (largest_sound _ _ _ _ (x + d)) in H5; [| exact Py].
    apply bind_ok in H. destruct H as (d3 & H6 & H). apply (largest_sound _ _ _ _ d) in H6; [| exact Hd].
    rewrite (value_sub sound) in H3, H6.
    apply bind_ok in H. destruct H as (m1 & H7 & H). apply (smaller_ok sound) in H7.
    apply bind_ok in H. destruct H as (m2 & H8 & H). apply (smaller_ok sound) in H8. injection H as <-.
    rewrite (value_add _ _ _ sound), (value_sub sound), !value_where.
    assert (Hm : value A * x + value B * d <= value m2).
    { destruct H8 as (_ & _ & [-> | ->]); [destruct H7 as (_ & _ & [-> | ->]) |];
        rewrite (value_add _ _ _ sound); lra. }
    rewrite EA, EB in Hm. unfold on_piece.
    destruct (rises y), (rises z), (full y), (full z); lra.
  Qed.

  Lemma peak_sound c mu nu least most cs : forall top m, peak K c mu nu least most top cs = Ok m ->
    value top <= value m /\
    forall cell h, In cell cs -> height K c mu nu least most cell = Ok h -> value h <= value m.
  Proof.
    induction cs as [| cell cs IH]; intros top m; cbn [peak].
    { intros [= <-]. split; [lra | contradiction]. }
    intros H. apply bind_ok in H. destruct H as (h & Hh & H).
    apply bind_ok in H. destruct H as (top' & Ht & H). apply (larger_ok sound) in Ht.
    destruct (IH _ _ H) as [I1 I2]. split; [lra |].
    intros cell' h' [<- | Hin] Hh'; [| now apply (I2 cell')].
    rewrite Hh in Hh'. injection Hh' as <-. lra.
  Qed.

  (** Every height that [peak] compares was computed. *)
  Lemma peak_computed c mu nu least most cs : forall top m, peak K c mu nu least most top cs = Ok m ->
    forall cell, In cell cs -> exists h, height K c mu nu least most cell = Ok h.
  Proof.
    induction cs as [| cell cs IH]; intros top m; cbn [peak]; [contradiction |].
    intros H. apply bind_ok in H. destruct H as (h & Hh & H).
    apply bind_ok in H. destruct H as (top' & _ & H).
    intros cell' [<- | Hin]; [eauto | now apply (IH _ _ H)].
  Qed.

  (** ** Comparing *)

  (** Known bounds hold of a number. *)
  Definition within (known : option t * option t) (x : F) : Prop :=
    (forall l, fst known = Some l -> value l <= x) /\ (forall h, snd known = Some h -> x <= value h).

  Lemma narrowed_change l h known l' h' x : Twins.narrowed K l h known = Ok (l', h') ->
    value l <= x <= value h -> within known x -> value l' <= x <= value h'.
  Proof.
    intros H Hx [Hl Hh]. unfold Twins.narrowed in H.
    apply bind_ok in H. destruct H as (a & Ha & H). apply bind_ok in H. destruct H as (b & Hb & H).
    injection H as <- <-. split.
    - destruct (fst known) as [k |]; [| now injection Ha as <-].
      apply (larger_ok sound) in Ha. destruct Ha as (_ & _ & [-> | ->]); [apply Hx | now apply Hl].
    - destruct (snd known) as [k |]; [| now injection Hb as <-].
      apply (smaller_ok sound) in Hb. destruct Hb as (_ & _ & [-> | ->]); [apply Hx | now apply Hh].
  Qed.

  (** y and z are the arguments of a neuron and of its twin. *)
  Theorem compare_sound by_default is_split a w c zl zh yl yh ms r y z :
    compare K by_default is_split a w c zl zh yl yh ms = Ok r -> reduces a w ->
    value zl <= z <= value zh -> value yl <= y <= value yh ->
    within (change w) (y - (value (factor w) * z + value (offset w))) ->
    match r with
    | None => False
    | Some (mu, nu, top, _) =>
        value c * activate a y
        <= value c * (value (of_value w) * activate a z + value (of_argument w) * z + value (offset w))
          + value mu * (y - (value (factor w) * z + value (offset w)))
          + value nu * (value (factor w) * z + value (offset w)) + value top
    end.
  Proof.
    intros H Hw Hz Hy Hd. rewrite <- (Hw z). unfold compare in H. cbv zeta in H.
    apply bind_ok in H. destruct H as (falling & Hfall & H).
    set (x := value (factor w) * z + value (offset w)) in *. set (d := y - x) in *.
    assert (Ey : y = x + d) by (unfold d; lra).
    set (ends := if falling then _ else _) in H.
    assert (Hx : value (fst ends) <= x <= value (snd ends)).
    { unfold ends, x. destruct falling; [apply (le_true sound) in Hfall | apply (le_false sound) in Hfall];
        rewrite (value_zero sound) in Hfall; cbn [fst snd];
        rewrite !(value_add _ _ _ sound), !(value_mul _ _ _ sound); split; nra. }
    destruct ends as [zl' zh']. cbn [fst snd] in Hx.
    apply bind_ok in H. destruct H as ([least most] & Hn & H).
    apply (narrowed_change _ _ _ _ _ d) in Hn; [| rewrite !(value_sub sound); unfold d; lra | exact Hd].
    apply bind_ok in H. destruct H as (zs & Hzs & H).
    apply bind_ok in H. destruct H as (ys & Hys & H).
    apply bind_ok in H. destruct H as (found & Hf & H).
    destruct (pieces_sound _ _ _ _ _ Hzs Hx) as (pz & Iz & Pz & Az).
    destruct (pieces_sound _ _ _ _ _ Hys Hy) as (py & Iy & Py & Ay).
    rewrite Ey in Py, Ay.
    pose proof (cells_sound _ _ _ _ _ _ _ _ _ Hf Iz Iy Pz Py Hn) as Hin.
    destruct found as [| cell rest]; [contradiction |].
    apply bind_ok in H. destruct H as ([[mu nu] ms'] & _ & H).
    apply bind_ok in H. destruct H as (_ & _ & H). apply bind_ok in H. destruct H as (_ & _ & H).
    apply bind_ok in H. destruct H as (top & Ht & H).
    apply bind_ok in H. destruct H as (m & Hm & H). injection H as <-.
    assert (Hh : exists h, height K c mu nu least most (pz, py) = Ok h /\ value h <= value m).
    { pose proof (peak_sound _ _ _ _ _ _ _ _ Hm) as [Q1 Q2]. destruct Hin as [-> | Hin].
      - eauto.
      - destruct (peak_computed _ _ _ _ _ _ _ _ Hm _ Hin) as [h Hh]. exists h. split; [exact Hh |].
        now apply (Q2 (pz, py)). }
    destruct Hh as (h & Hh & Hle).
    pose proof (height_sound _ _ _ _ _ _ _ _ _ _ Hh Pz Py Hn) as Hk.
    rewrite <- Ay, <- Az in Hk. rewrite <- Ey in Hk. clearbody d x. lra.
  Qed.
End Twins.
