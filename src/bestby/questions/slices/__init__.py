"""Systems in every slice of a test set."""
