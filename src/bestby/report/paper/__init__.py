"""The paragraph for a paper: a module for each kind of result yields its sentences."""
