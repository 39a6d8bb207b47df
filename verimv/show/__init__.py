"""Pictures and the report."""
