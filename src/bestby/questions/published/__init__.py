"""A system beside a published score whose predictions are not known."""
