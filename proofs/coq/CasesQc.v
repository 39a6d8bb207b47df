(** * CasesQc.v -- CasesSound.v over the rational numbers *)

From Coq Require Import List.
From VeriMV Require Export SumsQc Cases.
Import ListNotations.
Open Scope Qc_scope.

Load "CasesSound".
