"""Several datasets: on how many systems differ, how they rank, and their average difference."""
