"""What the paragraph for a paper says of a study: the same as of any comparison on one test set."""

from __future__ import annotations

from bestby.questions.items.methods import sentences

__all__ = ["sentences"]
