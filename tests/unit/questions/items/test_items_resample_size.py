"""`compare`: the size of resamples, in notes and in the signature."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.unit.comparisons.soft_labels import GOLD, A, B, codes, message

from bestby import Resampling, compare


def test_notes_on_the_size_of_resamples() -> None:
    settings: dict[str, Any] = {"metric": "brier", "n_resamples": 300}
    result = compare({"a": A, "b": B}, GOLD, resampling=Resampling(resample_size=0.25), **settings)
    assert codes(result) == ["resample_size_of_intervals", "small_resamples"]
    assert message(result, "resample_size_of_intervals") == (
        "the intervals come from resamples of 20 of 80 units; the permutation test does not draw with"
        ' replacement: test="bootstrap" would use these resamples'
    )
    assert message(result, "small_resamples") == (
        "resamples of 20 units are too small to keep the level: with 10 to 40 units, tests at 5 % rejected"
        " 1.9 to 5.5 % of true null hypotheses; with 50 or more, 4 to 6 %"
    )
    tested = compare(
        {"a": A, "b": B}, GOLD, resampling=Resampling(resample_size=60), test="bootstrap", **settings
    )
    assert codes(tested) == []
    raw = compare(
        {"a": A, "b": B},
        GOLD,
        resampling=Resampling(resample_size=20, rescale=False),
        test="bootstrap",
        **settings,
    )
    assert codes(raw) == ["not_rescaled"]
    assert message(raw, "not_rescaled") == (
        "resamples of 20 of 80 units vary 2 times as much as resamples of all 80 and were not rescaled:"
        " p-values and intervals are those of an experiment with 20 units, and depend on this choice"
    )
    assert (
        codes(
            compare(
                {"a": A, "b": B}, GOLD, resampling=Resampling(resample_size=1.0, rescale=False), **settings
            )
        )
        == []
    )
    assert codes(compare({"a": A, "b": B}, GOLD, resampling=Resampling(resample_size=80), **settings)) == []


def test_strata_too_small_for_their_share_are_told() -> None:
    strata = np.array([0] * 4 + [1] * 76)
    result = compare(
        {"a": A, "b": B}, GOLD, metric="brier", strata=strata, resampling=Resampling(resample_size=0.1)
    )
    assert message(result, "uneven_strata").startswith(
        "resamples hold 11 to 25 % of the units of a stratum, because each"
    )
    fine = compare(
        {"a": A, "b": B},
        GOLD,
        metric="brier",
        strata=np.arange(80) % 2,
        resampling=Resampling(resample_size=0.7),
    )
    assert codes(fine) == ["resample_size_of_intervals"]
    alone = np.array([0] + [1] * 79)  # what cannot vary needs no share
    assert "uneven_strata" not in codes(
        compare(
            {"a": A, "b": B}, GOLD, metric="brier", strata=alone, resampling=Resampling(resample_size=0.1)
        )
    )


def test_sizes_are_recorded_where_they_matter() -> None:
    settings: dict[str, Any] = {"metric": "brier", "n_resamples": 50}
    signatures = {
        compare({"a": A, "b": B}, GOLD, **settings, **more).signature
        for more in (
            {},
            {"resampling": Resampling(resample_size=1.0)},
            {"resampling": Resampling(resample_size=1.0, rescale=False)},
            {"resampling": Resampling(resample_size=0.5)},
            {"resampling": Resampling(resample_size=0.25)},
            {"resampling": Resampling(resample_size=0.25, rescale=False)},
        )
    }
    assert len(signatures) == 4
    told = compare(
        {"a": A, "b": B}, GOLD, resampling=Resampling(resample_size=0.5), **settings
    ).provenance.settings
    assert (told["resample_size"], told["rescale"]) == (0.5, True)
