(** * Claims.v -- the rules that make claims (section 6 of FORMAT.md)

    Each rule looks up its claims, tests its conditions (one line with [need]
    each), makes nodes and forms and adds its claims.  Why that is right is
    proved in ClaimsSound.v, rule by rule. *)

From Coq Require Import ZArith List String Bool.
From VeriMV Require Import Syntax Map Number Sums Store.
From VeriMV Require Twins Cases Merge.
Import ListNotations.

Section Claims.
Context {t : Type} (K : number t).
Notation zero := (zero K).
Notation one := (one K).
Notation minus_one := (int K (-1)).
Notation total_form := (total_form K).
Notation add_claim := (add_claim K).

Definition rule_node (inputs : N) (k : N) : action t unit :=
  let! _ := lift (need (k <? 2 + inputs)%N "0, 1, or 2 + the number of an input") in
  let n := N.succ_pos k in
  let! f := form_of K (node_sum K n) in
  add_claim n f.

Definition rule_atom (c : Z) : action t unit :=
  let! nf := claim c in
  let! f := form_of K (node_sum K (fst nf)) in
  add_claim (fst nf) f.

Definition rule_not (c : Z) : action t unit :=
  let! nf := claim c in
  let! n := not_node K (fst nf) in
  let! f := total_form [(snd nf, minus_one)] one in
  add_claim n f.

Definition rule_scale (x : factor) (c : Z) : action t unit :=
  let! r := lift (factor_amount K x) in
  let! nf := claim c in
  let! _ := form_at_most K one (snd nf) in
  let! n := scale_node K (text x) r (fst nf) in
  let! f := total_form [(snd nf, r)] zero in
  add_claim n f.

(** first (op) second (op) ..., from the left *)
Fixpoint connect_nodes (op : positive -> positive -> action t positive) (n : positive)
    (rest : list positive) : action t positive := fun now =>
  (match rest with
  | [] => ret n
  | m :: rest => let! a := op n m in connect_nodes op a rest
  end) now.

Definition sum_of_forms (fs : list (form t)) (plus : t) : action t (form t) :=
  total_form (List.map (fun f => (f, one)) fs) plus.

(** The same claim twice. *)
Definition twice (cs : list Z) : option Z :=
  match cs with
  | [c; d] => if Z.eqb c d then Some c else None
  | _ => None
  end.

Definition rule_double (op : positive -> positive -> action t positive) (plus : t) (c : Z) : action t unit :=
  let! nf := claim c in
  let! n := op (fst nf) (fst nf) in
  let! f := sum_of_forms [snd nf; snd nf] plus in
  add_claim n f.

Definition rule_plus (cs : list Z) : action t unit :=
  match twice cs with
  | Some c => rule_double (plus_node K) zero c
  | None =>
      let! nfs := each_in_turn claim cs [] in
      let! _ := each_in_turn (fun nf => form_at_least K zero (snd nf)) nfs [] in
      match nfs with
      | [] => lift (Reject Malformed "at least one claim")
      | nf :: rest =>
          let! n := connect_nodes (plus_node K) (fst nf) (List.map fst rest) in
          let! f := sum_of_forms (List.map snd nfs) zero in
          add_claim n f
      end
  end.

Definition rule_times (cs : list Z) : action t unit :=
  match twice cs with
  | Some c => rule_double (times_node K) minus_one c
  | None =>
      let! nfs := each_in_turn claim cs [] in
      let! _ := each_in_turn (fun nf => form_at_most K one (snd nf)) nfs [] in
      match nfs with
      | [] => lift (Reject Malformed "at least one claim")
      | nf :: rest =>
          let! n := connect_nodes (times_node K) (fst nf) (List.map fst rest) in
          let! f := sum_of_forms (List.map snd nfs) (int K (- Z.of_nat (List.length rest))) in
          add_claim n f
      end
  end.

Definition rule_lemma (g h c : Z) : action t unit :=
  let! nf := claim g in
  let! mh := claim h in
  let! _ := form_at_least K zero (snd mh) in
  let! _ := form_at_most K one (snd mh) in
  let! sum := plus_node K (fst nf) (fst mh) in
  let! above := node_of K c (less K (snd nf) minus_one) in
  let! n := times_node K sum above in
  let! f := sum_of_forms [snd nf; snd mh] zero in
  add_claim n f.

Definition rule_cut (f g c : Z) (lambda mu : exact) : action t unit :=
  let! most := lift (read K lambda) in
  let! least := lift (read K mu) in
  let! nf := claim f in
  let! mg := claim g in
  let! b := lift (le K zero least) in
  let! _ := lift (need b "a multiplier mu that is not negative") in
  let! b := lift (le K zero most) in
  let! _ := lift (need b "a multiplier lambda that is not negative") in
  let! low := total_form [(snd nf, one); (snd mg, opp K least)] zero in
  let! _ := form_at_least K zero low in
  let! high := total_form [(snd nf, one); (snd mg, opp K most)] zero in
  let! _ := form_at_most K one high in
  let! above := node_of K c (less K (snd mg) minus_one) in
  let! product := times_node K (fst nf) above in
  let! n := plus_node K product (fst mg) in
  let! sum := sum_of_forms [snd nf; snd mg] zero in
  add_claim n sum.

(** Claims about f, f - 1, f - 2, ...: their nodes; [k] is the first to subtract. *)
Fixpoint steps_down (f : form t) (k : Z) (cs : list Z) (done : list positive) : action t (list positive) := fun now =>
  (match cs with
  | [] => ret (rev' done)
  | c :: rest =>
      let! n := node_of K c (less K f (int K k)) in
      steps_down f (Z.succ k) rest (n :: done)
  end) now.

Definition first_form (cs : list Z) : action t (form t) :=
  match cs with
  | [] => lift (Reject Invalid "at least one claim")
  | c :: _ => let! nf := claim c in ret (snd nf)
  end.

(** The form of the first claim, and the nodes. *)
Definition good_sequence (cs : list Z) : action t (form t * list positive) :=
  let! f := first_form cs in
  let! _ := form_at_least K zero f in
  let! _ := form_at_most K (int K (Z.of_nat (List.length cs))) f in
  let! ns := steps_down f 0 cs [] in
  ret (f, ns).

(** Claims about f, f - 1, f - 2, ... for new nodes. *)
Fixpoint claim_steps (f g : form t) (k : Z) (ns : list positive) : action t unit := fun now =>
  (match ns with
  | [] => ret tt
  | n :: rest =>
      let! h := total_form [(f, one); (g, one)] (int K (- k)) in
      let! _ := add_claim n h in
      claim_steps f g (Z.succ k) rest
  end) now.

(** The first n of a list, and the others; n may be large. *)
Fixpoint split_list {A} (n : N) (l done : list A) : list A * list A :=
  match l with
  | [] => (rev' done, [])
  | a :: rest => if N.eqb n 0 then (rev' done, l) else split_list (N.pred n) rest (a :: done)
  end.

Definition rule_sort (p : N) (cs : list Z) : action t unit :=
  let (first, second) := split_list p cs [] in
  let! a := good_sequence first in
  let! b := good_sequence second in
  let longer := N.max (N.of_nat (List.length first)) (N.of_nat (List.length second)) in
  let! _ := spend (Z.of_nat (List.length cs) * (Z.of_N (N.size longer) + 1)) in
  let! ns := Merge.merge (plus_node K) (times_node K) (snd a) (snd b) in
  claim_steps (fst a) (fst b) 0 ns.

(** p/s + Σ (1/s)·[node] *)
Definition average_sum (s : positive) (p : N) (ns : list positive) : result (sum t) :=
  add_sums K (List.map (fun n => (node_sum K n, fraction K 1 s)) ns) (fraction K (Z.of_N p) s).

Definition rule_average (s p : N) (a : Z) (cs : list Z) : action t unit :=
  let m := N.of_nat (List.length cs) in
  let! _ := lift (need (0 <? p + m)%N "at least one unit") in
  let! _ := lift (need (p + m <=? s)%N "at most s units") in
  match s with
  | N0 => lift (Reject Invalid "at least one unit")
  | Npos s' =>
      let! f := first_form cs in
      let! _ := if (0 <? p)%N then form_at_least K zero f else ret tt in
      let! _ := if (p + m <? s)%N then form_at_most K (int K (Z.of_N m)) f else ret tt in
      let! ns := steps_down f 0 cs [] in
      let! u := lift (average_sum s' p ns) in
      let! wanted := form_of K u in
      let! n := node_of K a wanted in
      let! average := total_form [(f, fraction K 1 s')] (fraction K (Z.of_N p) s') in
      add_claim n average
  end.

Definition rule_same (a b : Z) : action t unit :=
  let! nf := claim a in
  let! mg := claim b in
  let! r := range_of_form K (snd nf) in
  let! r' := range_of_form K (snd mg) in
  let! low := lift (smaller K (fst r) (fst r')) in
  let! high := lift (larger K (snd r) (snd r')) in
  let! ones := lift (le K one low) in
  let! zeros := lift (le K high zero) in
  let! _ := lift (need (same_form K (snd nf) (snd mg) || ones || zeros) "two claims about one form") in
  let! f := form_of K (node_sum K (fst nf)) in
  add_claim (fst mg) f.

(** ** The rule `equals` (section 8)

    [places]: which variable stands for a node. *)

Definition place (places : trie positive) (n : positive) : result (sum t) :=
  if Pos.eqb n zero_node then Ok (Sum_ [] zero)
  else if Pos.eqb n one_node then Ok (Sum_ [] one)
  else match find n places with
       | Some k => Ok (Sum_ [(k, one)] zero)
       | None => Reject Invalid "nodes of the cone"
       end.

(** A sum over nodes as one over variables. *)
Definition placed (places : trie positive) (u : sum t) : result (sum t) :=
  let* pairs := collect (fun kc => let* s := place places (fst kc) in Ok (s, snd kc)) (terms u) [] in
  add_sums K pairs (constant u).

Definition is_node (n : positive) (u : sum t) : bool := same_sum K u (node_sum K n).

Fixpoint cone_variables (cone : list (option Z)) (places : trie positive) (vs : variables t)
    : action t (trie positive * variables t) := fun now =>
  (match cone with
  | [] => ret (places, vs)
  | None :: _ => lift (Reject Malformed "numbers of claims")
  | Some c :: rest =>
      let! nf := claim c in
      let (n, f) := nf in
      let! u := written f in
      let! _ := lift (need (one_node <? n)%positive "a node other than 0 and 1") in
      let! x := if is_node n u then ret Free
                else let! z := lift (placed places u) in ret (Neuron Clip z) in
      let k := bound vs in
      cone_variables rest (set n k places) (Variables (Pos.succ k) (set k x (definition vs)))
  end) now.

(** Run [prove] on the budget of the store; the ranges that it keeps are given back. *)
Definition prove (vs : variables t) (twins : trie (Twins.twin t)) (targets : list (sum t)) (known : facts t)
    (cs : list case) (c : Cases.cache t) : action t (Cases.cache t) := fun s =>
  let* r := Cases.prove K vs twins targets known cs c (budget s) in
  Ok (fst r, Store (snd r) (all_nodes s) (all_parts s) (next_claim s) (claims s)).

Definition rule_equals (a b : Z) (cone : list (option Z)) (cs : list case) : action t unit :=
  let! system := cone_variables cone Empty (Variables 1 Empty) in
  let (places, vs) := system in
  let! nf := claim a in
  let! mg := claim b in
  let! x := lift (place places (fst nf)) in
  let! y := lift (place places (fst mg)) in
  let! down := lift (add_sums K [(x, one); (y, minus_one)] zero) in
  let! up := lift (add_sums K [(x, minus_one); (y, one)] zero) in
  let! _ := prove vs Empty [down; up] Empty cs Cases.no_cache in
  add_claim (fst mg) (snd nf).
End Claims.
