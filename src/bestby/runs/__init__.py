"""Several runs (random seeds) of each system."""

from bestby.runs.comparing import compare_runs

__all__ = ["compare_runs"]
