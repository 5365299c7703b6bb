"""Cross-validation: systems compared over folds and repetitions."""
