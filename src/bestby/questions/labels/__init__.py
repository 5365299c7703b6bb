"""Which items people are to label, and how many."""
