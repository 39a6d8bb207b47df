(** * MergeQc.v -- MergeSound.v over the rational numbers *)

From Coq Require Import List.
From VeriMV Require Export SumsQc Merge.
Import ListNotations.
Open Scope Qc_scope.

Load "MergeSound".
