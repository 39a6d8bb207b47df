(** * SoundR.v -- Sound.v over the real numbers *)

From Coq Require Import List Bool NArith Nnat.
From VeriMV Require Export CheckerR SharingR.
From VeriMV Require Networks Checker.
Import ListNotations.
Open Scope R_scope.

Load "Sound".
