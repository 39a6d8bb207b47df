(** * Forms.v -- affine forms, formulas and whole networks

    What this file proves, in plain words.

    - Affine forms: adding, negating and scaling forms does to their values
      what it should; if all atoms lie in [0,1], the value lies between the
      interval bounds [lo] and [hi].
    - Networks: a row of weights applied to values that are affine forms gives
      again an affine form, obtained by substitution ([compose_sound]).  If, in
      every layer, each neuron's activation of its substituted argument is the
      value of the form claimed for it, then the forms claimed for the last
      layer are the outputs of the network ([network_sound]).
    - Formulas: substituting formulas for variables is evaluating in two steps
      ([subst_sound]).
    - Inputs: x = low + (high-low) u maps [0,1] onto [low,high].

    Compiled twice, over the rational and over the real numbers: see Unit.v. *)

From Coq Require Import List Arith.
From VeriMV Require Import Syntax.
From VeriMV Require Export Rules.
Import ListNotations.
Open Scope Qc_scope.

(** ** Affine forms *)

(** A form is a list of terms (atom, coefficient) and a constant.  The same
    atom may occur more than once. *)
Definition form : Type := list (nat * F) * F.

Fixpoint eval_terms (env : nat -> F) (ts : list (nat * F)) : F :=
  match ts with
  | [] => 0
  | (i, c) :: rest => c * env i + eval_terms env rest
  end.

Definition eval_form (env : nat -> F) (f : form) : F :=
  eval_terms env (fst f) + snd f.

Definition form_const (b : F) : form := ([], b).
Definition form_atom (i : nat) : form := ([(i, 1)], 0).
Definition form_add (f g : form) : form := (fst f ++ fst g, snd f + snd g).
Definition scale_terms (r : F) (ts : list (nat * F)) : list (nat * F) :=
  map (fun t => (fst t, r * snd t)) ts.
Definition form_scale (r : F) (f : form) : form :=
  (scale_terms r (fst f), r * snd f).
Definition form_neg (f : form) : form := form_scale (-1) f.

Lemma eval_terms_app env ts us :
  eval_terms env (ts ++ us) = eval_terms env ts + eval_terms env us.
Proof. induction ts as [| [i c] ts IH]; simpl; [| rewrite IH]; lra. Qed.

Lemma eval_terms_scale env r ts :
  eval_terms env (scale_terms r ts) = r * eval_terms env ts.
Proof. induction ts as [| [i c] ts IH]; simpl; [| rewrite IH]; lra. Qed.

Lemma form_const_sound env b : eval_form env (form_const b) = b.
Proof. unfold eval_form; simpl; lra. Qed.

Lemma form_atom_sound env i : eval_form env (form_atom i) = env i.
Proof. unfold eval_form; simpl; lra. Qed.

Lemma form_add_sound env f g :
  eval_form env (form_add f g) = eval_form env f + eval_form env g.
Proof. unfold eval_form; simpl. rewrite eval_terms_app. lra. Qed.

Lemma form_scale_sound env r f :
  eval_form env (form_scale r f) = r * eval_form env f.
Proof. unfold eval_form; simpl. rewrite eval_terms_scale. lra. Qed.

Lemma form_neg_sound env f : eval_form env (form_neg f) = - eval_form env f.
Proof. unfold form_neg. rewrite form_scale_sound. lra. Qed.

(** *** Collecting terms

    [add_term] adds a term to a list, joining it with the first term of the
    same atom; [collect] does so for all terms.  The value does not change. *)
Fixpoint add_term (i : nat) (c : F) (ts : list (nat * F)) : list (nat * F) :=
  match ts with
  | [] => [(i, c)]
  | (j, d) :: rest =>
      if Nat.eqb i j then (j, c + d) :: rest else (j, d) :: add_term i c rest
  end.

Fixpoint collect (ts : list (nat * F)) : list (nat * F) :=
  match ts with
  | [] => []
  | (i, c) :: rest => add_term i c (collect rest)
  end.

Lemma add_term_sound env i c ts :
  eval_terms env (add_term i c ts) = c * env i + eval_terms env ts.
Proof.
  induction ts as [| [j d] ts IH]; simpl; [lra |].
  destruct (Nat.eqb_spec i j) as [-> | _]; simpl; [| rewrite IH]; lra.
Qed.

Lemma collect_sound env f : eval_form env (collect (fst f), snd f) = eval_form env f.
Proof.
  unfold eval_form; simpl. f_equal.
  induction (fst f) as [| [i c] ts IH]; simpl; trivial.
  rewrite add_term_sound, IH. lra.
Qed.

(** *** The range of a form over atoms of [0,1] *)

Fixpoint lo_terms (ts : list (nat * F)) : F :=
  match ts with
  | [] => 0
  | (_, c) :: rest => fmin 0 c + lo_terms rest
  end.

Fixpoint hi_terms (ts : list (nat * F)) : F :=
  match ts with
  | [] => 0
  | (_, c) :: rest => fmax 0 c + hi_terms rest
  end.

Definition lo (f : form) : F := lo_terms (fst f) + snd f.
Definition hi (f : form) : F := hi_terms (fst f) + snd f.

Lemma term_range c x : unit x -> fmin 0 c <= c * x <= fmax 0 c.
Proof.
  unfold unit. intros H.
  destruct (le_or_lt 0 c).
  - rewrite fmin_left, fmax_right by lra. nra.
  - rewrite fmin_right, fmax_left by lra. nra.
Qed.

Lemma terms_range env ts : (forall i, In i (map fst ts) -> unit (env i)) ->
  lo_terms ts <= eval_terms env ts <= hi_terms ts.
Proof.
  induction ts as [| [i c] ts IH]; simpl; intros H; [lra |].
  assert (Hi : unit (env i)) by (apply H; now left).
  pose proof (term_range c (env i) Hi).
  assert (lo_terms ts <= eval_terms env ts <= hi_terms ts) by (apply IH; auto).
  lra.
Qed.

(** Only the atoms that occur in the form need to lie in [0,1]. *)
Theorem form_range env f : (forall i, In i (map fst (fst f)) -> unit (env i)) ->
  lo f <= eval_form env f <= hi f.
Proof.
  intros H. unfold lo, hi, eval_form.
  pose proof (terms_range env (fst f) H). lra.
Qed.

Corollary form_range_all env f : (forall i, unit (env i)) ->
  lo f <= eval_form env f <= hi f.
Proof. intros H. apply form_range. auto. Qed.

(** ** Rows, layers, networks *)

(** Products stop at the end of the shorter list; missing weights count as 0. *)
Fixpoint dot (ws xs : list F) : F :=
  match ws, xs with
  | w :: ws', x :: xs' => w * x + dot ws' xs'
  | _, _ => 0
  end.

(** A row: weights and bias. *)
Definition row : Type := list F * F.
Definition apply_row (r : row) (xs : list F) : F := dot (fst r) xs + snd r.

Definition activate (a : activation) (t : F) : F :=
  match a with
  | Relu => rho t
  | Clip => sigma t
  | Identity => t
  end.

(** A layer: its rows and their common activation. *)
Definition layer : Type := list row * activation.

Definition apply_layer (l : layer) (xs : list F) : list F :=
  map (fun r => activate (snd l) (apply_row r xs)) (fst l).

Fixpoint forward (net : list layer) (xs : list F) : list F :=
  match net with
  | [] => xs
  | l :: rest => forward rest (apply_layer l xs)
  end.

Lemma forward_app net1 net2 xs :
  forward (net1 ++ net2) xs = forward net2 (forward net1 xs).
Proof. revert xs. induction net1; simpl; auto. Qed.

(** *** Substituting forms into a row *)

Fixpoint compose_terms (ws : list F) (fs : list form) : form :=
  match ws, fs with
  | w :: ws', f :: fs' => form_add (form_scale w f) (compose_terms ws' fs')
  | _, _ => form_const 0
  end.

Definition compose (r : row) (fs : list form) : form :=
  form_add (compose_terms (fst r) fs) (form_const (snd r)).

Lemma compose_terms_sound env ws fs :
  eval_form env (compose_terms ws fs) = dot ws (map (eval_form env) fs).
Proof.
  revert fs. induction ws as [| w ws IH]; intros [| f fs]; cbn [compose_terms dot map];
    try apply form_const_sound.
  now rewrite form_add_sound, form_scale_sound, IH.
Qed.

Theorem compose_sound env r fs :
  eval_form env (compose r fs) = apply_row r (map (eval_form env) fs).
Proof.
  unfold compose, apply_row.
  now rewrite form_add_sound, compose_terms_sound, form_const_sound.
Qed.

(** *** Networks

    [claims_hold env net claims inputs]: [inputs] are the forms of the values
    that enter [net]; [claims] has one list of forms for every layer, one form
    for every neuron; each neuron's activation, applied to its argument after
    substitution of the forms of the layer before, is the claimed form.
    The rules of Rules.v for neurons establish these equations. *)
Fixpoint claims_hold (env : nat -> F) (net : list layer)
    (claims : list (list form)) (inputs : list form) : Prop :=
  match net, claims with
  | [], [] => True
  | l :: net', fs :: claims' =>
      Forall2 (fun r f =>
        activate (snd l) (eval_form env (compose r inputs)) = eval_form env f)
        (fst l) fs
      /\ claims_hold env net' claims' fs
  | _, _ => False
  end.

Lemma layer_sound env (l : layer) inputs fs :
  Forall2 (fun r f =>
    activate (snd l) (eval_form env (compose r inputs)) = eval_form env f)
    (fst l) fs ->
  apply_layer l (map (eval_form env) inputs) = map (eval_form env) fs.
Proof.
  unfold apply_layer. induction 1 as [| r f rs fs H _ IH]; simpl; trivial.
  rewrite compose_sound in H. now rewrite H, IH.
Qed.

Lemma last_cons (A : Type) (x y : A) (xs : list A) :
  last (x :: xs) y = last xs x.
Proof.
  revert x y. induction xs as [| z xs IH]; intros x y; [reflexivity |].
  change (last (z :: xs) y = last (z :: xs) x). now rewrite (IH z y), (IH z x).
Qed.

(** For an empty network the last layer is the list of inputs. *)
Theorem network_sound env net claims inputs :
  claims_hold env net claims inputs ->
  forward net (map (eval_form env) inputs)
  = map (eval_form env) (last claims inputs).
Proof.
  revert claims inputs.
  induction net as [| l net IH]; intros [| fs claims] inputs; cbn [claims_hold].
  - reflexivity.
  - contradiction.
  - contradiction.
  - intros [Hl Hrest]. cbn [forward].
    now rewrite (layer_sound env l inputs fs Hl), (IH claims fs Hrest), last_cons.
Qed.

(** ** Formulas *)

Inductive term :=
  | Var (i : nat)
  | Zero
  | One
  | Not (t : term)
  | Plus (t u : term)
  | Times (t u : term)
  | Scale (r : F) (t : term).

Fixpoint eval (env : nat -> F) (t : term) : F :=
  match t with
  | Var i => env i
  | Zero => 0
  | One => 1
  | Not t => neg (eval env t)
  | Plus t u => oplus (eval env t) (eval env u)
  | Times t u => odot (eval env t) (eval env u)
  | Scale r t => r * eval env t
  end.

Fixpoint subst (s : nat -> term) (t : term) : term :=
  match t with
  | Var i => s i
  | Zero => Zero
  | One => One
  | Not t => Not (subst s t)
  | Plus t u => Plus (subst s t) (subst s u)
  | Times t u => Times (subst s t) (subst s u)
  | Scale r t => Scale r (subst s t)
  end.

Theorem subst_sound env s t :
  eval env (subst s t) = eval (fun i => eval env (s i)) t.
Proof. induction t; simpl; congruence. Qed.

(** A formula is proper if its factors lie in [0,1]; then so does its value. *)
Fixpoint proper (t : term) : Prop :=
  match t with
  | Var _ | Zero | One => True
  | Not t => proper t
  | Plus t u | Times t u => proper t /\ proper u
  | Scale r t => unit r /\ proper t
  end.

Lemma eval_unit env t : (forall i, unit (env i)) -> proper t -> unit (eval env t).
Proof.
  intros He. induction t; simpl; intros Hp;
    [ apply He | apply unit_zero | apply unit_one | apply neg_unit
    | apply oplus_unit | apply odot_unit | apply scale_unit ]; tauto.
Qed.

(** ** The input map *)

Definition input_map (low high u : F) : F := low + (high - low) * u.

Lemma input_map_into low high u :
  low <= high -> unit u -> low <= input_map low high u <= high.
Proof. unfold unit, input_map. intros. nra. Qed.

Lemma input_map_onto low high x :
  low <= x <= high -> exists u, unit u /\ x = input_map low high u.
Proof.
  unfold unit, input_map. intros H.
  destruct (lt_or_eq low high) as [Hlt | Heq]; [lra | |].
  - exists ((x - low) / (high - low)).
    assert (E : (high - low) * ((x - low) / (high - low)) = x - low) by (apply mul_div; lra).
    split; [split |]; nra.
  - exists 0. lra.
Qed.

(** Exactly the points of [low,high] are reached. *)
Theorem input_map_exact low high x : low <= high ->
  (low <= x <= high <-> exists u, unit u /\ x = input_map low high u).
Proof.
  intros H. split.
  - apply input_map_onto.
  - intros (u & Hu & ->). now apply input_map_into.
Qed.
