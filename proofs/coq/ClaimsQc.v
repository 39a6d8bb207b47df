(** * ClaimsQc.v -- ClaimsSound.v over the rational numbers *)

From Coq Require Import List Bool.
From VeriMV Require Export CasesQc MergeQc StoreQc.
From VeriMV Require Claims.
Import ListNotations.
Open Scope Qc_scope.

Load "ClaimsSound".
