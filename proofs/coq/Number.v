(** * Number.v -- what the checker needs of numbers; rational numbers

    What this file provides, in plain words.  The checker computes with exact
    numbers of a type [t] by the operations of a record [number t]; nothing
    else is known to it.  There are two such records: rational numbers
    ([rational], below) and sums of square roots (Roots.v).  Sums of terms
    "coefficient times variable", and systems of variables, are made of such
    numbers.  What the operations must satisfy is said in Meaning.v. *)

From Coq Require Import ZArith List String QArith Qcanon Lia.
From VeriMV Require Import Syntax Map.
Import ListNotations.

Record number (t : Type) := Number {
  fraction : Z -> positive -> t;         (* numerator, denominator *)
  add : t -> t -> t;
  mul : t -> t -> t;
  dot : list (t * t) -> t -> t;          (* a number plus products *)
  read : exact -> result t;              (* incomplete if it has too many roots *)
  eqb : t -> t -> bool;                  (* true only if they are the same *)
  leb : t -> t -> option bool;           (* None: too close to tell *)
  rational_part : t -> option (Z * positive);  (* a rational number, as a fraction *)
  size : t -> N;                         (* bits *)
  fits : t -> bool;                      (* within the limits of section 2 *)
  hash : t -> N                          (* any function *)
}.
Arguments fraction {t}.
Arguments add {t}.
Arguments mul {t}.
Arguments dot {t}.
Arguments read {t}.
Arguments eqb {t}.
Arguments leb {t}.
Arguments rational_part {t}.
Arguments size {t}.
Arguments fits {t}.
Arguments hash {t}.

(** ** Sums

    c + c_1 [k_1] + c_2 [k_2] + ..., for keys k_1 < k_2 < ... (node numbers, or
    numbers of variables) and coefficients other than 0. *)

Record sum (t : Type) := Sum_ { terms : list (positive * t); constant : t }.
Arguments Sum_ {t}.
Arguments terms {t}.
Arguments constant {t}.

(** ** Variables (section 8)

    Variable number k of FORMAT.md has the key k + 1 here; the variables of a
    system are those below [bound].  A variable is free, with values in [0,1],
    or an activation of a sum over variables before it. *)

Inductive variable (t : Type) := Free | Neuron (a : activation) (argument : sum t).
Arguments Free {t}.
Arguments Neuron {t}.

Record variables (t : Type) := Variables { bound : positive; definition : trie (variable t) }.
Arguments Variables {t}.
Arguments bound {t}.
Arguments definition {t}.

(** Known bounds of arguments (of a free variable: of itself): low, high. *)
Definition facts (t : Type) : Type := trie (option t * option t).

(** ** Rational numbers *)

Definition read_term (sum : result Qc) (t : term) : result Qc :=
  match sum with
  | Ok x =>
      if N.eqb (radicand t) 1 then Ok (Qcplus x (Q2Qc (numerator t # denominator t)))
      else Reject Incomplete "a number with a square root"%string
  | _ => sum
  end.

Definition rational_read (e : exact) : result Qc := List.fold_left read_term e (Ok (Q2Qc 0)).

Definition bits (z : Z) : N := match z with Z0 => 0 | Zpos p | Zneg p => Npos (Pos.size p) end.

Definition rational_size (x : Qc) : N := bits (Qnum x) + Npos (Pos.size (Qden x)).

Definition most_bits : N := 32768.
Definition hash_mask : Z := 1048575.

(** *** Sums of products

    Fractions are reduced at the end only: a greatest common divisor for each
    product is most of the time that a proof by cases would take. *)

(** Quotient and remainder. *)
Definition divided (a b : positive) : Z * Z := Z.div_eucl (Zpos a) (Zpos b).

(** total + c x, over the denominator of one of them if it is a multiple of the
    other's. *)
Definition add_quickly (total : Q) (cx : Qc * Qc) : Q :=
  let n := Z.mul (Qnum (fst cx)) (Qnum (snd cx)) in
  let m := Pos.mul (Qden (fst cx)) (Qden (snd cx)) in
  let d := Qden total in
  if Pos.eqb m d then Z.add (Qnum total) n # d else
  let (q, r) := divided d m in
  if Z.eqb r 0 then Z.add (Qnum total) (Z.mul n q) # d else
  let (q, r) := divided m d in
  if Z.eqb r 0 then Z.add (Z.mul (Qnum total) q) n # m else
  let '(_, (d', m')) := Pos.ggcd d m in
  Z.add (Z.mul (Qnum total) (Zpos m')) (Z.mul n (Zpos d')) # Pos.mul d' m.

Definition rational_dot (l : list (Qc * Qc)) (x : Qc) : Qc := Q2Qc (List.fold_left add_quickly l (this x)).

(** Without products, where signs or equal denominators tell. *)
Definition rational_leb (x y : Qc) : bool :=
  if Z.eqb (Qnum y) 0 then Z.leb (Qnum x) 0
  else if Pos.eqb (Qden x) (Qden y) then Z.leb (Qnum x) (Qnum y)
  else Qle_bool x y.

Lemma rational_leb_eq x y : rational_leb x y = Qle_bool x y.
Proof.
  unfold rational_leb, Qle_bool. destruct (Z.eqb_spec (Qnum y) 0) as [E | _].
  - rewrite E. apply Bool.eq_iff_eq_true. rewrite !Z.leb_le. nia.
  - destruct (Pos.eqb_spec (Qden x) (Qden y)) as [-> | _]; trivial.
    apply Bool.eq_iff_eq_true. rewrite !Z.leb_le. nia.
Qed.

Lemma add_quickly_eq total cx : (add_quickly total cx == total + fst cx * snd cx)%Q.
Proof.
  destruct total as [n d], cx as [c x]. unfold add_quickly. cbn [fst snd Qnum Qden].
  set (p := Z.mul (Qnum c) (Qnum x)). set (m := Pos.mul (Qden c) (Qden x)).
  assert (E : (c * x == p # m)%Q) by reflexivity. rewrite E. clear E. clearbody p m.
  unfold Qeq, Qplus. destruct (Pos.eqb_spec m d) as [-> | _]; cbn [Qnum Qden]; [lia |].
  unfold divided. pose proof (Z.div_eucl_eq (Zpos d) (Zpos m)) as H. specialize (H ltac:(discriminate)).
  destruct (Z.div_eucl (Zpos d) (Zpos m)) as [q r].
  destruct (Z.eqb_spec r 0) as [-> | _]; cbn [Qnum Qden].
  { rewrite !Pos2Z.inj_mul, H. ring. }
  clear H. pose proof (Z.div_eucl_eq (Zpos m) (Zpos d)) as H. specialize (H ltac:(discriminate)).
  destruct (Z.div_eucl (Zpos m) (Zpos d)) as [q' r'].
  destruct (Z.eqb_spec r' 0) as [-> | _]; cbn [Qnum Qden].
  { rewrite !Pos2Z.inj_mul, H. ring. }
  clear H. pose proof (Pos.ggcd_correct_divisors d m) as H.
  destruct (Pos.ggcd d m) as [g [d' m']]. destruct H as [-> ->]. cbn [Qnum Qden].
  rewrite !Pos2Z.inj_mul. ring.
Qed.

Lemma rational_dot_eq l : forall x,
  rational_dot l x = List.fold_right (fun cx rest => fst cx * snd cx + rest)%Qc x l.
Proof.
  unfold rational_dot. assert (H : forall q, Q2Qc (List.fold_left add_quickly l q)
    = List.fold_right (fun cx rest => fst cx * snd cx + rest)%Qc (Q2Qc q) l).
  { induction l as [| cx l IH]; intros q; [reflexivity |]. cbn [List.fold_left List.fold_right].
    rewrite IH. assert (E : Q2Qc (add_quickly q cx) = (fst cx * snd cx + Q2Qc q)%Qc).
    { apply Qc_is_canon. unfold Qcplus, Qcmult, Q2Qc. cbn [this]. rewrite !Qred_correct, add_quickly_eq. ring. }
    rewrite E. clear E IH. generalize (Q2Qc q). induction l as [| dy l IH]; intros x; [reflexivity |].
    cbn [List.fold_right]. rewrite IH. ring. }
  intros x. rewrite H. f_equal. apply Qc_is_canon. cbn [this Q2Qc]. apply Qred_correct.
Qed.

Definition rational : number Qc := {|
  fraction := fun n d => Q2Qc (n # d);
  add := Qcplus;
  mul := Qcmult;
  dot := rational_dot;
  read := rational_read;
  eqb := fun x y => Z.eqb (Qnum x) (Qnum y) && Pos.eqb (Qden x) (Qden y);
  leb := fun x y => Some (rational_leb x y);
  rational_part := fun x => Some (Qnum x, Qden x);
  size := rational_size;
  fits := fun x => N.leb (rational_size x) most_bits;
  hash := fun x => Z.to_N (Z.land (Qnum x + 31 * Zpos (Qden x)) hash_mask)
|}.
