"""A short formula within a proven error: a simpler network nearby, and the formula that it computes."""
