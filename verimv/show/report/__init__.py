"""`report.html`: one self-contained page about an extraction, made from its files."""
