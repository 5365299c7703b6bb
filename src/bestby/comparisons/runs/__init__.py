"""Systems with several runs (random seeds) each: `compare_runs`."""
