(** * ReadR.v -- ReadSound.v over the real numbers *)

From Coq Require Import List NArith.
From VeriMV Require Export SumsR.
From VeriMV Require Networks Checker.
Import ListNotations.
Open Scope R_scope.

Load "ReadSound".
