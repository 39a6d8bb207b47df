(** * Syntax.v -- what the checker reads

    What this file defines, in plain words: the subjects of a certificate
    (networks and formulas), its lines, and the answers of the checker, as
    datatypes.  The reader, which is not verified, turns files into these
    values; from there on everything is proved.  Section numbers are those of
    proofs/FORMAT.md. *)

From Coq Require Import ZArith List String.

(** ** Answers (section 1) *)

Inductive rejection := Invalid | Malformed | Incomplete.

(** What a step of the checker gives: a result, or a rejection and its reason. *)
Inductive result (A : Type) : Type :=
  | Ok (a : A)
  | Reject (r : rejection) (why : string).
Arguments Ok {A}.
Arguments Reject {A}.

(** ** Numbers (section 2)

    A term "-3*sqrt(8)/4" is read as [Term (-3) 4 8]; without a root, the
    radicand is 1.  A number is the sum of its terms, in the order of the text. *)

Record term := Term { numerator : Z; denominator : positive; radicand : N }.
Definition exact : Type := list term.

(** ** Networks (section 3) *)

Inductive activation := Relu | Clip | Identity.

(** Weights (j, w), j counted from 0, and the bias; what is left out is 0. *)
Record row := Row { weights : list (N * exact); bias : exact }.
Record layer := Layer { act : activation; rows : list row }.

(** For each input a pair (low, high); then the layers, the first one first. *)
Record network := Network { box : list (exact * exact); layers : list layer }.

(** ** Formulas (section 3)

    Names are numbers: 0 and 1 are the constants, 2 + j is input j, and after
    the inputs come the definitions, in order.  A factor has the number of its
    text among the texts in brackets (so that "d[2]" and "D[1/2]" are different
    operators) and its amount. *)

Record factor := Factor { text : N; amount : exact }.

Inductive prefix := Negation | Multiple (f : factor).

(** The prefixes as they are written, the outermost first. *)
Record operand := Operand { prefixes : list prefix; name : N }.

Inductive connective := Sum | Product.

(** first (op) second (op) third ..., from the left. *)
Record definition := Definition_ { op : connective; first : operand; others : list operand }.

Record formula := Formula { definitions : list definition; outputs : list N }.

(** ** Subjects (section 1) *)

Inductive subjects :=
  | NetworkFormula (n : network) (f : formula)
  | NetworkFormulaSource (n : network) (f : formula) (source : network)
  | OriginalFormula (inputs : N) (original f : formula)
  | NetworkAlone (n : network)
  | NetworkOther (n other : network).

(** A certificate has one part; or two, the first about a network and another
    one, the second about that one and a formula. *)
Inductive topic :=
  | OnePart (subject : subjects)
  | Within (n other : network) (f : formula).

(** ** Cases (section 8)

    The numbers of a case are read when its turn comes; what cannot be read is
    malformed then, a leaf a bit later than anything else. *)

Inductive side := Low | High.

Inductive case :=
  | Split (k : N) (point : exact)
  | Lemma_ (k : N) (s : side) (value : exact)
  | Sweep
  | Leaf (multipliers : list exact)
  | Pair (multipliers : list exact)
  | BrokenLeaf
  | BrokenCase.

(** ** Lines (sections 6, 7, 9)

    Numbers of claims are any integers, the others are not negative. *)

Inductive rule :=
  | RNode (k : N)
  | RAtom (c : Z)
  | RNot (c : Z)
  | RScale (f : factor) (c : Z)
  | RPlus (cs : list Z)
  | RTimes (cs : list Z)
  | RLemma (g h c : Z)
  | RCut (f g c : Z) (lambda mu : exact)
  | RSort (p : N) (cs : list Z)
  | RAverage (s p : N) (a : Z) (cs : list Z)
  | RSame (a b : Z)
  | REquals (a b : Z) (cone : list (option Z)) (cases : list case)
  | RUnit (l i : N) (r : exact) (s : Z)
  | RAffine (l i : N)
  | RClip (l i : N) (B : exact) (p : N) (us : list Z)
  | RBound (l i : N) (s : side) (value : exact) (cases : list case)
  | RTwin (l i m : N) (p : exact)
  | RApart (l i : N) (s : side) (value : exact) (cases : list case)
  | ROutput (k : N) (c : Z) (scale offset : exact)
  | REqual (k : N) (a b : Z)
  | RFormula
  (** a known rule with as many arguments as it should have, one of which
      cannot be read (what cannot be read in a cone is [None] there) *)
  | RBroken.

(** A line costs a step for its name and for each argument (section 4). *)
Record line := Line { arguments : N; what : rule }.
