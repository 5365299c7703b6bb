"""The files of evaluation tools: a module per format, told apart by their content."""
