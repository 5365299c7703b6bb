"""`Monitor`: a comparison that may be looked at after every item, and stopped."""
