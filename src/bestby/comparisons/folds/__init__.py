"""Systems in a cross-validation: `compare_folds`."""
