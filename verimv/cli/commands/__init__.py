"""One module per command, each with a function `run`: parsed arguments in, what to print out."""
