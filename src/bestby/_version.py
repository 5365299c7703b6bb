"""The version, read by the build and by the provenance of every result."""

__version__ = "0.3.0"
