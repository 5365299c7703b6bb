"""Which systems may be worth their cost: quality beside what it takes."""
