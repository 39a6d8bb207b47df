(** * SoundQc.v -- Sound.v over the rational numbers *)

From Coq Require Import List Bool NArith Nnat.
From VeriMV Require Export CheckerQc SharingQc.
From VeriMV Require Networks Checker.
Import ListNotations.
Open Scope Qc_scope.

Load "Sound".
