"""A module or a folder for each question; what they share lies in `common`."""
