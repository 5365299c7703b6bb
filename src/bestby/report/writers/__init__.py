"""A module for each form in which a document is written."""
