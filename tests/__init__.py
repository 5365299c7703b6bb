"""The tests; a package, so that no other package called tests is imported in its place."""
