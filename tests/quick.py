"""The tests that `pytest -m quick` runs: within a minute, at least one file of every folder.

A file belongs here if all its tests (those marked slow apart) take a few seconds together; a test of a file that takes
longer, if it is the best there is.
"""

QUICK = {
    "baselines/test_piecewise.py",
    "bounds/test_bounds.py",
    "bounds/test_record.py",
    "certificate/test_kernel.py",
    "certificate/test_statement.py",
    "cli/test_checking.py",
    "cli/test_commands.py",
    "experiments/test_random_terms.py",
    "extract/test_good_sequence.py",
    "networks/onnx_format/test_operators.py",
    "networks/test_network.py",
    "networks/test_outputs.py",
    "pictures/test_drawings.py",
    "questions/test_equality.py::test_either_way_gets_little_at_first",
    "questions/test_equality.py::test_when_the_time_is_over_nothing_more_is_tried",
    "report/test_page.py",
    "simplify/test_scaling.py",
    "smt/obligations/test_evidence.py",
    "smt/obligations/test_linear.py",
    "smt/test_decide.py",
    "terms/test_dag.py",
    "terms/test_measure.py",
    "terms/test_text.py",
    "test_api.py",
    "test_exact.py",
    "test_files.py",
    "workers/test_processes.py",
}
