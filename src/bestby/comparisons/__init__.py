"""What the answers of several questions share: settings, the choice of intervals, pairs, families, notes."""
