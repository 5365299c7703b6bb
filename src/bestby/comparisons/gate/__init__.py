"""Whether a candidate is good enough to take the place of a baseline."""
