(** * CheckerQc.v -- CheckerSound.v over the rational numbers *)

From Coq Require Import List Bool NArith Nnat.
From VeriMV Require Export ProgressQc.
From VeriMV Require Networks Checker.
Import ListNotations.
Open Scope Qc_scope.

Load "CheckerSound".
