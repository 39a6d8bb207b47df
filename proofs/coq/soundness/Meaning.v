(** * Meaning.v -- what networks, formulas and sums of the checker mean

    It is all that a reader of the main theorem has to understand.

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List.
From VeriMV Require Export Sort Bounds Syntax Map Number.
Import ListNotations.
Open Scope Qc_scope.

(** ** Numbers

    [value x] is the number that the checker's [x] stands for, [meaning e] the
    one that was written as [e]. *)

Fixpoint value_of_products {t : Type} (value : t -> F) (l : list (t * t)) : F :=
  match l with
  | [] => 0
  | (c, x) :: rest => value c * value x + value_of_products value rest
  end.

Record sound_number {t : Type} (K : number t) (value : t -> F) (meaning : exact -> F) : Prop := {
  value_fraction : forall n d, value (fraction K n d) = of_Z n / of_Z (Zpos d);
  value_add : forall x y, value (add K x y) = value x + value y;
  value_mul : forall x y, value (mul K x y) = value x * value y;
  value_dot : forall l x, value (dot K l x) = value x + value_of_products value l;
  value_align : forall x y, value (align K x y) = value y;
  value_read : forall e x, read K e = Ok x -> meaning e = value x;
  value_eqb : forall x y, eqb K x y = true -> x = y;
  value_le : forall x y, leb K x y = Some true -> value x <= value y;
  value_gt : forall x y, leb K x y = Some false -> value y < value x;
  value_rational : forall x n d, rational_part K x = Some (n, d) -> value x = of_Z n / of_Z (Zpos d)
}.

(** ** Sums and systems of variables, at a point [v] *)

Section Values.
  Context {t : Type} (value : t -> F) (v : positive -> F).

  Fixpoint value_of_terms (ts : list (positive * t)) : F :=
    match ts with
    | [] => 0
    | (k, c) :: rest => value c * v k + value_of_terms rest
    end.

  Definition value_of_sum (s : sum t) : F := value_of_terms (terms s) + value (constant s).

  (** The argument of a variable; a free variable is its own. *)
  Definition argument_of (vs : variables t) (k : positive) : F :=
    match find k (definition vs) with
    | Some (Neuron _ argument) => value_of_sum argument
    | _ => v k
    end.

  (** [v] gives every variable of the system a value as it is defined. *)
  Definition solution (vs : variables t) : Prop := forall k, (k < bound vs)%positive ->
    match find k (definition vs) with
    | Some Free => 0 <= v k <= 1
    | Some (Neuron a argument) => v k = activate a (value_of_sum argument)
    | None => True
    end.

  (** Known bounds hold of the arguments of the variables of the system. *)
  Definition facts_hold (vs : variables t) (known : facts t) : Prop :=
    forall k low high, (k < bound vs)%positive -> find k known = Some (low, high) ->
    (forall l, low = Some l -> value l <= argument_of vs k) /\
    (forall h, high = Some h -> argument_of vs k <= value h).
End Values.

(** ** Networks *)

Section Networks.
  Variable meaning : exact -> F.

  (** bias + w_1 x_(j_1) + w_2 x_(j_2) + ... *)
  Definition argument_of_row (xs : list F) (r : row) : F :=
    fold_right (fun jw rest => meaning (snd jw) * nth (N.to_nat (fst jw)) xs 0 + rest)
      (meaning (bias r)) (weights r).

  Definition values_of_layer (xs : list F) (l : layer) : list F :=
    map (fun r => activate (act l) (argument_of_row xs r)) (rows l).

  Definition forward (ls : list layer) (xs : list F) : list F := fold_left values_of_layer ls xs.

  (** The point of the box that belongs to a point of the unit cube. *)
  Definition point_of_box (b : list (exact * exact)) (us : list F) : list F :=
    map (fun bu => meaning (fst (fst bu)) + (meaning (snd (fst bu)) - meaning (fst (fst bu))) * snd bu)
      (combine b us).

  Definition outputs_of_network (n : network) (us : list F) : list F :=
    forward (layers n) (point_of_box (box n) us).
End Networks.

(** ** Formulas *)

Section Formulas.
  Variable meaning : exact -> F.

  Definition value_of_prefix (p : prefix) (x : F) : F :=
    match p with
    | Negation => neg x
    | Multiple f => meaning (amount f) * x
    end.

  (** [known] are the values of all names so far, in order. *)
  Definition value_of_operand (known : list F) (o : operand) : F :=
    fold_right value_of_prefix (nth (N.to_nat (name o)) known 0) (prefixes o).

  Definition connect (c : connective) : F -> F -> F :=
    match c with Sum => oplus | Product => odot end.

  Definition value_of_definition (known : list F) (d : Syntax.definition) : F :=
    fold_left (fun x o => connect (op d) x (value_of_operand known o))
      (others d) (value_of_operand known (first d)).

  Definition values_of_names (ds : list Syntax.definition) (us : list F) : list F :=
    fold_left (fun known d => known ++ [value_of_definition known d]) ds (0 :: 1 :: us).

  Definition outputs_of_formula (f : formula) (us : list F) : list F :=
    map (fun o => nth (N.to_nat o) (values_of_names (definitions f) us) 0) (outputs f).
End Formulas.

(** ** What a certificate says

    [us] is a point of the unit cube, [pairs] are the numbers that the checker
    gives at the end: a scale and an offset for each output, or a low and a
    high bound. *)

Section Statements.
  Context {t : Type} (value : t -> F) (meaning : exact -> F).

  (** x = scale·y + offset, entry by entry. *)
  Definition scaled (pairs : list (t * t)) (ys xs : list F) : Prop :=
    length pairs = length ys
    /\ xs = map (fun py => value (fst (fst py)) * snd py + value (snd (fst py))) (combine pairs ys).

  (** low <= x <= high, entry by entry. *)
  Definition between (pairs : list (t * t)) (xs : list F) : Prop :=
    Forall2 (fun x lh => value (fst lh) <= x <= value (snd lh)) xs pairs.

  Definition differences (xs ys : list F) : list F := map (fun xy => fst xy - snd xy) (combine xs ys).

  Definition number_of_inputs (subject : subjects) : nat :=
    match subject with
    | NetworkFormula n _ | NetworkFormulaSource n _ _ | NetworkAlone n | NetworkOther n _ => length (box n)
    | OriginalFormula i _ _ => N.to_nat i
    end.

  Definition statement (subject : subjects) (pairs : list (t * t)) (us : list F) : Prop :=
    match subject with
    | NetworkFormula n f =>
        scaled pairs (outputs_of_formula meaning f us) (outputs_of_network meaning n us)
    | NetworkFormulaSource n f source =>
        scaled pairs (outputs_of_formula meaning f us) (outputs_of_network meaning n us)
        /\ outputs_of_network meaning source us = outputs_of_network meaning n us
    | OriginalFormula _ original f =>
        outputs_of_formula meaning original us = outputs_of_formula meaning f us
    | NetworkAlone n => between pairs (outputs_of_network meaning n us)
    | NetworkOther n other =>
        between pairs (differences (outputs_of_network meaning n us) (outputs_of_network meaning other us))
        /\ length (outputs_of_network meaning n us) = length (outputs_of_network meaning other us)
    end.

  (** x lies within error of scale·y + offset, entry by entry; zs are these. *)
  Definition approximated (errors : list t) (pairs : list (t * t)) (ys xs : list F) : Prop :=
    exists zs, scaled pairs ys zs /\ length xs = length zs
    /\ Forall2 (fun d e => - value e <= d <= value e) (differences xs zs) errors.

  (** The same for certificates of one part or two; [errors] are for two. *)
  Definition inputs_of_topic (about : topic) : nat :=
    match about with
    | OnePart subject => number_of_inputs subject
    | Within n _ _ => length (box n)
    end.

  Definition proved (about : topic) (errors : list t) (pairs : list (t * t)) (us : list F) : Prop :=
    match about with
    | OnePart subject => statement subject pairs us
    | Within n _ f => approximated errors pairs (outputs_of_formula meaning f us) (outputs_of_network meaning n us)
    end.

  (** A point of a box. *)
  Definition in_box (b : list (exact * exact)) (xs : list F) : Prop :=
    Forall2 (fun lh x => meaning (fst lh) <= x <= meaning (snd lh)) b xs.
End Statements.
