(** * Chain.v -- certificates in one part or two

    What this file defines, in plain words.  [start] reads what a certificate is
    about, [step] follows a line, and [finish] says at the end what is proved.
    A part is checked by the functions of Checker.v with these names.  The first of two parts ends with
    the line "formula" (section 9); it must be complete then, and nothing of it
    is kept for the second part, except the steps that are left and the errors.
    [run] does all of it; the theorem, in ChainSound.v, is about [run]. *)

From Coq Require Import ZArith List String.
From VeriMV Require Import Syntax Number Sums Store.
From VeriMV Require Checker.
Import ListNotations.

Section Chain.
Context {t : Type} (K : number t).

(** The part that is due; what the next part is about, if there is one; and the
    errors of the outputs, from the part before. *)
Record chain := Chain {
  part : Checker.state (t := t);
  next : option (network * formula);
  errors : list t }.

Definition start (budget : Z) (about : topic) : result chain :=
  match about with
  | OnePart subject =>
      let* g := Checker.start K budget subject in
      Ok (Chain g None [])
  | Within n other f =>
      let* g := Checker.start K budget (NetworkOther n other) in
      Ok (Chain g (Some (other, f)) [])
  end.

(** The largest size of a number between two bounds. *)
Definition error_of (bounds : t * t) : result t := larger K (opp K (fst bounds)) (snd bounds).

(** What is left of the steps, once the line is paid for. *)
Definition steps_left (l : line) (c : chain) : result Z :=
  let* r := spend (Z.of_N (N.succ (arguments l))) (Checker.kept (part c)) in
  Ok (Store.budget (snd r)).

Definition next_part (l : line) (c : chain) : result chain :=
  let* budget := steps_left l c in
  match next c with
  | None => Reject Invalid "a line formula between two parts only"
  | Some (other, f) =>
      let* bounds := Checker.finish K (part c) in
      let* es := collect error_of bounds [] in
      let* g := Checker.start K budget (NetworkFormula other f) in
      Ok (Chain g None es)
  end.

Definition same_part (l : line) (c : chain) : result chain :=
  let* g := Checker.step K l (part c) in
  Ok (Chain g (next c) (errors c)).

Definition step (l : line) (c : chain) : result chain :=
  match what l with
  | RFormula => next_part l c
  | _ => same_part l c
  end.

(** For each output: its error, in a certificate of two parts; and its two
    numbers, as [Checker.finish] gives them. *)
Definition finish (c : chain) : result (list t * list (t * t)) :=
  let* pairs := Checker.finish K (part c) in
  match next c with
  | None => Ok (errors c, pairs)
  | Some _ => Reject Incomplete "a line formula, and a second part"
  end.

Fixpoint steps (ls : list line) (c : chain) : result chain :=
  match ls with
  | [] => Ok c
  | l :: rest => let* c' := step l c in steps rest c'
  end.

Definition run (budget : Z) (about : topic) (ls : list line) : result (list t * list (t * t)) :=
  let* c := start budget about in
  let* c' := steps ls c in
  finish c'.
End Chain.
