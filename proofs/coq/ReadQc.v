(** * ReadQc.v -- ReadSound.v over the rational numbers *)

From Coq Require Import List NArith.
From VeriMV Require Export SumsQc.
From VeriMV Require Networks Checker.
Import ListNotations.
Open Scope Qc_scope.

Load "ReadSound".
