(** * Sort.v -- merging good sequences

    What this file proves, in plain words.  A good sequence of length p for a
    number X of [0,p] is sigma X, sigma (X-1), ..., sigma (X-p+1): as many ones
    as X has units, then the fraction that remains, then zeros.  Batcher's
    odd-even merge, with comparators that put a (+) b before a (.) b, makes of
    good sequences for X and Y the good sequence for X+Y ([merge_good]).  The
    rule [sort] builds the nodes of this merge ([rule_sort]).

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List Arith.
From VeriMV Require Export Forms.
Import ListNotations.
Open Scope Qc_scope.

(** ** The merge

    It is written for any comparator, so that it can be applied to formulas and
    to their values. *)

Section Merge.
  Variable A : Type.
  Variables plus times : A -> A -> A.

  (** The first, third, fifth, ... entry; the second, fourth, ... one. *)
  Fixpoint odds (xs : list A) : list A :=
    match xs with
    | x :: _ :: rest => x :: odds rest
    | _ => xs
    end.

  Fixpoint evens (xs : list A) : list A :=
    match xs with
    | _ :: y :: rest => y :: evens rest
    | _ => []
    end.

  (** Comparators on pairs, as long as there are pairs; then what is left. *)
  Fixpoint pairs (xs ys : list A) : list A :=
    match xs, ys with
    | [], _ => ys
    | _, [] => xs
    | x :: xs', y :: ys' => plus x y :: times x y :: pairs xs' ys'
    end.

  (** [depth] bounds the recursion; the length of both lists is enough. *)
  Fixpoint merge_within (depth : nat) (xs ys : list A) : list A :=
    match depth with
    | O => []
    | S d =>
        match xs, ys with
        | [], _ => ys
        | _, [] => xs
        | [x], [y] => [plus x y; times x y]
        | _, _ =>
            let even := merge_within d (evens xs) (evens ys) in
            match merge_within d (odds xs) (odds ys) with
            | [] => even
            | first :: odd => first :: pairs even odd
            end
        end
    end.

  Definition merge (xs ys : list A) : list A :=
    merge_within (length xs + length ys) xs ys.
End Merge.

Arguments odds {A}.
Arguments evens {A}.
Arguments pairs {A}.
Arguments merge_within {A}.
Arguments merge {A}.

(** ** Good sequences *)

Fixpoint good (X : F) (p : nat) : list F :=
  match p with
  | O => []
  | S k => sigma X :: good (X - 1) k
  end.

(** Entry k, counted from 0, is sigma (X - k). *)
Lemma good_entries X p : good X p = map (fun k => sigma (X - of_nat k)) (seq 0 p).
Proof.
  revert X. induction p as [| p IH]; intros X; simpl; trivial.
  f_equal; [rewrite of_nat_0; f_equal; lra |]. rewrite IH, <- seq_shift, map_map.
  apply map_ext. intros k. rewrite of_nat_S. f_equal. lra.
Qed.

Lemma good_length X p : length (good X p) = p.
Proof. revert X. induction p; simpl; auto. Qed.

(** *** Numbers and their halves

    X = 2n + c with n an integer and c in [0,2].  The entries at odd places
    make the good sequence for n + min(1,c), the others for n + max(0,c-1). *)

Lemma halves X : exists n c, X = 2 * of_Z n + c /\ 0 <= c <= 2.
Proof.
  destruct (integer_between (X / 2)) as (n & H).
  assert (E : 2 * (X / 2) = X) by (apply mul_div; lra).
  exists n, (X - 2 * of_Z n). lra.
Qed.

(** An integer is at most -1, or 0, or at least 1. *)
Lemma integer_cases (n : Z) : of_Z n <= -1 \/ of_Z n = 0 \/ 1 <= of_Z n.
Proof.
  destruct (Z_lt_le_dec n 0) as [H | H].
  - left. apply (of_Z_le n (-1)). lia.
  - destruct (Z.eq_dec n 0) as [-> | H0]; [now right; left |].
    right; right. apply (of_Z_le 1 n). lia.
Qed.

Lemma odd_entry n c : 0 <= c <= 2 ->
  sigma (2 * of_Z n + c) = sigma (of_Z n + fmin 1 c).
Proof. destruct (integer_cases n) as [H | [H | H]]; minmax. Qed.

Lemma even_entry n c : 0 <= c <= 2 ->
  sigma (2 * of_Z n + c - 1) = sigma (of_Z n + fmax 0 (c - 1)).
Proof. destruct (integer_cases n) as [H | [H | H]]; minmax. Qed.

(** The lengths of the two halves of p entries. *)
Definition upper (p : nat) : nat := Nat.div2 (S p).
Definition lower (p : nat) : nat := Nat.div2 p.

Lemma upper_lower p :
  (upper p + lower p = p /\ lower p <= upper p <= S (lower p))%nat.
Proof.
  induction p as [p IH] using lt_wf_ind. destruct p as [| [| p]].
  1, 2: unfold upper, lower; simpl; lia.
  assert (H : (p < S (S p))%nat) by lia. apply IH in H.
  change (upper (S (S p))) with (S (upper p)).
  change (lower (S (S p))) with (S (lower p)). lia.
Qed.

Lemma halves_good c p : 0 <= c <= 2 -> forall n,
  odds (good (2 * of_Z n + c) p) = good (of_Z n + fmin 1 c) (upper p)
  /\ evens (good (2 * of_Z n + c) p) = good (of_Z n + fmax 0 (c - 1)) (lower p).
Proof.
  intros Hc. induction p as [p IH] using lt_wf_ind. intros n.
  destruct p as [| [| p]]; [now split | |].
  - simpl. rewrite odd_entry by assumption. now split.
  - assert (Hp : (p < S (S p))%nat) by lia.
    destruct (IH p Hp (n - 1)%Z) as [HO HE]. rewrite of_Z_sub in HO, HE.
    change (upper (S (S p))) with (S (upper p)).
    change (lower (S (S p))) with (S (lower p)). cbn [good odds evens].
    replace (2 * of_Z n + c - 1 - 1) with (2 * (of_Z n - 1) + c) by lra.
    rewrite HO, HE, odd_entry, even_entry by assumption.
    split; f_equal; f_equal; lra.
Qed.

(** The halves stay within their lengths. *)
Lemma halves_range n c p : 0 <= c <= 2 -> 0 <= 2 * of_Z n + c <= of_nat p ->
  0 <= of_Z n + fmin 1 c <= of_nat (upper p)
  /\ 0 <= of_Z n + fmax 0 (c - 1) <= of_nat (lower p).
Proof.
  intros Hc HF. destruct (upper_lower p) as [E [H1 H2]].
  apply (f_equal of_nat) in E. apply of_nat_le in H1, H2.
  rewrite of_nat_add in E. rewrite of_nat_S in H2.
  (* n is at most, or equal to, or more than, the length of the lower half *)
  assert (D : of_Z n - of_nat (lower p) <= -1 \/ of_Z n - of_nat (lower p) = 0
              \/ 1 <= of_Z n - of_nat (lower p)).
  { unfold of_nat. rewrite <- of_Z_sub. apply integer_cases. }
  destruct (integer_cases n) as [Hn | [Hn | Hn]], D as [D | [D | D]]; split; minmax.
Qed.

(** ** Comparators *)

(** Both arguments on the same side of every integer. *)
Definition close (x y : F) : Prop :=
  exists j : Z, of_Z j <= x <= of_Z j + 1 /\ of_Z j <= y <= of_Z j + 1.

Lemma comparator x y : close x y ->
  oplus (sigma x) (sigma y) = sigma (x + y)
  /\ odot (sigma x) (sigma y) = sigma (x + y - 1).
Proof. intros (j & H). destruct (integer_cases j) as [Hj | [Hj | Hj]]; split; minmax. Qed.

Lemma close_less x y : close x y -> close (x - 1) (y - 1).
Proof. intros (j & H). exists (j - 1)%Z. rewrite of_Z_sub. lra. Qed.

Lemma close_below x y : close x y -> x <= 0 -> sigma y = sigma (x + y).
Proof. intros (j & H) Hx. destruct (integer_cases j) as [Hj | [Hj | Hj]]; minmax. Qed.

Lemma close_sym x y : close x y -> close y x.
Proof. intros (j & H). exists j. tauto. Qed.

(** Pairs of entries of two good sequences, the first for x, the second for y. *)
Lemma pairs_good p : forall q x y, close x y -> x <= of_nat p -> y <= of_nat q ->
  (p <= S q)%nat -> (q <= S p)%nat ->
  pairs oplus odot (good x p) (good y q) = good (x + y) (p + q).
Proof.
  induction p as [| p IH]; intros q x y Hc Hx Hy Hpq Hqp.
  - destruct q as [| [| q]]; [reflexivity | | lia].
    simpl. f_equal. now apply close_below.
  - destruct q as [| q].
    + assert (p = O) as -> by lia. simpl. f_equal.
      replace (x + y) with (y + x) by lra.
      apply close_below; [now apply close_sym | exact Hy].
    + rewrite of_nat_S in Hx, Hy. rewrite Nat.add_succ_r. cbn [good pairs plus].
      destruct (comparator x y Hc) as [-> ->].
      rewrite IH by (try apply close_less; trivial; try lra; lia).
      do 3 f_equal. lra.
Qed.

(** ** The merge of two good sequences *)

(** The recursive case, whichever list has more than one entry. *)
Lemma merge_step A (plus times : A -> A -> A) d xs ys :
  (0 < length xs)%nat -> (0 < length ys)%nat -> (2 < length xs + length ys)%nat ->
  merge_within plus times (S d) xs ys =
  match merge_within plus times d (odds xs) (odds ys) with
  | [] => merge_within plus times d (evens xs) (evens ys)
  | first :: odd =>
      first :: pairs plus times (merge_within plus times d (evens xs) (evens ys)) odd
  end.
Proof.
  destruct xs as [| x [| x' xs]], ys as [| y [| y' ys]]; intros; simpl in *;
    try lia; reflexivity.
Qed.

(** Any depth from the length of both lists on gives the same; so [merge]
    obeys the equations that define it without a depth ([merge_equations]). *)
Lemma length_halves A (xs : list A) :
  length (odds xs) = upper (length xs) /\ length (evens xs) = lower (length xs).
Proof.
  induction xs as [xs IH] using (induction_ltof1 _ (@length A)).
  unfold ltof in IH. destruct xs as [| x [| y xs]]; [now split | now split |].
  destruct (IH xs) as [HO HE]; [simpl; lia |].
  cbn [odds evens length]. rewrite HO, HE. now split.
Qed.

Lemma merge_depth A (plus times : A -> A -> A) d : forall d' xs ys,
  (length xs + length ys <= d)%nat -> (length xs + length ys <= d')%nat ->
  merge_within plus times d xs ys = merge_within plus times d' xs ys.
Proof.
  induction d as [| d IH]; intros d' xs ys Hd Hd'.
  { destruct xs, ys; simpl in Hd; try lia. now destruct d'. }
  destruct d' as [| d']; [destruct xs, ys; simpl in Hd'; try lia; reflexivity |].
  destruct (Nat.eq_dec (length xs) 0) as [Hx | Hx]; [now destruct xs |].
  destruct (Nat.eq_dec (length ys) 0) as [Hy | Hy]; [now destruct xs as [| ? []], ys |].
  destruct (Nat.eq_dec (length xs + length ys) 2) as [H | H].
  { destruct xs as [| ? []], ys as [| ? []]; simpl in *; try lia. reflexivity. }
  rewrite !merge_step by lia.
  destruct (length_halves A xs) as [LO LE], (length_halves A ys) as [LO' LE'].
  pose proof (upper_lower (length xs)). pose proof (upper_lower (length ys)).
  rewrite (IH d' (odds xs)), (IH d' (evens xs)) by lia. reflexivity.
Qed.

Theorem merge_equations A (plus times : A -> A -> A) :
  (forall ys, merge plus times [] ys = ys) /\
  (forall xs, merge plus times xs [] = xs) /\
  (forall x y, merge plus times [x] [y] = [plus x y; times x y]) /\
  (forall xs ys,
     (0 < length xs)%nat -> (0 < length ys)%nat -> (2 < length xs + length ys)%nat ->
     merge plus times xs ys =
     match merge plus times (odds xs) (odds ys) with
     | [] => merge plus times (evens xs) (evens ys)
     | first :: odd => first :: pairs plus times (merge plus times (evens xs) (evens ys)) odd
     end).
Proof.
  repeat split.
  - now intros [| y ys].
  - now intros [| x [| x' xs]].
  - intros xs ys Hx Hy H.
    destruct (length_halves A xs) as [LO LE], (length_halves A ys) as [LO' LE'].
    pose proof (upper_lower (length xs)). pose proof (upper_lower (length ys)).
    unfold merge at 1. destruct (length xs + length ys)%nat as [| d] eqn:Ed; [lia |].
    rewrite merge_step by lia. unfold merge.
    rewrite (merge_depth _ _ _ d (length (odds xs) + length (odds ys)) (odds xs)),
      (merge_depth _ _ _ d (length (evens xs) + length (evens ys)) (evens xs)) by lia.
    reflexivity.
Qed.

(** The two sums, over odd places less 1 and over even places, are close: this
    is where the parities of X and Y come in. *)
Lemma halves_close n m c e : 0 <= c <= 2 -> 0 <= e <= 2 ->
  close (of_Z n + fmax 0 (c - 1) + (of_Z m + fmax 0 (e - 1)))
        (of_Z n + fmin 1 c + (of_Z m + fmin 1 e) - 1).
Proof.
  intros Hc He.
  assert (H : exists j, of_Z j <= fmax 0 (c - 1) + fmax 0 (e - 1) <= of_Z j + 1
                  /\ of_Z j <= fmin 1 c + fmin 1 e - 1 <= of_Z j + 1).
  { destruct (le_or_lt (c + e) 1) as [H1 | H1]; [exists (-1)%Z; split; minmax |].
    destruct (le_or_lt (c + e) 3) as [H2 | H2]; [exists 0%Z | exists 1%Z]; split; minmax. }
  destruct H as (j & H). exists (n + m + j)%Z. rewrite !of_Z_add. lra.
Qed.

Theorem merge_good d : forall p q X Y, (p + q <= d)%nat ->
  0 <= X <= of_nat p -> 0 <= Y <= of_nat q ->
  merge_within oplus odot d (good X p) (good Y q) = good (X + Y) (p + q).
Proof.
  induction d as [| d IH]; intros p q X Y Hd HF HG.
  { assert (p = O) as -> by lia. assert (q = O) as -> by lia. reflexivity. }
  destruct (Nat.eq_dec p 0) as [-> | Hp].
  { rewrite of_nat_0 in HF. simpl. f_equal. lra. }
  destruct (Nat.eq_dec q 0) as [-> | Hq].
  { rewrite of_nat_0 in HG. replace (X + Y) with X by lra.
    rewrite Nat.add_0_r. now destruct p as [| [| p]]. }
  destruct (Nat.eq_dec (p + q) 2) as [H2 | H2].
  { assert (p = 1%nat) as -> by lia. assert (q = 1%nat) as -> by lia.
    change (of_nat 1) with 1 in *. simpl.
    destruct (comparator X Y) as [-> ->]; [exists 0%Z; lra | reflexivity]. }
  rewrite merge_step by (rewrite !good_length; lia).
  destruct (upper_lower p) as [Ep Hlp], (upper_lower q) as [Eq Hlq].
  destruct (halves X) as (n & c & -> & Hc), (halves Y) as (m & e & -> & He).
  destruct (halves_range n c p Hc HF) as [HO1 HE1].
  destruct (halves_range m e q He HG) as [HO2 HE2].
  destruct (halves_good c p Hc n) as [-> ->], (halves_good e q He m) as [-> ->].
  rewrite !IH by (trivial; lia).
  pose proof (halves_close n m c e Hc He) as Hclose.
  assert (Esum : 2 * of_Z n + c + (2 * of_Z m + e)
                 = of_Z n + fmin 1 c + (of_Z m + fmin 1 e)
                   + (of_Z n + fmax 0 (c - 1) + (of_Z m + fmax 0 (e - 1)))) by minmax.
  rewrite Esum. clear Esum IH HF HG.
  set (O := of_Z n + fmin 1 c + (of_Z m + fmin 1 e)) in *.
  set (E := of_Z n + fmax 0 (c - 1) + (of_Z m + fmax 0 (e - 1))) in *.
  assert (HE : 0 <= E <= of_nat (lower p + lower q)) by (rewrite of_nat_add; unfold E; lra).
  assert (HO : 0 <= O <= of_nat (upper p + upper q)) by (rewrite of_nat_add; unfold O; lra).
  clearbody O E.
  destruct (upper p + upper q)%nat as [| k] eqn:Ek; [lia |].
  rewrite of_nat_S in HO. cbn [good].
  rewrite pairs_good by (trivial; try lra; lia).
  replace (p + q)%nat with (S (lower p + lower q + k)) by lia. cbn [good].
  f_equal; [| f_equal; lra].
  destruct Hclose as (j & Hj). destruct (integer_cases j) as [H | [H | H]]; minmax.
Qed.

(** ** The rule *)

(** Merging formulas and then evaluating is evaluating and then merging. *)
Section Map.
  Variables (A B : Type) (f : A -> B).
  Variables (plus times : A -> A -> A) (plus' times' : B -> B -> B).
  Hypothesis f_plus : forall x y, f (plus x y) = plus' (f x) (f y).
  Hypothesis f_times : forall x y, f (times x y) = times' (f x) (f y).

  Lemma map_halves xs :
    map f (odds xs) = odds (map f xs) /\ map f (evens xs) = evens (map f xs).
  Proof.
    induction xs as [xs IH] using (induction_ltof1 _ (@length A)).
    unfold ltof in IH. destruct xs as [| x [| y xs]]; [now split | now split |].
    destruct (IH xs) as [HO HE]; [simpl; lia |].
    simpl. rewrite HO, HE. now split.
  Qed.

  Lemma map_pairs xs ys :
    map f (pairs plus times xs ys) = pairs plus' times' (map f xs) (map f ys).
  Proof.
    revert ys. induction xs as [| x xs IH]; intros [| y ys]; simpl; trivial.
    now rewrite f_plus, f_times, IH.
  Qed.

  Lemma map_merge d : forall xs ys,
    map f (merge_within plus times d xs ys)
    = merge_within plus' times' d (map f xs) (map f ys).
  Proof.
    induction d as [| d IH]; intros xs ys; trivial.
    destruct xs as [| x xs]; [reflexivity |].
    destruct ys as [| y ys]; [now destruct xs |].
    destruct (Nat.eq_dec (length xs + length ys) 0) as [H | H].
    { destruct xs, ys; try discriminate. simpl. now rewrite f_plus, f_times. }
    rewrite !merge_step by (rewrite ?map_length; simpl; lia).
    rewrite <- !(proj1 (map_halves _)), <- !(proj2 (map_halves _)), <- !IH.
    destruct (merge_within plus times d (odds (x :: xs)) (odds (y :: ys)));
      simpl; trivial.
    now rewrite map_pairs.
  Qed.
End Map.

(** Formulas whose values are good sequences for X and Y are merged: the k-th
    formula made, counted from 0, has the value sigma (X + Y - k). *)
Theorem rule_sort env (ts us : list term) X Y :
  map (eval env) ts = good X (length ts) -> 0 <= X <= of_nat (length ts) ->
  map (eval env) us = good Y (length us) -> 0 <= Y <= of_nat (length us) ->
  map (eval env) (merge Plus Times ts us)
  = map (fun k => sigma (X + Y - of_nat k)) (seq 0 (length ts + length us)).
Proof.
  intros Hts HF Hus HG. unfold merge.
  rewrite (map_merge _ _ (eval env) Plus Times oplus odot) by reflexivity.
  rewrite Hts, Hus, merge_good by trivial. apply good_entries.
Qed.

(** The merge of 2 and 2 written out, to see the definitions at work. *)
Example merge_two_two a b c d :
  merge Plus Times [a; b] [c; d]
  = [Plus a c; Plus (Plus b d) (Times a c); Times (Plus b d) (Times a c); Times b d].
Proof. reflexivity. Qed.
