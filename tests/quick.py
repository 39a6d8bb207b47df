"""The tests that `pytest -m quick` runs: within a minute, at least one file of every folder.

A file belongs here if all its tests (those marked slow apart) take a few seconds together; a test of a file that takes
longer, if it is the best there is.
"""

QUICK = {
    "approximation/test_front.py",
    "bounding/guess/test_relaxation.py",
    "bounding/prove/test_elimination.py",
    "bounding/search/test_record.py",
    "bounding/test_situation.py",
    "certificate/test_kernel.py",
    "certificate/test_statement.py",
    "cli/test_check.py",
    "cli/test_commands.py",
    "core/test_files.py",
    "core/workers/test_processes.py",
    "exact/test_exact.py",
    "extraction/strategies/test_halving.py",
    "extraction/test_paper.py",
    "formulas/test_dag.py",
    "formulas/test_good_sequence.py",
    "formulas/test_measure.py",
    "formulas/test_text.py",
    "kernels/test_verdicts.py",
    "networks/formats/onnx_format/test_operators.py",
    "networks/test_network.py",
    "networks/transforms/test_outputs.py",
    "paper/baselines/test_truncated.py",
    "paper/benchmarks/test_measured.py",
    "paper/experiments/test_random_terms.py",
    "pieces/test_piecewise.py",
    "questions/test_equality.py::test_either_way_gets_little_at_first",
    "questions/test_equality.py::test_when_the_time_is_over_nothing_more_is_tried",
    "show/pictures/test_drawings.py",
    "show/report/test_page.py",
    "simplification/test_scaling.py",
    "solvers/obligations/test_evidence.py",
    "solvers/obligations/test_linear.py",
    "solvers/test_decide.py",
    "test_api.py",
    "test_layout.py",
}
