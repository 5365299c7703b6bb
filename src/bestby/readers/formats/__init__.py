"""The files of evaluation tools: a module per format, recognised by content."""
