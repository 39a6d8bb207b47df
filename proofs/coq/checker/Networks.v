(** * Networks.v -- networks as variables, and the rules about them

    What this file defines, in plain words.  A network becomes a system of
    variables: first the inputs, with values in [0,1] (the box is mapped), then
    the neurons, layer by layer.  Layers are entered in order; on entering, the
    arguments of all neurons are computed as sums over nodes, and rules then
    give each neuron its value, a sum over nodes (section 7 of FORMAT.md). *)

From Coq Require Import ZArith List String Bool.
From VeriMV Require Import Syntax Map Number Sums Store Claims.
From VeriMV Require Twins Cases.
Import ListNotations.

Section Networks.
Context {t : Type} (K : number t).
Notation zero := (zero K).
Notation one := (one K).

(** ** Reading *)

(** A layer: its first variable, its activation, and the arguments of its
    neurons as sums over variables. *)
Record flat := Flat { start_at : positive; kind : activation; neurons : list (sum t) }.

(** [below] gives, for j, the value of entry j of the layer below as a sum. *)
Definition read_weight (below : trie (sum t)) (jw : N * exact) : result (sum t * t) :=
  let* w := read K (snd jw) in
  match find (N.succ_pos (fst jw)) below with
  | Some s => Ok (s, w)
  | None => Reject Malformed "a row of the width of the layer below"
  end.

Definition read_row (below : trie (sum t)) (r : row) : result (sum t) :=
  let* b := read K (bias r) in
  let* pairs := collect (read_weight below) (weights r) [] in
  add_sums K pairs b.

(** Entries 0, 1, 2, ... of a list, with the keys 1, 2, 3, ... *)
Definition numbered {A} (l : list A) : trie A :=
  snd (fold_left (fun km a => (Pos.succ (fst km), set (fst km) a (snd km))) l (1%positive, Empty)).

(** The variables from [k] on, one for each entry of a list, as sums. *)
Fixpoint variables_from {A} (k : positive) (l : list A) : list (sum t) :=
  match l with
  | [] => []
  | _ :: rest => Sum_ [(k, one)] zero :: variables_from (Pos.succ k) rest
  end.

Fixpoint after {A} (k : positive) (l : list A) : positive :=
  match l with
  | [] => k
  | _ :: rest => after (Pos.succ k) rest
  end.

(** The layers, the first variable after them, and the sums of the last layer. *)
Fixpoint read_layers (k : positive) (below : list (sum t)) (ls : list layer) (done : list flat)
    : result (list flat * positive * list (sum t)) :=
  match ls with
  | [] => Ok (rev' done, k, below)
  | l :: rest =>
      let* sums := collect (read_row (numbered below)) (rows l) [] in
      read_layers (after k sums) (variables_from k sums) rest (Flat k (act l) sums :: done)
  end.

(** Low and high of an input. *)
Definition read_interval (b : exact * exact) : result (t * t) :=
  let* low := read K (fst b) in
  let* high := read K (snd b) in
  let* ordered := le K low high in
  let* _ := well_formed ordered "an interval [low, high]" in
  Ok (low, high).

(** The inputs, from variable k on: low + (high - low) u *)
Fixpoint input_sums (k : positive) (b : list (t * t)) : result (list (sum t)) :=
  match b with
  | [] => Ok []
  | (low, high) :: rest =>
      let* s := add_sums K [(Sum_ [(k, one)] zero, sub K high low)] low in
      let* others := input_sums (Pos.succ k) rest in
      Ok (s :: others)
  end.

Definition read_network (n : network) : result (list flat * positive * list (sum t)) :=
  let* b := collect read_interval (box n) [] in
  let* below := input_sums 1 b in
  read_layers (after 1 below) below (layers n) [].

(** ** Two networks *)

Fixpoint same_all {A} (same : A -> A -> bool) (l1 l2 : list A) : bool :=
  match l1, l2 with
  | [], [] => true
  | a :: r1, b :: r2 => if same a b then same_all same r1 r2 else false
  | _, _ => false
  end.

Definition same_activation (a b : activation) : bool :=
  match a, b with
  | Relu, Relu | Clip, Clip | Identity, Identity => true
  | _, _ => false
  end.

Definition same_flat (l1 l2 : flat) : bool :=
  if Pos.eqb (start_at l1) (start_at l2) then
    if same_activation (kind l1) (kind l2) then same_all (same_sum K) (neurons l1) (neurons l2) else false
  else false.

Definition same_interval (x y : t * t) : bool :=
  if eqb K (fst x) (fst y) then eqb K (snd x) (snd y) else false.

(** Output k of the one less output k of the other. *)
Fixpoint differences (xs ys : list (sum t)) : result (list (sum t)) :=
  match xs, ys with
  | x :: xs, y :: ys =>
      let* d := add_sums K [(x, one); (y, int K (-1))] zero in
      let* ds := differences xs ys in
      Ok (d :: ds)
  | [], [] => Ok []
  | _, _ => Reject Invalid "equally many outputs"
  end.

(** Both networks on the same inputs, then a layer of differences. *)
Definition read_difference (n other : network) : result (list flat * positive) :=
  let* b := collect read_interval (box n) [] in
  let* below := input_sums 1 b in
  let* r := read_layers (after 1 below) below (layers n) [] in
  let '(ls, k, outs) := r in
  let* b' := collect read_interval (box other) [] in
  let* r' := read_layers k below (layers other) [] in
  let '(ls', k', outs') := r' in
  let* _ := need (same_all same_interval b b') "the same box" in
  let* ds := differences outs outs' in
  Ok (ls ++ ls' ++ [Flat k' Identity ds], after k' ds).

(** ** The system of variables *)

Fixpoint add_variables (a : activation) (k : positive) (ss : list (sum t)) (m : trie (variable t))
    : trie (variable t) :=
  match ss with
  | [] => m
  | s :: rest => add_variables a (Pos.succ k) rest (set k (Neuron a s) m)
  end.

(** All coefficients of a layer over one denominator, as far as this works: a
    number that has it, and the sums. *)
Definition common (ss : list (sum t)) : t :=
  fold_left (fun x s => fold_left (fun x kc => align K x (snd kc)) (terms s) (align K x (constant s))) ss one.

Definition aligned (x : t) (s : sum t) : sum t :=
  Sum_ (List.map (fun kc => (fst kc, align K x (snd kc))) (terms s)) (align K x (constant s)).

Definition define_layer (m : trie (variable t)) (l : flat) : trie (variable t) :=
  let x := common (neurons l) in
  add_variables (kind l) (start_at l) (List.map (aligned x) (neurons l)) m.

(** Inputs 0, 1, ..., n - 1 are free. *)
Definition free_inputs (n : N) : trie (variable t) :=
  snd (N.iter n (fun km => (Pos.succ (fst km), set (fst km) Free (snd km))) (1%positive, Empty)).

(** ** Progress

    [due] is the next neuron that needs its value, [last_due] the first variable
    after the current layer; [twins] are those of neurons, with known bounds of
    changes; [cached] are ranges that proofs by cases keep. *)

Record progress := Progress {
  system : variables t;
  shapes : trie (positive * positive);
  layer_number : N;
  to_come : list flat;
  first_due : positive;
  due : positive;
  last_due : positive;
  arguments : trie (sum t);
  values : trie (sum t);
  known : facts t;
  twins : trie (Twins.twin t);
  assumed : bool;
  cached : Cases.cache t }.

(** Layer ℓ: the first variable, and the first one after it. *)
Definition shapes_of (ls : list flat) : trie (positive * positive) :=
  numbered (List.map (fun l => (start_at l, after (start_at l) (neurons l))) ls).

(** The sums that a sum over variables is made of. *)
Definition substituted (vals : trie (sum t)) (s : sum t) : result (list (sum t * t)) :=
  collect (fun kc => match find (fst kc) vals with
                     | Some u => Ok (u, snd kc)
                     | None => Reject Incomplete "values of the layer below"
                     end) (terms s) [].

Definition count_terms (u : sum t) : N :=
  N.of_nat (List.length (terms u)) + (if is_zero K (constant u) then 0 else 1).

Definition cost_of (pairs : list (sum t * t)) (s : sum t) : N :=
  fold_left (fun n p => n + count_terms (fst p))%N pairs (if is_zero K (constant s) then 0 else 1)%N.

(** The arguments of a layer as sums over nodes: first all steps are paid. *)
Definition layer_arguments (vals : trie (sum t)) (ss : list (sum t)) : action t (list (sum t)) :=
  let! rows := lift (collect (substituted vals) ss []) in
  let cost := fold_left (fun n ps => n + cost_of (fst ps) (snd ps))%N (combine rows ss) 0%N in
  let! _ := spend (Z.of_N cost) in
  lift (collect (fun ps => add_sums K (fst ps) (constant (snd ps))) (combine rows ss) []).

Fixpoint set_all (k : positive) (ss : list (sum t)) (m : trie (sum t)) : trie (sum t) :=
  match ss with
  | [] => m
  | s :: rest => set_all (Pos.succ k) rest (set k s m)
  end.

(** Enter the layers to come, up to one whose neurons need values by rules. *)
Fixpoint enter (ls : list flat) (p : progress) : action t progress := fun now =>
  (match ls with
  | [] => ret p
  | l :: rest =>
      let! ss := layer_arguments (values p) (neurons l) in
      let k := start_at l in
      let stop := after k ss in
      let identity := same_activation (kind l) Identity in
      let vals := if identity then set_all k ss (values p) else values p in
      let p' := Progress (system p) (shapes p) (N.succ (layer_number p)) rest
                  k (if identity then stop else k) stop
                  (set_all k ss Empty) vals (known p) (twins p) (assumed p) (cached p) in
      if identity then enter rest p' else ret p'
  end) now.

(** The neuron that is due gets its value. *)
Definition give_value (u : sum t) (p : progress) : action t progress :=
  let k := Pos.succ (due p) in
  let p' := Progress (system p) (shapes p) (layer_number p) (to_come p) (first_due p) k (last_due p)
              (arguments p) (set (due p) u (values p)) (known p) (twins p) (assumed p) (cached p) in
  if Pos.eqb k (last_due p) then enter (to_come p) p' else ret p'.

(** ** Rules about neurons *)

(** Neuron i of the current layer: its variable, argument and activation. *)
Definition neuron (l i : N) (p : progress) : action t (positive * sum t * activation) :=
  let k := N.succ_pos (N.pred (Npos (first_due p)) + i) in
  let! _ := lift (need (N.eqb l (layer_number p)) "the current layer") in
  match find k (arguments p), find k (definition (system p)) with
  | Some u, Some (Neuron a _) => ret (k, u, a)
  | _, _ => lift (Reject Invalid "a neuron of the current layer")
  end.

(** The range of an argument, with the bounds from earlier lines. *)
Definition narrowed (k : positive) (f : form t) (p : progress) : action t (t * t) :=
  let! r := range_of_form K f in
  match find k (known p) with
  | None => ret r
  | Some (low, high) =>
      let! l := match low with Some x => lift (larger K (fst r) x) | None => ret (fst r) end in
      let! h := match high with Some x => lift (smaller K (snd r) x) | None => ret (snd r) end in
      ret (l, h)
  end.

(** The neuron that is due: its argument as a form, the range, the activation. *)
Definition due_neuron (l i : N) (p : progress) : action t (sum t * form t * (t * t) * activation) :=
  let! n := neuron l i p in
  let '(k, u, a) := n in
  let! _ := lift (need (Pos.eqb k (due p)) "the next neuron of the current layer") in
  let! f := form_of K u in
  let! r := narrowed k f p in
  ret (u, f, r, a).

Definition rule_unit (l i : N) (r : exact) (s : Z) (p : progress) : action t unit :=
  let! share := lift (read K r) in
  let! n := neuron l i p in
  let '(_, u, _) := n in
  let! f := form_of K u in
  let! g := total_form K [(f, share)] (int K (- s)) in
  let! v := written g in
  let! a := unit_node v in
  add_claim K a g.

Definition rule_affine (l i : N) (p : progress) : action t progress :=
  let! n := due_neuron l i p in
  let '(u, _, (low, high), a) := n in
  let! b := lift (le K zero low) in
  let! _ := lift (need b "an argument that is not negative") in
  let! b := if same_activation a Relu then ret true else lift (le K high one) in
  let! _ := lift (need b "an argument that is at most 1") in
  give_value u p.

(** The units of a clip: the claim of each, and B times it as terms of the value. *)
Definition clip_unit (f : form t) (B : t) (i : Z) (c : Z) : action t (sum t * t) :=
  let! nf := claim (Z.abs c) in
  let way := if (0 <? c)%Z then B else opp K B in
  let k := if (0 <? c)%Z then i else (i + 1)%Z in
  let! found := total_form K [(snd nf, way)] (mul K B (int K k)) in
  let! _ := lift (need (same_form K found f) "the argument less some units") in
  ret (node_sum K (fst nf), way).

(** All units; the value of a complement 1 - [node] has a constant: [ones] counts those. *)
Fixpoint clip_units (f : form t) (B : t) (i : Z) (cs : list Z) (ones : Z) (done : list (sum t * t))
    : action t (Z * list (sum t * t)) := fun now =>
  (match cs with
  | [] => ret (ones, rev' done)
  | c :: rest =>
      let! x := clip_unit f B i c in
      clip_units f B (i + 1) rest (if (0 <? c)%Z then ones else ones + 1)%Z (x :: done)
  end) now.

(** A ReLU is covered by p + m units of height B. *)
Definition relu_covered (B : t) (p m : N) (r : t * t) : result unit :=
  let* positive := lt K zero B in
  let* _ := need positive "a factor that is positive" in
  let* below := if N.eqb p 0 then Ok true else le K (mul K B (int K (Z.of_N p))) (fst r) in
  let* _ := need below "an argument that is at least B p" in
  let* above := le K (snd r) (mul K B (int K (Z.of_N (p + m)))) in
  need above "an argument that is at most B (p + m)".

(** A clipped neuron is one unit, or none. *)
Definition clip_covered (B : t) (p m : N) (r : t * t) : result unit :=
  let* _ := need (eqb K B one) "the factor 1" in
  if N.eqb p 0 && N.eqb m 1 then Ok tt
  else if N.eqb p 1 && N.eqb m 0 then
    let* b := le K one (fst r) in need b "an argument that is at least 1"
  else if N.eqb p 0 && N.eqb m 0 then
    let* b := le K (snd r) zero in need b "an argument that is at most 0"
  else Reject Invalid "one unit, or none".

Definition covered (a : activation) (B : t) (p m : N) (r : t * t) : result unit :=
  match a with
  | Relu => relu_covered B p m r
  | Clip => clip_covered B p m r
  | Identity => Reject Invalid "a neuron with an activation"
  end.

Definition rule_clip (l i : N) (B : exact) (p : N) (cs : list Z) (g : progress) : action t progress :=
  let! factor := lift (read K B) in
  let! n := due_neuron l i g in
  let '(_, f, r, a) := n in
  let m := N.of_nat (List.length cs) in
  let! _ := lift (covered a factor p m r) in
  let! x := clip_units f factor (Z.of_N p) cs 0 [] in
  let (ones, pairs) := x in
  let! u := lift (add_sums K pairs (mul K factor (int K (Z.of_N p + ones)))) in
  give_value u g.

(** Neuron i of layer l: the first variable of the layer, its own, activation and argument. *)
Definition any_neuron (l i : N) (p : progress) : result (positive * positive * activation * sum t) :=
  match match l with N0 => None | Npos q => find q (shapes p) end with
  | None => Reject Invalid "a layer"
  | Some (first, stop) =>
      let k := N.succ_pos (N.pred (Npos first) + i) in
      let* _ := need (k <? stop)%positive "a neuron of this layer" in
      match find k (definition (system p)) with
      | Some (Neuron a u) => Ok (first, k, a, u)
      | _ => Reject Invalid "a neuron of this layer"
      end
  end.

(** Cases that show a bound of a sum over the variables before [first]; without cases it is assumed. *)
Definition prove_bound (first : positive) (u : sum t) (s : side) (x : t) (cs : list case) (p : progress)
    : action t (Cases.cache t) :=
  match cs with
  | [] => ret (cached p)
  | _ =>
      let! target := lift (Cases.bound_target K s u x) in
      prove K (Variables first (definition (system p))) (twins p) [target] (known p) cs (cached p)
  end.

(** Facts, twins and ranges are new; a bound without cases is assumed. *)
Definition with_bound (facts : facts t) (others : trie (Twins.twin t)) (cs : list case) (c : Cases.cache t)
    (p : progress) : progress :=
  Progress (system p) (shapes p) (layer_number p) (to_come p) (first_due p) (due p) (last_due p)
    (arguments p) (values p) facts others (assumed p || match cs with [] => true | _ => false end) c.

Definition rule_bound (l i : N) (s : side) (value : exact) (cs : list case) (p : progress)
    : action t progress :=
  let! x := lift (read K value) in
  let! n := lift (any_neuron l i p) in
  let '(first, k, _, u) := n in
  let! c := prove_bound first u s x cs p in
  let facts := set k (Cases.replaced (find k (known p)) s x) (known p) in
  ret (with_bound facts (twins p) cs c p).

(** A neuron gets a twin; nothing is claimed. *)
Definition rule_twin (l i m : N) (factor : exact) (p : progress) : action t progress :=
  let! f := lift (read K factor) in
  let! n := lift (any_neuron l i p) in
  let '(_, k, a, _) := n in
  let m := N.succ_pos m in
  let! _ := lift (need (m <? k)%positive "a variable before the neuron") in
  match find m (definition (system p)) with
  | Some (Neuron b _) =>
      let! _ := lift (need (same_activation a b) "a twin with the same activation") in
      let! _ := lift (need (match find k (twins p) with None => true | _ => false end) "a neuron without a twin") in
      let! _ := lift (need (negb (is_zero K f)) "a factor other than 0") in
      let! w := lift (Twins.new_twin K a m f) in
      ret (Progress (system p) (shapes p) (layer_number p) (to_come p) (first_due p) (due p) (last_due p)
             (arguments p) (values p) (known p) (set k w (twins p)) (assumed p) (cached p))
  | _ => lift (Reject Invalid "a twin that is not free")
  end.

(** A bound of the change y - (p z + q) of a neuron. *)
Definition rule_apart (l i : N) (s : side) (value : exact) (cs : list case) (p : progress)
    : action t progress :=
  let! x := lift (read K value) in
  let! n := lift (any_neuron l i p) in
  let '(first, k, _, u) := n in
  match find k (twins p) with
  | None => lift (Reject Invalid "a neuron with a twin")
  | Some w =>
      match find (Twins.partner w) (definition (system p)) with
      | Some (Neuron _ v) =>
          let! d := lift (add_sums K [(u, one); (v, opp K (Twins.factor w))] (opp K (Twins.offset w))) in
          let! c := prove_bound first d s x cs p in
          let w := Twins.with_change w (Cases.replaced (Some (Twins.change w)) s x) in
          ret (with_bound (known p) (set k w (twins p)) cs c p)
      | _ => lift (Reject Invalid "a twin that is not free")
      end
  end.
End Networks.

Arguments flat : clear implicits.
Arguments progress : clear implicits.
