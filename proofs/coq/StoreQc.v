(** * StoreQc.v -- StoreSound.v over the rational numbers *)

From Coq Require Import List.
From VeriMV Require Export SumsQc Store.
Import ListNotations.
Open Scope Qc_scope.

Load "StoreSound".
