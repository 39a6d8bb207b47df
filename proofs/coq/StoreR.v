(** * StoreR.v -- StoreSound.v over the real numbers *)

From Coq Require Import List.
From VeriMV Require Export SumsR Store.
Import ListNotations.
Open Scope R_scope.

Load "StoreSound".
