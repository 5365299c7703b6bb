"""The questions that somebody asks, each in a folder with what only it needs."""
