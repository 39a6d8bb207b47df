"""Shorter equivalent formulas: laws, sweeping, rewriting of small windows; every replacement has its reason."""
