(** * ProgressR.v -- ProgressSound.v over the real numbers *)

From Coq Require Import List Bool NArith Nnat.
From VeriMV Require Export ClaimsR ReadR.
From VeriMV Require Networks.
Import ListNotations.
Open Scope R_scope.

Load "ProgressSound".
