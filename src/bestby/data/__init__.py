"""Data before and as an evaluation: columns with missing values, and the rule of what a value is."""
