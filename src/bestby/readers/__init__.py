"""Files as evaluations: wide and long tables, one file per system, text, NumPy arrays."""

from bestby.readers.reading import read

__all__ = ["read"]
