"""Several runs, or random seeds, of each system."""
