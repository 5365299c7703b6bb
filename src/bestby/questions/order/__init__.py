"""Stochastic order between runs, and whether differences are normal."""
