(** * SweepsSound.v -- sweeps are right

    What this file proves, in plain words.  If bounds of arguments are true at a
    point, then those that [sweep] (Sweeps.v) gives are true there, too
    ([sweep_sound]).  Which slopes are taken does not matter; that ranges are
    only made larger, and totals only rounded up, does.

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List.
From VeriMV Require Export SumsSound.
From VeriMV Require Import Sweeps.
Import ListNotations.
Open Scope Qc_scope.

(** ** Quotients of integers *)

Definition over (n : Z) (d : positive) : F := of_Z n / of_Z (Zpos d).

Lemma positive_of_Z d : 0 < of_Z (Zpos d).
Proof. apply (of_Z_lt 0). lia. Qed.

Lemma over_times n d : over n d * of_Z (Zpos d) = of_Z n.
Proof. unfold over. rewrite <- (mul_div (of_Z (Zpos d)) (of_Z n)) at 2 by apply positive_of_Z. lra. Qed.

Lemma over_one n : over n 1 = of_Z n.
Proof. rewrite <- (over_times n 1). change (of_Z 1) with 1. lra. Qed.

Lemma over_le n d m e : (n * Zpos e <= m * Zpos d)%Z -> over n d <= over m e.
Proof.
  intros H. apply of_Z_le in H. rewrite !of_Z_mul in H.
  pose proof (positive_of_Z d) as Hd. pose proof (positive_of_Z e) as He.
  rewrite <- (over_times n d), <- (over_times m e) in H.
  set (x := over n d) in *. set (y := over m e) in *. clearbody x y.
  set (p := of_Z (Zpos d)) in *. set (q := of_Z (Zpos e)) in *. clearbody p q.
  destruct (le_or_lt x y) as [L | L]; [exact L | exfalso].
  assert (P : 0 < p * q) by nra. assert (0 < (x - y) * (p * q)) by nra. lra.
Qed.

Lemma over_same n m d : (n <= m)%Z -> over n d <= over m d.
Proof. intros H. apply over_le. nia. Qed.

Lemma over_eq n d m e : (n * Zpos e = m * Zpos d)%Z -> over n d = over m e.
Proof.
  intros H. assert (over n d <= over m e) by (apply over_le; lia).
  assert (over m e <= over n d) by (apply over_le; lia). lra.
Qed.

Lemma over_lt n m d : over n d < over m d -> (n < m)%Z.
Proof.
  intros H. destruct (Z.lt_ge_cases n m) as [L | L]; [exact L | exfalso].
  assert (over m d <= over n d) by now apply over_same. lra.
Qed.

Lemma over_plus n m d : over (n + m) d = over n d + over m d.
Proof. unfold over. rewrite of_Z_add, !div_as_mul. lra. Qed.

Lemma over_mul n d m e : over n d * over m e = over (n * m) (d * e).
Proof.
  pose proof (over_times n d) as E1. pose proof (over_times m e) as E2. pose proof (over_times (n * m) (d * e)) as E3.
  rewrite Pos2Z.inj_mul, !of_Z_mul in E3. rewrite <- E1, <- E2 in E3.
  pose proof (positive_of_Z d) as Hd. pose proof (positive_of_Z e) as He.
  set (x := over n d) in *. set (y := over m e) in *. set (z := over (n * m) (d * e)) in *. clearbody x y z.
  set (p := of_Z (Zpos d)) in *. set (q := of_Z (Zpos e)) in *. clearbody p q. clear E1 E2.
  assert (P : 0 < p * q) by nra. assert (E : (z - x * y) * (p * q) = 0) by lra.
  set (u := z - x * y) in *. assert (Eu : z = u + x * y) by (unfold u; lra). clearbody u.
  assert (u = 0) by (destruct (le_or_lt u 0); destruct (le_or_lt 0 u); nra). lra.
Qed.

(** ** Rounding *)

Lemma floor_le n d : of_Z (n / Zpos d) <= over n d.
Proof. rewrite <- over_one. apply over_le. pose proof (Z.mul_div_le n (Zpos d)). lia. Qed.

Lemma ceiling_ge n d : over n d <= of_Z (ceiling n d).
Proof.
  rewrite <- over_one. apply over_le. unfold ceiling. pose proof (Z.mul_div_le (- n) (Zpos d)). lia.
Qed.

(** Over a further denominator. *)
Lemma floor_over n d e : over (n / Zpos d) e <= over n (d * e).
Proof. apply over_le. pose proof (Z.mul_div_le n (Zpos d)). rewrite Pos2Z.inj_mul. nia. Qed.

Lemma ceiling_over n d e : over n (d * e) <= over (ceiling n d) e.
Proof.
  apply over_le. unfold ceiling. pose proof (Z.mul_div_le (- n) (Zpos d)). rewrite Pos2Z.inj_mul. nia.
Qed.

Lemma least_spec a b : (least a b <= a /\ least a b <= b /\ (least a b = a \/ least a b = b))%Z.
Proof. unfold least. destruct (Z.leb_spec a b); lia. Qed.

Lemma most_spec a b : (a <= most a b /\ b <= most a b /\ (most a b = a \/ most a b = b))%Z.
Proof. unfold most. destruct (Z.leb_spec a b); lia. Qed.

Notation in_units n := (over n range_unit).

Lemma units_le m n : (m <= n)%Z -> in_units m <= in_units n.
Proof. apply over_same. Qed.

Lemma units_zero : in_units 0 = 0.
Proof. rewrite (over_eq 0 range_unit 0 1) by reflexivity. apply over_one. Qed.

Lemma units_one : in_units one = 1.
Proof. rewrite (over_eq one range_unit 1 1) by reflexivity. apply over_one. Qed.

(** ** Activations *)

Lemma image_sound a z : activate a (in_units z) = in_units (image a z).
Proof.
  pose proof units_zero as E0. pose proof units_one as E1. destruct a; cbn [activate image].
  - unfold most. destruct (Z.leb_spec 0 z) as [H | H]; [| apply Z.lt_le_incl in H]; apply units_le in H; minmax.
  - unfold most. destruct (Z.leb_spec 0 z) as [H | H]; [| apply Z.lt_le_incl in H]; apply units_le in H; unfold least.
    + destruct (Z.leb_spec one z) as [H' | H']; [| apply Z.lt_le_incl in H']; apply units_le in H'; minmax.
    + replace (one <=? 0)%Z with false by reflexivity. minmax.
  - reflexivity.
Qed.

Lemma kink_sound l h z : in_units l < in_units z < in_units h -> In z (kink l h z).
Proof.
  intros [H1 H2]. apply over_lt in H1, H2. unfold kink.
  destruct (Z.ltb_spec l z); [| lia]. destruct (Z.ltb_spec z h); [now left | lia].
Qed.

Lemma kinks_between_sound a l h p :
  In p (filter (inside (in_units l) (in_units h)) (kinks a)) -> exists z, In z (kinks_between a l h) /\ p = in_units z.
Proof.
  intros Hp. apply filter_In in Hp. destruct Hp as [Hp Hi]. apply inside_spec in Hi.
  destruct a; cbn [kinks In kinks_between] in *.
  - destruct Hp as [<- | []]. exists 0%Z. rewrite units_zero. split; [| reflexivity].
    apply kink_sound. now rewrite units_zero.
  - destruct Hp as [<- | [<- | []]].
    + exists 0%Z. rewrite units_zero. split; [| reflexivity]. apply in_or_app. left. apply kink_sound. now rewrite units_zero.
    + exists one. rewrite units_one. split; [| reflexivity]. apply in_or_app. right. apply kink_sound. now rewrite units_one.
  - contradiction.
Qed.

Lemma highest_sound a n m zs : forall best,
  (best <= highest a n m best zs)%Z /\ forall z, In z zs -> (n * image a z - m * z <= highest a n m best zs)%Z.
Proof.
  induction zs as [| z zs IH]; intros best; cbn [highest]; [split; [lia | contradiction] |].
  destruct (IH (most best (n * image a z - m * z))) as [H1 H2].
  pose proof (most_spec best (n * image a z - m * z)). split; [lia |].
  intros z' [<- | Hz]; [lia | now apply H2].
Qed.

Section Sweeps.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.

  (** A point. *)
  Variable v : positive -> F.

  Fixpoint weighted (l : list (positive * Z)) : F :=
    match l with
    | [] => 0
    | (k, w) :: rest => of_Z w * v k + weighted rest
    end.

  (** The argument of a variable, with some weights. *)
  Definition with_weights (x : argument) (l : list (positive * Z)) : F :=
    over (offset x) (below x) + over 1 (below x) * weighted l.

  (** ** The coarse walk *)

  Definition coefficient_value (n : Z) (d : positive) : F := over n (slope_unit * d).

  Fixpoint on_coefficients (cs : list coefficient) : F :=
    match cs with
    | [] => 0
    | c :: rest => coefficient_value (top c) (under c) * v (of c) + on_coefficients rest
    end.

  Lemma plus_sound n d m e n' d' : plus n d m e = (n', d') ->
    coefficient_value n' d' = coefficient_value n d + coefficient_value m e.
  Proof.
    unfold plus, coefficient_value. destruct (Pos.eqb_spec d e) as [-> | _].
    { intros [= <- <-]. apply over_plus. }
    pose proof (Pos.ggcd_correct_divisors d e) as H. destruct (Pos.ggcd d e) as [g [d1 e1]]. destruct H as [Hd He].
    intros [= <- <-]. rewrite over_plus. f_equal; apply over_eq; rewrite ?Hd, ?He, !Pos2Z.inj_mul; ring.
  Qed.

  Lemma coefficient_mul s w d : coefficient_value (s * w) d = coefficient_value s d * of_Z w.
  Proof.
    unfold coefficient_value. rewrite <- (over_one w), over_mul. apply over_eq. rewrite !Pos2Z.inj_mul. ring.
  Qed.

  Lemma add_row_sound s d l : forall cs,
    on_coefficients (add_row s d l cs) = on_coefficients cs + coefficient_value s d * weighted l.
  Proof.
    induction l as [| [k w] l IH]; intros cs; [cbn; lra |].
    induction cs as [| c cs IHcs].
    { cbn [add_row on_coefficients weighted of top under]. rewrite IH, coefficient_mul. cbn [on_coefficients]. lra. }
    change (add_row s d ((k, w) :: l) (c :: cs)) with
      (match Pos.compare k (of c) with
       | Gt => Coefficient k (Z.mul s w) d :: add_row s d l (c :: cs)
       | Lt => c :: add_row s d ((k, w) :: l) cs
       | Eq =>
           let (n, e) := plus (top c) (under c) (Z.mul s w) d in
           Coefficient k n e :: add_row s d l cs
       end).
    destruct (Pos.compare_spec k (of c)) as [E | _ | _].
    - destruct (plus (top c) (under c) (s * w) d) as [n e] eqn:Ep. apply plus_sound in Ep.
      cbn [on_coefficients weighted of top under]. rewrite IH, Ep, coefficient_mul, <- E. lra.
    - cbn [on_coefficients]. rewrite IHcs. lra.
    - cbn [on_coefficients weighted of top under]. rewrite IH, coefficient_mul. cbn [on_coefficients]. lra.
  Qed.

  Fixpoint on_rows (l : list (Z * entry)) : F :=
    match l with
    | [] => 0
    | (s, e) :: rest => coefficient_value s (below (source e)) * weighted (live e) + on_rows rest
    end.

  Lemma settled_sound k cs p cs' p' : settled k cs p = (cs', p') ->
    on_coefficients cs' + on_rows (rows p') = on_coefficients cs + on_rows (rows p).
  Proof.
    unfold settled. destruct (Pos.leb k (due p)); intros [= <- <-]; [| reflexivity]. cbn [rows nothing_pending on_rows].
    generalize (rows p) cs. clear. intros l. induction l as [| [s e] l IH]; intros cs; cbn [fold_left on_rows fst snd]; [lra |].
    specialize (IH (add_row s (below (source e)) (live e) cs)). rewrite add_row_sound in IH. lra.
  Qed.

  Lemma later_sound s e p :
    on_rows (rows (later s e p)) = on_rows (rows p) + coefficient_value s (below (source e)) * weighted (live e).
  Proof. unfold later. destruct (live e) as [| [k w] l] eqn:E; cbn [rows on_rows weighted]; rewrite ?E; cbn [weighted]; lra. Qed.

  Definition of_option (c : option (Z * positive)) : F :=
    match c with None => 0 | Some (n, d) => coefficient_value n d end.

  Lemma coefficient_zero d : coefficient_value 0 d = 0.
  Proof. unfold coefficient_value. rewrite (over_eq 0 _ 0 1) by reflexivity. apply over_one. Qed.

  Lemma next_coefficient_sound k cs c cs' : next_coefficient k cs = Ok (c, cs') ->
    on_coefficients cs = of_option c * v k + on_coefficients cs'.
  Proof.
    unfold next_coefficient. destruct cs as [| c0 cs].
    { intros [= <- <-]. cbn [on_coefficients of_option]. lra. }
    destruct (Pos.compare_spec k (of c0)) as [E | _ | _]; [| discriminate |]; intros [= <- <-].
    - rewrite E. cbn [on_coefficients]. destruct (Z.eqb_spec (top c0) 0) as [E0 |]; cbn [of_option]; [| lra].
      rewrite E0, coefficient_zero. lra.
    - cbn [of_option]. lra.
  Qed.

  (** What is true of an entry. *)
  Definition entry_holds (e : entry) : Prop :=
    match kind (source e) with
    | None => in_units (low e) <= v (place (source e)) <= in_units (high e)
    | Some a =>
        let z := with_weights (source e) (live e) in
        in_units (low e) <= z <= in_units (high e) /\ v (place (source e)) = activate a z
    end.

  Lemma relaxed_sound a e n d slope rest : relaxed a e n d = (slope, rest) ->
    kind (source e) = Some a -> entry_holds e ->
    coefficient_value n d * v (place (source e))
      <= coefficient_value slope (below (source e)) * weighted (live e) + over rest total_unit.
  Proof.
    unfold relaxed, entry_holds. cbv zeta. intros H Ek He. rewrite Ek in He. destruct He as [Hr Hd].
    set (l := low e) in *. set (h := high e) in *. set (x := source e) in *. set (ks := kinks_between a l h) in *.
    set (s := slope_of _ _ _ _ _) in H. set (m := Z.div (n * s) _) in H. clearbody s m.
    set (md := (m * Zpos d)%Z) in *.
    set (start := (n * image a l - md * l)%Z) in *.
    pose proof (highest_sound a n md (h :: ks) start) as [B1 B2].
    set (best := highest a n md start (h :: ks)) in *. clearbody best. injection H as <- <-.
    set (z := with_weights x (live e)) in *.
    (* the peak *)
    set (mu := over m slope_unit).
    assert (Peak : coefficient_value n d * activate a z - mu * z <= over best (slope_unit * d * range_unit)).
    { apply (neuron_points a _ _ (in_units l) (in_units h)); [| exact Hr]. intros p Hp.
      assert (Hz : exists y, p = in_units y /\ (n * image a y - md * y <= best)%Z).
      { destruct Hp as [<- | [<- | Hp]].
        - exists l. split; [reflexivity | exact B1].
        - exists h. split; [reflexivity | apply B2; now left].
        - apply kinks_between_sound in Hp. destruct Hp as (y & Hy & ->). exists y.
          split; [reflexivity | apply B2; now right]. }
      destruct Hz as (y & -> & Hy). rewrite image_sound. unfold coefficient_value, mu. rewrite !over_mul.
      replace (over (m * y) (slope_unit * range_unit)) with (over (md * y) (slope_unit * d * range_unit)).
      2: { apply over_eq. unfold md. rewrite !Pos2Z.inj_mul. ring. }
      assert (E : over (n * image a y) (slope_unit * d * range_unit)
                = over (n * image a y - md * y) (slope_unit * d * range_unit) + over (md * y) (slope_unit * d * range_unit)).
      { rewrite <- over_plus. f_equal. ring. }
      assert (L : over (n * image a y - md * y) (slope_unit * d * range_unit) <= over best (slope_unit * d * range_unit))
        by now apply over_same.
      lra. }
    (* what is added *)
    assert (Added : over best (slope_unit * d * range_unit) + mu * over (offset x) (below x)
      <= over (ceiling (best * Zpos (below x) + md * one * offset x) (d * below x * excess)) total_unit).
    { pose proof (ceiling_over (best * Zpos (below x) + md * one * offset x) (d * below x * excess) total_unit) as C.
      rewrite over_plus in C. unfold mu. rewrite over_mul.
      assert (E1 : over (best * Zpos (below x)) (d * below x * excess * total_unit)
                 = over best (slope_unit * d * range_unit)).
      { apply over_eq. rewrite !Pos2Z.inj_mul. unfold slope_unit, range_unit, excess, total_unit. ring. }
      assert (E2 : over (md * one * offset x) (d * below x * excess * total_unit)
                 = over (m * offset x) (slope_unit * below x)).
      { apply over_eq. unfold md, one. rewrite !Pos2Z.inj_mul. unfold slope_unit, range_unit, excess, total_unit. ring. }
      rewrite E1, E2 in C. exact C. }
    assert (Ez : mu * z = mu * over (offset x) (below x) + coefficient_value m (below x) * weighted (live e)).
    { unfold z, with_weights, coefficient_value.
      replace (over m (slope_unit * below x)) with (mu * over 1 (below x)); [lra |].
      unfold mu. rewrite over_mul. f_equal. ring. }
    rewrite Hd. lra.
  Qed.

  Lemma free_sound e n d : kind (source e) = None -> entry_holds e ->
    coefficient_value n d * v (place (source e))
      <= over (ceiling (n * (if Z.leb 0 n then high e else low e)) (d * excess)) total_unit.
  Proof.
    unfold entry_holds. intros -> Hv. set (x := v (place (source e))) in *. clearbody x.
    pose proof (ceiling_over (n * (if Z.leb 0 n then high e else low e)) (d * excess) total_unit) as C.
    set (y := if Z.leb 0 n then high e else low e) in *.
    assert (E : over (n * y) (d * excess * total_unit) = coefficient_value n d * in_units y).
    { unfold coefficient_value. rewrite over_mul. apply over_eq. rewrite !Pos2Z.inj_mul.
      unfold slope_unit, range_unit, excess, total_unit. ring. }
    rewrite E in C. clear E. unfold y in *. clear y. destruct (Z.leb_spec 0 n) as [H | H].
    - assert (0 <= coefficient_value n d) by (rewrite <- (coefficient_zero d); apply over_same; lia). nra.
    - assert (coefficient_value n d <= 0) by (rewrite <- (coefficient_zero d); apply over_same; lia). nra.
  Qed.

  Lemma walk_sound es : Forall entry_holds es -> forall cs p total r, walk es cs p total = Ok r ->
    on_coefficients cs + on_rows (rows p) + over total total_unit <= over r total_unit.
  Proof.
    induction es as [| e es IH]; intros He cs p total r; cbn [walk].
    { intros H. apply bind_ok in H. destruct H as (u & Hn & H). apply need_ok in Hn. injection H as <-.
      destruct cs; [| discriminate]. destruct (rows p); [| discriminate]. cbn [on_coefficients on_rows]. lra. }
    inversion_clear He as [| ? ? Hthis Hes]. specialize (IH Hes).
    destruct (settled (place (source e)) cs p) as [cs1 p1] eqn:Es. apply settled_sound in Es. rewrite <- Es. clear Es.
    intros H. apply bind_ok in H. destruct H as ([c cs2] & Hc & H). apply next_coefficient_sound in Hc. rewrite Hc. clear Hc.
    destruct c as [[n d] |]; cbn [of_option].
    2: { apply IH in H. lra. }
    destruct (kind (source e)) as [a |] eqn:Ek.
    - destruct (relaxed a e n d) as [slope rest] eqn:Er. pose proof (relaxed_sound _ _ _ _ _ _ Er Ek Hthis) as R.
      apply IH in H. rewrite over_plus in H. destruct (Z.eqb_spec slope 0) as [E0 |].
      + rewrite E0, coefficient_zero in R. lra.
      + rewrite later_sound in H. lra.
    - apply IH in H. rewrite over_plus in H. pose proof (free_sound e n d Ek Hthis). lra.
  Qed.

  Lemma bound_of_sound es x live sign b : Forall entry_holds es -> bound_of es x live sign = Ok b ->
    of_Z sign * with_weights x live <= in_units b.
  Proof.
    intros He H. unfold bound_of in H. apply bind_ok in H. destruct H as (total & Hw & H). injection H as <-.
    apply walk_sound in Hw; trivial. rewrite add_row_sound in Hw. cbn [on_coefficients on_rows rows nothing_pending] in Hw.
    pose proof (ceiling_over ((total * Zpos (below x) + sign * offset x * Zpos total_unit) * one)
                  (below x * total_unit) range_unit) as C.
    replace ((total * Zpos (below x) + sign * offset x * Zpos total_unit) * one)%Z
      with (total * Zpos (below x) * one + sign * offset x * Zpos total_unit * one)%Z in C at 1 by ring.
    rewrite over_plus in C.
    assert (E1 : over (total * Zpos (below x) * one) (below x * total_unit * range_unit) = over total total_unit)
      by (apply over_eq; unfold one; rewrite !Pos2Z.inj_mul; ring).
    assert (E2 : over (sign * offset x * Zpos total_unit * one) (below x * total_unit * range_unit)
               = of_Z sign * over (offset x) (below x))
      by (rewrite <- (over_one sign), over_mul; apply over_eq; unfold one; rewrite !Pos2Z.inj_mul; ring).
    assert (E3 : coefficient_value (sign * Zpos slope_unit) (below x) = of_Z sign * over 1 (below x))
      by (unfold coefficient_value; rewrite <- (over_one sign), over_mul; apply over_eq; rewrite !Pos2Z.inj_mul; ring).
    assert (E4 : over 0 total_unit = 0) by (rewrite (over_eq 0 _ 0 1) by reflexivity; apply over_one).
    rewrite E3 in Hw. unfold with_weights. lra.
  Qed.

  (** ** Ranges *)

  Definition ranges_hold (known : trie (Z * Z * bool)) : Prop :=
    forall k l h idle, find k known = Some (l, h, idle) -> in_units l <= v k <= in_units h.

  Lemma units_mul w z : in_units (w * z) = of_Z w * in_units z.
  Proof. rewrite <- (over_one w), over_mul. apply over_eq. rewrite !Pos2Z.inj_mul. ring. Qed.

  Lemma range_over_sound known l : ranges_hold known -> forall live low high live' low' high',
    range_over known l live low high = Ok (live', low', high') ->
    weighted live' = weighted live + weighted l
    /\ in_units low' - in_units low <= weighted l <= in_units high' - in_units high.
  Proof.
    intros Hk. induction l as [| [k w] l IH]; intros live low high live' low' high'; cbn [range_over weighted].
    { intros [= <- <- <-]. split; [| split]; lra. }
    destruct (find k known) as [[[a b] idle] |] eqn:E; [| discriminate]. apply Hk in E.
    destruct (if idle then if Z.eqb a 0 then Z.eqb b 0 else false else false) eqn:E0.
    { destruct idle; [| discriminate]. destruct (Z.eqb_spec a 0) as [-> |]; [| discriminate]. apply Z.eqb_eq in E0. subst b.
      rewrite units_zero in E. assert (Ev : v k = 0) by lra. rewrite Ev.
      intros H. apply IH in H. destruct H as (H1 & H2 & H3). split; [| split]; lra. }
    destruct (Z.leb_spec 0 w) as [H0 | H0]; [| apply Z.lt_le_incl in H0]; apply of_Z_le in H0;
      intros H; apply IH in H; destruct H as (H1 & H2 & H3); cbn [weighted] in H1;
      rewrite over_plus, units_mul in H2, H3; (split; [lra |]).
    - assert (of_Z w * in_units a <= of_Z w * v k <= of_Z w * in_units b) by (split; nra). split; lra.
    - assert (of_Z w * in_units b <= of_Z w * v k <= of_Z w * in_units a) by (split; nra). split; lra.
  Qed.

  (** What is true of an argument. *)
  Definition argument_holds (x : argument) : Prop :=
    match kind x with
    | None => 0 <= v (place x) <= 1
    | Some a => v (place x) = activate a (with_weights x (weights x))
    end.

  Definition argument_value (x : argument) : F :=
    match kind x with
    | None => v (place x)
    | Some _ => with_weights x (weights x)
    end.

  Lemma range_of_sound known x live l h : ranges_hold known -> argument_holds x ->
    range_of known x = Ok (live, l, h) ->
    in_units l <= argument_value x <= in_units h
    /\ (kind x <> None -> with_weights x live = argument_value x).
  Proof.
    unfold range_of, argument_holds, argument_value. intros Hk Hx. destruct (kind x) as [a |].
    - intros H. apply bind_ok in H. destruct H as ([[live' low] high] & H & E). injection E as <- <- <-.
      apply range_over_sound in H; trivial. destruct H as (H1 & H2 & H3). cbn [weighted] in H1.
      assert (Es : in_units (offset x * one) = of_Z (offset x)).
      { rewrite <- over_one. apply over_eq. unfold one. ring. }
      rewrite Es in H2, H3. unfold with_weights. rewrite H1.
      assert (Eo : over (offset x) (below x) = over 1 (below x) * of_Z (offset x)).
      { rewrite <- (over_one (offset x)), over_mul. apply over_eq. rewrite !Pos2Z.inj_mul. ring. }
      assert (P : 0 <= over 1 (below x)).
      { rewrite <- (over_one 0). apply over_le. lia. }
      pose proof (floor_over low (below x) range_unit) as Fl. pose proof (ceiling_over high (below x) range_unit) as Ce.
      assert (El : over low (below x * range_unit) = over 1 (below x) * in_units low).
      { rewrite over_mul. f_equal. ring. }
      assert (Eh : over high (below x * range_unit) = over 1 (below x) * in_units high).
      { rewrite over_mul. f_equal. ring. }
      rewrite El in Fl. rewrite Eh in Ce. rewrite Eo.
      set (q := over 1 (below x)) in *. set (z := weighted (weights x)) in *. clearbody q z.
      split; [| intros _; lra].
      assert (q * in_units low <= q * (of_Z (offset x) + z) <= q * in_units high) by (split; nra). split; lra.
    - intros [= <- <- <-]. rewrite units_zero, units_one. split; [exact Hx | easy].
  Qed.

  Lemma values_hold a l h z y : in_units l <= z <= in_units h ->
    y = match a with None => z | Some a => activate a z end ->
    in_units (fst (values a l h)) <= y <= in_units (snd (values a l h)).
  Proof.
    intros [Hl Hh] ->. destruct a as [a |]; cbn [values fst snd]; [| now split].
    rewrite <- !image_sound. split; now apply activate_monotone.
  Qed.

  (** ** Arguments *)

  Lemma rational_sound x n d : rational K x = Ok (n, d) -> value x = over n d.
  Proof.
    unfold rational. destruct (rational_part K x) as [[n' d'] |] eqn:E; [| discriminate].
    intros [= <- <-]. exact (value_rational _ _ _ sound _ _ _ E).
  Qed.

  Lemma numerator_over_sound d x n : numerator_over K d x = Ok n -> value x = over n d.
  Proof.
    unfold numerator_over. intros H. apply bind_ok in H. destruct H as ([n' e] & Hr & H). apply rational_sound in Hr.
    destruct (Pos.eqb_spec d e) as [-> | _]; [injection H as <-; exact Hr |].
    unfold Fractions.divided in H. pose proof (Z.div_eucl_eq (Zpos d) (Zpos e)) as E. specialize (E ltac:(discriminate)).
    destruct (Z.div_eucl (Zpos d) (Zpos e)) as [q r]. apply bind_ok in H. destruct H as (u & Hn & H).
    apply need_ok, Z.eqb_eq in Hn. subst r. injection H as <-. rewrite Hr. apply over_eq. rewrite E. ring.
  Qed.

  Lemma prepared_sound k x a : prepared K k x = Ok a ->
    place a = k /\ match x with
                   | Free => kind a = None
                   | Neuron f s => kind a = Some f /\ with_weights a (weights a) = value_of_sum value v s
                   end.
  Proof.
    unfold prepared. destruct x as [| f s]; [now intros [= <-] |]. intros H.
    apply bind_ok in H. destruct H as (c & _ & H). apply bind_ok in H. destruct H as (d & _ & H).
    apply bind_ok in H. destruct H as (u & _ & H).
    apply bind_ok in H. destruct H as (b & Hb & H). apply numerator_over_sound in Hb.
    apply bind_ok in H. destruct H as (ws & Hws & H). apply collect_all in Hws. injection H as <-.
    cbn [place kind weights]. split; [reflexivity |]. split; [reflexivity |].
    unfold with_weights, value_of_sum. cbn [offset below weights]. rewrite Hb.
    enough (E : over 1 d * weighted ws = value_of_terms value v (terms s)) by (rewrite E; lra).
    clear - Hws sound. induction Hws as [| [j w] [j' n] l ws H _ IH]; cbn [weighted value_of_terms]; [lra |].
    apply bind_ok in H. destruct H as (n' & H & E). injection E as <- <-. cbn [fst snd] in *.
    apply numerator_over_sound in H. rewrite H, <- IH.
    assert (E : over n' d = over 1 d * of_Z n').
    { rewrite <- (over_one n'), over_mul. apply over_eq. rewrite !Pos2Z.inj_mul. ring. }
    rewrite E. lra.
  Qed.

  (** ** Sweeps *)

  Variable vs : variables t.
  Hypothesis Hv : solution value v vs.

  Definition true_argument (x : argument) : Prop :=
    (place x < bound vs)%positive /\ argument_holds x /\ argument_of value v vs (place x) = argument_value x.

  Lemma prepared_below_sound items : (forall k x, In (k, x) items -> find k (definition vs) = Some x) ->
    forall done xs, Forall true_argument done -> prepared_below K (bound vs) items done = Ok xs -> Forall true_argument xs.
  Proof.
    assert (R : forall l, Forall true_argument l -> Forall true_argument (rev' l)).
    { intros l Hl. unfold rev'. rewrite <- rev_alt. now apply Forall_rev. }
    induction items as [| [k x] items IH]; intros Hi done xs Hd; cbn [prepared_below].
    { intros [= <-]. now apply R. }
    destruct (Pos.leb_spec (bound vs) k) as [_ | Hk]; [intros [= <-]; now apply R |].
    intros H. apply bind_ok in H. destruct H as (a & Ha & H).
    apply (IH (fun j y Hj => Hi j y (or_intror Hj))) in H; trivial. constructor; [| exact Hd].
    apply prepared_sound in Ha. destruct Ha as [E Ha].
    assert (D := Hi k x (or_introl eq_refl)). specialize (Hv k Hk). rewrite D in Hv.
    unfold true_argument, argument_holds, argument_value, argument_of. rewrite E, D.
    destruct x as [| f s]; [rewrite Ha | destruct Ha as [-> ->]]; auto.
  Qed.

  Lemma narrowed_sound known k l h l' h' : (k < bound vs)%positive -> facts_hold value v vs known ->
    narrowed K (find k known) l h = (l', h') ->
    in_units l <= argument_of value v vs k <= in_units h -> in_units l' <= argument_of value v vs k <= in_units h'.
  Proof.
    intros Hk Hf. unfold narrowed. destruct (find k known) as [[low high] |] eqn:E; [| now intros [= <- <-]].
    destruct (Hf k low high Hk E) as [Fl Fh]. set (z := argument_of value v vs k) in *. clearbody z.
    assert (Scaled : forall n d, over (n * one) (d * range_unit) = over n d).
    { intros n d. apply over_eq. unfold one. rewrite !Pos2Z.inj_mul. ring. }
    intros [= <- <-] [Hl Hh]. split.
    - destruct low as [x |]; [| exact Hl]. destruct (rational_part K x) as [[n d] |] eqn:Er; [| exact Hl].
      apply (value_rational _ _ _ sound) in Er. fold (over n d) in Er. specialize (Fl x eq_refl).
      pose proof (floor_over (n * one) d range_unit) as L. rewrite Scaled in L.
      destruct (most_spec l (n * one / Zpos d)) as (_ & _ & [-> | ->]); lra.
    - destruct high as [x |]; [| exact Hh]. destruct (rational_part K x) as [[n d] |] eqn:Er; [| exact Hh].
      apply (value_rational _ _ _ sound) in Er. fold (over n d) in Er. specialize (Fh x eq_refl).
      pose proof (ceiling_over (n * one) d range_unit) as L. rewrite Scaled in L.
      destruct (least_spec h (ceiling (n * one) d)) as (_ & _ & [-> | ->]); lra.
  Qed.

  Lemma improved_sound es x live l h weight known budget l' h' known' left :
    true_argument x -> Forall entry_holds es -> facts_hold value v vs known ->
    (kind x <> None -> with_weights x live = argument_value x) -> in_units l <= argument_value x <= in_units h ->
    improved K es x live l h weight known budget = Ok (l', h', known', left) ->
    in_units l' <= argument_value x <= in_units h' /\ facts_hold value v vs known'.
  Proof.
    intros (Hk & _ & Ez) He Hf Elive Hx H. unfold improved in H.
    destruct (match kind x with Some a => kinks_between a l h | None => [] end) as [| z zs] eqn:Eb.
    { injection H as <- <- <- <-. now split. }
    assert (Ekind : kind x <> None) by (intros E; rewrite E in Eb; discriminate). specialize (Elive Ekind).
    apply bind_ok in H. destruct H as (paid & _ & H).
    apply bind_ok in H. destruct H as (up & Hup & H). apply bound_of_sound in Hup; trivial.
    apply bind_ok in H. destruct H as (down & Hdown & H). apply bound_of_sound in Hdown; trivial.
    rewrite Elive in Hup, Hdown. injection H as <- <- <- <-.
    assert (Eo : in_units (- down) = - in_units down).
    { assert (E : in_units (- down) + in_units down = 0)
        by (rewrite <- over_plus, Z.add_opp_diag_l; apply units_zero). lra. }
    assert (Better : in_units (most l (- down)) <= argument_value x <= in_units (least h up)).
    { split.
      - destruct (most_spec l (- down)) as (_ & _ & [-> | ->]); lra.
      - destruct (least_spec h up) as (_ & _ & [-> | ->]); lra. }
    split; [exact Better |].
    intros j a b Hj Hfind. apply find_set_cases in Hfind. destruct Hfind as [[-> E] | [_ Hfind]]; [| now apply (Hf j)].
    injection E as -> ->. rewrite Ez. unfold multiple.
    split; intros y [= <-]; rewrite (value_fraction _ _ _ sound); apply Better.
  Qed.

  Lemma sweep_from_sound xs : Forall true_argument xs -> forall es ranges weight known budget known' left,
    Forall entry_holds es -> ranges_hold ranges -> facts_hold value v vs known ->
    sweep_from K xs es ranges weight known budget = Ok (known', left) -> facts_hold value v vs known'.
  Proof.
    induction xs as [| x xs IH]; intros Hxs es ranges weight known budget known' left He Hr Hf; cbn [sweep_from].
    { now intros [= <- <-]. }
    inversion_clear Hxs as [| ? ? Hx Hxs']. specialize (IH Hxs'). pose proof Hx as (Hk & Ha & Ez).
    intros H. apply bind_ok in H. destruct H as ([[live l0] h0] & Ho & H).
    apply range_of_sound in Ho; trivial. destruct Ho as [Ho Elive].
    destruct (narrowed K (find (place x) known) l0 h0) as [l h] eqn:En.
    apply narrowed_sound in En; trivial; [| now rewrite Ez]. rewrite Ez in En. clear Ho l0 h0.
    destruct (Z.ltb h l); [now injection H as <- <- |].
    apply bind_ok in H. destruct H as ([[[l1 h1] known1] budget1] & Hi & H).
    apply improved_sound in Hi; trivial. destruct Hi as [H1 Hf1]. clear En Hf.
    destruct (Z.ltb h1 l1); [now injection H as <- <- |]. apply IH in H; trivial.
    - constructor; [| exact He]. unfold entry_holds, argument_value, argument_holds in *. cbn [source Sweeps.live low high].
      destruct (kind x) as [a |]; [| exact H1]. rewrite Elive by discriminate. now split.
    - intros j a b idle Hj. apply find_set_cases in Hj. destruct Hj as [[-> E] | [_ Hj]]; [| now apply (Hr j _ _ idle)].
      injection E as E _.
      pose proof (values_hold (kind x) l1 h1 _ (v (place x)) H1) as R. rewrite <- E in R. apply R.
      unfold argument_value, argument_holds in *. now destruct (kind x).
  Qed.

  Theorem sweep_sound items known budget known' left :
    (forall k x, In (k, x) items -> find k (definition vs) = Some x) ->
    facts_hold value v vs known -> sweep K (bound vs) items known budget = Ok (known', left) ->
    facts_hold value v vs known'.
  Proof.
    intros Hi Hf H. unfold sweep in H. apply bind_ok in H. destruct H as (xs & Hxs & H).
    apply prepared_below_sound in Hxs; trivial.
    apply sweep_from_sound in H; trivial. intros k l h idle E. discriminate.
  Qed.
End Sweeps.
