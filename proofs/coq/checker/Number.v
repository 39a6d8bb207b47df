(** * Number.v -- what the checker needs of numbers; rational numbers

    What this file provides, in plain words.  The checker computes with exact
    numbers of a type [t] by the operations of a record [number t]; nothing
    else is known to it.  There are two such records: fractions (Fractions.v) and
    sums of square roots (Roots.v), whose coefficients are rational numbers
    ([rational], below).  Sums of terms
    "coefficient times variable", and systems of variables, are made of such
    numbers.  What the operations must satisfy is said in Meaning.v. *)

From Coq Require Import ZArith List String QArith Qcanon.
From VeriMV Require Import Syntax Map.
Import ListNotations.

Record number (t : Type) := Number {
  fraction : Z -> positive -> t;         (* numerator, denominator *)
  add : t -> t -> t;
  mul : t -> t -> t;
  dot : list (t * t) -> t -> t;          (* a number plus products *)
  align : t -> t -> t;                   (* the second one, written so that both are added quickly *)
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
Arguments align {t}.
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

Definition rational : number Qc := {|
  fraction := fun n d => Q2Qc (n # d);
  add := Qcplus;
  mul := Qcmult;
  dot := fun l x => fold_left (fun total cx => Qcplus total (Qcmult (fst cx) (snd cx))) l x;
  align := fun _ y => y;
  read := rational_read;
  eqb := fun x y => Z.eqb (Qnum x) (Qnum y) && Pos.eqb (Qden x) (Qden y);
  leb := fun x y => Some (Qle_bool x y);
  rational_part := fun x => Some (Qnum x, Qden x);
  size := rational_size;
  fits := fun x => N.leb (rational_size x) most_bits;
  hash := fun x => Z.to_N (Z.land (Qnum x + 31 * Zpos (Qden x)) hash_mask)
|}.
