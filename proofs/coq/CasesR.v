(** * CasesR.v -- CasesSound.v over the real numbers *)

From Coq Require Import List.
From VeriMV Require Export SumsR Cases.
Import ListNotations.
Open Scope R_scope.

Load "CasesSound".
