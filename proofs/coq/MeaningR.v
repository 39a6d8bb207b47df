(** * MeaningR.v -- Meaning.v over the real numbers *)

From Coq Require Import List.
From VeriMV Require Export OverR Syntax Map Number.
Import ListNotations.
Open Scope R_scope.

Load "Meaning".
