"""`compare_slices`: where one system is ahead of another, and where it is not."""
