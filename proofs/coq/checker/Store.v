(** * Store.v -- nodes, forms and claims

    What this file defines, in plain words.  The checker keeps: how many steps
    are left; the nodes made so far, so that the same operation on the same
    nodes is the same node; the linear parts of forms, each with its range and
    a number, so that the same part has the same number; and the claims.
    Section numbers are those of proofs/FORMAT.md. *)

From Coq Require Import ZArith List String Bool.
From VeriMV Require Import Syntax Map Number Sums.
Import ListNotations.
Local Open Scope positive_scope.

(** Node number k of FORMAT.md has the key k + 1 here. *)
Definition zero_node : positive := 1.
Definition one_node : positive := 2.

(** Steps for each 256 bits. *)
Definition word : N := 256.

Section Store.
Context {t : Type} (K : number t).

(** An operation on nodes; a factor has the number of its text and its value. *)
Inductive operation :=
  | ONot (a : positive)
  | OScale (text : N) (factor : t) (a : positive)
  | OPlus (a b : positive)
  | OTimes (a b : positive).

(** Nodes below [fresh] are in use; [units] are the nodes that rule `unit` made,
    each with the sum of which it is sigma. *)
Record nodes := Nodes {
  fresh : positive;
  interned : table operation positive;
  units : list (positive * sum t) }.

(** A linear part, with its range and the number of its terms. *)
Record part := Part { linear : list (positive * t); lowest : t; highest : t; width : N }.

(** [known_totals]: the sum of (part, factor), ... is which part. *)
Record parts := Parts {
  next_part : positive;
  part_at : trie part;
  known_parts : table (list (positive * t)) positive;
  known_totals : table (list (positive * t)) positive }.

(** A form: the number of its linear part, and its constant (section 5). *)
Record form := Form { linear_part : positive; shift : t }.

Record store := Store {
  budget : Z;
  all_nodes : nodes;
  all_parts : parts;
  next_claim : positive;
  claims : trie (positive * form) }.

(** ** Actions: they read and change the store, or reject

    A loop that is an action takes the store, [now], as an argument: then
    extraction writes a loop, and not a function for what is left to do. *)

Definition action (A : Type) : Type := store -> result (A * store).

Definition ret {A} (a : A) : action A := fun s => Ok (a, s).

Definition andthen {A B} (m : action A) (f : A -> action B) : action B :=
  fun s => match m s with
           | Ok (a, s') => f a s'
           | Reject v why => Reject v why
           end.

Definition lift {A} (r : result A) : action A :=
  fun s => match r with
           | Ok a => Ok (a, s)
           | Reject v why => Reject v why
           end.

Notation "'let!' p := m 'in' e" := (andthen m (fun p => e))
  (at level 200, p pattern, m at level 100, e at level 200, right associativity).

Fixpoint each_in_turn {A B} (f : A -> action B) (l : list A) (done : list B) : action (list B) := fun now =>
  (match l with
  | [] => ret (rev' done)
  | a :: rest => let! b := f a in each_in_turn f rest (b :: done)
  end) now.

Definition set_nodes (n : nodes) (s : store) : store :=
  Store (budget s) n (all_parts s) (next_claim s) (claims s).
Definition set_parts (p : parts) (s : store) : store :=
  Store (budget s) (all_nodes s) p (next_claim s) (claims s).

(** Section 4: a limited number of steps. *)
Definition spend (steps : Z) : action unit := fun s =>
  let left := (budget s - steps)%Z in
  if (left <? 0)%Z then Reject Incomplete "no more steps than the files allow"
  else Ok (tt, Store left (all_nodes s) (all_parts s) (next_claim s) (claims s)).

(** ** Nodes (section 3) *)

Definition same_operation (o1 o2 : operation) : bool :=
  match o1, o2 with
  | ONot a, ONot b => Pos.eqb a b
  | OScale x c a, OScale y d b => if Pos.eqb a b then if N.eqb x y then eqb K c d else false else false
  | OPlus a b, OPlus c d => if Pos.eqb a c then Pos.eqb b d else false
  | OTimes a b, OTimes c d => if Pos.eqb a c then Pos.eqb b d else false
  | _, _ => false
  end.

Definition hash_operation (o : operation) : positive :=
  N.succ_pos (N.land
    match o with
    | ONot a => 4 * Npos a
    | OScale x _ a => 4 * (Npos a + multiplier * x) + 1
    | OPlus a b => 4 * (Npos a + multiplier * Npos b) + 2
    | OTimes a b => 4 * (Npos a + multiplier * Npos b) + 3
    end mask).

(** Operands are nodes that exist: this is always so, but testing it is cheaper
    than proving it. *)
Definition operands_exist (n : positive) (o : operation) : bool :=
  match o with
  | ONot a | OScale _ _ a => Pos.ltb a n
  | OPlus a b | OTimes a b => if Pos.ltb a n then Pos.ltb b n else false
  end.

Definition intern (o : operation) : action positive := fun s =>
  let n := all_nodes s in
  match find_entry same_operation hash_operation o (interned n) with
  | Some a => Ok (a, s)
  | None =>
      if operands_exist (fresh n) o then
        let a := fresh n in
        let table := add_entry hash_operation o a (interned n) in
        (* not (not b) is b *)
        let table := match o with ONot b => add_entry hash_operation (ONot a) b table | _ => table end in
        Ok (a, set_nodes (Nodes (Pos.succ a) table (units n)) s)
      else Reject Incomplete "operands that exist"
  end.

Definition not_node (a : positive) : action positive :=
  if Pos.eqb a zero_node then ret one_node
  else if Pos.eqb a one_node then ret zero_node
  else intern (ONot a).

Definition plus_node (a b : positive) : action positive := intern (OPlus a b).
Definition times_node (a b : positive) : action positive := intern (OTimes a b).

(** The amount of a factor; it lies in [0,1]. *)
Definition factor_amount (f : factor) : result t :=
  let* c := read K (amount f) in
  let* low := le K (zero K) c in
  let* _ := well_formed low "d[i] or D[r], with a factor in [0,1]" in
  let* high := le K c (one K) in
  let* _ := well_formed high "d[i] or D[r], with a factor in [0,1]" in
  Ok c.

Definition scale_node (x : N) (c : t) (a : positive) : action positive := intern (OScale x c a).

(** A node of its own, with the value sigma (sum). *)
Definition unit_node (u : sum t) : action positive := fun s =>
  let n := all_nodes s in
  if forallb (fun kc => Pos.ltb (fst kc) (fresh n)) (terms u) then
    let a := fresh n in
    Ok (a, set_nodes (Nodes (Pos.succ a) (interned n) ((a, u) :: units n)) s)
  else Reject Incomplete "nodes that exist".

(** ** Forms (section 5) *)

(** [n] as a sum: the nodes 0 and 1 count as numbers. *)
Definition node_sum (n : positive) : sum t :=
  if Pos.eqb n zero_node then Sum_ [] (zero K)
  else if Pos.eqb n one_node then Sum_ [] (one K)
  else Sum_ [(n, one K)] (zero K).

Definition find_part (id : positive) : action part := fun s =>
  match find id (part_at (all_parts s)) with
  | Some p => Ok (p, s)
  | None => Reject Incomplete "a form that exists"
  end.

Definition bits_of_terms (l : list (positive * t)) : N :=
  fold_left (fun n kc => (n + size K (snd kc))%N) l 0%N.

Definition new_part (l : list (positive * t)) : action positive :=
  let w := N.of_nat (List.length l) in
  let! _ := spend (Z.of_N (w + bits_of_terms l / word)) in
  let! r := lift (range_of_terms K l (zero K) (zero K)) in
  fun s =>
    let p := all_parts s in
    let id := next_part p in
    Ok (id, set_parts (Parts (Pos.succ id) (set id (Part l (fst r) (snd r) w) (part_at p))
                         (add_entry (hash_terms K) l id (known_parts p)) (known_totals p)) s).

Definition part_of (l : list (positive * t)) : action positive := fun s =>
  match find_entry (same_terms K) (hash_terms K) l (known_parts (all_parts s)) with
  | Some id => Ok (id, s)
  | None => new_part l s
  end.

Definition form_of (u : sum t) : action form :=
  let! id := part_of (terms u) in
  ret (Form id (constant u)).

(** The linear part of Σ factor·part, for pairs (part, factor). *)
Definition new_total (key : list (positive * t)) : action positive :=
  let! ps := each_in_turn (fun idc => find_part (fst idc)) key [] in
  let! _ := spend (Z.of_N (fold_left (fun n p => n + width p)%N ps 0%N)) in
  let! l := lift (add_all K (combine (List.map linear ps) (List.map snd key))) in
  let! id := part_of l in
  fun s =>
    let p := all_parts s in
    Ok (id, set_parts (Parts (next_part p) (part_at p) (known_parts p)
                         (add_entry (hash_terms K) key id (known_totals p))) s).

Definition total_part (key : list (positive * t)) : action positive := fun s =>
  match find_entry (same_terms K) (hash_terms K) key (known_totals (all_parts s)) with
  | Some id => Ok (id, s)
  | None => new_total key s
  end.

(** The form Σ factor·form + plus, for pairs (form, factor). *)
Definition total_form (pairs : list (form * t)) (plus : t) : action form :=
  let! id := total_part (List.map (fun p => (linear_part (fst p), snd p)) pairs) in
  let! c := lift (add_constants K (List.map (fun p => (shift (fst p), snd p)) pairs) plus) in
  ret (Form id c).

Definition same_form (f g : form) : bool :=
  if Pos.eqb (linear_part f) (linear_part g) then eqb K (shift f) (shift g) else false.

(** The form less a number. *)
Definition less (f : form) (c : t) : form := Form (linear_part f) (sub K (shift f) c).

Definition range_of_form (f : form) : action (t * t) :=
  let! p := find_part (linear_part f) in
  ret (add K (lowest p) (shift f), add K (highest p) (shift f)).

Definition form_at_least (x : t) (f : form) : action unit :=
  let! r := range_of_form f in
  let! b := lift (le K x (fst r)) in
  lift (need b "a form that is at least 0").

Definition form_at_most (x : t) (f : form) : action unit :=
  let! r := range_of_form f in
  let! b := lift (le K (snd r) x) in
  lift (need b "a form that is not too large").

(** The form as a sum. *)
Definition written (f : form) : action (sum t) :=
  let! p := find_part (linear_part f) in
  ret (Sum_ (linear p) (shift f)).

(** ** Claims (section 5) *)

Definition claim (c : Z) : action (positive * form) := fun s =>
  match c with
  | Zpos p =>
      match find p (claims s) with
      | Some nf => Ok (nf, s)
      | None => Reject Invalid "an earlier claim"
      end
  | _ => Reject Invalid "an earlier claim"
  end.

(** The node of a claim, which must be about this form. *)
Definition node_of (c : Z) (f : form) : action positive :=
  let! nf := claim c in
  let! _ := lift (need (same_form (snd nf) f) "a claim about this form") in
  ret (fst nf).

Definition add_claim (n : positive) (f : form) : action unit :=
  let! _ := spend (Z.of_N (size K (shift f) / word)) in
  fun s =>
    let c := next_claim s in
    Ok (tt, Store (budget s) (all_nodes s) (all_parts s) (Pos.succ c) (set c (n, f) (claims s))).
End Store.

Notation "'let!' p := m 'in' e" := (andthen m (fun p => e))
  (at level 200, p pattern, m at level 100, e at level 200, right associativity).

Arguments action : clear implicits.
Arguments operation : clear implicits.
Arguments nodes : clear implicits.
Arguments part : clear implicits.
Arguments parts : clear implicits.
Arguments form : clear implicits.
Arguments store : clear implicits.
