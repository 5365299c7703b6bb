"""How many items, runs or labels a study needs."""
