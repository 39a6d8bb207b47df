(** * SumsR.v -- SumsSound.v over the real numbers *)

From Coq Require Import List.
From VeriMV Require Export MeaningR Sums.
Import ListNotations.
Open Scope R_scope.

Load "SumsSound".
