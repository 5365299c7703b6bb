"""A system of one's own beside a score that somebody published."""
