"""What the guide on monitors says of the items that they need is what was counted."""

from __future__ import annotations

import numpy as np
import pytest
from calibration.subjects.sequential import answers

from calibration import ROOT, sequences, sequential_items


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the documentation is not beside the tests")
def test_the_table_of_the_guide() -> None:
    page = sequential_items.PAGE.read_text(encoding="utf-8")
    between = page.partition("<!-- sequential-items -->")[2].partition("<!-- /sequential-items -->")[0]
    assert between.strip() == sequential_items.table(sequential_items.read())


def test_a_monitor_needs_no_more_items_than_it_should() -> None:
    """Two systems that differ on a tenth of the items: medians of at most 576 and 142 items (issue 21)."""
    rows = {(row["difference"], row["margin"]): row for row in sequential_items.read()}
    assert int(rows["4", ""]["median"]) <= 576
    assert int(rows["8", ""]["median"]) <= 142
    assert all(float(row["wrong"]) <= 0.05 + 2.0 * (0.05 * 0.95 / 1000) ** 0.5 for row in rows.values())


def test_sequences_side_by_side_decide_as_a_monitor_does() -> None:
    from bestby import Monitor

    differences = answers(np.random.default_rng(1), (400, 5), 0.3, 0.1)
    settings = sequences.settings(margin=0.05)
    for (decision, stop), column in zip(
        sequences.decided(differences, settings, every=10), differences.T, strict=True
    ):
        monitor = Monitor(["a", "b"], bounds=(0, 1), margin=0.05)
        for item, value in enumerate(column.tolist()):
            monitor.add(item, {"a": max(value, 0.0), "b": max(-value, 0.0)})
            if (item + 1) % 10 == 0 and monitor.decision is not None:
                break
        assert (monitor.decision, monitor.n_items) == (decision, stop)
