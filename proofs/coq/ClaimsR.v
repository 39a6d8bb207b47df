(** * ClaimsR.v -- ClaimsSound.v over the real numbers *)

From Coq Require Import List Bool.
From VeriMV Require Export CasesR MergeR StoreR.
From VeriMV Require Claims.
Import ListNotations.
Open Scope R_scope.

Load "ClaimsSound".
