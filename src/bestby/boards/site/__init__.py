"""The static site of a board: pages, badges and data files, made of `BoardContent`, put in place at once."""
