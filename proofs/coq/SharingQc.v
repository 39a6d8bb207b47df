(** * SharingQc.v -- SharingSound.v over the rational numbers *)

From Coq Require Import List Bool NArith.
From VeriMV Require Export StoreQc CasesQc ReadQc.
From VeriMV Require Networks Cases Sharing Checker.
Import ListNotations.
Open Scope Qc_scope.

Load "SharingSound".
