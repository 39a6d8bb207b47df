"""Branch and bound: parts of the cube, branching, whole networks, and a record that survives an interruption."""
