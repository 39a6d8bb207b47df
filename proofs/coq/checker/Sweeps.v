(** * Sweeps.v -- bounds of all arguments afresh (section 8 of FORMAT.md)

    What this file defines, in plain words.  [sweep] goes through the variables in
    order and gives each a coarse range.  For an argument with a kink in its range,
    it finds better ends by two coarse walks, and these become bounds.  All
    of it is arithmetic of integers that do not grow with the depth: ranges are
    multiples of 2^-32, slopes of 2^-20, and what a walk adds up of 2^-40, rounded
    such that the bounds stay true.  Why this is right is proved in
    SweepsSound.v. *)

From Coq Require Import ZArith List String Bool.
From VeriMV Require Import Syntax Map Number Sums.
From VeriMV Require Fractions Twins.
Import ListNotations.

(** ** Units *)

Definition range_unit : positive := 4294967296.
Definition slope_unit : positive := 1048576.
Definition total_unit : positive := 1099511627776.

(** Slope units times range units are so many total units. *)
Definition excess : positive := 4096.

Definition one : Z := Zpos range_unit.

(** a / b, rounded up. *)
Definition ceiling (a : Z) (b : positive) : Z := Z.opp (Z.div (Z.opp a) (Zpos b)).

Definition least (a b : Z) : Z := if Z.leb a b then a else b.
Definition most (a b : Z) : Z := if Z.leb a b then b else a.

(** ** Arguments *)

(** A variable: its activation, none if it is free; its argument, which is
    (offset + the sum of weight times variable) / below; how many weights it has. *)
Record argument := Argument {
  place : positive;
  kind : option activation;
  weights : list (positive * Z);
  offset : Z;
  below : positive;
  width : Z
}.

(** A variable with its coarse range.  Of the weights, only those of variables
    that are not 0 are left, from the last to the first. *)
Record entry := Entry { source : argument; live : list (positive * Z); low : Z; high : Z }.

Section Arguments.
  Context {t : Type} (K : number t).

  Definition rational (x : t) : result (Z * positive) :=
    match rational_part K x with
    | Some r => Ok r
    | None => Reject Invalid "weights that are rational"
    end.

  (** The least common multiple. *)
  Definition common (d e : positive) : positive :=
    if Pos.eqb d e then d else let '(_, (d', _)) := Pos.ggcd d e in Pos.mul d' e.

  Fixpoint denominator_of (l : list (positive * t)) (d : positive) : result positive :=
    match l with
    | [] => Ok d
    | (_, w) :: rest => let* r := rational w in denominator_of rest (common d (snd r))
    end.

  Definition short (d : positive) : result unit :=
    if N.leb (Npos (Pos.size d)) most_bits then Ok tt else Reject Incomplete "a number with fewer bits or roots".

  (** A number as a multiple of 1/d. *)
  Definition numerator_over (d : positive) (x : t) : result Z :=
    let* r := rational x in
    let (n, e) := r in
    if Pos.eqb d e then Ok n else
    let (q, rest) := Fractions.divided d e in
    let* _ := need (Z.eqb rest 0) "a common denominator" in
    Ok (Z.mul n q).

  Definition count (n : Z) (l : list (positive * Z)) : Z := fold_left (fun n _ => Z.succ n) l n.

  Definition prepared (k : positive) (x : variable t) : result argument :=
    match x with
    | Free => Ok (Argument k None [] 0 1 0)
    | Neuron a s =>
        let* c := rational (constant s) in
        let* d := denominator_of (terms s) (snd c) in
        let* _ := short d in
        let* b := numerator_over d (constant s) in
        let* ws := collect (fun kw => let* w := numerator_over d (snd kw) in Ok (fst kw, w)) (terms s) [] in
        Ok (Argument k (Some a) ws b d (count (if Z.eqb b 0 then 0 else 1)%Z ws))
    end.

  (** Those of all variables before [upto]. *)
  Fixpoint prepared_below (upto : positive) (items : list (positive * variable t)) (done : list argument)
      : result (list argument) :=
    match items with
    | [] => Ok (rev' done)
    | (k, x) :: rest =>
        if Pos.leb upto k then Ok (rev' done)
        else let* a := prepared k x in prepared_below upto rest (a :: done)
    end.
End Arguments.

(** ** Ranges *)

(** Numerators of the least and the largest value, from those of the offset on;
    and the weights that count.  A variable that is 0 on a range below 0 has no
    slope: it does not count.  (If the range is just 0, the slope is 1.) *)
Fixpoint range_over (known : trie (Z * Z * bool)) (l live : list (positive * Z)) (low high : Z)
    : result (list (positive * Z) * Z * Z) :=
  match l with
  | [] => Ok (live, low, high)
  | (k, w) :: rest =>
      match find k known with
      | None => Reject Invalid "a sum over variables before it"
      | Some (l, h, idle) =>
          if (if idle then if Z.eqb l 0 then Z.eqb h 0 else false else false) then range_over known rest live low high
          else if Z.leb 0 w
          then range_over known rest ((k, w) :: live) (Z.add low (Z.mul w l)) (Z.add high (Z.mul w h))
          else range_over known rest ((k, w) :: live) (Z.add low (Z.mul w h)) (Z.add high (Z.mul w l))
      end
  end.

(** The range of an argument, from those of the variables before it. *)
Definition range_of (known : trie (Z * Z * bool)) (x : argument) : result (list (positive * Z) * Z * Z) :=
  match kind x with
  | None => Ok ([], 0%Z, one)
  | Some _ =>
      let start := Z.mul (offset x) one in
      let* r := range_over known (weights x) [] start start in
      let '(live, low, high) := r in
      Ok (live, Z.div low (Zpos (below x)), ceiling high (below x))
  end.

Definition image (a : activation) (z : Z) : Z :=
  match a with
  | Relu => most 0 z
  | Clip => least one (most 0 z)
  | Identity => z
  end.

Definition values (a : option activation) (l h : Z) : Z * Z :=
  match a with
  | None => (l, h)
  | Some a => (image a l, image a h)
  end.

Definition kink (l h z : Z) : list Z := if Z.ltb l z then if Z.ltb z h then [z] else [] else [].

Definition kinks_between (a : activation) (l h : Z) : list Z :=
  match a with
  | Relu => kink l h 0
  | Clip => kink l h 0 ++ kink l h one
  | Identity => []
  end.

(** ** The coarse walk *)

(** Variables from the last to the first, with their coefficients
    top / (under slope units). *)
Record coefficient := Coefficient { of : positive; top : Z; under : positive }.

(** n / d + m / e *)
Definition plus (n : Z) (d : positive) (m : Z) (e : positive) : Z * positive :=
  if Pos.eqb d e then (Z.add n m, d) else
  let '(_, (d', e')) := Pos.ggcd d e in (Z.add (Z.mul n (Zpos e')) (Z.mul m (Zpos d')), Pos.mul d' e).

(** Add weights times slope / d; both lists stand in the same order. *)
Fixpoint add_row (slope : Z) (d : positive) (l : list (positive * Z)) : list coefficient -> list coefficient :=
  match l with
  | [] => fun cs => cs
  | (k, w) :: rest => fix add2 (cs : list coefficient) : list coefficient :=
      match cs with
      | [] => Coefficient k (Z.mul slope w) d :: add_row slope d rest []
      | c :: cs' =>
          match Pos.compare k (of c) with
          | Gt => Coefficient k (Z.mul slope w) d :: add_row slope d rest cs
          | Lt => c :: add2 cs'
          | Eq =>
              let (n, e) := plus (top c) (under c) (Z.mul slope w) d in
              Coefficient k n e :: add_row slope d rest cs'
          end
      end
  end.

(** Rows that are still to be added, and the last variable that they have. *)
Record pending := Pending { rows : list (Z * entry); due : positive }.

Definition nothing_pending : pending := Pending [] 1.

Definition later (slope : Z) (e : entry) (p : pending) : pending :=
  match live e with
  | [] => p
  | (k, _) :: _ => Pending ((slope, e) :: rows p) (if Pos.ltb (due p) k then k else due p)
  end.

(** Add them, if one is about a variable from [k] on. *)
Definition settled (k : positive) (cs : list coefficient) (p : pending) : list coefficient * pending :=
  if Pos.leb k (due p)
  then (fold_left (fun cs r => add_row (fst r) (below (source (snd r))) (live (snd r)) cs) (rows p) cs, nothing_pending)
  else (cs, p).

(** The coefficient of the variable that is next, if it is not 0, and the others. *)
Definition next_coefficient (k : positive) (cs : list coefficient)
    : result (option (Z * positive) * list coefficient) :=
  match cs with
  | [] => Ok (None, [])
  | c :: rest =>
      match Pos.compare k (of c) with
      | Eq => Ok (if Z.eqb (top c) 0 then None else Some (top c, under c), rest)
      | Gt => Ok (None, cs)
      | Lt => Reject Invalid "sums over the variables"
      end
  end.

(** The slope of an activation, in units of 2^-16. *)
Definition slope_of (a : activation) (bent rising : bool) (l h : Z) : Z :=
  let full := Zpos Twins.slope_unit in
  if bent then
    if (if rising then true else match a with Relu => false | _ => true end)
    then Z.div (Z.mul full (Z.sub (image a h) (image a l))) (Z.sub h l)
    else if Z.ltb 0 (Z.add l h) then full else 0%Z
  else if (if Z.eqb (image a l) l then Z.eqb (image a h) h else false) then full else 0%Z.

(** The largest n y - m z over points z with the values y. *)
Fixpoint highest (a : activation) (n m : Z) (best : Z) (zs : list Z) : Z :=
  match zs with
  | [] => best
  | z :: rest => highest a n m (most best (Z.sub (Z.mul n (image a z)) (Z.mul m z))) rest
  end.

(** What is added for a neuron with the coefficient n / d: its slope, and the rest. *)
Definition relaxed (a : activation) (e : entry) (n : Z) (d : positive) : Z * Z :=
  let l := low e in
  let h := high e in
  let kinks := kinks_between a l h in
  let s := slope_of a (match kinks with [] => false | _ => true end) (Z.ltb 0 n) l h in
  let slope := Z.div (Z.mul n s) (Z.mul (Zpos d) (Zpos Twins.slope_unit)) in
  let m := Z.mul slope (Zpos d) in
  let best := highest a n m (Z.sub (Z.mul n (image a l)) (Z.mul m l)) (h :: kinks) in
  let x := source e in
  (slope, ceiling (Z.add (Z.mul best (Zpos (below x))) (Z.mul (Z.mul m one) (offset x)))
            (Pos.mul (Pos.mul d (below x)) excess)).

Fixpoint walk (es : list entry) (cs : list coefficient) (p : pending) (total : Z) : result Z :=
  match es with
  | [] =>
      let* _ := need (match cs, rows p with [], [] => true | _, _ => false end) "a sum over the variables" in
      Ok total
  | e :: before =>
      let k := place (source e) in
      let (cs, p) := settled k cs p in
      let* r := next_coefficient k cs in
      let (c, cs) := r in
      match c with
      | None => walk before cs p total
      | Some (n, d) =>
          match kind (source e) with
          | None =>
              let x := if Z.leb 0 n then high e else low e in
              walk before cs p (Z.add total (ceiling (Z.mul n x) (Pos.mul d excess)))
          | Some a =>
              let (slope, rest) := relaxed a e n d in
              walk before cs (if Z.eqb slope 0 then p else later slope e p) (Z.add total rest)
          end
      end
  end.

(** A bound of the argument, or of its opposite ([sign] is 1 or -1), in range units. *)
Definition bound_of (es : list entry) (x : argument) (live : list (positive * Z)) (sign : Z) : result Z :=
  let* total := walk es (add_row (Z.mul sign (Zpos slope_unit)) (below x) live []) nothing_pending 0 in
  let own := Z.mul (Z.mul sign (offset x)) (Zpos total_unit) in
  Ok (ceiling (Z.mul (Z.add (Z.mul total (Zpos (below x))) own) one) (Pos.mul (below x) total_unit)).

(** ** Sweeps *)

Section Sweep.
  Context {t : Type} (K : number t).

  (** A range within bounds; irrational ones are ignored. *)
  Definition narrowed (b : option (option t * option t)) (l h : Z) : Z * Z :=
    match b with
    | None => (l, h)
    | Some (low, high) =>
        (match low with
         | Some x => match rational_part K x with Some (n, d) => most l (Z.div (Z.mul n one) (Zpos d)) | None => l end
         | None => l
         end,
         match high with
         | Some x => match rational_part K x with Some (n, d) => least h (ceiling (Z.mul n one) d) | None => h end
         | None => h
         end)
    end.

  Definition multiple (n : Z) : t := fraction K n range_unit.

  (** Better ends, which become bounds, if there is a kink between these; [weight]
      is how many weights the variables before have. *)
  Definition improved (es : list entry) (x : argument) (live : list (positive * Z)) (l h weight : Z)
      (known : facts t) (budget : Z) : result (Z * Z * facts t * Z) :=
    match match kind x with Some a => kinks_between a l h | None => [] end with
    | [] => Ok (l, h, known, budget)
    | _ =>
        let* budget := pay (Z.mul 2 (leaf_cost weight)) budget in
        let* up := bound_of es x live 1 in
        let* down := bound_of es x live (-1) in
        let l := most l (Z.opp down) in
        let h := least h up in
        Ok (l, h, set (place x) (Some (multiple l), Some (multiple h)) known, budget)
    end.

  (** [ranges] are those of the variables so far, and whether the argument may be below 0. *)
  Fixpoint sweep_from (xs : list argument) (es : list entry) (ranges : trie (Z * Z * bool)) (weight : Z)
      (known : facts t) (budget : Z) : result (facts t * Z) :=
    match xs with
    | [] => Ok (known, budget)
    | x :: rest =>
        let k := place x in
        let* r := range_of ranges x in
        let '(live, l, h) := r in
        let (l, h) := narrowed (find k known) l h in
        if Z.ltb h l then Ok (known, budget) else
        let* r := improved es x live l h weight known budget in
        let '(l, h, known, budget) := r in
        if Z.ltb h l then Ok (known, budget) else
        sweep_from rest (Entry x live l h :: es) (set k (values (kind x) l h, Z.ltb l 0) ranges) (Z.add weight (width x))
          known budget
    end.

  (** Better bounds of the arguments of all variables before [upto]. *)
  Definition sweep (upto : positive) (items : list (positive * variable t)) (known : facts t) (budget : Z)
      : result (facts t * Z) :=
    let* xs := prepared_below K upto items [] in
    sweep_from xs [] Empty 0 known budget.
End Sweep.
