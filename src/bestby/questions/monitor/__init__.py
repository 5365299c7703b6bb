"""Items one by one: intervals that hold at every look."""
