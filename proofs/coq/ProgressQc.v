(** * ProgressQc.v -- ProgressSound.v over the rational numbers *)

From Coq Require Import List Bool NArith Nnat.
From VeriMV Require Export ClaimsQc ReadQc.
From VeriMV Require Networks.
Import ListNotations.
Open Scope Qc_scope.

Load "ProgressSound".
