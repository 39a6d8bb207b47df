"""The paper's three steps: clip (1), formulas of units (2), compose (3); `pipeline` runs them in order."""
