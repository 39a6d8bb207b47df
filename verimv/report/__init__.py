"""`report.html`: one self-contained page about an extraction, made from its files."""

from verimv.report.page import report_html
from verimv.report.subject import Check, Subject, of_directory, of_extraction

__all__ = ["Check", "Subject", "of_directory", "of_extraction", "report_html"]
