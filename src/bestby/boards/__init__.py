"""A shared task or a living benchmark as a folder: hidden gold, a chained record, a static site."""
