(** * OverR.v -- the rules, proved over the real numbers *)

From Coq Require Import List Arith.
From VeriMV Require Import Syntax.
From VeriMV Require Export FieldR.
Import ListNotations.
Open Scope R_scope.

Load "Unit".
Load "Rules".
Load "Forms".
Load "Sort".
Load "Bounds".
