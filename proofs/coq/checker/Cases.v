(** * Cases.v -- proofs by cases (section 8 of FORMAT.md)

    What this file defines, in plain words.  [prove] follows, for each target, a
    tree of cases, in each of which that sum over variables is at most 0.  A
    case is a split of a variable; a lemma, which is a bound that is shown first,
    over the variables before it, and used then; or a leaf: ranges of all
    variables are computed in order, from the known bounds and those that splits
    and lemmas have given, and a walk back replaces each activation by a multiple
    of its argument and a constant.  What is left is a number, which must not be
    positive.  A pair is a leaf that compares neurons with their twins (Twins.v).
    Why this is right is proved in CasesSound.v.

    Ranges of variables are kept from one leaf to the next, as far as the bounds
    of the variables, from the first on, are the same. *)

From Coq Require Import ZArith List String Bool.
From VeriMV Require Import Syntax Map Number Sums.
From VeriMV Require Twins Sweeps.
Import ListNotations.

(** A low and a high bound, where there are any. *)
Definition limits (t : Type) : Type := (option t * option t)%type.

(** What is known of a variable: its definition, the bounds that were used, the
    range of its argument, the points of this range that matter (the ends and
    the kinks between them) with the values of the activation, whether there
    are kinks, and whether the activation keeps both ends; finally the ranges
    of this variable and all before it. *)
Record entry (t : Type) := Entry {
  key : positive;
  shape : variable t;
  used : option (limits t);
  low : t;
  high : t;
  points : list (t * t);
  bent : bool;
  kept : bool;
  ranges : trie (t * t)
}.
Arguments Entry {t}.
Arguments key {t}.
Arguments shape {t}.
Arguments used {t}.
Arguments low {t}.
Arguments high {t}.
Arguments points {t}.
Arguments bent {t}.
Arguments kept {t}.
Arguments ranges {t}.

(** Variables from the last to the first. *)
Definition cache (t : Type) : Type := list (entry t).
Definition no_cache {t : Type} : cache t := [].

(** A situation: a target; the variables that matter, which are those before
    [upto], and the steps of a leaf over them; all bounds; which variables have
    bounds from splits (low, high); and how many bounds splits and lemmas have
    given. *)
Record situation (t : Type) := Situation {
  target : sum t;
  upto : positive;
  weight : Z;
  bounds : facts t;
  splits : trie (bool * bool);
  given : Z
}.
Arguments Situation {t}.
Arguments target {t}.
Arguments upto {t}.
Arguments weight {t}.
Arguments bounds {t}.
Arguments splits {t}.
Arguments given {t}.

Section Cases.
  Context {t : Type} (K : number t).
  Notation zero := (zero K).
  Notation one := (one K).

  (** ** Ranges *)

  (** c x, as one of many products. *)
  Definition with_product (c x : t) (l : list (t * t)) : list (t * t) := if is_zero K x then l else (c, x) :: l.

  (** The products of which the least and the largest value of terms are the
      sums: they are added up when all are known. *)
  Fixpoint range_over (known : trie (t * t)) (l : list (positive * t)) (low high : list (t * t))
      : result (list (t * t) * list (t * t)) :=
    match l with
    | [] => Ok (low, high)
    | (k, c) :: rest =>
        match find k known with
        | None => Reject Invalid "a sum over variables before it"
        | Some (least, most) =>
            let* negative := le K c zero in
            if negative then range_over known rest (with_product c most low) (with_product c least high)
            else range_over known rest (with_product c least low) (with_product c most high)
        end
    end.

  Definition range_of_sum (known : trie (t * t)) (s : sum t) : result (t * t) :=
    let* r := range_over known (terms s) [] [] in
    Ok (dot K (fst r) (constant s), dot K (snd r) (constant s)).

  Definition narrowed (r : t * t) (b : option (limits t)) : result (t * t) :=
    match b with
    | None => Ok r
    | Some (least, most) =>
        let* l := match least with Some x => larger K (fst r) x | None => Ok (fst r) end in
        let* h := match most with Some x => smaller K (snd r) x | None => Ok (snd r) end in
        Ok (l, h)
    end.

  Definition image (a : activation) (z : t) : result t :=
    match a with
    | Relu => larger K zero z
    | Clip => let* y := larger K zero z in smaller K y one
    | Identity => Ok z
    end.

  (** The kink z, with its value, if it lies between the ends. *)
  Definition kink (l h z : t) : result (list (t * t)) :=
    let* above := lt K l z in
    let* below := lt K z h in
    Ok (if above && below then [(z, z)] else []).

  Definition kinks_between (a : activation) (l h : t) : result (list (t * t)) :=
    match a with
    | Relu => kink l h zero
    | Clip => let* at_zero := kink l h zero in let* at_one := kink l h one in Ok (at_zero ++ at_one)
    | Identity => Ok []
    end.

  Definition ranges_before (before : cache t) : trie (t * t) :=
    match before with
    | [] => Empty
    | e :: _ => ranges e
    end.

  (** The entry of a variable after others; none if its range is empty.  Ranges
      are written over one denominator, as far as this works. *)
  Definition measure (known : facts t) (before : cache t) (k : positive) (x : variable t)
      : result (option (entry t)) :=
    let b := find k known in
    let* r0 := match x with
               | Free => Ok (zero, one)
               | Neuron _ s => range_of_sum (ranges_before before) s
               end in
    let* r := narrowed r0 b in
    let l := match before with [] => fst r | e :: _ => align K (high e) (fst r) end in
    let h := align K l (snd r) in
    let* _ := fitting K l in
    let* _ := fitting K h in
    let* nonempty := le K l h in
    if negb nonempty then Ok None else
    let a := match x with Free => Identity | Neuron a _ => a end in
    let* first := image a l in
    let* last := image a h in
    let* kinks := kinks_between a l h in
    Ok (Some {|
      key := k;
      shape := x;
      used := b;
      low := l;
      high := h;
      points := (l, first) :: (h, last) :: kinks;
      bent := match kinks with [] => false | _ => true end;
      kept := eqb K l first && eqb K h last;
      ranges := set k (first, last) (ranges_before before)
    |}).

  (** *** What can be kept *)

  Definition same_number (x y : option t) : bool :=
    match x, y with
    | None, None => true
    | Some x, Some y => eqb K x y
    | _, _ => false
    end.

  Definition same_limits (x y : option (limits t)) : bool :=
    match x, y with
    | None, None => true
    | Some (l, h), Some (l', h') => same_number l l' && same_number h h'
    | _, _ => false
    end.

  (** The variables below the bound, from the first on, as long as the bounds
      are those that were used; and whether these are all. *)
  Fixpoint keep (upto : positive) (known : facts t) (c : cache t) : cache t * bool :=
    match c with
    | [] => ([], true)
    | e :: before =>
        let (before, all) := keep upto known before in
        if all && Pos.ltb (key e) upto && same_limits (used e) (find (key e) known)
        then (e :: before, true) else (before, false)
    end.

  (** The entries of all variables below the bound; whether a range is empty. *)
  Fixpoint extend (upto : positive) (known : facts t) (items : list (positive * variable t)) (c : cache t)
      : result (cache t * bool) :=
    match items with
    | [] => Ok (c, false)
    | (k, x) :: rest =>
        if Pos.leb upto k then Ok (c, false)
        else if match c with [] => false | e :: _ => Pos.leb k (key e) end then extend upto known rest c
        else
          let* e := measure known c k x in
          match e with
          | Some e => extend upto known rest (e :: c)
          | None => Ok (c, true)
          end
    end.

  (** ** The walk *)

  (** The coefficients that are left: variables from the last to the first, each
      with the products of which its coefficient is the sum. *)
  Definition coefficients : Type := list (positive * list (t * t)).

  (** Add slope times the terms, which stand in the same order. *)
  Fixpoint add_row (slope : t) (l : list (positive * t)) : coefficients -> coefficients :=
    match l with
    | [] => fun cs => cs
    | (k, w) :: rest => fix add2 (cs : coefficients) : coefficients :=
        match cs with
        | [] => (k, [(slope, w)]) :: add_row slope rest []
        | (k', ps) :: cs' =>
            match Pos.compare k k' with
            | Gt => (k, [(slope, w)]) :: add_row slope rest cs
            | Lt => (k', ps) :: add2 cs'
            | Eq => (k, (slope, w) :: ps) :: add_row slope rest cs'
            end
        end
    end.

  (** The coefficient of the variable that is next, and the others. *)
  Definition next_coefficient (k : positive) (cs : coefficients) : result (t * coefficients) :=
    match cs with
    | [] => Ok (zero, [])
    | (k', ps) :: rest =>
        match Pos.compare k k' with
        | Eq => Ok (dot K ps zero, rest)
        | Gt => Ok (zero, cs)
        | Lt => Reject Invalid "sums over the variables"
        end
    end.

  (** The largest c y + minus z over points (z, y), where minus is -slope. *)
  Definition worth (c minus : t) (p : t * t) : t := dot K [(c, snd p); (minus, fst p)] zero.

  Fixpoint highest (c minus : t) (most : t) (ps : list (t * t)) : result t :=
    match ps with
    | [] => Ok most
    | p :: rest => let* most := larger K most (worth c minus p) in highest c minus most rest
    end.

  Definition is_relu (a : activation) : bool := match a with Relu => true | _ => false end.

  (** The chord's slope, rounded down, or that of one of the sides. *)
  Definition default_slope (c : t) (a : activation) (e : entry t) : result t :=
    let* narrow := le K (high e) (low e) in
    let* falling := le K c zero in
    let* sum_negative := le K (add K (low e) (high e)) zero in
    let side := if sum_negative then zero else one in
    if narrow || (falling && is_relu a) then Ok side else
    match rational_part K (low e), rational_part K (high e), points e with
    | Some _, Some _, (_, first) :: (_, last) :: _ =>
        match rational_part K (sub K last first), rational_part K (sub K (high e) (low e)) with
        | Some (rise, d), Some (run, d') =>
            let above := Z.mul (Z.mul (Zpos Twins.slope_unit) rise) (Zpos d') in
            Ok (fraction K (Z.div above (Z.mul (Zpos d) run)) Twins.slope_unit)
        | _, _ => Ok side
        end
    | _, _, _ => Ok side
    end.

  Definition is_split (splits : trie (bool * bool)) (k : positive) : bool :=
    match find k splits with Some _ => true | None => false end.

  (** The multiplier of a variable with coefficient c, and those that are left. *)
  Definition multiplier (by_default needed : bool) (c : t) (a : activation) (e : entry t) (ms : list t)
      : result (t * list t) :=
    if needed then
      if by_default then let* s := default_slope c a e in Ok (dot K [(c, s)] zero, ms)
      else match ms with
           | m :: ms => Ok (m, ms)
           | [] => Reject Malformed "more multipliers"
           end
    else Ok (if kept e then c else zero, ms).

  (** Add slope times the argument of a variable. *)
  Definition add_argument (slope : t) (s : sum t) (cs : coefficients) : coefficients :=
    if is_zero K slope then cs else add_row slope (rev' (terms s)) cs.

  (** The argument of the twin, and its range. *)
  Definition of_twin (w : Twins.twin t) (entries : trie (entry t)) : result (sum t * t * t) :=
    match find (Twins.partner w) entries with
    | Some e =>
        match shape e with
        | Neuron _ s => Ok (s, low e, high e)
        | Free => Reject Invalid "a twin that is not free"
        end
    | None => Reject Invalid "a twin before the neuron"
    end.

  (** [last] is the slope before, over whose denominator the next one is written;
      [twins] is empty in a leaf that is no pair. *)
  Fixpoint walk (by_default : bool) (splits : trie (bool * bool)) (twins : trie (Twins.twin t))
      (entries : trie (entry t)) (c : cache t) (cs : coefficients) (total last : t) (ms : list t)
      : result (t * list t) :=
    match c with
    | [] =>
        let* _ := need (match cs with [] => true | _ => false end) "a target over the variables" in
        Ok (total, ms)
    | e :: before =>
        let* r := next_coefficient (key e) cs in
        let (c, cs) := r in
        let* _ := fitting K c in
        match shape e with
        | Free =>
            let* negative := le K c zero in
            let total := dot K [(c, if negative then low e else high e)] total in
            walk by_default splits twins entries before cs total last ms
        | Neuron a s =>
            let split := is_split splits (key e) in
            let needed := bent e || split in
            match (if needed then find (key e) twins else None) with
            | Some w =>
                let* its := of_twin w entries in
                let '(s', l, h) := its in
                let* r := Twins.compare K by_default split a w c l h (low e) (high e) ms in
                match r with
                | None => Ok (int K (-1), [])  (* there is no such point *)
                | Some (mu, nu, top, ms) =>
                    let other := sub K nu mu in
                    let slope := dot K [(other, Twins.factor w); (c, Twins.of_argument w)] zero in
                    let total := dot K [(mu, constant s); (slope, constant s'); (add K other c, Twins.offset w);
                                        (one, top)] total in
                    let* _ := fitting K total in
                    let last := align K last mu in
                    let cs := add_argument last s cs in
                    let cs := add_argument (align K last slope) s' cs in
                    let cs := add_row c [(Twins.partner w, Twins.of_value w)] cs in
                    walk by_default splits twins entries before cs total last ms
                end
            | None =>
                let* m := multiplier by_default needed c a e ms in
                let (slope, ms) := m in
                if is_zero K c && is_zero K slope then walk by_default splits twins entries before cs total last ms
                else
                  match points e with
                  | [] => Reject Invalid "a point"
                  | p :: ps =>
                      let minus := dot K [(int K (-1), slope)] zero in
                      let* most := highest c minus (worth c minus p) ps in
                      let total := dot K [(slope, constant s); (one, most)] total in
                      let* _ := fitting K total in
                      if is_zero K slope then walk by_default splits twins entries before cs total last ms
                      else
                        let last := align K last slope in
                        walk by_default splits twins entries before (add_argument last s cs) total last ms
                  end
            end
        end
    end.

  (** An upper bound of the target; ranges are those of all variables. *)
  Definition bound_by (c : cache t) (twins : trie (Twins.twin t)) (s : situation t) (ms : list t) : result t :=
    let cs := add_row one (rev' (terms (target s))) [] in
    let by_default := match ms with [] => true | _ => false end in
    let entries := match twins with
                   | Empty => Empty
                   | _ => fold_left (fun found e => set (key e) e found) c Empty
                   end in
    let* r := walk by_default (splits s) twins entries c cs (constant (target s)) one ms in
    let (total, left) := r in
    let* _ := well_formed (match left with [] => true | _ => false end) "no more multipliers" in
    let* _ := fitting K total in
    Ok total.

  Definition leaf (items : list (positive * variable t)) (c : cache t) (twins : trie (Twins.twin t))
      (s : situation t) (ms : list t) : result (cache t) :=
    let* r := extend (upto s) (bounds s) items (fst (keep (upto s) (bounds s) c)) in
    let (c, empty) := r in
    if empty then Ok c else
    let* gap := bound_by c twins s ms in
    let* closed := le K gap zero in
    let* _ := need closed "multipliers that prove the case" in
    Ok c.

  (** ** Trees of cases *)

  (** (argument - value) for a high bound, (value - argument) for a low one. *)
  Definition bound_target (s : side) (u : sum t) (x : t) : result (sum t) :=
    match s with
    | High => add_sums K [(u, one)] (opp K x)
    | Low => add_sums K [(u, int K (-1))] x
    end.

  (** A new bound replaces one of the same side. *)
  Definition replaced (b : option (limits t)) (s : side) (x : t) : limits t :=
    let (l, h) := match b with Some lh => lh | None => (None, None) end in
    match s with
    | Low => (Some x, h)
    | High => (l, Some x)
    end.

  (** One side of a split. *)
  Definition with_split (s : situation t) (k : positive) (which : side) (point : t) : situation t :=
    let (had_l, had_h) := match find k (splits s) with Some b => b | None => (false, false) end in
    let had := match which with Low => had_l | High => had_h end in
    {| target := target s;
       upto := upto s;
       weight := weight s;
       bounds := set k (replaced (find k (bounds s)) which point) (bounds s);
       splits := set k (match which with Low => (true, had_h) | High => (had_l, true) end) (splits s);
       given := if had then given s else Z.succ (given s) |}.

  (** After a lemma: no multiplier is needed because of it. *)
  Definition with_lemma (s : situation t) (k : positive) (which : side) (x : t) : situation t :=
    {| target := target s;
       upto := upto s;
       weight := weight s;
       bounds := set k (replaced (find k (bounds s)) which x) (bounds s);
       splits := splits s;
       given := Z.succ (given s) |}.

  (** After a sweep: nor because of one. *)
  Definition with_bounds (s : situation t) (known : facts t) : situation t :=
    {| target := target s;
       upto := upto s;
       weight := weight s;
       bounds := known;
       splits := splits s;
       given := given s |}.

  (** What a lemma about variable k needs: another target, over the variables before k. *)
  Definition for_lemma (s : situation t) (k : positive) (goal : sum t) (weight : Z) : situation t :=
    {| target := goal;
       upto := k;
       weight := weight;
       bounds := bounds s;
       splits := splits s;
       given := given s |}.

  Definition count_terms (s : sum t) : Z :=
    fold_left (fun n _ => Z.succ n) (terms s) (if is_zero K (constant s) then 0 else 1)%Z.

  Definition count_weights (x : variable t) : Z :=
    match x with Free => 0%Z | Neuron _ s => count_terms s end.

  (** Variable k, and the steps of a leaf over the variables before it. *)
  Fixpoint seek (k : positive) (items : list (positive * variable t)) (weights : Z) : option (variable t * Z) :=
    match items with
    | [] => None
    | (j, x) :: rest =>
        if Pos.eqb j k then Some (x, leaf_cost weights) else seek k rest (Z.add weights (count_weights x))
    end.

  (** The situations that are open, the one that is due first. *)
  Fixpoint follow (items : list (positive * variable t)) (twins : trie (Twins.twin t))
      (cases : list case) (open : list (situation t)) (c : cache t) (budget : Z)
      : result (cache t * Z) :=
    match cases with
    | [] =>
        let* _ := need (match open with [] => true | _ => false end) "a leaf for every case" in
        Ok (c, budget)
    | this :: rest =>
        match open with
        | [] => Reject Invalid "no more cases"
        | s :: open =>
            let* budget := pay (Z.succ (given s)) budget in
            match this with
            | Split k point =>
                let* p := read K point in
                let k := N.succ_pos k in
                let* _ := need (Pos.ltb k (upto s)) "a variable" in
                follow items twins rest (with_split s k High p :: with_split s k Low p :: open) c budget
            | Lemma_ k which value =>
                let* x := read K value in
                let k := N.succ_pos k in
                let* _ := need (Pos.ltb k (upto s)) "a variable" in
                match seek k items 0 with
                | Some (Neuron _ u, weight) =>
                    let* budget := pay weight budget in
                    let* goal := bound_target which u x in
                    follow items twins rest (for_lemma s k goal weight :: with_lemma s k which x :: open) c budget
                | _ => Reject Invalid "a variable that is not free"
                end
            | Sweep =>
                let* budget := pay (weight s) budget in
                let* r := Sweeps.sweep K (upto s) items (bounds s) budget in
                let (known, budget) := r in
                follow items twins rest (with_bounds s known :: open) c budget
            | Leaf ms =>
                let* budget := pay (weight s) budget in
                let* ms := collect (read K) ms [] in
                let* c := leaf items c Empty s ms in
                follow items twins rest open c budget
            | Pair ms =>
                let* budget := pay (weight s) budget in
                let* ms := collect (read K) ms [] in
                let* c := leaf items c twins s ms in
                follow items twins rest open c budget
            | BrokenLeaf =>
                let* _ := pay (weight s) budget in
                Reject Malformed "numbers"
            | BrokenCase => Reject Malformed "a case"
            end
        end
    end.

  (** The variables of a system, the first one first. *)
  Definition listed (vs : variables t) : list (positive * variable t) :=
    let next (kl : positive * list (positive * variable t)) :=
      let (k, l) := kl in
      (Pos.succ k, match find k (definition vs) with Some x => (k, x) :: l | None => l end) in
    if Pos.eqb (bound vs) 1 then []
    else rev' (snd (Pos.iter next (1%positive, []) (Pos.pred (bound vs)))).

  Definition prove (vs : variables t) (twins : trie (Twins.twin t)) (targets : list (sum t)) (known : facts t)
      (cases : list case) (c : cache t) (budget : Z) : result (cache t * Z) :=
    let items := listed vs in
    let weights := fold_left (fun n kx => Z.add n (count_weights (snd kx))) items 0%Z in
    let start s := {| target := s; upto := bound vs; weight := leaf_cost weights;
                      bounds := known; splits := Empty; given := 0 |} in
    follow items twins cases (map start targets) c budget.
End Cases.
