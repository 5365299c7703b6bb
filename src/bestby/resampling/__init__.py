"""Weights only: bootstrap, swaps, jackknife, cells, random streams."""
