(** * Sharing.v -- neurons that two networks share

    What this file defines, in plain words.  In the difference of two networks
    (section 3 of FORMAT.md), a neuron whose argument is p > 0 times that of an
    earlier one, with the same activation, is p times that neuron (p = 1 if it
    is clipped); one whose argument is a number is a number.  The rows above then
    mention the earlier one, or the number, instead, and what both networks have
    in common cancels.  Rows are looked up divided by a
    scale; that a row which is found so is indeed a multiple is checked, so that
    nothing has to be known of scales.  That layers with shared neurons say the
    same as before is proved in SharingSound.v. *)

From Coq Require Import ZArith List String Bool.
From VeriMV Require Import Syntax Map Number Sums Store Networks.
From VeriMV Require Cases.
Import ListNotations.

Section Sharing.
Context {t : Type} (K : number t).
Notation zero := (zero K).
Notation one := (one K).

(** A neuron that others may be multiples of: its variable, argument and scale. *)
Record original := Original { who : positive; argument : sum t; scale : positive * positive }.

(** [multiples]: a variable is p times another one, or a number. *)
Record sharing := Sharing {
  originals : table (activation * sum t) original;
  multiples : trie (sum t) }.

Definition nothing_shared : sharing := Sharing Empty Empty.

Definition same_key (x y : activation * sum t) : bool :=
  if same_activation (fst x) (fst y) then same_sum K (snd x) (snd y) else false.

Definition hash_key (x : activation * sum t) : positive :=
  N.succ_pos (N.land (Npos (hash_terms K (terms (snd x))) + hash K (constant (snd x))) mask).

(** ** Scales *)

(** The first coefficient, the constant before all others. *)
Definition lead (s : sum t) : t :=
  if is_zero K (constant s) then match terms s with [] => one | kc :: _ => snd kc end else constant s.

(** Its absolute value, as a fraction; 1 if it is irrational, or if the neuron is clipped. *)
Definition scale_of (a : activation) (s : sum t) : positive * positive :=
  match a, rational_part K (lead s) with
  | Clip, _ => (1, 1)%positive
  | _, Some (Zpos n, d) => (n, d)
  | _, Some (Zneg n, d) => (n, d)
  | _, _ => (1, 1)%positive
  end.

(** x / y *)
Definition ratio (x y : positive * positive) : t :=
  fraction K (Zpos (fst x * snd y)) (snd x * fst y).

Definition bits_of_sum (s : sum t) : N := bits_of_terms K (terms s) + size K (constant s).

Definition bits_of_scale (x : positive * positive) : N := Npos (Pos.size (fst x)) + Npos (Pos.size (snd x)).

(** The argument divided by its scale: first all steps are paid. *)
Definition normal (x : positive * positive) (s : sum t) : action t (sum t) :=
  let! _ := spend (Z.of_N ((bits_of_sum s + N.succ (N.of_nat (List.length (terms s))) * bits_of_scale x) / word)) in
  lift (add_sums K [(s, ratio (1, 1)%positive x)] zero).

(** ** One neuron *)

(** The argument over originals. *)
Definition over_originals (m : trie (sum t)) (s : sum t) : result (sum t) :=
  add_sums K (List.map (fun kc =>
    (match find (fst kc) m with Some u => u | None => Sum_ [(fst kc, one)] zero end, snd kc))
    (terms s)) (constant s).

(** p > 0, and p = 1 for a neuron that is clipped. *)
Definition factor_allowed (a : activation) (p : t) : result bool :=
  if same_activation a Clip then Ok (eqb K p one) else lt K zero p.

(** Whether an argument is p times that of an original. *)
Definition is_multiple (a : activation) (p : t) (o : original) (s : sum t) : result bool :=
  let* allowed := factor_allowed a p in
  let* multiple := add_sums K [(argument o, p)] zero in
  Ok (allowed && same_sum K multiple s).

(** Neuron k: its argument over originals, and what is shared from there on. *)
Definition share_neuron (a : activation) (k : positive) (s : sum t) (h : sharing) : action t (sum t * sharing) :=
  let! s := lift (over_originals (multiples h) s) in
  let x := scale_of a s in
  let! u := normal x s in
  match terms s, find_entry same_key hash_key (a, u) (originals h) with
  | [], _ =>
      let! y := lift (Cases.image K a (constant s)) in
      ret (s, Sharing (originals h) (set k (Sum_ [] y) (multiples h)))
  | _, Some o =>
      let p := ratio x (scale o) in
      let! found := lift (is_multiple a p o s) in
      ret (s, if found then Sharing (originals h) (set k (Sum_ [(who o, p)] zero) (multiples h)) else h)
  | _, None => ret (s, Sharing (add_entry hash_key (a, u) (Original k s x) (originals h)) (multiples h))
  end.

(** ** All neurons *)

Fixpoint share_neurons (a : activation) (k : positive) (ss : list (sum t)) (h : sharing) (done : list (sum t))
    : action t (list (sum t) * sharing) := fun now =>
  (match ss with
  | [] => ret (rev' done, h)
  | s :: rest =>
      let! r := share_neuron a k s h in
      share_neurons a (Pos.succ k) rest (snd r) (fst r :: done)
  end) now.

Fixpoint share_layers (ls : list (flat t)) (h : sharing) (done : list (flat t)) : action t (list (flat t)) := fun now =>
  (match ls with
  | [] => ret (rev' done)
  | l :: rest =>
      let! r := share_neurons (kind l) (start_at l) (neurons l) h [] in
      share_layers rest (snd r) (Flat (start_at l) (kind l) (fst r) :: done)
  end) now.

Definition share (ls : list (flat t)) : action t (list (flat t)) := share_layers ls nothing_shared [].
End Sharing.

Arguments original : clear implicits.
Arguments sharing : clear implicits.
