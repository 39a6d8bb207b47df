"""Formulas of MV, DMV and RMV logic: the shared DAG and its fold, measures, evaluation, text, files."""
