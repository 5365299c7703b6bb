"""Judgements of which of two systems was better."""
