"""A judge's scores of all items, corrected by the labels of a few."""
