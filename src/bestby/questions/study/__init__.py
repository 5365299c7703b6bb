"""Experiments as they finish: conditions and runs in a store."""
