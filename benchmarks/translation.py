"""Sixteen systems of a shared task compared by BLEU: how long, how much memory, and beside sacrebleu?

    python benchmarks/translation.py [--quick] [--rounds N] [--data FOLDER] [--out FILE]

The call is `bestby.compare` on texts and references in memory: 16 systems, so 120 pairs, 3004 segments,
10 000 resamples, the interval and the permutation test of every pair; once more with the counts of the texts
from a cache. sacrebleu's own paired tests do as much of the same as is bearable, and their time is scaled to
all pairs and resamples. Every measurement is a process of its own, in turns, on one thread. sacrebleu
remembers the tokens of texts it has seen: bestby's call is the first to see them, sacrebleu's tests are not,
as fifteen in a row would not be.
Writes results/translation.md.

FOLDER has what sacrebleu's tests keep of WMT17 English-German (`wmt17_en_de`): the reference, the texts of
three systems, and the counts of all sixteen. Systems without texts are made of the three: each segment of one
of them, with some words left out. Without the folder, reference and systems are made of random words.
"""

# ruff: noqa: E402  the number of threads must be set before NumPy is loaded

from __future__ import annotations

import os

if __name__ == "__main__":
    for _library in ("OPENBLAS", "MKL", "OMP"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import argparse
import json
import logging
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
if __name__ == "__main__":
    sys.path[0] = str(ROOT)  # in place of this directory

import numpy as np
from benchmarks.data import WMT17, WMT17_SEGMENTS, WMT17_SYSTEMS, Texts, shared_task, worse
from benchmarks.worker import peak

import bestby as bb
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting, statistics
from bestby.metrics import resolve

SYSTEMS = 16
RESAMPLES = 10_000
SEED = 17
SECONDS, MEGABYTES = 1.5, 300.0
"""What is asked of the call."""

SIZES = {"bs": (100, 1000), "ar": (100, 1000)}
"""Resamples by sacrebleu's paired bootstrap and approximate randomisation, few and more."""


# -- data ------------------------------------------------------------------------------------------


def texts(folder: Path) -> tuple[Texts, dict[str, Texts]]:
    """Return the reference and the translations of sixteen systems, the first three as they are."""
    rng = np.random.default_rng(SEED)
    reference, bases = shared_task(folder)
    systems = dict(bases)
    given = list(bases.values())
    for i in range(len(bases), SYSTEMS):
        which = rng.integers(0, len(given), len(reference))
        mixed = [given[base][segment] for segment, base in enumerate(which.tolist())]
        systems[f"mixture-{i}"] = worse(rng, mixed, 0.01 * i)
    return reference, systems


class Counts(bb.Metric):
    """BLEU of segments whose ten counts are given."""

    name = "bleu_of_counts"
    bounds = (0.0, 100.0)
    reads = "objects"
    needs_gold = False

    def statistics(self, gold: Any, predictions: Any) -> Any:  # noqa: ARG002
        return np.array(predictions.tolist(), dtype=np.float64)

    def score(self, totals: Any) -> Any:
        bleu: Any = resolve("bleu")
        return bleu.score(totals)


def counts(folder: Path) -> dict[str, list[tuple[int, ...]]]:
    """Return the counts of each segment for the sixteen systems of WMT17."""
    with np.load(folder / "bleu_sufficient_stats.npz", allow_pickle=False) as file:
        return {name: [tuple(row) for row in file[name].tolist()] for name in file}


# -- what a process metrics -----------------------------------------------------------------------


def ours(job: str, folder: Path, resamples: int) -> dict[str, Any]:
    """Return time and memory of one call, after one of fifty segments that loads what it needs."""
    metric: Any = "bleu"
    if job == "counts":
        reference, systems, metric = None, counts(folder), Counts()
    else:
        reference, systems = texts(folder)
    few = {name: given[:50] for name, given in systems.items()}
    warm = [f"{segment} x" for segment in reference[:50]] if reference else None
    baseline = WMT17_SYSTEMS[0] if job == "baseline" else None
    bb.compare(few, warm, metric=metric, n_resamples=50, baseline=baseline)
    with tempfile.TemporaryDirectory() as made:
        cache = made if job == "again" else None
        if cache is not None:
            bb.evaluate(
                systems, reference, metric=metric, n_resamples=50, resampling=bb.Resampling(cache=cache)
            )
        before, begun, wall = peak(), time.process_time(), time.perf_counter()
        result = bb.compare(
            systems,
            reference,
            metric=metric,
            n_resamples=resamples,
            baseline=baseline,
            resampling=bb.Resampling(cache=cache),
        )
    taken = {"cpu": time.process_time() - begun, "wall": time.perf_counter() - wall}
    held = peak()
    pair = result.differences[0]
    if job in ("texts", "again"):
        pair = next(d for d in result.differences if {d.a, d.b} == {WMT17_SYSTEMS[0], WMT17_SYSTEMS[1]})
    return taken | {"before": before, "peak": held, "pairs": len(result.differences), "p": pair.p_value}


def statistics_alone(folder: Path) -> dict[str, Any]:
    """Return the time that the counts of all texts take, and that of reading them from a cache."""
    reference, systems = texts(folder)
    gold = np.array(reference, dtype=object)
    metric = resolve("bleu")
    metric.fit(gold[:2], [], None)  # loads sacrebleu
    begun = time.process_time()
    statistics(metric, gold, list(systems.values()), Counting())
    counted = time.process_time()
    with tempfile.TemporaryDirectory() as made:
        kept = Counting.of(Drawing.of(bb.Resampling(n_resamples=50, cache=made)))
        statistics(metric, gold, list(systems.values()), kept)
        again = time.process_time()
        statistics(metric, gold, list(systems.values()), kept)
        return {"cpu": counted - begun, "again": time.process_time() - again}


def theirs(test: str, folder: Path, size: int) -> dict[str, Any]:
    """Return the times of sacrebleu's paired test of the first system against the other two.

    The first system is counted (and resampled) when the test is made, each other one when it is called.
    """
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    reference, systems = texts(folder)
    named = [(name, systems[name]) for name in WMT17_SYSTEMS]
    PairedTest(named, {"BLEU": BLEU()}, [reference], test_type=test, n_samples=1)()
    begun = time.process_time()
    made = PairedTest(named, {"BLEU": BLEU()}, [reference], test_type=test, n_samples=size)
    first = time.process_time()
    _, scores = made()
    done = time.process_time()
    result = scores["BLEU"][1]
    return {"first": first - begun, "other": (done - first) / 2.0, "p": result.p_value, "peak": peak()}


def measured(*words: object) -> dict[str, Any]:
    """Return what a new process of this script measures."""
    run = [sys.executable, __file__, "--measure", *map(str, words)]
    return dict(json.loads(subprocess.run(run, check=True, stdout=subprocess.PIPE, text=True).stdout))


def answer(words: list[str], folder: Path) -> dict[str, Any]:
    kind, *rest = words
    if kind == "statistics":
        return statistics_alone(folder)
    if kind in SIZES:
        return theirs(kind, folder, int(rest[0]))
    return ours(kind, folder, int(rest[0]))


# -- the table -------------------------------------------------------------------------------------


def line(few: float, more: float, sizes: tuple[int, int]) -> float:
    """Return where the straight line through two measurements is at all resamples."""
    slope = max(more - few, 0.0) / (sizes[1] - sizes[0])
    return few + slope * (RESAMPLES - sizes[0])


def rival(runs: list[dict[str, Any]], test: str, firsts: int, pairs: int) -> float:
    """Return the seconds of so many of sacrebleu's tests (each has a first system), so many pairs in all."""
    few, more = ([run[f"{test} {size}"] for run in runs] for size in SIZES[test])
    return sum(
        times * line(median(run[part] for run in few), median(run[part] for run in more), SIZES[test])
        for part, times in (("first", firsts), ("other", pairs))
    )


def table(runs: list[dict[str, Any]], jobs: dict[str, str]) -> list[str]:
    """Return the lines of the table of the call, and those of sacrebleu's tests."""

    def of(job: str, part: str) -> float:
        return median(run[job][part] for run in runs)

    out = [
        "| bestby.compare | pairs | CPU | of that, counting | wall | peak memory | added by the call |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for job, title in jobs.items():
        own = f"{of('statistics', 'again' if job == 'again' else 'cpu'):.2f} s" if job != "counts" else "–"
        added = of(job, "peak") - of(job, "before")
        out.append(
            f"| {title} | {runs[0][job]['pairs']} | {of(job, 'cpu'):.2f} s | {own} | {of(job, 'wall'):.2f} s"
            f" | {of(job, 'peak'):.0f} MB | {added:.0f} MB |"
        )
    out += [
        "",
        "| job | bestby | sacrebleu: bootstrap | sacrebleu: randomisation | ratio |",
        "|---|--:|--:|--:|--:|",
    ]
    for job, firsts, pairs in (("texts", SYSTEMS - 1, 120), ("baseline", 1, SYSTEMS - 1)):
        both = [rival(runs, test, firsts, pairs) for test in ("bs", "ar")]
        out.append(
            f"| {jobs[job]} | {of(job, 'cpu'):.2f} s | {both[0]:,.0f} s | {both[1]:,.0f} s"
            f" | {sum(both) / of(job, 'cpu'):,.0f} |"
        )
    return out


def report(runs: list[dict[str, Any]], real: bool, load: float) -> str:
    jobs = {
        "texts": "16 systems, every pair",
        "again": "the same with the counts from a cache",
        "baseline": "16 systems, against one",
    }
    if real:
        jobs["counts"] = "the 16 systems of WMT17, counts given"
    p, few, size = runs[0]["texts"]["p"], *SIZES["ar"]
    other, held = runs[0][f"ar {size}"]["p"], runs[0][f"bs {SIZES['bs'][1]}"]["peak"]
    source = "WMT17 English-German, 13 of the 16 systems made of the other 3" if real else "random words"
    head = f"""\
# Sixteen systems by BLEU

{WMT17_SEGMENTS} segments ({source}), {RESAMPLES} resamples, one thread; {platform.machine()},
{os.cpu_count()} cores, load {load:.1f} at the start. Medians of {len(runs)} processes each.
Texts and references are in memory; asked for: {SECONDS:g} s in the call, at most {MEGABYTES:g} MB.
"""
    foot = f"""
sacrebleu's paired tests take one first system and others. Times are from one against two, with {few} and
with {size} resamples, on texts whose tokens it remembers, scaled to {RESAMPLES}; every pair is fifteen such
tests. Its bootstrap of {size} resamples took {held:.0f} MB. bestby's call gives the interval and the
permutation test of each pair; the ratio is that of both of sacrebleu's tests to it. p of {WMT17_SYSTEMS[0]}
against {WMT17_SYSTEMS[1]}: {p:.3g} by bestby, {other:.3g} by sacrebleu ({size} resamples).
"""
    return "\n".join([head, *table(runs, jobs), foot])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one process of each kind")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind [3]")
    parser.add_argument("--data", type=Path, default=WMT17, help="the folder wmt17_en_de")
    parser.add_argument("--out", type=Path, help="[benchmarks/results/translation.md; quick: not written]")
    parser.add_argument("--measure", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(answer(arguments.measure, arguments.data)))
        return
    out = arguments.out
    if out is None and not arguments.quick:
        out = ROOT / "benchmarks" / "results" / "translation.md"
    real, load = arguments.data.exists(), os.getloadavg()[0]
    asked = ["texts", "again", "baseline", *(["counts"] if real else [])]
    runs: list[dict[str, Any]] = []
    for _ in range(1 if arguments.quick else arguments.rounds):
        found = {job: measured(job, RESAMPLES, "--data", arguments.data) for job in asked}
        found["statistics"] = measured("statistics", "--data", arguments.data)
        for test, sizes in SIZES.items():
            for size in sizes:
                found[f"{test} {size}"] = measured(test, size, "--data", arguments.data)
        runs.append(found)
        print({job: round(found[job]["cpu"], 2) for job in asked}, file=sys.stderr)
    text = report(runs, real, load)
    print(text)
    if out is not None:
        out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
