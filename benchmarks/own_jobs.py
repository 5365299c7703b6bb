"""The jobs that bestby alone is given, as nothing else does them: a goal is a number of seconds."""

from __future__ import annotations

import atexit
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import data
from benchmarks.work import Job, Work


def own_jobs() -> Iterator[Job]:
    """Yield them in the order of the table; nothing is drawn yet."""
    yield _published(10_000)
    yield _slices(100_000)
    yield _gate(100_000)
    yield _frontier(50, 10_000)
    yield _agreement(6, 10_000)
    yield _facets(10, 5, 1_000)
    yield _attempts(1_000, 10_000)
    yield _missing(200, 10_000)
    yield _judged(100_000)
    yield _judged_labels(100_000)
    yield _choose(100_000)
    yield _labels(100_000)
    yield _monitor(100_000)
    yield _arena(200, 1_000_000, "prompts and voters", 2.0, clusters=["prompt", "voter"])
    yield _arena(200, 1_000_000, "two covariates", 5.0, covariates=["len", "tokens"])
    yield _arena(200, 10_000_000, "prompts", 15.0, clusters="prompt")
    yield _board(1_000, 10_000)
    yield _board_by_f1(30, 10_000)
    yield _large("pearson", "Pearson", 10, 1_000, 0.29)
    yield _large("mae", "mean absolute error", 2, 1_000_000, 0.24)
    yield _large("mae", "mean absolute error", 5, 1_000_000, 2.5)
    yield _large("rmse", "RMSE", 5, 1_000_000, 2.5)
    yield _large("r2", "R²", 5, 1_000_000, 2.5)
    yield _large("pearson", "Pearson", 5, 1_000_000, 2.5)
    yield _large("spearman", "Spearman", 5, 1_000_000, 8.0, ties=True)
    yield _large("roc_auc", "ROC-AUC", 5, 1_000_000, 8.0)
    yield _large("average_precision", "average precision", 5, 1_000_000, 10.0)
    yield _large("kendall", "Kendall", 5, 1_000_000, 18.0)
    yield _large("f1_macro", "macro-F1 of 5 classes", 10, 1_000_000, 5.0, clusters=20_000)


def _published(n: int) -> Job:
    """A published share of right answers, with the range of McNemar's test over all that it allows."""

    def make() -> Work:
        gold, a, _ = data.labels(n)

        def ours() -> float:
            import bestby

            return bestby.compare_published({"a": a}, gold, published="0.80").answers[-1].p_high

        return Work(ours, {})

    return Job(f"accuracy beside a published score, n = {n:,}", make, [])


def _large(
    metric: str, title: str, systems: int, n: int, at_most: float, *, ties: bool = False, clusters: int = 0
) -> Job:
    """Every pair of some systems, as `compare` does it by default."""

    def make() -> Work:
        if metric == "f1_macro":
            gold, *predictions = data.labels(n, 5, systems)
        else:
            gold, *predictions = data.several_numbers(n, systems)
            if ties:
                gold, *predictions = (np.round(4.0 * column) for column in (gold, *predictions))
            if metric in ("roc_auc", "average_precision"):
                gold = (gold > 0.5).astype(np.int64)
        asked = {"clusters": np.random.default_rng(1).integers(0, clusters, n)} if clusters else {}

        def ours() -> float:
            import bestby

            named = {f"s{s}": column for s, column in enumerate(predictions)}
            found = bestby.compare(named, gold, metric=metric, **asked)
            test = found.differences[0].test
            assert test is not None
            return test.p_value

        return Work(ours, {})

    told = ", with ties" if ties else f", {clusters:,} clusters" if clusters else ""
    return Job(f"{systems} systems by {title}{told}, n = {n:,}", make, [], at_most=at_most)


def _judged(n: int) -> Job:
    """Five systems by a judge's scores, of which 500 items have human labels too."""

    def make() -> Work:
        rng = np.random.default_rng(20)
        truth = rng.standard_normal((n, 1)) + rng.standard_normal((n, 5))
        judge = truth + 0.5 * rng.standard_normal(truth.shape)
        human = np.where((np.arange(n) < 500)[:, None], truth, np.nan)

        def ours() -> float:
            import bestby

            names = "abcde"
            scores, labels = (dict(zip(names, x.T, strict=True)) for x in (judge, human))
            return bestby.compare_judged(scores, labels, labels_drawn="random").differences[0].p_value

        return Work(ours, {})

    return Job(f"five systems by a judge and 500 labels, n = {n:,}", make, [])


def _judged_labels(n: int) -> Job:
    """Macro-F1 by a judge's labels, of which 500 items have human ones too: a bootstrap of both parts."""

    def make() -> Work:
        gold, a, b = data.labels(n)
        judge = np.where(np.random.default_rng(20).random(n) < 0.8, gold, a)
        human = [*gold[:500].tolist(), *[None] * (n - 500)]

        def ours() -> float:
            import bestby

            found = bestby.compare_judged(
                judge, human, predictions={"a": a, "b": b}, metric="f1_macro", labels_drawn="random"
            )
            return found.differences[0].p_value

        return Work(ours, {})

    return Job(f"macro-F1 by a judge and 500 labels, n = {n:,}", make, [])


def _slices(n: int) -> Job:
    """Forty slices, with simultaneous intervals and the test whether the difference depends on the slice."""

    def make() -> Work:
        gold, a, b = data.labels(n)
        slices = np.arange(n) * 7919 % 40

        def ours() -> float:
            import bestby

            found = bestby.compare_slices({"a": a, "b": b}, gold, by={"slice": slices})
            return found.heterogeneity[0].p_value

        return Work(ours, {})

    return Job(f"accuracy in 40 slices, n = {n:,}", make, [], at_most=2.0)


def _gate(n: int) -> Job:
    """A gate with a margin that has to hold in each of forty slices."""

    def make() -> Work:
        gold, a, b = data.labels(n)
        slices = np.arange(n) * 7919 % 40

        def ours() -> Any:
            import bestby

            found = bestby.gate({"a": a, "b": b}, gold, by={"slice": slices}, margin=0.05)
            ends = found.checks[-1].difference.equivalence_interval
            return ends.low, ends.high

        return Work(ours, {})

    return Job(f"gate by accuracy in 40 slices, n = {n:,}", make, [], at_most=2.0)


def _attempts(samples: int, n: int) -> Job:
    """pass@k of two systems for every k, with the bands of both curves and of their difference."""

    def make() -> Work:
        rng = np.random.default_rng(n)
        right = {name: rng.binomial(samples, rng.beta(a, 1.0, n)) for name, a in (("x", 0.3), ("y", 0.35))}
        pairs = {name: [(samples, c) for c in counts.tolist()] for name, counts in right.items()}

        def ours() -> float:
            import bestby

            return bestby.compare_attempts(pairs).pairs[0].low[0]

        return Work(ours, {})

    return Job(f"pass@k for k = 1 to {samples:,}, 2 systems, n = {n:,}", make, [], at_most=1.0)


def _frontier(systems: int, n: int) -> Job:
    """A frontier of accuracy and a cost of each item, with the systems within a margin of the best."""

    def make() -> Work:
        gold, *predictions = data.labels(n, 3, systems)
        named = {f"s{place:02d}": one for place, one in enumerate(predictions)}
        rng = np.random.default_rng(n)
        cost = {name: rng.lognormal(place / 20, 0.5, n) for place, name in enumerate(named)}

        def ours() -> float:
            import bestby

            return bestby.frontier(named, gold, cost=cost, margin=0.05).systems[0].p_adjusted

        return Work(ours, {})

    return Job(f"frontier of accuracy and cost, {systems} systems, n = {n:,}", make, [], at_most=2.0)


def _agreement(annotators: int, n: int) -> Job:
    """Agreement of annotators with four labels: all coefficients, pairs, and without each of them."""

    def make() -> Work:
        _, *labels = data.labels(n, 4, annotators)
        named = {f"a{place}": one for place, one in enumerate(labels)}

        def ours() -> float:
            import bestby

            return bestby.agreement(named).coefficients[0].value

        return Work(ours, {})

    return Job(f"agreement of {annotators} annotators, n = {n:,}", make, [], at_most=5.0)


def _facets(prompts: int, seeds: int, n: int) -> Job:
    """Answers of two systems to every prompt, with seeds in each: the difference and all components."""

    def make() -> Work:
        rng = np.random.default_rng(48)

        def answers() -> Any:
            logit = rng.normal(0.8, 1.2, n) + rng.normal(0.0, 0.3, (prompts, 1, 1))
            logit = logit + rng.normal(0.0, 0.1, (prompts, seeds, 1))
            return (rng.random(logit.shape) < 1.0 / (1.0 + np.exp(-logit))).astype(float)

        systems = {"a": answers(), "b": answers()}

        def ours() -> Any:
            import bestby

            found = bestby.compare_facets(
                systems, facets=("prompt", "seed"), nested="seed in prompt", unmatched="seed"
            )
            ends = found["a", "b"].interval
            return ends.low, ends.high

        return Work(ours, {})

    told = f"{prompts} prompts, {seeds} seeds in each, n = {n:,}"
    return Job(f"means over {told}", make, [], at_most=0.06)


def _missing(systems: int, n: int) -> Job:
    """Systems of five kinds that lack other items, every two on the items that both have."""

    def make() -> Work:
        generator = np.random.default_rng(1)
        difficulty = 1.2 * generator.normal(size=n)
        lacking = [generator.random(n) < share for share in (0.0, 0.1, 0.2, 0.3, 0.6)]
        right = {}
        for s in range(systems):
            chance = 1.0 / (1.0 + np.exp(difficulty - 1.2 - 0.002 * s))
            scores = (generator.random(n) < chance).astype(float)
            right[f"system_{s:03d}"] = np.where(lacking[s % len(lacking)], np.nan, scores)

        def ours() -> float:
            import bestby

            result = bestby.compare(right, on_missing="pairs")
            return float(sum(bool(entry.may_be_best) for entry in result.systems))

        return Work(ours, {})

    return Job(f"{systems} systems that lack items, in pairs, n = {n:,}", make, [], at_most=10.0)


def _choose(n: int) -> Job:
    """A hundredth of the items drawn to be labelled, from strata of the judge's scores."""

    def make() -> Work:
        judge = {name: np.random.default_rng(seed).random(n) for seed, name in enumerate("ab")}

        def ours() -> float:
            import bestby

            return bestby.choose_items(judge, n // 100, stratify_by="score").probabilities[0]

        return Work(ours, {})

    return Job(f"items to label, stratified, n = {n:,}", make, [])


def _labels(n: int) -> Job:
    """The number of labels for a margin, from a pilot of two systems with 200 labels."""

    def make() -> Work:
        rng = np.random.default_rng(21)
        truth = rng.standard_normal((n, 2))
        judge = truth + 0.5 * rng.standard_normal(truth.shape)
        human = np.where((np.arange(n) < 200)[:, None], truth, np.nan)

        def ours() -> float:
            import bestby

            scores, labels = (dict(zip("ab", x.T, strict=True)) for x in (judge, human))
            pilot = bestby.planning.JudgedScores.from_pilot(scores, labels)
            return float(bestby.plan_labels(pilot, margin=0.1).n_labels)

        return Work(ours, {})

    return Job(f"labels to plan from a pilot of 200, n = {n:,}", make, [])


def _monitor(n: int) -> Job:
    """Items added one by one to a monitor of two systems, and the decision and the interval in the end."""

    def make() -> Work:
        gold, a, b = data.labels(n)
        rows = list(zip((a == gold).astype(float).tolist(), (b == gold).astype(float).tolist(), strict=True))

        def ours() -> Any:
            import bestby

            monitor = bestby.Monitor(["a", "b"], bounds=(0, 1), n_items=2 * n)
            for item, (first, second) in enumerate(rows):
                monitor.add(item, {"a": first, "b": second})
            found = monitor.interval
            assert found is not None
            return found.low, found.high

        return Work(ours, {})

    return Job(f"accuracy monitored item by item, n = {n:,}", make, [], at_most=5.0)


def _arena(systems: int, n: int, told: str, at_most: float, **asked: Any) -> Job:
    """Every pair of the models of an arena, with the order of the answers in the model."""

    def make() -> Work:
        judged = data.judgements(systems, n)
        tokens = np.random.default_rng(2).normal(size=(2, n))
        columns = {**judged, "tokens_a": tokens[0], "tokens_b": tokens[1]}

        def ours() -> Any:
            import bestby

            found = bestby.compare_preferences(columns, **asked)["model-000", "model-001"].interval
            assert found is not None
            return found.low, found.high

        return Work(ours, {})

    return Job(f"{systems} systems by preferences, {told}, n = {n:,}", make, [], at_most=at_most)


def _board(systems: int, n: int) -> Job:
    """A new submission to a board of many systems, and its site published again."""

    def make() -> Work:
        gold, *predictions = data.labels(n, 5, systems)
        board, folder, ids = _new_board(gold, predictions)
        board.publish(folder / "site")
        generator = np.random.default_rng(1)

        def ours() -> float:
            changed = np.where(generator.random(n) < 0.1, gold, predictions[0])
            _write_table(folder / "new.csv", {"id": ids, "prediction": changed})
            board.submit(folder / "new.csv", team="new", system="new")
            return float(board.publish(folder / "site").n_changed)

        return Work(ours, {})

    return Job(
        f"a submission to a board of {systems:,} systems by accuracy, n = {n:,}", make, [], at_most=15.0
    )


def _board_by_f1(systems: int, n: int) -> Job:
    """A board by a function of sums, every pair of whose systems is compared when its site is published."""

    def make() -> Work:
        gold, *predictions = data.labels(n, 5, systems)
        board, folder, _ = _new_board(gold, predictions, metrics="f1_macro")
        number = itertools.count()

        def ours() -> float:
            return float(board.publish(folder / f"site{next(number)}").n_files)

        return Work(ours, {})

    return Job(f"a board of {systems:,} systems by macro-F1, n = {n:,}", make, [], at_most=3.0)


def _new_board(gold: Any, predictions: list[Any], **more: Any) -> tuple[Any, Path, Any]:
    """Return a board of some systems, the scratch folder that it lies in, and the ids of its items."""
    from bestby import Board

    scratch = tempfile.TemporaryDirectory()
    atexit.register(scratch.cleanup)
    folder, ids = Path(scratch.name), np.array([f"q{place}" for place in range(len(gold))])
    columns = {"id": ids, "gold": gold, **{f"team/s{s:04d}": x for s, x in enumerate(predictions)}}
    _write_table(folder / "matrix.csv", columns)
    return Board.from_results(folder / "board", folder / "matrix.csv", gold="gold", **more), folder, ids


def _write_table(path: Path, columns: dict[str, Any]) -> None:
    rows = zip(*(column.astype(str).tolist() for column in columns.values()), strict=True)
    path.write_text("\n".join(map(",".join, [list(columns), *rows])) + "\n")
