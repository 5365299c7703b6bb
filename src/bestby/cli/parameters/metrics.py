"""What `bestby metrics` takes."""

from __future__ import annotations

from bestby.cli.options import argument, record
from bestby.cli.parameters.groups import Names


@record
class Metrics:
    """
    WORDS, if any, choose the metrics whose name, family or description holds them all. LABEL stands for one
    of the labels in your data, as in f1[spam].

    \b
    Examples:
      bestby metrics
      bestby metrics bleu
      bestby metrics f1 class
    """

    words: Names = argument("WORDS", default=None)
