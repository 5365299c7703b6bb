"""Each analysis with and without groups of items: how it is run, and what becomes of each kind of groups."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bestby as bb

RNG = np.random.default_rng(11)
N_TEMPLATES, N_LANGUAGES = 12, 15
N = N_TEMPLATES * N_LANGUAGES
TEMPLATE, LANGUAGE = np.repeat(np.arange(N_TEMPLATES), N_LANGUAGES), np.arange(N) % N_LANGUAGES
STRATUM = TEMPLATE % 3
GOLD = RNG.integers(0, 2, N)


def _system(skill: float) -> np.ndarray:
    """Return predictions whose accuracy varies by template and by language."""
    chance = (
        skill + 0.25 * RNG.normal(size=N_TEMPLATES)[TEMPLATE] + 0.2 * RNG.normal(size=N_LANGUAGES)[LANGUAGE]
    )
    return np.where(RNG.random(N) < chance, GOLD, 1 - GOLD)


SYSTEMS = {"a": _system(0.85), "b": _system(0.65)}
RIGHT = {name: (values == GOLD).astype(float) for name, values in SYSTEMS.items()}
RATES = {name: values + RNG.normal(size=N) for name, values in RIGHT.items()}
TIMES = {name: np.exp(values) for name, values in RATES.items()}
GROUPS: dict[str, dict[str, Any]] = {
    "none": {},
    "clusters": {"clusters": TEMPLATE},
    "second alone": {"clusters": LANGUAGE},
    "crossed": {"clusters": [TEMPLATE, LANGUAGE]},
    "strata": {"strata": STRATUM},
}

Outcome = tuple[tuple[Any, ...], set[str]]
"""Numbers, and the codes of the notes."""


def _told(result: Any, *numbers: Any) -> Outcome:
    return numbers, {note.code for note in result.notes}


def _of_pair(d: Any) -> tuple[float, ...]:
    return d.interval.low, d.interval.high, d.p_value


def _compare(**arguments: Any) -> Callable[..., Outcome]:
    def run(**groups: Any) -> Outcome:
        result = bb.compare(SYSTEMS, GOLD, n_resamples=199, **{**arguments, **groups})
        return _told(result, *_of_pair(result["a", "b"]))

    return run


def _blocks(**groups: Any) -> Outcome:
    data = bb.Evaluation.of(SYSTEMS, GOLD, **groups)
    result = bb.compare(data, clusters=bb.Blocks(5), n_resamples=199)
    return _told(result, *_of_pair(result["a", "b"]))


def _evaluate(**groups: Any) -> Outcome:
    result = bb.evaluate(SYSTEMS, GOLD, metric="f1_macro", n_resamples=199, **groups)
    return _told(result, *(entry.interval for entry in result.systems))


def _judged(**groups: Any) -> Outcome:
    human = {name: np.where(np.arange(N) % 3 == 0, values, np.nan) for name, values in RIGHT.items()}
    drawn = "stratified" if "strata" in groups else "random"
    result = bb.compare_judged(judge=RATES, human=human, labels_drawn=drawn, scale="different", **groups)
    return _told(result, *_of_pair(result["a", "b"]))


def _judged_labels(**groups: Any) -> Outcome:
    human = [value if place % 3 == 0 else None for place, value in enumerate(GOLD)]
    drawn = "stratified" if "strata" in groups else "random"
    result = bb.compare_judged(
        judge=SYSTEMS["a"], human=human, predictions=SYSTEMS, metric="f1_macro", labels_drawn=drawn,
        n_resamples=199, **groups,
    )  # fmt: skip
    return _told(result, *_of_pair(result["a", "b"]))


def _chosen(**groups: Any) -> Outcome:
    result = bb.choose_items(RATES, n=6, **groups)
    return _told(result, *(item.item for item in result))


def _frontier(**groups: Any) -> Outcome:
    result = bb.frontier(SYSTEMS, GOLD, quality="f1_macro", cost=TIMES, n_resamples=199, **groups)
    return _told(result, *(entry.p_adjusted for entry in result), *(one.costs[0].interval for one in result))


def _agreement(**groups: Any) -> Outcome:
    result = bb.agreement(SYSTEMS, **groups)
    return _told(result, *(one.interval for one in result))


def _attempts(**groups: Any) -> Outcome:
    pairs = {
        name: [(4, 2 * (x == y) + place % 3) for place, (x, y) in enumerate(zip(values, GOLD, strict=True))]
        for name, values in SYSTEMS.items()
    }
    result = bb.compare_attempts(pairs, **groups)
    return _told(result, *(one.low for one in (*result.curves, *result.pairs)))


def _gate(**groups: Any) -> Outcome:
    result = bb.gate(SYSTEMS, GOLD, metric="f1_macro", margin=0.05, n_resamples=199, **groups)
    return _told(result, *(check.difference.equivalence_interval for check in result))


def _on_board(*, imported: bool) -> Callable[..., Outcome]:
    """Make a board with the groups as columns of its gold, and read what it publishes of both systems."""

    def run(**groups: Any) -> Outcome:
        folder, ids = Path(tempfile.mkdtemp()), [f"q{place}" for place in range(N)]
        names = {kind: _columns(kind, values) for kind, values in groups.items()}
        table = {"id": ids, "gold": GOLD, **{key: x for one in names.values() for key, x in one.items()}}
        arguments = {kind: next(iter(one)) if len(one) == 1 else list(one) for kind, one in names.items()}
        if imported:
            whole = {**table, **{f"team/{name}": values for name, values in SYSTEMS.items()}}
            path = _table(folder / "matrix.csv", whole)
            board = bb.Board.from_results(folder / "b", path, gold="gold", metrics="accuracy", **arguments)
        else:
            gold = _table(folder / "gold.csv", table)
            board = bb.Board.create(folder / "b", gold, title="t", metrics="accuracy", **arguments)
            for name, values in SYSTEMS.items():
                file = _table(folder / f"{name}.csv", {"id": ids, "prediction": values})
                board.submit(file, team="team", system=name)
        board.publish(folder / "site")
        (data,) = (folder / "site" / "data").glob("*accuracy*.csv")
        return (data.read_text(encoding="utf-8"),), set()

    return run


def _judged_pilot(**groups: Any) -> Outcome:
    human = [value if place % 2 == 0 else None for place, value in enumerate(RIGHT["a"])]
    return (bb.planning.JudgedScores.from_pilot(RATES["a"], human, **groups),), set()


def _columns(kind: str, values: Any) -> dict[str, Any]:
    several = values if isinstance(values, list) else [values]
    return {f"{kind}{place}": [f"g{value}" for value in one] for place, one in enumerate(several)}


def _table(path: Path, columns: dict[str, Any]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def _slices(**groups: Any) -> Outcome:
    halves = {"half": [f"h{place // (N // 2)}" for place in range(N)]}
    data = bb.Evaluation.of(SYSTEMS, GOLD, **groups)
    result = bb.compare_slices(data, by=halves, metric="f1_macro", n_resamples=199)
    return _told(result, *(one.difference.interval for one in result.slices))


def _published(**groups: Any) -> Outcome:
    data = bb.Evaluation.of({"a": SYSTEMS["a"]}, GOLD, **groups)
    result = bb.compare_published(data, published="50%")
    return _told(result, *(answer.interval for answer in result.answers))


def _annotated(**groups: Any) -> Outcome:
    labels = bb.Annotations.of([[label, label, 1 - label] for label in GOLD.tolist()])
    result = bb.compare(
        SYSTEMS,
        labels,
        metric="accuracy",
        reading=bb.Reading(annotators="resample"),
        n_resamples=199,
        **groups,
    )
    return _told(result, *_of_pair(result["a", "b"]))


def _ranks(**groups: Any) -> Outcome:
    return _told(
        result := bb.compare(RATES, RIGHT["a"], metric="spearman", n_resamples=199, **groups),
        *_of_pair(result["a", "b"]),
    )


def _runs(**groups: Any) -> Outcome:
    runs = {name: [values, np.roll(values, 1)] for name, values in SYSTEMS.items()}
    result = bb.compare_runs(runs, gold=GOLD, metric="accuracy", n_resamples=99, **groups)
    return _told(result, *_of_pair(result["a", "b"]))


def _datasets(chosen: Callable[[Any], tuple[Any, ...]]) -> Callable[..., Outcome]:
    def run(**groups: Any) -> Outcome:
        shifted = {name: np.roll(values, 3 * N_LANGUAGES) for name, values in RIGHT.items()}
        parts = {"x": bb.Evaluation.of(RIGHT, **groups), "y": bb.Evaluation.of(shifted, **groups)}
        result = bb.compare_datasets(parts, metric="mean", test="wald", n_resamples=199)
        return _told(result, *chosen(result))

    return run


def _inside(result: Any) -> tuple[Any, ...]:
    return _of_pair(result.within["x"][0])


def _overall(average: str) -> Callable[[Any], tuple[Any, ...]]:
    def ends(result: Any) -> tuple[Any, ...]:
        return tuple(
            (entry.interval.low, entry.interval.high)
            for entry in result.overall
            if (entry.average, entry.resampled) == (average, "items")
        )

    return ends


def _folds(**groups: Any) -> Outcome:
    data = bb.Evaluation.of(SYSTEMS, GOLD, **{"strata": STRATUM, **groups})
    result = bb.compare_folds(data, metric="accuracy", inside="wald", n_resamples=199)
    return _told(result, *_of_pair(result.within["1"][0]), *result.effects["a", "b"].p_values)


def _facets(clusters: Any = (), **others: Any) -> Outcome:
    """Items are answered under three prompts; the groups are columns."""
    given = clusters if isinstance(clusters, list | tuple) else [clusters]
    columns = {f"group {place}": one for place, one in enumerate(given)}
    chance = np.random.default_rng(2)
    rows = [
        {
            "system": name,
            "prompt": prompt,
            "item": item,
            "score": x,
            **{c: v[item] for c, v in columns.items()},
        }
        for name, values in RATES.items()
        for prompt in range(3)
        for item, x in enumerate(values + chance.normal(0, 0.1, N))
    ]
    result = bb.compare_facets(rows, clusters=[*columns] or None, n_resamples=99, **others)
    return _told(result, *_of_pair(result["a", "b"]))


def _study(**groups: Any) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        study = bb.Study(folder)
        study.add("a", run=1, predictions=SYSTEMS["a"], gold=GOLD, **groups)
        study.add("b", run=1, predictions=SYSTEMS["b"])
        result = study.compare(metric="accuracy", n_resamples=199)
        return _told(result, *_of_pair(result["a", "b"]))


def _pilot(metric: str, test: str) -> Callable[..., Outcome]:
    def run(**groups: Any) -> Outcome:
        pilot = bb.planning.Pilot(bb.Evaluation.of(SYSTEMS, GOLD, **groups), metric=metric, test=test)
        plan = bb.power(pilot.assuming(0.1), n_simulations=60, n_resamples=99, curve=())
        return _told(plan, plan.n, plan.power)

    return run


def _scores_from_pilot(**groups: Any) -> Outcome:
    design = bb.planning.PairedScores.from_pilot(RIGHT["a"], RIGHT["b"], **groups)
    return (bb.power(design, 400).power,), set()


def _advise(**groups: Any) -> Outcome:
    advice = bb.advise("accuracy", data=bb.Evaluation.of(SYSTEMS, GOLD, **groups))
    return (advice.test, advice.interval, advice.interval_reason), set()


def _preferences(**groups: Any) -> Outcome:
    judged = [("a", "b", "a" if won else "b") for won in (RIGHT["a"] > RATES["b"]).tolist()]
    result = bb.compare_preferences(judged, n_resamples=199, **groups)
    return _told(result, *_of_pair(result["a", "b"]))


def _counted(**groups: Any) -> Outcome:
    counts = np.arange(N) % 3 + 1
    result = bb.compare(bb.Evaluation.of(SYSTEMS, GOLD, counts=counts, **groups), n_resamples=199)
    return _told(result, *_of_pair(result["a", "b"]))


Expected = str
"""What groups do: "changes" (the numbers), "refused" (a DesignError), or the code of a note."""

ROSTER: dict[str, tuple[str, Callable[..., Outcome], dict[str, Expected]]] = {
    "a mean": (
        "compare",
        _compare(metric="accuracy"),
        {"clusters": "changes", "crossed": "changes", "strata": "changes"},
    ),
    "a function of sums": (
        "compare",
        _compare(metric="f1_macro"),
        {"clusters": "changes", "crossed": "changes", "strata": "changes"},
    ),
    "scores alone": (
        "evaluate",
        _evaluate,
        {"clusters": "changes", "crossed": "changes", "strata": "changes"},
    ),
    "slices": ("compare_slices", _slices, {"clusters": "changes", "crossed": "refused", "strata": "changes"}),
    "a published score": (
        "compare_published",
        _published,
        {"clusters": "refused", "crossed": "refused", "strata": "refused"},
    ),
    "judged": ("compare_judged", _judged, {"clusters": "changes", "crossed": "refused", "strata": "changes"}),
    "judged labels": (
        "compare_judged",
        _judged_labels,
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "a draw": ("choose_items", _chosen, {"clusters": "changes", "crossed": "refused", "strata": "changes"}),
    "a frontier": (
        "frontier",
        _frontier,
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "agreement": ("agreement", _agreement, {"clusters": "changes", "crossed": "refused"}),
    "attempts": (
        "compare_attempts",
        _attempts,
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "a gate": ("gate", _gate, {"clusters": "changes", "crossed": "changes", "strata": "changes"}),
    "a board": (
        "Board.create",
        _on_board(imported=False),
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "an imported board": (
        "Board.from_results",
        _on_board(imported=True),
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "a pilot of a judge": ("JudgedScores.from_pilot", _judged_pilot, {"strata": "changes"}),
    "ranks": ("compare", _ranks, {"clusters": "changes", "crossed": "refused", "strata": "changes"}),
    "resampled annotators": (
        "compare",
        _annotated,
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "smaller resamples": (
        "compare",
        _compare(resampling=bb.Resampling(resample_size=0.5)),
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "blocks": (
        "compare",
        _blocks,
        {"clusters": "refused", "crossed": "refused", "strata": "changes"},
    ),
    "simultaneous intervals": (
        "compare",
        _compare(correction="simultaneous"),
        {"clusters": "changes", "crossed": "changes", "strata": "changes"},
    ),
    "counted rows": (
        "Evaluation.of",
        _counted,
        {"clusters": "refused", "crossed": "refused", "strata": "changes"},
    ),
    "runs": ("compare_runs", _runs, {"clusters": "changes", "crossed": "refused"}),
    "inside a dataset": (
        "compare_datasets",
        _datasets(_inside),
        {"clusters": "changes", "crossed": "changes", "strata": "changes"},
    ),
    "the mean over datasets": (
        "compare_datasets",
        _datasets(_overall("macro")),
        {"clusters": "changes", "crossed": "changes", "strata": "changes"},
    ),
    "datasets pooled": (
        "compare_datasets",
        _datasets(_overall("micro")),
        {"clusters": "changes", "crossed": "not_pooled", "strata": "changes"},
    ),
    # The strata are the folds.
    "facets": ("compare_facets", _facets, {"clusters": "changes", "crossed": "refused"}),
    "folds": ("compare_folds", _folds, {"clusters": "changes", "crossed": "refused"}),
    "a study": ("Study.add", _study, {"clusters": "changes", "crossed": "refused"}),
    "a pilot, Wald": (
        "Pilot",
        _pilot("accuracy", "wald"),
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "a pilot, permutation": (
        "Pilot",
        _pilot("f1_macro", "permutation"),
        {"clusters": "changes", "crossed": "refused", "strata": "changes"},
    ),
    "a pilot of scores": (
        "PairedScores.from_pilot",
        _scores_from_pilot,
        {"clusters": "changes", "crossed": "refused"},
    ),
    "advice": ("advise", _advise, {"clusters": "changes", "crossed": "changes", "strata": "changes"}),
    "judgements": ("compare_preferences", _preferences, {"clusters": "changes", "crossed": "changes"}),
}
