(** * SumsQc.v -- SumsSound.v over the rational numbers *)

From Coq Require Import List.
From VeriMV Require Export MeaningQc Sums.
Import ListNotations.
Open Scope Qc_scope.

Load "SumsSound".
