"""Systems by the scores of a judge, corrected by a few human labels."""
