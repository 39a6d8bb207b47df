"""Promises about the models of a repository: `promise_file` reads them, `deciding` proves them, `keeper` keeps what was
found, `first_file` writes a first file."""
