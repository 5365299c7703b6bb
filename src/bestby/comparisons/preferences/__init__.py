"""Systems by judgements of which of two is better: `compare_preferences`."""
