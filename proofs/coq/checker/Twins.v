(** * Twins.v -- neurons that are compared with others (section 8 of FORMAT.md)

    What this file defines, in plain words.  A neuron act(y) may have a twin
    act(z), an earlier variable with the same activation, with which it is
    compared by way of z' = p z + q.  Kinks cut the ranges of y and of z' into
    pieces, on each of which the activation is affine; a cell is a piece of either
    that have a point in common, as far as the range of the change d = y - z'
    tells.  [compare] gives numbers mu, nu and a peak such that

      c act(y) <= c act(z') + mu d + nu z' + peak

    or it finds that there is no cell, and so no point.  Why this is right is
    proved in TwinsSound.v. *)

From Coq Require Import ZArith List String Bool.
From VeriMV Require Import Syntax Map Number Sums.
Import ListNotations.

(** Default slopes are multiples of 1/65536. *)
Definition slope_unit : positive := 65536.

(** The twin of a neuron, p and q; act(p z + q) is [of_value] act(z) + [of_argument] z + q
    for every z; and known bounds of the change. *)
Record twin (t : Type) := Twin {
  partner : positive;
  factor : t;
  offset : t;
  of_value : t;
  of_argument : t;
  change : option t * option t
}.
Arguments Twin {t}.
Arguments partner {t}.
Arguments factor {t}.
Arguments offset {t}.
Arguments of_value {t}.
Arguments of_argument {t}.
Arguments change {t}.

(** From [first] to [last], act(x) is x if it [rises], and 0 if not; plus 1 if it is [full]. *)
Record piece (t : Type) := Piece { first : t; last : t; rises : bool; full : bool }.
Arguments Piece {t}.
Arguments first {t}.
Arguments last {t}.
Arguments rises {t}.
Arguments full {t}.

Section Twins.
  Context {t : Type} (K : number t).
  Notation zero := (zero K).
  Notation one := (one K).

  (** ** Twins *)

  (** rho(p z) = p rho(z), but -p rho(z) + p z for p < 0; sigma(1 - z) = 1 - sigma(z). *)
  Definition new_twin (a : activation) (m : positive) (p : t) : result (twin t) :=
    let* negative := lt K p zero in
    match a with
    | Relu =>
        Ok (if negative then Twin m p zero (opp K p) p (None, None) else Twin m p zero p zero (None, None))
    | Identity => Ok (Twin m p zero p zero (None, None))
    | Clip =>
        let* _ := need (eqb K p one || eqb K p (int K (-1))) "the factor 1 or -1" in
        Ok (Twin m p (if negative then one else zero) p zero (None, None))
    end.

  (** With another known bound of the change. *)
  Definition with_change (w : twin t) (known : option t * option t) : twin t :=
    Twin (partner w) (factor w) (offset w) (of_value w) (of_argument w) known.

  (** ** Pieces and cells *)

  Definition pieces (a : activation) (l h : t) : result (list (piece t)) :=
    let* begins_below := lt K l zero in
    let* ends_below := le K h zero in
    let* upto_zero := smaller K h zero in
    let* from_zero := larger K l zero in
    let flat := if begins_below || ends_below then [Piece l upto_zero false false] else [] in
    match a with
    | Identity => Ok [Piece l h true false]
    | Relu => Ok (flat ++ if ends_below then [] else [Piece from_zero h true false])
    | Clip =>
        let* begins_early := lt K l one in
        let* ends_late := lt K one h in
        let* upto_one := smaller K h one in
        let* from_one := larger K l one in
        Ok (flat ++ (if negb ends_below && begins_early then [Piece from_zero upto_one true false] else [])
                 ++ (if ends_late || negb begins_early then [Piece from_one h false true] else []))
    end.

  (** Whether there may be a point in two pieces, given the range of the change. *)
  Definition meet (least most : t) (z y : piece t) : result bool :=
    let* b := le K (add K (first z) least) (last y) in
    let* b' := le K (first y) (add K (last z) most) in
    Ok (b && b').

  Fixpoint cells_with (least most : t) (z : piece t) (ys : list (piece t)) : result (list (piece t * piece t)) :=
    match ys with
    | [] => Ok []
    | y :: rest =>
        let* b := meet least most z y in
        let* cells := cells_with least most z rest in
        Ok (if b then (z, y) :: cells else cells)
    end.

  Fixpoint cells (least most : t) (zs ys : list (piece t)) : result (list (piece t * piece t)) :=
    match zs with
    | [] => Ok []
    | z :: rest =>
        let* some := cells_with least most z ys in
        let* others := cells least most rest ys in
        Ok (some ++ others)
    end.

  (** ** The peak *)

  (** The largest c x for x from l to h. *)
  Definition largest (c l h : t) : result t :=
    let* falling := le K c zero in
    Ok (dot K [(c, if falling then l else h)] zero).

  (** c, or 0 *)
  Definition where_ (b : bool) (c : t) : t := if b then c else zero.

  (** On a cell, c (act(y) - act(z')) - mu d - nu z' is A z' + B d + C; as
      y = z' + d, it can be bounded in three ways. *)
  Definition height (c mu nu least most : t) (cell : piece t * piece t) : result t :=
    let (z, y) := cell in
    let B := sub K (where_ (rises y) c) mu in
    let A := sub K (sub K (where_ (rises y) c) (where_ (rises z) c)) nu in
    let* z1 := largest A (first z) (last z) in
    let* d1 := largest B least most in
    let* z2 := largest (sub K A B) (first z) (last z) in
    let* y2 := largest B (first y) (last y) in
    let* y3 := largest A (first y) (last y) in
    let* d3 := largest (sub K B A) least most in
    let* m := smaller K (add K z1 d1) (add K z2 y2) in
    let* m := smaller K m (add K y3 d3) in
    Ok (add K m (sub K (where_ (full y) c) (where_ (full z) c))).

  Fixpoint peak (c mu nu least most : t) (top : t) (cells : list (piece t * piece t)) : result t :=
    match cells with
    | [] => Ok top
    | cell :: rest =>
        let* h := height c mu nu least most cell in
        let* top := larger K top h in
        peak c mu nu least most top rest
    end.

  (** ** Multipliers *)

  (** c times the slope of a line above max(0,d), for c > 0, or below min(0,d), rounded down. *)
  Definition default_change (c least most : t) : result t :=
    let* falling := le K c zero in
    let* grows := le K zero least in
    if grows then Ok (where_ (negb falling) c) else
    let* shrinks := le K most zero in
    if shrinks then Ok (where_ falling c) else
    match rational_part K least, rational_part K most with
    | Some _, Some _ =>
        match rational_part K (if falling then opp K least else most), rational_part K (sub K most least) with
        | Some (rise, d), Some (run, d') =>
            let above := Z.mul (Z.mul (Zpos slope_unit) rise) (Zpos d') in
            Ok (dot K [(c, fraction K (Z.div above (Z.mul (Zpos d) run)) slope_unit)] zero)
        | _, _ => Ok zero
        end
    | _, _ => Ok zero
    end.

  Definition given (ms : list t) : result (t * t * list t) :=
    match ms with
    | mu :: nu :: ms => Ok (mu, nu, ms)
    | _ => Reject Malformed "two multipliers"
    end.

  (** mu and nu, and the multipliers that are left.  With one cell only, the
      comparison is exact, unless a split wants multipliers. *)
  Definition multipliers (by_default is_split : bool) (c least most : t) (cells : list (piece t * piece t))
      (ms : list t) : result (t * t * list t) :=
    match cells with
    | [(z, y)] =>
        if by_default || negb is_split
        then Ok (where_ (rises y) c, sub K (where_ (rises y) c) (where_ (rises z) c), ms)
        else given ms
    | _ =>
        if by_default then let* mu := default_change c least most in Ok (mu, zero, ms)
        else given ms
    end.

  Definition narrowed (l h : t) (known : option t * option t) : result (t * t) :=
    let* l := match fst known with Some x => larger K l x | None => Ok l end in
    let* h := match snd known with Some x => smaller K h x | None => Ok h end in
    Ok (l, h).

  (** For a neuron with the coefficient c, whose argument is from [yl] to [yh] and
      that of its twin from [zl] to [zh]: mu, nu, the peak, and the multipliers
      that are left; none if there is no cell. *)
  Definition compare (by_default is_split : bool) (a : activation) (w : twin t) (c zl zh yl yh : t) (ms : list t)
      : result (option (t * t * t * list t)) :=
    let* falling := le K (factor w) zero in
    let image z := add K (mul K (factor w) z) (offset w) in
    let (zl, zh) := if falling then (image zh, image zl) else (image zl, image zh) in
    let* d := narrowed (sub K yl zh) (sub K yh zl) (change w) in
    let (least, most) := d in
    let* zs := pieces a zl zh in
    let* ys := pieces a yl yh in
    let* found := cells least most zs ys in
    match found with
    | [] => Ok None
    | cell :: rest =>
        let* m := multipliers by_default is_split c least most found ms in
        let '(mu, nu, ms) := m in
        let* _ := fitting K mu in
        let* _ := fitting K nu in
        let* top := height c mu nu least most cell in
        let* top := peak c mu nu least most top rest in
        Ok (Some (mu, nu, top, ms))
    end.
End Twins.
