(** * MeaningQc.v -- Meaning.v over the rational numbers *)

From Coq Require Import List.
From VeriMV Require Export OverQc Syntax Map Number.
Import ListNotations.
Open Scope Qc_scope.

Load "Meaning".
