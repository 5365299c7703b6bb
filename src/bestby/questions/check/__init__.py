"""A look at files before a question is chosen: what they hold, what they answer, what is off."""
