"""A study that grows: conditions, their runs, and one gold, in a directory of plain files."""
