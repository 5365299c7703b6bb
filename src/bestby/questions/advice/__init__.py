"""Which test and which interval fit an experiment, and why."""
