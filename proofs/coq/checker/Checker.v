(** * Checker.v -- the checker: start, a step for each line, finish

    What this file defines, in plain words.  [start] reads the subjects,
    [step] follows a line of the certificate, and [finish] says at the end
    whether everything is proved.  [run] does all of it; the main theorem, in
    Sound.v, is about [run].  Certificates in two parts are in Chain.v. *)

From Coq Require Import ZArith List String Bool.
From VeriMV Require Import Syntax Map Number Sums Store Claims Networks.
From VeriMV Require Cases Sharing.
Import ListNotations.

Section Checker.
Context {t : Type} (K : number t).

(** What is to be shown of an output. *)
Inductive goal :=
  | Computes (variable node : positive)   (* the neuron's value is scale·node + offset *)
  | Agrees (node node' : positive)        (* two nodes have the same value *)
  | Lies (variable : positive).           (* the neuron has bounds *)

(** [done] has the goals that are reached, the last one first, each with its
    scale and offset. *)
Record state := State {
  kept : store t;
  inputs : N;
  place : progress t;
  goals : list goal;
  reached : N;
  done : list (goal * (t * t)) }.

(** ** Reading a formula (section 3) *)

(** The nodes of names: 0, 1 and the inputs are their own; then definitions. *)
Definition node_of_name (inputs : N) (names : trie positive) (x : N) : result positive :=
  if (x <? 2 + inputs)%N then Ok (N.succ_pos x)
  else match find (N.succ_pos x) names with
       | Some n => Ok n
       | None => Reject Malformed "a name from above"
       end.

Definition apply_prefix (p : prefix) (n : positive) : action t positive :=
  match p with
  | Negation => not_node K n
  | Multiple f => let! c := lift (factor_amount K f) in scale_node K (text f) c n
  end.

(** The innermost prefix comes first here. *)
Fixpoint apply_prefixes (ps : list prefix) (n : positive) : action t positive := fun now =>
  (match ps with
  | [] => ret n
  | p :: rest => let! m := apply_prefix p n in apply_prefixes rest m
  end) now.

Definition read_operand (inputs : N) (names : trie positive) (o : operand) : action t positive :=
  let! n := lift (node_of_name inputs names (name o)) in
  apply_prefixes (rev' (prefixes o)) n.

Definition connective_node (c : connective) : positive -> positive -> action t positive :=
  match c with
  | Syntax.Sum => plus_node K
  | Product => times_node K
  end.

Definition read_definition (inputs : N) (names : trie positive) (d : Syntax.definition)
    : action t positive :=
  let! n := read_operand inputs names (first d) in
  let! ns := each_in_turn (read_operand inputs names) (others d) [] in
  connect_nodes (connective_node (op d)) n ns.

(** [x] is the number of the next name. *)
Fixpoint read_definitions (inputs : N) (names : trie positive) (x : N) (ds : list Syntax.definition)
    : action t (trie positive) := fun now =>
  (match ds with
  | [] => ret names
  | d :: rest =>
      let! n := read_definition inputs names d in
      read_definitions inputs (set (N.succ_pos x) n names) (N.succ x) rest
  end) now.

(** The nodes of the outputs. *)
Definition read_formula (inputs : N) (f : formula) : action t (list positive) :=
  let! names := read_definitions inputs Empty (2 + inputs)%N (definitions f) in
  lift (collect (node_of_name inputs names) (outputs f) []).

(** ** The start *)

Definition empty_store (budget : Z) (inputs : N) : store t :=
  Store budget (Nodes (N.succ_pos (2 + inputs)) Empty [])
    (Parts 1 Empty Empty Empty) 1 Empty.

Definition count_inputs (n : network) : N := N.of_nat (List.length (box n)).

(** The variables of the last layer, from its first one on. *)
Fixpoint output_variables (k : positive) (ss : list (sum t)) : list positive :=
  match ss with
  | [] => []
  | _ :: rest => k :: output_variables (Pos.succ k) rest
  end.

Definition last_layer (ls : list (flat t)) : list positive :=
  match rev' ls with
  | [] => []
  | l :: _ => output_variables (start_at l) (neurons l)
  end.

(** Nothing is entered yet; input j has the value of its node. *)
Definition initial_progress (inputs : N) (ls : list (flat t)) (stop : positive) : progress t :=
  let vals := snd (N.iter inputs (fun km =>
    let k := fst km in (Pos.succ k, set k (Sum_ [(Pos.succ (Pos.succ k), one K)] (zero K)) (snd km)))
    (1%positive, Empty)) in
  Progress (Variables stop (fold_left (define_layer K) ls (free_inputs inputs))) (shapes_of ls)
    0 ls 1 1 1 Empty vals Empty Empty false Cases.no_cache.

Fixpoint pair_up {A B C} (f : A -> B -> C) (l : list A) (m : list B) : result (list C) :=
  match l, m with
  | a :: l, b :: m => let* cs := pair_up f l m in Ok (f a b :: cs)
  | [], [] => Ok []
  | _, _ => Reject Invalid "equally many outputs"
  end.

Definition some_layer (ls : list (flat t)) : result unit :=
  well_formed (match ls with [] => false | _ => true end) "at least one layer".

Definition start_network (budget : Z) (n : network) (f : formula) (ls : list (flat t)) (stop : positive)
    : result state :=
  let i := count_inputs n in
  let* _ := some_layer ls in
  let action :=
    let! ns := read_formula i f in
    let! gs := lift (pair_up Computes (last_layer ls) ns) in
    let! p := enter K ls (initial_progress i ls stop) in
    ret (gs, p) in
  let* r := action (empty_store budget i) in
  let '((gs, p), s) := r in
  Ok (State s i p gs 0 []).

(** A certificate of bounds only. *)
Definition start_bounds (budget : Z) (i : N) (ls : list (flat t)) (stop : positive) : result state :=
  let* _ := some_layer ls in
  let* r := enter K ls (initial_progress i ls stop) (empty_store budget i) in
  let (p, s) := r in
  Ok (State s i p (List.map Lies (last_layer ls)) 0 []).

Definition start (budget : Z) (subject : subjects) : result state :=
  match subject with
  | NetworkFormula n f =>
      let* r := read_network K n in
      let '(ls, stop, _) := r in
      start_network budget n f ls stop
  | NetworkFormulaSource n f source =>
      let* r := read_network K n in
      let '(ls, stop, _) := r in
      let* r' := read_network K source in
      let '(ls', _, _) := r' in
      let* _ := need (N.eqb (count_inputs n) (count_inputs source)) "a source with the same inputs" in
      let* _ := need (same_all (same_flat K) ls ls') "a network that is the source, its box mapped" in
      start_network budget n f ls stop
  | OriginalFormula i original f =>
      let action :=
        let! ns := read_formula i original in
        let! ns' := read_formula i f in
        lift (pair_up Agrees ns ns') in
      let* r := action (empty_store budget i) in
      let (gs, s) := r in
      Ok (State s i (initial_progress i [] (N.succ_pos i)) gs 0 [])
  | NetworkAlone n =>
      let* r := read_network K n in
      let '(ls, stop, _) := r in
      start_bounds budget (count_inputs n) ls stop
  | NetworkOther n other =>
      let* r := read_difference K n other in
      let (ls, stop) := r in
      let* shared := Sharing.share K ls (empty_store budget (count_inputs n)) in
      let (ls, s) := shared in
      start_bounds (Store.budget s) (count_inputs n) ls stop
  end.

(** ** Outputs (section 9) *)

(** The form of the claim times scale plus offset is the value; or both are one
    number. *)
Definition rule_output (k : N) (c : Z) (scale offset : exact) (g : state) : action t (goal * (t * t)) :=
  let! a := lift (read K scale) in
  let! b := lift (read K offset) in
  let! nf := claim c in
  let! _ := lift (need (Pos.eqb (due (place g)) (last_due (place g))) "all neurons before the outputs") in
  let! _ := lift (need (N.eqb k (reached g)) "the next output") in
  match goals g with
  | Computes x n :: _ =>
      let! _ := lift (need (Pos.eqb (fst nf) n) "a claim about this output") in
      match find x (values (place g)), find x (definition (system (place g))) with
      | Some u, Some (Neuron act _) =>
          let! f := form_of K u in
          let! r := if same_activation act Identity then narrowed K x f (place g) else range_of_form K f in
          let (low, high) := r in
          let! found := total_form K [(snd nf, a)] b in
          let! proper := lift (lt K low high) in
          let! id := part_of K [] in
          let wanted := if proper then f else Form id low in
          let! _ := lift (need (same_form K found wanted) "the form of the output") in
          let! _ := lift (need (negb (is_zero K a)) "a scale other than 0") in
          let! least := lift (smaller K b (add K b a)) in
          let! most := lift (larger K b (add K b a)) in
          let! e := lift (le K least low) in
          let! _ := lift (need e "an output that is not below [0,1] before the map") in
          let! e := lift (le K high most) in
          let! _ := lift (need e "an output that is not above [0,1] before the map") in
          ret (Computes x n, (a, b))
      | _, _ => lift (Reject Invalid "all neurons before the outputs")
      end
  | _ => lift (Reject Invalid "an output that is to be shown")
  end.

Definition rule_equal (k : N) (a b : Z) (g : state) : action t (goal * (t * t)) :=
  let! nf := claim a in
  let! _ := lift (need (N.eqb k (reached g)) "the next output") in
  match goals g with
  | Agrees n m :: _ =>
      let! m' := node_of K b (snd nf) in
      let! _ := lift (need (Pos.eqb (fst nf) n) "a claim about this output of the original") in
      let! _ := lift (need (Pos.eqb m' m) "a claim about this output of the formula") in
      ret (Agrees n m, (one K, zero K))
  | _ => lift (Reject Invalid "an output that is to be shown")
  end.

(** ** Steps *)

(** A rule that adds claims only. *)
Definition claiming (m : action t unit) (g : state) : result state :=
  let* r := m (kept g) in
  Ok (State (snd r) (inputs g) (place g) (goals g) (reached g) (done g)).

(** A rule about neurons. *)
Definition moving (m : progress t -> action t (progress t)) (g : state) : result state :=
  let* r := m (place g) (kept g) in
  Ok (State (snd r) (inputs g) (fst r) (goals g) (reached g) (done g)).

(** A rule that reaches a goal. *)
Definition reaching (m : state -> action t (goal * (t * t))) (g : state) : result state :=
  let* r := m g (kept g) in
  Ok (State (snd r) (inputs g) (place g) (List.tl (goals g)) (N.succ (reached g)) (fst r :: done g)).

Definition follow (x : rule) : state -> result state :=
  match x with
  | RNode k => fun g => claiming (rule_node K (inputs g) k) g
  | RAtom c => claiming (rule_atom K c)
  | RNot c => claiming (rule_not K c)
  | RScale f c => claiming (rule_scale K f c)
  | RPlus cs => claiming (rule_plus K cs)
  | RTimes cs => claiming (rule_times K cs)
  | RLemma a h c => claiming (rule_lemma K a h c)
  | RCut f a c lambda mu => claiming (rule_cut K f a c lambda mu)
  | RSort p cs => claiming (rule_sort K p cs)
  | RAverage s p a cs => claiming (rule_average K s p a cs)
  | RSame a b => claiming (rule_same K a b)
  | REquals a b cone cs => claiming (rule_equals K a b cone cs)
  | RUnit l i r s => fun g => claiming (rule_unit K l i r s (place g)) g
  | RAffine l i => moving (rule_affine K l i)
  | RClip l i b p cs => moving (rule_clip K l i b p cs)
  | RBound l i s x cs => moving (rule_bound K l i s x cs)
  | RTwin l i m f => moving (rule_twin K l i m f)
  | RApart l i s x cs => moving (rule_apart K l i s x cs)
  | ROutput k c scale offset => reaching (rule_output k c scale offset)
  | REqual k a b => reaching (rule_equal k a b)
  | RFormula => fun _ => Reject Invalid "no line formula inside of a part"
  | RBroken => fun _ => Reject Malformed "arguments of the right types"
  end.

(** A line costs a step for its name and for each argument. *)
Definition step (l : line) (g : state) : result state :=
  let* r := spend (Z.of_N (N.succ (Syntax.arguments l))) (kept g) in
  follow (what l) (State (snd r) (inputs g) (place g) (goals g) (reached g) (done g)).

(** ** The end *)

(** The bounds of an output, after its activation. *)
Definition bounds_of_output (p : progress t) (x : positive) : result (t * t) :=
  match find x (known p), find x (definition (system p)) with
  | Some (Some low, Some high), Some (Neuron a _) =>
      let* l := Cases.image K a low in
      let* h := Cases.image K a high in
      Ok (l, h)
  | _, _ => Reject Incomplete "bounds of all outputs"
  end.

Fixpoint all_bounds (p : progress t) (gs : list goal) : result (list (t * t)) :=
  match gs with
  | [] => Ok []
  | Lies x :: rest =>
      let* b := bounds_of_output p x in
      let* bs := all_bounds p rest in
      Ok (b :: bs)
  | _ :: _ => Reject Incomplete "proofs of all outputs"
  end.

(** Scale and offset of each output; or its bounds, in a certificate of bounds. *)
Definition finish (g : state) : result (list (t * t)) :=
  if assumed (place g) then Reject Incomplete "no bounds without evidence"
  else let* bs := all_bounds (place g) (goals g) in
       Ok (rev' (List.map snd (done g)) ++ bs).

(** ** All of it *)

Fixpoint steps (ls : list line) (g : state) : result state :=
  match ls with
  | [] => Ok g
  | l :: rest => let* g' := step l g in steps rest g'
  end.

Definition run (budget : Z) (subject : subjects) (ls : list line) : result (list (t * t)) :=
  let* g := start budget subject in
  let* g' := steps ls g in
  finish g'.
End Checker.
