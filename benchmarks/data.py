"""The data of the jobs, made from a seed with NumPy alone, so that every environment makes the same."""

from __future__ import annotations

import gzip
import os
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import null_pairs
from numpy.typing import NDArray

Array = NDArray[Any]
Texts = list[str]

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("BESTBY_SHARED_DATA", ROOT.parent / "shared" / "data"))
WMT17 = SHARED / "wmt17_en_de"
WMT17_SYSTEMS = ("LIUM-NMT.4900", "LMU-nmt-single.4893", "online-B.0")
WMT17_SEGMENTS = 3004


@cache
def labels(n: int, n_classes: int = 3, n_systems: int = 2) -> tuple[Array, ...]:
    """Gold, and systems that are right on some 75 % of the items and often wrong on the same ones."""
    rng = np.random.default_rng(n)
    gold = rng.choice(n_classes, size=n, p=np.arange(n_classes, 0, -1) / (n_classes * (n_classes + 1) / 2))
    ease = rng.normal(size=n)
    out = [gold]
    for s in range(n_systems):
        right = ease + 0.7 * rng.normal(size=n) > -0.8 + 0.05 * (s % 10)
        out.append(np.where(right, gold, (gold + rng.integers(1, n_classes, size=n)) % n_classes))
    return tuple(out)


@cache
def numbers(n: int) -> tuple[Array, Array, Array]:
    """A target and two predictions of it, all real."""
    rng = np.random.default_rng(n)
    gold = rng.normal(size=n)
    return gold, gold + 0.80 * rng.normal(size=n), gold + 0.82 * rng.normal(size=n)


@cache
def several_numbers(n: int, systems: int) -> tuple[Array, ...]:
    """A target and several predictions of it, all real, each a little worse than the one before."""
    rng = np.random.default_rng(n)
    gold = rng.normal(size=n)
    return gold, *(gold + (0.8 + 0.003 * s) * rng.normal(size=n) for s in range(systems))


@cache
def judgements(systems: int, n: int) -> dict[str, Array]:
    """Judgements of an arena: two models, the winner, a prompt, a voter, and the lengths of both answers."""
    rng = np.random.default_rng(n)
    first = rng.integers(0, systems, n)
    second = (first + rng.integers(1, systems, n)) % systems
    strength, lengths = rng.normal(size=systems), rng.lognormal(6.0, 0.6, (2, n))
    names = np.array([f"model-{s:03d}" for s in range(systems)])
    log_odds = strength[first] - strength[second] + 0.3 + 0.5 * np.log(lengths[0] / lengths[1])
    won = rng.random(n) < 1.0 / (1.0 + np.exp(-log_odds))
    return {
        "model_a": names[first],
        "model_b": names[second],
        "winner": np.where(won, "model_a", "model_b"),
        "prompt": rng.integers(0, n // 5, n),
        "voter": (n // 20 * rng.random(n) ** 3).astype(np.int64),
        "len_a": np.log(lengths[0]),
        "len_b": np.log(lengths[1]),
    }


@cache
def probabilities(n: int) -> tuple[Array, Array, Array]:
    """Gold 0 or 1, and the probabilities two systems give to 1."""
    target, a, b = numbers(n)
    return (target > 0.5).astype(np.int64), *(1.0 / (1.0 + np.exp(0.5 - x)) for x in (a, b))  # type: ignore[return-value]


@cache
def soft(n: int) -> tuple[Array, Array, Array]:
    """Gold, A and B as distributions over four classes."""
    return null_pairs.soft(np.random.default_rng(1), n)


@cache
def hard(n: int) -> tuple[Array, Array, Array]:
    """Gold, A and B as one of three classes."""
    return null_pairs.hard(np.random.default_rng(1), n)


@cache
def two_runs(n: int, shift: float) -> tuple[Array, Array]:
    """Scores of n runs of two systems, the first better by so many standard deviations."""
    rng = np.random.default_rng(n)
    return rng.normal(shift, 1, n), rng.normal(0, 1, n)


def runs_on_datasets(datasets: int, runs: int) -> dict[str, list[Array]]:
    """Scores of the runs of two systems on several datasets, as in the README of deep-significance."""
    rng = np.random.default_rng(datasets)
    return {
        name: [rng.normal(mean, 1, runs) for _ in range(datasets)] for name, mean in (("a", 0.3), ("b", 0))
    }


@cache
def ten_systems() -> dict[str, Array]:
    """Scores of 20 runs of ten systems."""
    rng = np.random.default_rng(0)
    return {f"s{k}": rng.normal(k / 10, 1, 20) for k in range(10)}


@cache
def pilot() -> Array:
    """Twenty scores to plan from."""
    return np.random.default_rng(3).normal(0.7, 0.05, 20)


@cache
def texts(n: int) -> tuple[Texts, dict[str, Texts]]:
    """References, and two systems that replace some of their words."""
    rng = np.random.default_rng(n)
    words = np.array([f"w{i}" for i in range(2000)])
    references: Texts = []
    systems: dict[str, Texts] = {"a": [], "b": []}
    for _ in range(n):
        sentence = words[np.minimum(rng.zipf(1.3, size=rng.integers(8, 40)), words.size) - 1]
        references.append(" ".join(sentence))
        for name, share in (("a", 0.25), ("b", 0.26)):
            changed = np.where(rng.random(sentence.size) < share, rng.choice(words, sentence.size), sentence)
            systems[name].append(" ".join(changed))
    return references, systems


# -- a shared task ---------------------------------------------------------------------------------


@cache
def shared_task(folder: Path = WMT17) -> tuple[Texts, dict[str, Texts]]:
    """The reference of WMT17 English-German and the translations of three systems, as sacrebleu's tests keep
    them; without the folder, random words."""
    if folder.exists():
        names = {name: f"newstest2017.{name}.en-de.txt.gz" for name in WMT17_SYSTEMS}
        return _lines(folder / "ref.txt.gz"), {name: _lines(folder / file) for name, file in names.items()}
    rng = np.random.default_rng(17)
    reference = _random_texts(rng)
    return reference, {name: worse(rng, reference, 0.3 + 0.01 * i) for i, name in enumerate(WMT17_SYSTEMS)}


def _lines(path: Path) -> Texts:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\n") for line in file]


def _random_texts(rng: np.random.Generator) -> Texts:
    """Return segments of words that are as often as in Zipf's law, about as long as those of WMT17."""
    out = []
    for length in rng.poisson(20.0, WMT17_SEGMENTS).tolist():
        words = np.minimum(rng.zipf(1.3, length + 1), 30_000)
        out.append(" ".join(f"w{word}" for word in words.tolist()) + " .")
    return out


def worse(rng: np.random.Generator, segments: Texts, rate: float) -> Texts:
    """Return the segments with that share of the words left out."""
    out = []
    for segment in segments:
        words = segment.split()
        kept = (rng.random(len(words)) >= rate).tolist()
        out.append(" ".join(word for word, keep in zip(words, kept, strict=True) if keep))
    return out
