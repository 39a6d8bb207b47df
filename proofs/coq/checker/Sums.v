(** * Sums.v -- computing with numbers and sums

    What this file defines, in plain words: results with rejections, comparison
    of numbers, sums added up and multiplied, and the range of a sum whose keys
    have values in [0,1].  That these do what they say is proved in
    SumsSound.v. *)

From Coq Require Import ZArith List String.
From VeriMV Require Import Syntax Map Number.
Import ListNotations.

(** ** Results *)

Definition bind {A B} (r : result A) (f : A -> result B) : result B :=
  match r with
  | Ok a => f a
  | Reject v why => Reject v why
  end.

Notation "'let*' p := r 'in' e" := (bind r (fun p => e))
  (at level 200, p pattern, r at level 100, e at level 200, right associativity).

(** A condition of a rule: one line each. *)
Definition need (condition : bool) (why : string) : result unit :=
  if condition then Ok tt else Reject Invalid why.

Definition well_formed (condition : bool) (why : string) : result unit :=
  if condition then Ok tt else Reject Malformed why.

(** Apply [f] to all, in order; stop at a rejection.  The results come in
    reverse order in [done], so that long lists need no stack. *)
Fixpoint collect {A B} (f : A -> result B) (l : list A) (done : list B) : result (list B) :=
  match l with
  | [] => Ok (rev' done)
  | a :: rest => let* b := f a in collect f rest (b :: done)
  end.

(** ** The budget (section 4) *)

Definition pay (steps budget : Z) : result Z :=
  let left := Z.sub budget steps in
  if Z.leb 0 left then Ok left else Reject Incomplete "no more steps than the files allow".

(** A leaf over variables with so many weights costs a step for each 400 of them. *)
Definition weights_per_step : Z := 400.
Definition leaf_cost (weights : Z) : Z := Z.succ (Z.div weights weights_per_step).

(** For hashes. *)
Definition mask : N := 1048575.
Definition multiplier : N := 65599.

Section Numbers.
  Context {t : Type} (K : number t).

  Definition int (z : Z) : t := fraction K z 1.
  Definition zero : t := int 0.
  Definition one : t := int 1.
  Definition opp (x : t) : t := mul K (int (-1)) x.
  Definition sub (x y : t) : t := add K x (opp y).
  Definition is_zero (x : t) : bool := eqb K x zero.

  (** x <= y *)
  Definition le (x y : t) : result bool :=
    match leb K x y with
    | Some b => Ok b
    | None => Reject Incomplete "numbers that are not so close"
    end.

  (** x < y *)
  Definition lt (x y : t) : result bool := let* b := le y x in Ok (negb b).

  Definition larger (x y : t) : result t := let* b := le x y in Ok (if b then y else x).
  Definition smaller (x y : t) : result t := let* b := le x y in Ok (if b then x else y).

  Definition fitting (x : t) : result unit :=
    if fits K x then Ok tt else Reject Incomplete "a number with fewer bits or roots".

  (** ** Terms *)

  Fixpoint add_terms (l1 : list (positive * t)) : list (positive * t) -> list (positive * t) :=
    match l1 with
    | [] => fun l2 => l2
    | p1 :: r1 => fix add2 (l2 : list (positive * t)) : list (positive * t) :=
        match l2 with
        | [] => l1
        | p2 :: r2 =>
            match Pos.compare (fst p1) (fst p2) with
            | Lt => p1 :: add_terms r1 l2
            | Gt => p2 :: add2 r2
            | Eq =>
                let c := add K (snd p1) (snd p2) in
                if is_zero c then add_terms r1 r2 else (fst p1, c) :: add_terms r1 r2
            end
        end
    end.

  Definition scale_terms (c : t) (l : list (positive * t)) : list (positive * t) :=
    if eqb K c one then l
    else if is_zero c then []
    else map (fun kx => (fst kx, mul K c (snd kx))) l.

  (** Many lists are added two by two. *)
  Fixpoint add_pairs (ls : list (list (positive * t))) : list (list (positive * t)) :=
    match ls with
    | l1 :: l2 :: rest => add_terms l1 l2 :: add_pairs rest
    | _ => ls
    end.

  Fixpoint add_rounds (rounds : nat) (ls : list (list (positive * t))) : list (positive * t) :=
    match ls, rounds with
    | [], _ => []
    | [l], _ => l
    | _, O => fold_left add_terms ls []
    | _, S n => add_rounds n (add_pairs ls)
    end.

  Definition rounds : nat := 40.

  Definition fitting_terms (l : list (positive * t)) : result unit :=
    if forallb (fun kx => fits K (snd kx)) l then Ok tt
    else Reject Incomplete "a number with fewer bits or roots".

  (** The terms of Σ factor·(terms). *)
  Definition add_all (pairs : list (list (positive * t) * t)) : result (list (positive * t)) :=
    let l := add_rounds rounds (map (fun p => scale_terms (snd p) (fst p)) pairs) in
    let* _ := fitting_terms l in Ok l.

  (** ** Sums *)

  Definition add_constants (pairs : list (t * t)) (plus : t) : result t :=
    let c := fold_left (fun total p => add K total (mul K (snd p) (fst p))) pairs plus in
    let* _ := fitting c in Ok c.

  (** Σ factor·sum + plus *)
  Definition add_sums (pairs : list (sum t * t)) (plus : t) : result (sum t) :=
    let* l := add_all (map (fun p => (terms (fst p), snd p)) pairs) in
    let* c := add_constants (map (fun p => (constant (fst p), snd p)) pairs) plus in
    Ok (Sum_ l c).

  Definition same_terms (l1 l2 : list (positive * t)) : bool :=
    (fix same l1 l2 :=
       match l1, l2 with
       | [], [] => true
       | (k1, c1) :: r1, (k2, c2) :: r2 => if Pos.eqb k1 k2 then if eqb K c1 c2 then same r1 r2 else false else false
       | _, _ => false
       end) l1 l2.

  Definition same_sum (s1 s2 : sum t) : bool :=
    if eqb K (constant s1) (constant s2) then same_terms (terms s1) (terms s2) else false.

  (** The least and the largest value of terms over keys in [0,1]. *)
  Fixpoint range_of_terms (l : list (positive * t)) (low high : t) : result (t * t) :=
    match l with
    | [] => Ok (low, high)
    | (_, c) :: rest =>
        let* negative := le c zero in
        if negative then range_of_terms rest (add K low c) high
        else range_of_terms rest low (add K high c)
    end.

  Definition hash_terms (l : list (positive * t)) : positive :=
    N.succ_pos (fold_left (fun h kc =>
      N.land (h * multiplier + Npos (fst kc) + hash K (snd kc)) mask) l 0%N).
End Numbers.
