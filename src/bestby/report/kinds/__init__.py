"""A module for each kind of result: its document, its rows and its dictionary."""
