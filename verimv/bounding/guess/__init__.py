"""Guesses in floating point. Nothing in this package proves anything."""
