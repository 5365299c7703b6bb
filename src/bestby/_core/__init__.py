"""Errors, checks and types: what every other room may use."""
