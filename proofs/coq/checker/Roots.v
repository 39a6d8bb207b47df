(** * Roots.v -- sums of square roots

    What this file provides, in plain words.  The numbers of section 2 of
    FORMAT.md that are not rational: c_1 sqrt(n_1) + c_2 sqrt(n_2) + ..., with
    different squarefree n_i (1 among them, for the rational part) in increasing
    order, and rational c_i other than 0.  Roots of different squarefree numbers
    are independent, so that each number is written in one way only; soundness
    does not need this.  Two numbers are compared by their difference, with
    roots that are rounded down to more and more bits; if it is too small even
    for the most bits, there is no answer.  That all this is right is proved in
    RootsSound.v. *)

From Coq Require Import ZArith List String Bool QArith Qcanon.
From VeriMV Require Import Syntax Map Number Sums.
Import ListNotations.

(** Pairs (n_i, c_i). *)
Definition roots : Type := list (positive * Qc).

(** c sqrt(n) *)
Definition root (n : positive) (c : Qc) : roots := if is_zero rational c then [] else [(n, c)].

Definition add_roots (x y : roots) : roots := add_terms rational x y.

(** ** Products *)

(** sqrt(m) sqrt(n) = g sqrt(m/g n/g), for the greatest common divisor g. *)
Definition multiply_root (m : positive) (a : Qc) (nb : positive * Qc) : positive * Qc :=
  let (g, parts) := Pos.ggcd m (fst nb) in
  (Pos.mul (fst parts) (snd parts), mul rational (mul rational a (snd nb)) (int rational (Zpos g))).

Definition mul_roots (x y : roots) : roots :=
  match x, y with
  | [], _ => []
  | _, [] => []
  | [(m, a)], _ =>
      if Pos.eqb m 1 then scale_terms rational a y
      else fold_left (fun total nb => add_roots [multiply_root m a nb] total) y []
  | _, _ =>
      fold_left (fun total ma =>
        fold_left (fun total nb => add_roots [multiply_root (fst ma) (snd ma) nb] total) y total) x []
  end.

Definition dot_roots (l : list (roots * roots)) (x : roots) : roots :=
  fold_left (fun total cx => add_roots total (mul_roots (fst cx) (snd cx))) l x.

(** ** Reading *)

(** The largest s among k and the root of n/k, for k = 1, 2, ..., such that s^2
    divides n: the largest of all if n has at most nine digits. *)
Definition most_tries : positive := 1000.

Definition better (n s best : N) : N :=
  if N.ltb best s then if N.eqb (N.modulo n (N.mul s s)) 0 then s else best else best.

(** The program has another function in its place, which gives the same numbers
    more quickly; [without_square] tests what it gives. *)
Definition square_root_in (n : N) : N :=
  snd (Pos.iter (fun kb : N * N =>
    let (k, best) := kb in
    (N.succ k, better n (N.sqrt (N.div n k)) (better n k best))) (1%N, 1%N) most_tries).

(** n = s^2 m, as (m, s), with the largest s that was found. *)
Definition without_square (n : positive) : positive * N :=
  let s := square_root_in (Npos n) in
  match N.div (Npos n) (N.mul s s) with
  | Npos m => if N.eqb (N.mul (Npos m) (N.mul s s)) (Npos n) then (m, s) else (n, 1%N)
  | N0 => (n, 1%N)
  end.

Definition root_of_term (t : term) : roots :=
  match radicand t with
  | N0 => []
  | Npos n =>
      let (m, s) := if Pos.eqb n 1 then (n, 1%N) else without_square n in
      root m (Q2Qc (Z.mul (numerator t) (Z.of_N s) # denominator t))
  end.

Definition most_roots : N := 16.

Definition roots_fit (x : roots) : bool :=
  N.leb (fold_left (fun n _ => N.succ n) x 0%N) most_roots && forallb (fun nc => fits rational (snd nc)) x.

(** Term by term: a number that gets too long is given up at once. *)
Definition read_root (sum : result roots) (t : term) : result roots :=
  match sum with
  | Ok x =>
      let y := add_roots x (root_of_term t) in
      if roots_fit y then Ok y else Reject Incomplete "a number with fewer bits or roots"
  | _ => sum
  end.

Definition read_roots (e : exact) : result roots := fold_left read_root e (Ok []).

(** ** Comparison *)

(** The numbers of bits after the point that are tried. *)
Definition precisions : list Z := [64%Z; 512%Z; 4096%Z].

(** The sum with all roots rounded down to multiples of 1/B, times B. *)
Definition scaled (B : Z) (x : roots) : Qc :=
  fold_left (fun total nc =>
    add rational total (mul rational (snd nc) (int rational (Z.sqrt (Z.mul (Zpos (fst nc)) (Z.mul B B)))))) x
    (zero rational).

Definition absolute (c : Qc) : Qc := if Qle_bool c 0 then opp rational c else c.

(** How far the sum, times B, may be from what was computed. *)
Definition tolerance (x : roots) : Qc :=
  fold_left (fun total nc => add rational total (absolute (snd nc))) x (zero rational).

Fixpoint sign_by (precisions : list Z) (x : roots) (most : Qc) : option bool :=
  match precisions with
  | [] => None
  | b :: rest =>
      let B := Z.shiftl 1 b in
      let s := scaled B x in
      if negb (Qle_bool (absolute s) most) && Z.ltb 0 B then Some (Qle_bool 0 s) else sign_by rest x most
  end.

(** Whether 0 <= x. *)
Definition not_negative (x : roots) : option bool :=
  match x with
  | [] => Some true
  | [(n, c)] => Some (Qle_bool 0 c)
  | _ => sign_by precisions x (tolerance x)
  end.

Definition leb_roots (x y : roots) : option bool :=
  not_negative (add_roots y (scale_terms rational (int rational (-1)) x)).

(** ** The numbers *)

Definition size_of_roots (x : roots) : N :=
  match x with
  | [] => 1
  | [(n, c)] => if Pos.eqb n 1 then size rational c else N.succ (Npos (Pos.size n)) + size rational c
  | _ => fold_left (fun total nc => total + N.succ (Npos (Pos.size (fst nc))) + size rational (snd nc))%N x 0%N
  end.

Definition rational_of_roots (x : roots) : option (Z * positive) :=
  match x with
  | [] => Some (0%Z, 1%positive)
  | [(n, c)] => if Pos.eqb n 1 then rational_part rational c else None
  | _ => None
  end.

Definition hash_seed : N := 65599.
Definition hash_roots (x : roots) : N :=
  fold_left (fun h nc =>
    N.land (h * hash_seed + 31 * Npos (fst nc) + hash rational (snd nc)) (Z.to_N hash_mask))%N x 0%N.

Definition surd : number roots := {|
  fraction := fun n d => root 1 (Q2Qc (n # d));
  add := add_roots;
  mul := mul_roots;
  dot := dot_roots;
  align := fun _ y => y;
  read := read_roots;
  eqb := same_terms rational;
  leb := leb_roots;
  rational_part := rational_of_roots;
  size := size_of_roots;
  fits := roots_fit;
  hash := hash_roots
|}.
