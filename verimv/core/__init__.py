"""Foundations: errors, files, effort, option values, display in notebooks, workers."""
