(** * OverQc.v -- the rules, proved over the rational numbers, without an axiom *)

From Coq Require Import List Arith.
From VeriMV Require Import Syntax.
From VeriMV Require Export FieldQc.
Import ListNotations.
Open Scope Qc_scope.

Load "Unit".
Load "Rules".
Load "Forms".
Load "Sort".
Load "Bounds".
