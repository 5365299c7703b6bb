"""Systems run under several prompts, seeds or judges: what would others of these give?"""
