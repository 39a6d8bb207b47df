"""One module per command, each with a function `run` from parsed arguments to a result."""
