"""The counter-based stream: its specification, its seeds, its purposes."""

from __future__ import annotations

import numpy as np
import pytest

import bestby as bb
from bestby.errors import InvalidInputError
from bestby.resampling import streams, totals

MASK = (1 << 64) - 1


def mix(z: int) -> int:
    """SplitMix64's finaliser in Python integers (Steele, Lea & Flood 2014)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def test_the_first_outputs_of_splitmix64() -> None:
    """Seed 1234567, as in the test vectors that circulate with the reference implementation."""
    state = np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * streams.GOLDEN
    assert streams.mix(state).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize("in_place", [False, True])
def test_many_words_are_mixed_a_part_at_a_time(in_place: bool) -> None:
    state = np.arange(3 * 7000, dtype=np.uint64).reshape(3, 7000) * streams.GOLDEN
    kept = state.copy()
    mixed = streams.mix(state, in_place=in_place)
    assert (mixed is state) == in_place
    assert in_place or (state == kept).all()
    for place in (0, 8191, 8192, 16_384, 20_999):
        assert int(mixed.reshape(-1)[place]) == mix(int(kept.reshape(-1)[place]))


def test_words_follow_the_specification() -> None:
    key = 0x0123456789ABCDEF
    keys = streams.replicate_keys(np.uint64(key), 5, 3)
    found = streams.words(keys, 2, 4)
    for r in range(3):
        replicate = mix((key + (5 + r) * 0xD1342543DE82EF95) & MASK)
        for p in range(4):
            assert int(found[r, p]) == mix((replicate + (2 + p) * 0x9E3779B97F4A7C15) & MASK)


def test_purposes_and_seeds_have_streams_of_their_own() -> None:
    keys = {int(streams.stream_key(seed, p)) for seed in (0, 1, 2**70) for p in streams.PURPOSES}
    assert len(keys) == 3 * len(streams.PURPOSES)
    one, other = (streams.block_generator(0, "swap", b).integers(0, 2**60) for b in (0, 1))
    assert one != other
    assert streams.block_generator(0, "swap", 1).integers(0, 2**60) == other


@pytest.mark.parametrize("rng", [-1, 1.0, "0", True, np.random.RandomState(0)])
def test_what_is_no_seed_is_refused(rng: object) -> None:
    with pytest.raises(InvalidInputError, match="rng must be a non-negative integer") as caught:
        streams.seed_of(rng)
    assert caught.value.hint == "rng=0 gives the same numbers every time"


def test_seeds_are_taken_as_they_are() -> None:
    assert streams.seed_of(0) == 0
    assert streams.seed_of(np.int32(7)) == 7
    assert streams.seed_of(2**80) == 2**80
    assert streams.seed_of(None) != streams.seed_of(None)


def test_the_seeds_of_a_generator() -> None:
    """Pinned: they are drawn from 0 to 2^63, and a generator gives the same ones in every version."""
    rng = np.random.default_rng(0)
    assert [streams.seed_of(rng) for _ in range(2)] == [5874934615388537135, 2488343231644625808]


def test_fresh_entropy_has_64_bits() -> None:
    """All of forty are below 2^60 once in 16^40 times."""
    seeds = [streams.seed_of(None) for _ in range(40)]
    assert 1 << 60 <= max(seeds) < 1 << 64


def test_the_generators_of_blocks() -> None:
    """Pinned, as the raw output of PCG64, which NumPy does not change."""
    found = {
        (purpose, block): int(streams.block_generator(5, purpose, block).bit_generator.random_raw())
        for purpose in ("bootstrap", "swap")
        for block in (0, 1)
    }
    assert found == {
        ("bootstrap", 0): 4455326469936819963,
        ("bootstrap", 1): 16766144230685221550,
        ("swap", 0): 16354253905787002918,
        ("swap", 1): 13714147109100223035,
    }


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
    1050069824542033033,
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
    12012915380873091280,
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


def test_the_largest_seed_can_be_shown_and_read_again() -> None:
    result = bb.compare({"a": [1, 0, 1, 1], "b": [1, 1, 0, 1]}, metric="mean", rng=2**256 - 1, n_resamples=99)
    assert str(2**256 - 1) in str(result)
    assert bb.load(result.to_json()).provenance.seed == 2**256 - 1
