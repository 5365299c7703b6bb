"""Systems run under several prompts, seeds or judges: and what others would give."""
