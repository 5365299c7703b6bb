"""The page docs/concepts/calibration.md: its tables, from the rows in calibration/results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from tools import pages

from bestby.vocabulary import INTERVALS
from calibration import RESULTS, ROOT, aso_thresholds, counting, files, silence, statements, subjects
from calibration.files import Row

PAGE = ROOT / "docs" / "concepts" / "calibration.md"
TESTS = ("permutation", "bootstrap", "mcnemar", "mcnemar-midp", "sign", "wilcoxon", "t", "wald")
METHODS = tuple(term.name for term in INTERVALS if term.needs or "items.interval" in term.arguments)
FACTORS = {
    "base": "metric × items × agreement",
    "rare class": "a class of 2 %",
    "heavy tails": "heavy tails and skewness",
    "ties": "ties",
    "clusters": "clusters",
    "one system": "the score of one system",
    "m out of n": "resamples of fewer items",
    "runs": "several runs",
    "one-sided": "one-sided tests",
}
NAMED = 0.5
"""Share of the data sets with a note from which a cell counts as noted."""


def results() -> dict[str, list[Row]]:
    """Return the rows of all files, by name."""
    names = ("intervals", "tests", "families", "statements", "rivals", "aso_thresholds")
    return {name: files.read(RESULTS / f"{name}.csv") for name in names}


def tables(found: dict[str, list[Row]]) -> dict[str, str]:
    """Return the tables of the page by the names of their markers."""
    intervals, tests = found["intervals"], found["tests"]

    def of(rows: Sequence[Row], family: str) -> list[Row]:
        return [row for row in rows if row["family"] == family]

    base, rejected = of(intervals, "base"), of(tests, "base")
    cases = silence.cases(found, FACTORS)
    return {
        "size": size(found),
        "criterion-intervals": criterion(intervals),
        "criterion-tests": criterion_of_tests(tests),
        "notes-methods": silence.by_method(cases),
        "notes-exceptions": silence.exceptions(cases),
        "notes-drawn": silence.drawn(cases),
        "too-short": outside(intervals, "short"),
        "too-long": outside(intervals, "long"),
        "base": by_size(base),
        "methods": methods(base),
        "type-one": grid(where(rejected, systems="alike"), ("measure", "agreement", "n"), "test", TESTS),
        "power": grid(where(rejected, systems="apart"), ("measure", "n"), "test", TESTS),
        "one-sided": grid(
            of(tests, "one-sided"),
            ("measure", "n", "alternative"),
            "test",
            ("permutation", "bootstrap", "mcnemar-midp", "t", "wald"),
        ),
        **{
            name: grid(of(intervals, family), ("measure", *keys, "n"), "method", METHODS)
            for name, family, keys in (
                ("rare", "rare class", ("systems", "agreement")),
                ("tails", "heavy tails", ("design", "systems", "agreement")),
                ("ties", "ties", ("design", "systems", "agreement")),
                ("one-system", "one system", ()),
            )
        },
        "clusters": grid(
            of(intervals, "clusters"), ("measure", "design", "systems", "agreement", "n"), "method", METHODS
        ),
        "clusters-tests": grid(
            where(of(tests, "clusters"), systems="alike"),
            ("measure", "design", "agreement", "n"),
            "test",
            TESTS,
        ),
        "m-out-of-n": smaller(of(intervals, "m out of n"), of(tests, "m out of n")),
        "families": families(found["families"]),
        "runs": grid(of(intervals, "runs"), ("design", "systems", "n"), "method", METHODS),
        "runs-tests": grid(
            of(tests, "runs"),
            ("design", "systems", "n"),
            "test",
            ("auto", "permutation", "t", "brunner-munzel", "bootstrap"),
        ),
        "criterion-statements": statements.criterion(found["statements"]),
        "statements": subjects.section(found["statements"]),
        "aso": aso_thresholds.table(found["aso_thresholds"]),
        "rivals": rivals(found["rivals"], intervals),
        "rivals-tests": rivals_tests(found["rivals"], tests),
    }


# -- parts -------------------------------------------------------------------------------------------


def where(rows: Iterable[Row], **values: str) -> list[Row]:
    """Return the rows that have these values."""
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def percent(share: str | float) -> str:
    """Return a share in percent with one decimal, a dash if there is none."""
    return "–" if share == "" else f"{100 * float(share):.1f}"


def lines(header: Sequence[str], rows: Iterable[Sequence[str]], words: int) -> str:
    """Return a table; all columns but the first few are numbers."""
    rule = "|" + "---|" * words + "--:|" * (len(header) - words)
    return "\n".join([f"| {' | '.join(header)} |", rule, *(f"| {' | '.join(row)} |" for row in rows)])


HEADINGS = {"measure": "metric", "design": "population", "systems": "systems", "agreement": "agree", "n": "n"}


def grid(rows: Sequence[Row], keys: Sequence[str], across: str, wanted: Sequence[str]) -> str:
    """Return a line per cell and a column per method or test, in percent."""
    value = "rejected" if across == "test" else "coverage"
    there = [name for name in wanted if any(row[across] == name for row in rows)]
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in rows:
        cells.setdefault(tuple(row[key] for key in keys), {})[row[across]] = percent(row[value])
    words = sum(key != "n" for key in keys)
    body = [
        [*(_told(key, x) for key, x in zip(keys, cell, strict=True)), *(found.get(m, "–") for m in there)]
        for cell, found in sorted(cells.items(), key=lambda item: _order(item[0]))
    ]
    return lines([*(HEADINGS.get(key, key) for key in keys), *there], body, words)


def _order(cell: tuple[str, ...]) -> tuple[tuple[int, float, str], ...]:
    return tuple((0, float(x), "") if _is_number(x) else (1, 0.0, x) for x in cell)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def _told(key: str, value: str) -> str:
    return f"{100 * float(value):.0f} %" if key == "agreement" and value else value


def size(found: dict[str, list[Row]]) -> str:
    """Return how much was measured, in a sentence."""
    intervals, tests, runs = found["intervals"], found["tests"], found["families"]
    keys = ("family", "measure", "design", "systems", "agreement", "n")
    cells = {tuple(row[key] for key in keys) for row in (*intervals, *tests)}
    together = {(row["measure"], row["systems"], row["n"]) for row in runs}
    most = {tuple(row[key] for key in keys): int(row["datasets"]) for row in (*tests, *intervals)}
    stated = {statements.keys(row): int(row["datasets"]) for row in found["statements"]}
    errors = [float(row["se"]) for row in intervals if row["method"] == "auto"]
    return (
        f"{len(cells) + len(together) + len(stated)} cells,"
        f" {sum(most.values()) + sum(stated.values()):,} data sets, {len(intervals):,} rows of"
        f" intervals and {len(tests):,} of tests. The standard error of a coverage of `auto` is"
        f" {100 * median(errors):.1f} points in the median cell and {100 * max(errors):.1f} at most."
    )


# -- the criterion -----------------------------------------------------------------------------------


def noted(row: Row) -> bool:
    """Tell whether most data sets of a cell carry a note on their interval."""
    return float(row["noted"]) >= NAMED


def criterion(rows: Sequence[Row]) -> str:
    """Return how many cells hold the criterion, by factor."""
    body = []
    for family, name in FACTORS.items():
        part = where(rows, family=family, method="auto")
        if not part:
            continue
        kinds = [(counting.verdict(row), noted(row)) for row in part]
        counts = [sum(kind == "holds" for kind, _ in kinds)]
        counts += [kinds.count((kind, told)) for kind in ("short", "long") for told in (True, False)]
        shares = [float(row["coverage"]) for row in part]
        body.append([name, *map(str, (len(part), *counts)), percent(min(shares)), percent(max(shares))])
    header = ("factor", "cells", "hold", "short, noted", "short, not noted", "long, noted", "long, not noted")
    return lines([*header, "lowest", "highest"], body, 1)


def criterion_of_tests(rows: Sequence[Row]) -> str:
    """Return in how many cells of alike systems "auto" rejects at most 5.5 %, by factor."""
    body = []
    for family, name in FACTORS.items():
        part = where(rows, family=family, test="auto", systems="alike")
        if part:
            kept = sum(counting.keeps_level(row) for row in part)
            rates = [float(row["rejected"]) for row in part]
            body.append([name, str(len(part)), str(kept), percent(median(rates)), percent(max(rates))])
    return lines(("factor", "cells", "hold", "median", "highest"), body, 1)


def outside(rows: Sequence[Row], kind: str) -> str:
    """Return the cells in which "auto" covers too little ("short") or too much ("long")."""
    part = [row for row in rows if row["method"] == "auto" and counting.verdict(row) == kind]
    part.sort(key=lambda row: float(row["coverage"]), reverse=kind == "long")
    body = [
        [
            ", ".join(filter(None, (row["measure"], row["design"]))),
            row["systems"],
            _told("agreement", row["agreement"]),
            row["n"],
            row["differing"],
            row["effective"],
            f"{percent(row['coverage'])} ± {percent(row['se'])}",
            percent(row["miss_below"]),
            percent(row["miss_above"]),
            row["chosen"],
            f"{100 * float(row['noted']):.0f} %",
        ]
        for row in part
    ]
    header = ("metric", "systems", "agree", "n", "differ", "effective", "coverage", "below", "above")
    return lines([*header, "method", "noted"], body, 2)


# -- intervals ---------------------------------------------------------------------------------------


def by_size(rows: Sequence[Row]) -> str:
    """Return the coverage of "auto", a line per metric and agreement, a column per number of items."""
    part = where(rows, method="auto")
    sizes = sorted({int(row["n"]) for row in part})
    cells: dict[tuple[str, str, str], dict[int, str]] = {}
    for row in part:
        key = (row["measure"], row["systems"], row["agreement"])
        cells.setdefault(key, {})[int(row["n"])] = percent(row["coverage"])
    body = [
        [measure, systems, _told("agreement", agreement), *(found.get(n, "–") for n in sizes)]
        for (measure, systems, agreement), found in cells.items()
    ]
    body.sort(key=lambda line: (line[0], line[1], float(line[2].split()[0])))
    return lines(("metric", "systems", "agree", *(f"n = {n}" for n in sizes)), body, 2)


def methods(rows: Sequence[Row]) -> str:
    """Return coverage, misses and length of every method where 10 and more units differ."""
    there = [row for row in rows if float(row["differing"]) >= 10.0]
    lengths = {_cell(row): float(row["mean_length"]) for row in there if row["method"] == "auto"}
    body = []
    for measure in dict.fromkeys(row["measure"] for row in there):
        for method in METHODS:
            part = where(there, measure=measure, method=method)
            if not part:
                continue
            shares = [float(row["coverage"]) for row in part]
            misses = [median(float(row[side]) for row in part) for side in ("miss_below", "miss_above")]
            longer = [float(row["mean_length"]) / lengths[_cell(row)] for row in part]
            span = [percent(x) for x in (min(shares), median(shares), max(shares))]
            numbers = [*span, *map(percent, misses), f"{median(longer):.2f}"]
            body.append([measure, method, str(len(part)), *numbers])
    header = ("metric", "method", "cells", "lowest", "median", "highest", "below", "above", "length")
    return lines(header, body, 2)


def _cell(row: Row) -> tuple[str, ...]:
    return tuple(row[key] for key in ("family", "measure", "design", "systems", "agreement", "n"))


def smaller(intervals: Sequence[Row], tests: Sequence[Row]) -> str:
    """Return coverage and rejections by the size of the resamples."""
    rejected = {_cell(row): percent(row["rejected"]) for row in tests if row["test"] == "bootstrap"}
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for row in intervals:
        cells.setdefault(_cell(row), {})[row["method"]] = percent(row["coverage"])
    body = [
        [cell[1], cell[2], cell[5], found["basic"], found["percentile"], rejected.get(cell, "–")]
        for cell, found in cells.items()
    ]
    header = ("metric", "resamples", "n", "basic (`auto`)", "percentile", "bootstrap test rejects")
    return lines(header, body, 2)


def families(rows: Sequence[Row]) -> str:
    """Return what holds for whole families, a line per cell."""
    columns = list(dict.fromkeys(row["what"] for row in rows))
    cells: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in rows:
        cells.setdefault((row["measure"], row["systems"], row["n"]), {})[row["what"]] = percent(row["share"])
    body = [[*cell, *(found.get(column, "–") for column in columns)] for cell, found in cells.items()]
    return lines(("metric", "systems", "n", *columns), body, 1)


# -- other tools -------------------------------------------------------------------------------------


def _beside(rows: Sequence[Row], key: tuple[str, ...]) -> list[Row]:
    names = ("measure", "systems", "agreement", "n")
    return [row for row in rows if row["family"] == "base" and tuple(row[name] for name in names) == key]


def rivals(rows: Sequence[Row], ours: Sequence[Row]) -> str:
    """Return coverage and length of the intervals of other tools, after bestby's of the same cells."""
    body = []
    for key, part in _by_cell(where(rows, kind="coverage")).items():
        mine = [row for row in _beside(ours, key) if row["method"] in ("auto", "bca", "percentile")]
        body += [
            [*_words(key), "bestby", row["method"], *_numbers(row, row["coverage"]), "0"] for row in mine
        ]
        body += [
            [*_words(key), row["tool"], row["what"], *_numbers(row, row["share"]), row["failed"]]
            for row in part
        ]
    header = ("metric", "systems", "agree", "n", "tool", "interval", "coverage", "below", "above", "length")
    return lines([*header, "failed"], _named(body), 6)


def _with_error(row: Row, name: str) -> str:
    return f"{percent(row[name])} ± {percent(row['se'])}"


def _numbers(row: Row, share: str) -> list[str]:
    return [
        f"{percent(share)} ± {percent(row['se'])}",
        percent(row["miss_below"]),
        percent(row["miss_above"]),
        row["mean_length"],
    ]


def rivals_tests(rows: Sequence[Row], ours: Sequence[Row]) -> str:
    """Return the rejections of the tests of other tools, after bestby's of the same cells."""
    body = []
    for key, part in _by_cell(where(rows, kind="rejected")).items():
        mine = [row for row in _beside(ours, key) if row["test"] in ("permutation", "bootstrap")]
        body += [[*_words(key), "bestby", row["test"], _with_error(row, "rejected")] for row in mine]
        body += [[*_words(key), row["tool"], row["what"], _with_error(row, "share")] for row in part]
    return lines(("metric", "systems", "agree", "n", "tool", "test", "rejects"), _named(body), 6)


def _by_cell(rows: Sequence[Row]) -> dict[tuple[str, ...], list[Row]]:
    cells: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        cells.setdefault(tuple(row[k] for k in ("measure", "systems", "agreement", "n")), []).append(row)
    return cells


def _words(key: tuple[str, ...]) -> list[str]:
    measure, systems, agreement, n = key
    return [measure, systems, _told("agreement", agreement), n]


def _named(body: list[list[str]]) -> list[list[str]]:
    """Leave the name of a cell to its first line."""
    out: list[list[str]] = []
    last: list[str] = []
    for row in body:
        out.append(["", "", "", "", *row[4:]] if row[:4] == last else row)
        last = row[:4]
    return out


# -- the file ----------------------------------------------------------------------------------------


def write() -> None:
    """Write the tables into the page."""
    for name, table in tables(results()).items():
        pages.write(PAGE, name, table)


def stale() -> list[str]:
    """Return the names of the tables that are not what the results give."""
    return [name for name, table in tables(results()).items() if pages.between(PAGE, name) != table.strip()]
