(** * MergeR.v -- MergeSound.v over the real numbers *)

From Coq Require Import List.
From VeriMV Require Export SumsR Merge.
Import ListNotations.
Open Scope R_scope.

Load "MergeSound".
