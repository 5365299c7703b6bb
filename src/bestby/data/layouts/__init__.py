"""From a table, of a file or a frame, to data: one module for each layout (wide, long, runs, ...)."""
