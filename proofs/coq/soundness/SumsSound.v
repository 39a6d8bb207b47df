(** * SumsSound.v -- computing with numbers and sums is right

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List.
From VeriMV Require Export Meaning Sums.
Import ListNotations.
Open Scope Qc_scope.

(** ** Results *)

Lemma bind_ok A B (r : result A) (f : A -> result B) b :
  bind r f = Ok b -> exists a, r = Ok a /\ f a = Ok b.
Proof. destruct r; simpl; [eauto | discriminate]. Qed.

Lemma ok_same A (a b : A) : Ok a = Ok b -> a = b.
Proof. congruence. Qed.

Lemma need_ok c why u : need c why = Ok u -> c = true.
Proof. now destruct c. Qed.

Lemma well_formed_ok c why u : well_formed c why = Ok u -> c = true.
Proof. now destruct c. Qed.

(** Opens all binds of a hypothesis. *)
Ltac unbind H :=
  lazymatch type of H with
  | bind _ _ = Ok _ =>
      let a := fresh "a" in let Ha := fresh "Ha" in
      apply bind_ok in H; destruct H as (a & Ha & H);
      lazymatch type of Ha with
      | need _ _ = _ => apply need_ok in Ha
      | well_formed _ _ = _ => apply well_formed_ok in Ha
      | _ => idtac
      end;
      cbv beta iota zeta in H; unbind H
  | Ok _ = Ok _ => apply ok_same in H; subst
  | _ => idtac
  end.

Lemma collect_ok A B (f : A -> result B) l : forall done bs,
  collect f l done = Ok bs -> exists cs, bs = rev done ++ cs /\ Forall2 (fun a b => f a = Ok b) l cs.
Proof.
  induction l as [| a l IH]; intros done bs; cbn [collect].
  - intros [= <-]. exists []. unfold rev'. rewrite <- rev_alt, app_nil_r. auto.
  - intros H. apply bind_ok in H. destruct H as (b & Hb & H).
    apply IH in H. destruct H as (cs & -> & Hcs). exists (b :: cs). split; [| auto].
    simpl. now rewrite <- app_assoc.
Qed.

Lemma collect_all A B (f : A -> result B) l bs :
  collect f l [] = Ok bs -> Forall2 (fun a b => f a = Ok b) l bs.
Proof. intros H. apply collect_ok in H. destruct H as (cs & -> & H). exact H. Qed.

Section Sums.
  Context {t : Type} {K : number t} {value : t -> F} {meaning : exact -> F}.
  Hypothesis sound : sound_number K value meaning.

  (** ** Numbers *)

  Lemma value_int z : value (int K z) = of_Z z.
  Proof. unfold int. rewrite (value_fraction _ _ _ sound). lra. Qed.

  Lemma value_zero : value (zero K) = 0.
  Proof. apply value_int. Qed.

  Lemma value_one : value (one K) = 1.
  Proof. apply value_int. Qed.

  Lemma value_opp x : value (opp K x) = - value x.
  Proof. unfold opp. rewrite (value_mul _ _ _ sound), value_int. lra. Qed.

  Lemma value_sub x y : value (sub K x y) = value x - value y.
  Proof. unfold sub. rewrite (value_add _ _ _ sound), value_opp. lra. Qed.

  Lemma is_zero_sound x : is_zero K x = true -> value x = 0.
  Proof. intros H. apply (value_eqb _ _ _ sound) in H. subst. apply value_zero. Qed.

  Lemma eqb_sound x y : eqb K x y = true -> value x = value y.
  Proof. intros H. now apply (value_eqb _ _ _ sound) in H as ->. Qed.

  Lemma le_true x y : le K x y = Ok true -> value x <= value y.
  Proof.
    unfold le. destruct (leb K x y) as [b |] eqn:E; [| discriminate].
    intros [= ->]. now apply (value_le _ _ _ sound).
  Qed.

  Lemma le_false x y : le K x y = Ok false -> value y < value x.
  Proof.
    unfold le. destruct (leb K x y) as [b |] eqn:E; [| discriminate].
    intros [= ->]. now apply (value_gt _ _ _ sound).
  Qed.

  Lemma lt_true x y : lt K x y = Ok true -> value x < value y.
  Proof. unfold lt. intros H. unbind H. destruct a; [discriminate |]. now apply le_false. Qed.

  Lemma lt_false x y : lt K x y = Ok false -> value y <= value x.
  Proof. unfold lt. intros H. unbind H. destruct a; [| discriminate]. now apply le_true. Qed.

  Lemma larger_ok x y z : larger K x y = Ok z -> value x <= value z /\ value y <= value z /\ (z = x \/ z = y).
  Proof.
    unfold larger. intros H. unbind H. destruct a; [apply le_true in Ha | apply le_false in Ha];
      repeat split; auto; lra.
  Qed.

  Lemma smaller_ok x y z : smaller K x y = Ok z -> value z <= value x /\ value z <= value y /\ (z = x \/ z = y).
  Proof.
    unfold smaller. intros H. unbind H. destruct a; [apply le_true in Ha | apply le_false in Ha];
      repeat split; auto; lra.
  Qed.

  (** ** Terms *)

  Variable v : positive -> F.
  Notation on_terms := (value_of_terms value v).
  Notation on_sum := (value_of_sum value v).

  Lemma add_terms_sound l1 : forall l2, on_terms (add_terms K l1 l2) = on_terms l1 + on_terms l2.
  Proof.
    induction l1 as [| [k1 c1] r1 IH1]; intros l2; [simpl; lra |].
    induction l2 as [| [k2 c2] r2 IH2]; [simpl; lra |].
    cbn [add_terms fst snd] in *. destruct (Pos.compare_spec k1 k2) as [-> | _ | _].
    - destruct (is_zero K (add K c1 c2)) eqn:E.
      + apply is_zero_sound in E. rewrite (value_add _ _ _ sound) in E.
        rewrite IH1. cbn [value_of_terms].
        replace (value c2) with (- value c1) by lra. algebra.
      + cbn [value_of_terms]. rewrite IH1, (value_add _ _ _ sound). algebra.
    - cbn [value_of_terms]. rewrite IH1. cbn [value_of_terms]. algebra.
    - cbn [value_of_terms] in *. rewrite IH2. algebra.
  Qed.

  Lemma scale_terms_sound c l : on_terms (scale_terms K c l) = value c * on_terms l.
  Proof.
    unfold scale_terms. destruct (eqb K c (one K)) eqn:E1.
    { apply eqb_sound in E1. rewrite E1, value_one. algebra. }
    destruct (is_zero K c) eqn:E0.
    { apply is_zero_sound in E0. rewrite E0. simpl. algebra. }
    induction l as [| [k x] l IH]; cbn [map value_of_terms fst snd]; [algebra |].
    rewrite IH, (value_mul _ _ _ sound). algebra.
  Qed.

  Definition total (l : list F) : F := fold_right (fun x rest => x + rest) 0 l.

  Lemma total_plus A (f g h : A -> F) l : (forall a, f a + g a = h a) ->
    total (map f l) + total (map g l) = total (map h l).
  Proof. intros H. induction l as [| a l IH]; simpl; [lra |]. rewrite <- H, <- IH. lra. Qed.

  Lemma add_pairs_sound n : forall ls, (length ls <= n)%nat ->
    total (map on_terms (add_pairs K ls)) = total (map on_terms ls).
  Proof.
    induction n as [| n IH]; intros [| l1 [| l2 ls]]; simpl; intros Hn; trivial; try lia.
    rewrite add_terms_sound, IH by lia. algebra.
  Qed.

  Lemma fold_add_terms_sound ls : forall l,
    on_terms (fold_left (add_terms K) ls l) = on_terms l + total (map on_terms ls).
  Proof.
    induction ls as [| l' ls IH]; intros l; simpl; [lra |].
    rewrite IH, add_terms_sound. lra.
  Qed.

  Lemma add_rounds_sound n : forall ls, on_terms (add_rounds K n ls) = total (map on_terms ls).
  Proof.
    induction n as [| n IH]; intros [| l1 [| l2 ls]]; cbn [add_rounds]; try (simpl; lra).
    - rewrite fold_add_terms_sound. simpl. lra.
    - rewrite IH. now apply (add_pairs_sound (length (l1 :: l2 :: ls))).
  Qed.

  Lemma add_all_sound pairs l : add_all K pairs = Ok l ->
    on_terms l = total (map (fun p => value (snd p) * on_terms (fst p)) pairs).
  Proof.
    unfold add_all. cbv zeta. intros H. unbind H. rewrite add_rounds_sound, map_map.
    f_equal. apply map_ext. intros [l c]. apply scale_terms_sound.
  Qed.

  (** ** Sums *)

  Lemma add_constants_sound pairs : forall plus c, add_constants K pairs plus = Ok c ->
    value c = total (map (fun p => value (snd p) * value (fst p)) pairs) + value plus.
  Proof.
    unfold add_constants. cbv zeta. intros plus c H. unbind H. clear Ha. revert plus.
    induction pairs as [| [x f] pairs IH]; intros plus; simpl; [lra |].
    rewrite IH, (value_add _ _ _ sound), (value_mul _ _ _ sound). simpl. lra.
  Qed.

  Lemma add_sums_sound pairs plus s : add_sums K pairs plus = Ok s ->
    on_sum s = total (map (fun p => value (snd p) * on_sum (fst p)) pairs) + value plus.
  Proof.
    unfold add_sums. intros H. unbind H.
    apply add_all_sound in Ha. apply add_constants_sound in Ha0.
    unfold value_of_sum at 1. cbn [terms constant]. rewrite Ha, Ha0, !map_map. cbn [fst snd].
    rewrite <- (total_plus _ (fun p => value (snd p) * on_terms (terms (fst p)))
                  (fun p => value (snd p) * value (constant (fst p)))
                  (fun p => value (snd p) * on_sum (fst p))).
    - lra.
    - intros p. unfold value_of_sum. algebra.
  Qed.

  Lemma same_terms_eq l1 : forall l2, same_terms K l1 l2 = true -> l1 = l2.
  Proof.
    induction l1 as [| [k1 c1] r1 IH]; intros [| [k2 c2] r2]; simpl; try easy.
    destruct (Pos.eqb_spec k1 k2) as [-> |]; [| easy].
    destruct (eqb K c1 c2) eqn:E; [| easy].
    intros H. apply IH in H. apply (value_eqb _ _ _ sound) in E. now subst.
  Qed.

  Lemma same_sum_eq s1 s2 : same_sum K s1 s2 = true -> s1 = s2.
  Proof.
    destruct s1 as [l1 c1], s2 as [l2 c2]. unfold same_sum. cbn [terms constant].
    destruct (eqb K c1 c2) eqn:E; [| easy].
    intros H. apply same_terms_eq in H. apply (value_eqb _ _ _ sound) in E. now subst.
  Qed.

  Lemma range_of_terms_sound l : (forall k, unit (v k)) -> forall low high r,
    range_of_terms K l low high = Ok r ->
    value (fst r) - value low <= on_terms l <= value (snd r) - value high.
  Proof.
    intros Hv. induction l as [| [k c] l IH]; intros low high r; cbn [range_of_terms value_of_terms].
    - intros H. unbind H. simpl. lra.
    - intros H. apply bind_ok in H. destruct H as (b & Hb & H).
      assert (Hk := Hv k). unfold unit in Hk.
      destruct b; [apply le_true in Hb | apply le_false in Hb]; rewrite value_zero in Hb;
        apply IH in H; rewrite (value_add _ _ _ sound) in H.
      + assert (value c <= value c * v k <= 0) by (split; nra). lra.
      + assert (0 <= value c * v k <= value c) by (split; nra). lra.
  Qed.
End Sums.
