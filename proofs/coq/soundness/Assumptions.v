(** * Assumptions.v -- what the proofs rest on

    Prints the axioms used by the main theorems.  Those over the rational
    numbers use none.  Over the real numbers, only the axioms by which the
    standard library builds them may appear:
    [ClassicalDedekindReals.sig_forall_dec], [ClassicalDedekindReals.sig_not_dec]
    (for square roots) and [FunctionalExtensionality.functional_extensionality_dep].
    The two theorems on the length of formulas as such use no axiom at all.

    (The checker called by [make check] lists all axioms of all files that are
    loaded, used or not; so it also names [classic], which other parts of the
    library of the reals use.) *)

From VeriMV Require Import SortR BoundsR Length.
From VeriMV Require Sort Bounds Theorems.

(** ** Over the real numbers *)

Definition theorems_of_Unit :=
  (oplus_assoc, oplus_comm, oplus_zero, neg_neg, oplus_one, lukasiewicz,
   odot_dual, max_identity, min_identity, sigma_complement).
Print Assumptions theorems_of_Unit.

Definition theorems_of_Rules :=
  ((rule_atom, rule_constant, rule_not, rule_scale, rule_scale_below, rule_divide,
    rule_plus, rule_plus_self, rule_times, rule_times_self, rule_lemma, lemma_negative,
    cut_by_cases, cut_multipliers, rule_cut, rule_zero, rule_one, rule_same, rule_equals),
   (rational_identity, rule_average, relu_replacement),
   (neuron_dead, neuron_full, neuron_affine, neuron_clip, neuron_clip_sigma,
    neuron_sigma, complement_reference),
   (rule_output, rule_output_range, rule_output_constant)).
Print Assumptions theorems_of_Rules.

Definition theorems_of_Forms :=
  (form_range, collect_sound, compose_sound, network_sound, subst_sound,
   input_map_exact).
Print Assumptions theorems_of_Forms.

Definition theorems_of_Sort := (merge_good, merge_equations, rule_sort).
Print Assumptions theorems_of_Sort.

Definition theorems_of_Length := (extracted_sound, length_theorem).
Print Assumptions theorems_of_Length.
Print Assumptions length_bound.
Print Assumptions extract_extracted.

Definition theorems_of_Bounds :=
  (neuron_peak, connectives, walk_sound, walk_infeasible, ranges_sound, empty_range,
   split_sound, bounded_sound, certified_sound, system_bound).
Print Assumptions theorems_of_Bounds.

Definition theorems_of_the_checker :=
  (Theorems.surd_checker_sound, Theorems.surd_box, Theorems.surd_within_box, Theorems.rational_checker_sound_over_R).
Print Assumptions theorems_of_the_checker.

(** ** Over the rational numbers *)

Definition rational_theorems :=
  ((Theorems.rational_checker_sound, Theorems.rational_box, Theorems.rational_within_box),
   (Rules.rule_scale_below, Rules.rule_plus, Rules.rule_plus_self, Rules.rule_times,
    Rules.rule_times_self, Rules.rule_lemma, Rules.rule_cut, Rules.rule_average,
    Rules.neuron_clip, Rules.neuron_clip_sigma, Sort.merge_good, Bounds.neuron_points)).
Print Assumptions rational_theorems.
