"""The draws of a seed, pinned: they must be the same in every version, or every result changes."""

from __future__ import annotations

import numpy as np

from bestby.resampling import streams, totals

KEYS = streams.replicate_keys(streams.stream_key(5, "bootstrap"), 0, 2)
BOUNDS = np.array([0, 3, 7, 12])

PINNED_UNITS = [[2, 1, 2, 3, 6, 6, 5, 7, 7, 9, 10, 9], [0, 0, 1, 5, 3, 4, 4, 8, 9, 10, 8, 10]]
PINNED_BITS = [
    "1001011110111110101001111000101111011101111100001010100010010101101110",
    "1101111101000010011111000001110000111110000010010111001011100010001000",
]
PINNED_KEYS = [
    8668861027912758289,
    4881901421217228719,
    16452687389592421897,
    13238389300853459902,
    16732062099500631801,
    14153166575370824094,
    675977917276771736,
    16247558764769518856,
    10050352908806042439,
    17081680595297516073,
    15658875773272509128,
    6924645418555453511,
    1725439304048894018,
    13230002727910310950,
    8786577384290153012,
    3633797122636661660,
    16687901726039934585,
    2043104238663926464,
    15661542048078301208,
    3683790306848624784,
]


def test_words_are_laid_out_stratum_by_stratum() -> None:
    for draws, offsets in (
        ([3, 4], [0, 2, 4]),
        ([4, 4, 3], [0, 2, 4, 6]),
        ([1], [0, 1]),
        ([2, 2], [0, 1, 2]),
    ):
        found = totals.word_offsets(np.array(draws))
        assert found.dtype == np.int64
        assert found.tolist() == offsets


def test_the_draws_of_three_strata() -> None:
    drawn = totals.drawn_units(KEYS, BOUNDS)
    assert drawn.tolist() == PINNED_UNITS
    assert totals.bootstrap_weights(KEYS, BOUNDS).tolist() == [
        np.bincount(row, minlength=12).tolist() for row in PINNED_UNITS
    ]


def test_the_swaps_of_seventy_units() -> None:
    bits = totals.swap_bits(KEYS, 70)
    assert ["".join(map(str, row)) for row in bits.tolist()] == PINNED_BITS


def test_streams_of_other_purposes_and_seeds() -> None:
    keys = [int(streams.stream_key(seed, purpose)) for seed in (0, 5) for purpose in streams.PURPOSES]
    assert keys == PINNED_KEYS
