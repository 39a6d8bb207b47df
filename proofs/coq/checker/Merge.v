(** * Merge.v -- Batcher's merge, with a state

    What this file defines, in plain words: the merge of rule [sort] (section 6
    of FORMAT.md) of two lists of nodes.  Making a node changes a state, the
    table of all nodes, and may be refused.  That good sequences are merged
    into good sequences is proved in MergeSound.v.  All lists are walked
    through from the front, with results in reverse order, so that long ones
    need no stack. *)

From Coq Require Import List.
From VeriMV Require Import Syntax Sums.
Import ListNotations.

Section Merge.
  Context {A S : Type} (plus times : A -> A -> S -> result (A * S)).

  (** The first, third, ... entry, and the second, fourth, ... one. *)
  Fixpoint halves_of (xs odd even : list A) : list A * list A :=
    match xs with
    | x :: y :: rest => halves_of rest (x :: odd) (y :: even)
    | [x] => (rev' (x :: odd), rev' even)
    | [] => (rev' odd, rev' even)
    end.

  (** Comparators on pairs, as long as there are pairs; then what is left. *)
  Fixpoint compare_pairs (xs ys done : list A) (s : S) : result (list A * S) :=
    match xs, ys with
    | x :: xs, y :: ys =>
        let* p := plus x y s in
        let (a, s) := p in
        let* p := times x y s in
        let (b, s) := p in
        compare_pairs xs ys (b :: a :: done) s
    | [], ys => Ok (rev_append done ys, s)
    | xs, [] => Ok (rev_append done xs, s)
    end.

  (** [depth] bounds the recursion, by its length. *)
  Fixpoint merge_in (depth : list A) (xs ys : list A) (s : S) : result (list A * S) :=
    match depth, xs, ys with
    | [], _, _ => Ok ([], s)
    | _, [], _ => Ok (ys, s)
    | _, _, [] => Ok (xs, s)
    | _, [x], [y] => compare_pairs [x] [y] [] s
    | _ :: depth, _, _ =>
        let (odd1, even1) := halves_of xs [] [] in
        let (odd2, even2) := halves_of ys [] [] in
        let* p := merge_in depth odd1 odd2 s in
        let (odd, s) := p in
        let* p := merge_in depth even1 even2 s in
        let (even, s) := p in
        match odd with
        | [] => Ok (even, s)
        | first :: odd => compare_pairs even odd [first] s
        end
    end.

  Definition merge (xs ys : list A) (s : S) : result (list A * S) :=
    merge_in (rev_append xs ys) xs ys s.
End Merge.
