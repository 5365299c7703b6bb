"""Intervals, tests, corrections: numbers in, results out; knows no metric."""
