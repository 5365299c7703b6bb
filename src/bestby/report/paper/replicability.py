"""What the paragraph for a paper says of replicability analysis."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.report.numbers import percent
from bestby.report.paper.shared import named
from bestby.report.references import cite
from bestby.results.replicability import Replicability


def sentences(r: Replicability) -> Iterator[str]:
    """Yield how p-values of datasets were combined."""
    yield (
        f"From the p-values of {len(r.datasets)} datasets{named(r.datasets)} we counted, at the"
        f" {percent(r.alpha)} level, those on which there is a difference, by partial conjunction tests with"
        f" Bonferroni's and with Fisher's combination of p-values{cite('analysis', 'replicability')}, and"
        f" named them by Holm's procedure{cite('correction', 'holm')}."
    )
