"""Where metrics meet weights: scores of resamples, and what tests and intervals need of them."""
