(** * Fractions.v -- rational numbers that need not be in lowest terms

    What this file provides, in plain words: the numbers that the program
    computes with if no file has a square root.  Sums and products are reduced
    as those of [rational] (Number.v) are, so that equal numbers are written
    alike; but not in proofs by cases (Cases.v), where a greatest common divisor
    for each product would take most of the time.  There, many numbers are
    written over one denominator ([align]), and then sums of products of such
    numbers are quick ([dot]).  That all this is right is proved in FractionsSound.v
    and RootsSound.v. *)

From Coq Require Import ZArith List String QArith Qcanon Lia.
From VeriMV Require Import Syntax Map Number.
Import ListNotations.

(** Quotient and remainder. *)
Definition divided (a b : positive) : Z * Z := Z.div_eucl (Zpos a) (Zpos b).

(** ** Sums of products *)

(** top / bottom, where bottom = one other factor: the next product may have the
    denominators [one] and [other], too. *)
Record running := Running { top : Z; bottom : positive; one : positive; other : positive; times : Z }.

(** total + c x *)
Definition add_product (total : running) (cx : Q * Q) : running :=
  let n := Z.mul (Qnum (fst cx)) (Qnum (snd cx)) in
  let c := Qden (fst cx) in
  let x := Qden (snd cx) in
  if (if Pos.eqb c (one total) then Pos.eqb x (other total) else false)
  then Running (Z.add (top total) (Z.mul n (times total))) (bottom total) c x (times total)
  else
    let m := Pos.mul c x in
    let d := bottom total in
    if Pos.eqb d 1 then Running (Z.add (Z.mul (top total) (Zpos m)) n) m c x 1 else
    let (q, r) := divided d m in
    if Z.eqb r 0 then Running (Z.add (top total) (Z.mul n q)) d c x q else
    let '(_, (d', m')) := Pos.ggcd d m in
    Running (Z.add (Z.mul (top total) (Zpos m')) (Z.mul n (Zpos d'))) (Pos.mul d' m) c x (Zpos d').

(** The same for many products, without a record for each. *)
Fixpoint add_products (l : list (Q * Q)) (n : Z) (d one' other' : positive) (times' : Z) : Q :=
  match l with
  | [] => n # d
  | cx :: rest =>
      if (if Pos.eqb (Qden (fst cx)) one' then Pos.eqb (Qden (snd cx)) other' else false)
      then add_products rest (Z.add n (Z.mul (Z.mul (Qnum (fst cx)) (Qnum (snd cx))) times')) d one' other' times'
      else
        let r := add_product (Running n d one' other' times') cx in
        add_products rest (top r) (bottom r) (one r) (other r) (times r)
  end.

Definition dot_fractions (l : list (Q * Q)) (x : Q) : Q := add_products l (Qnum x) (Qden x) (Qden x) 1 1.

(** ** One denominator *)

(** Common denominators do not get longer than this, in bits. *)
Definition most_common : N := 1024.

(** y over a denominator that both have, that of x if possible. *)
Definition over_common (x y : Q) : Q :=
  let d := Qden x in
  let e := Qden y in
  if Pos.eqb d e then Qnum y # d else
  let (q, r) := divided d e in
  if Z.eqb r 0 then Z.mul (Qnum y) q # d else
  let '(_, (d', _)) := Pos.ggcd d e in
  let m := Pos.mul d' e in
  if N.leb (Npos (Pos.size m)) most_common then Z.mul (Qnum y) (Zpos d') # m else y.

(** ** The other operations *)

(** Without products, where signs or equal denominators tell. *)
Definition leb_fractions (x y : Q) : bool :=
  if Z.eqb (Qnum y) 0 then Z.leb (Qnum x) 0
  else if Pos.eqb (Qden x) (Qden y) then Z.leb (Qnum x) (Qnum y)
  else Qle_bool x y.

Definition read_fraction (sum : result Q) (t : term) : result Q :=
  match sum with
  | Ok x =>
      if N.eqb (radicand t) 1 then Ok (Qred (Qplus x (numerator t # denominator t)))
      else Reject Incomplete "a number with a square root"%string
  | _ => sum
  end.

Definition size_of_fraction (x : Q) : N := bits (Qnum x) + Npos (Pos.size (Qden x)).

Definition hash_factor : Z := 31.

(** Integers, 0 and 1 above all, are asked for often. *)
Definition reduced (n : Z) (d : positive) : Q := if Pos.eqb d 1 then n # d else Qred (n # d).

Definition fractions : number Q := {|
  fraction := reduced;
  add := fun x y => Qred (Qplus x y);
  mul := fun x y => Qred (Qmult x y);
  dot := dot_fractions;
  align := over_common;
  read := fun e => fold_left read_fraction e (Ok 0%Q);
  eqb := fun x y => if Z.eqb (Qnum x) (Qnum y) then Pos.eqb (Qden x) (Qden y) else false;
  leb := fun x y => Some (leb_fractions x y);
  rational_part := fun x => Some (Qnum x, Qden x);
  size := size_of_fraction;
  fits := fun x => N.leb (size_of_fraction x) most_bits;
  hash := fun x => Z.to_N (Z.land (Qnum x + hash_factor * Zpos (Qden x)) hash_mask)
|}.

(** ** What they do, up to the equality of fractions *)

Open Scope Q_scope.

Definition fraction_of (r : running) : Q := top r # bottom r.

Definition factors_right (r : running) : Prop := Zpos (bottom r) = (Zpos (one r) * Zpos (other r) * times r)%Z.

Lemma add_product_right r cx : factors_right r ->
  factors_right (add_product r cx) /\ fraction_of (add_product r cx) == fraction_of r + fst cx * snd cx.
Proof.
  destruct r as [n d o o' q], cx as [[a c] [b x]]. unfold factors_right, fraction_of, add_product.
  cbn [fst snd Qnum Qden top bottom one other times]. intros H.
  destruct (if Pos.eqb c o then Pos.eqb x o' else false) eqn:E.
  { destruct (Pos.eqb_spec c o) as [-> |]; [| discriminate]. apply Pos.eqb_eq in E. subst x.
    cbn [top bottom one other times]. split; [exact H |].
    unfold Qeq, Qplus, Qmult. cbn [Qnum Qden]. rewrite !Pos2Z.inj_mul, H. ring. }
  clear E H. destruct (Pos.eqb_spec d 1) as [-> | _]; cbn [top bottom one other times].
  { split; [rewrite !Pos2Z.inj_mul; ring |].
    unfold Qeq, Qplus, Qmult. cbn [Qnum Qden]. rewrite !Pos2Z.inj_mul. ring. }
  unfold divided. pose proof (Z.div_eucl_eq (Zpos d) (Zpos (c * x))) as H. specialize (H ltac:(discriminate)).
  destruct (Z.div_eucl (Zpos d) (Zpos (c * x))) as [q' r].
  destruct (Z.eqb_spec r 0) as [-> | _]; cbn [top bottom one other times].
  { rewrite Pos2Z.inj_mul in H. split; [rewrite H; ring |].
    unfold Qeq, Qplus, Qmult. cbn [Qnum Qden]. rewrite !Pos2Z.inj_mul, H. ring. }
  clear H. pose proof (Pos.ggcd_correct_divisors d (c * x)) as H.
  destruct (Pos.ggcd d (c * x)) as [g [d' m']]. destruct H as [H H']. cbn [top bottom one other times].
  assert (G : (Zpos c * Zpos x = Zpos g * Zpos m')%Z) by (rewrite <- !Pos2Z.inj_mul; now f_equal).
  split; [rewrite !Pos2Z.inj_mul; ring |].
  unfold Qeq, Qplus, Qmult. cbn [Qnum Qden]. rewrite H, !Pos2Z.inj_mul, !G. ring.
Qed.

Lemma add_products_eq l : forall n d o o' q,
  add_products l n d o o' q = fraction_of (fold_left add_product l (Running n d o o' q)).
Proof.
  induction l as [| [c x] l IH]; intros n d o o' q; [reflexivity |]. cbn [add_products fold_left fst snd].
  destruct (if Pos.eqb (Qden c) o then Pos.eqb (Qden x) o' else false) eqn:E.
  - rewrite IH. unfold add_product at 3. cbn [fst snd top bottom one other times]. rewrite E.
    destruct (Pos.eqb_spec (Qden c) o) as [-> |]; [| discriminate]. apply Pos.eqb_eq in E. now rewrite E.
  - cbv zeta. rewrite IH. now destruct (add_product (Running n d o o' q) (c, x)).
Qed.

Lemma dot_fractions_eq l : forall x,
  dot_fractions l x == fold_right (fun cx rest => fst cx * snd cx + rest) x l.
Proof.
  unfold dot_fractions.
  assert (H : forall r, factors_right r -> fraction_of (fold_left add_product l r)
    == fold_right (fun cx rest => fst cx * snd cx + rest) (fraction_of r) l).
  { induction l as [| cx l IH]; intros r Hr; [reflexivity |]. cbn [fold_left fold_right].
    destruct (add_product_right r cx Hr) as [H1 H2]. rewrite (IH _ H1). clear IH Hr H1.
    assert (P : forall p q, p == q -> fold_right (fun cx rest => fst cx * snd cx + rest) p l
      == fold_right (fun cx rest => fst cx * snd cx + rest) q l).
    { intros p q E. clear - E. induction l as [| dy l IH]; [exact E |]. cbn [fold_right]. rewrite IH. reflexivity. }
    rewrite (P _ _ H2). generalize (fraction_of r). intros p. clear - p.
    induction l as [| dy l IH]; cbn [fold_right]; [ring |]. rewrite IH. ring. }
  intros [n d]. rewrite add_products_eq. apply (H (Running n d d 1 1)). unfold factors_right. cbn [top bottom one other times]. ring.
Qed.

Lemma reduced_eq n d : reduced n d == n # d.
Proof. unfold reduced. destruct (Pos.eqb d 1); [reflexivity | apply Qred_correct]. Qed.

Lemma over_common_eq x y : over_common x y == y.
Proof.
  destruct x as [n d], y as [p e]. unfold over_common. cbn [Qnum Qden].
  destruct (Pos.eqb_spec d e) as [-> | _]; [reflexivity |].
  unfold divided. pose proof (Z.div_eucl_eq (Zpos d) (Zpos e)) as H. specialize (H ltac:(discriminate)).
  destruct (Z.div_eucl (Zpos d) (Zpos e)) as [q r].
  destruct (Z.eqb_spec r 0) as [-> | _].
  { unfold Qeq. cbn [Qnum Qden]. rewrite H. ring. }
  destruct (Pos.ggcd d e) as [g [d' m']]. destruct (N.leb _ _); [| reflexivity].
  unfold Qeq. cbn [Qnum Qden]. rewrite !Pos2Z.inj_mul. ring.
Qed.

Lemma leb_fractions_eq x y : leb_fractions x y = Qle_bool x y.
Proof.
  unfold leb_fractions, Qle_bool. destruct (Z.eqb_spec (Qnum y) 0) as [E | _].
  - rewrite E. apply Bool.eq_iff_eq_true. rewrite !Z.leb_le. nia.
  - destruct (Pos.eqb_spec (Qden x) (Qden y)) as [-> | _]; trivial.
    apply Bool.eq_iff_eq_true. rewrite !Z.leb_le. nia.
Qed.
