"""Which test and which interval: the Hitchhiker's Guide's protocol as a decision tree that explains itself.

The tree is data: `advise` walks it, ``compare(test="auto")`` walks it, and the documentation draws it. Each
answer carries its reason and its source.
"""

from bestby.protocol.advising import advise
from bestby.protocol.case import Case
from bestby.protocol.observed import case_of
from bestby.protocol.results import Advice
from bestby.protocol.tree import ROOT, TREE, drawn, walk

__all__ = ["ROOT", "TREE", "Advice", "Case", "advise", "case_of", "drawn", "walk"]
