"""What several comparisons share: settings, the choice of intervals, pairs, families, notes."""
