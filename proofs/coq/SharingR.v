(** * SharingR.v -- SharingSound.v over the real numbers *)

From Coq Require Import List Bool NArith.
From VeriMV Require Export StoreR CasesR ReadR.
From VeriMV Require Networks Cases Sharing Checker.
Import ListNotations.
Open Scope R_scope.

Load "SharingSound".
