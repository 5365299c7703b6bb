"""Whether a candidate may take the place of a baseline."""
