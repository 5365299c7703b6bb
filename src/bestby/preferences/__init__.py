"""Compare systems by judgements of which of two was better: win rates, strengths, ranks."""

from bestby.preferences.comparing import compare_preferences

__all__ = ["compare_preferences"]
