"""Everything that a comparison writes agrees with the result object."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.differential.paths import MAPPING
from tests.differential.rounds import generator, rounds
from tests.differential.tables import random_settings, random_table

import bestby as bb
from bestby._core.errors import BestbyError
from bestby.report.column import sides

MINUS = "\N{MINUS SIGN}"


def _random_result(number: int) -> bb.results.Comparison:
    """Return the comparison of a random table that is not refused."""
    rng = generator("outputs", number)
    while True:
        table = random_table(rng)
        positional, named = MAPPING.arguments(table, Path(), "drop" if table.has_missing else "error")
        try:
            return bb.compare(*positional, **named, **random_settings(rng, table))
        except BestbyError:
            continue


def _value(text: str) -> float:
    """Return the number that a cell shows."""
    return float(text.strip("*<>").replace(MINUS, "-").replace("\N{INFINITY}", "inf"))


def _ends(text: str) -> tuple[float, float]:
    low, high = text.strip("*[]()").split(", ")
    return _value(low), _value(high)


def _shows(text: str, value: float) -> bool:
    """Whether a number is shown rounded to the digits that are there."""
    digits = text.strip("*").partition("e")
    unit = 10.0 ** -len(digits[0].partition(".")[2]) * 10.0 ** int(digits[2] or 0)
    return abs(_value(text) - value) <= 0.5000001 * unit


def _tables(markdown: str) -> list[list[dict[str, str]]]:
    """Return the tables of a Markdown text, a dictionary of header to cell per row."""
    tables: list[list[dict[str, str]]] = []
    header: list[str] | None = None
    for line in markdown.splitlines():
        if not line.startswith("|"):
            header = None
            continue
        cells = [
            re.sub(r"\\([^A-Za-z0-9\s])", r"\1", cell.strip()) for cell in re.split(r"(?<!\\)\|", line)[1:-1]
        ]
        if header is None:
            header = cells
            tables.append([])
        elif not all(set(cell) <= set("-: ") and cell for cell in cells):
            tables[-1].append(dict(zip(header, cells, strict=True)))
    return tables


@rounds(12)
def test_json_csv_and_frame_hold_the_numbers_of_the_result(number: int) -> None:
    result = _random_result(number)
    document = json.loads(result.to_json())
    lines = list(csv.DictReader(io.StringIO(result.to_csv())))
    frame = result.to_frame().to_dict("records")
    assert len(document["differences"]) == len(lines) == len(frame) == len(result)
    for d, told, line, row in zip(result, document["differences"], lines, frame, strict=True):
        expected = {
            "a": d.a, "b": d.b, "difference": d.estimate, "p_value": d.p_value, "p_adjusted": d.p_adjusted,
            "n_differing": d.n_differing, "verdict": d.verdict,
            "low": None if d.interval is None else d.interval.low,
            "high": None if d.interval is None else d.interval.high,
        }  # fmt: skip
        for name, value in expected.items():
            finite = None if isinstance(value, float) and not math.isfinite(value) else value
            assert told[name] == finite, name
            assert line[name] == ("" if value is None or value != value else str(value)), name
            assert row[name] == value or (value is None and row[name] != row[name]) or row[name] is value
    for entry, told in zip(result.systems, document["systems"], strict=True):
        assert (entry.system, entry.score, entry.group) == (told["system"], told["score"], told["group"])
        assert (entry.rank_low, entry.rank_high) == (told["rank_low"], told["rank_high"])


@rounds(12)
def test_tables_show_the_numbers_of_the_result(number: int) -> None:
    result = _random_result(number)
    scores, differences = _tables(result.to_markdown())[:2]
    metric = result.metrics[0].name
    for entry, row in zip(result.systems, scores, strict=True):
        assert entry.system in row["system"]
        assert _shows(row[metric], entry.score)
        ranks = sorted({entry.rank_low, entry.rank_high})
        assert row["rank"].strip("*") == "–".join(map(str, ranks))
        assert row.get("group", entry.group or "–").strip("*") == (entry.group or "–")
    shared = sides(result)
    for d, row in zip(result, differences, strict=True):
        names = list(row)
        shown_names = [row[names[place]].strip("*") for place in range(len(shared.columns))]
        assert shown_names == [name for name in (d.a, d.b) if name not in (shared.first, shared.second)]
        numbers = names[len(shared.columns) :]
        assert _shows(row[numbers[0]], d.estimate), row
        if d.interval is not None:
            _check_interval(row[numbers[1]], d.interval, result.margin)
        alpha = 1.0 - result.level
        for name, p in (("p", d.p_value), (f"p ({result.correction})", d.p_adjusted)):
            shown = row.get(name, "–").strip("*")
            if name in row and shown[0] not in "<>":
                assert (_value(shown) <= alpha + 1e-12) == (p <= alpha + 1e-12), row
        assert row.get("verdict", d.verdict or "–").strip("*") == (d.verdict or "–")


def _check_interval(text: str, interval: Any, margin: float | None) -> None:
    """Fail if the interval as it is shown lies on another side of 0, or of the margin, than it does."""
    low, high = _ends(text)
    for bound in (0.0, *(() if margin is None else (margin, -margin))):
        assert np.sign(low - bound) == np.sign(interval.low - bound), (text, interval)
        assert np.sign(high - bound) == np.sign(interval.high - bound), (text, interval)


@rounds(6)
@pytest.mark.parametrize("write", ["to_html", "to_latex", "__str__"])
def test_every_report_has_the_cells_of_the_tables(number: int, write: str) -> None:
    result = _random_result(number)
    asked = {"parts": ["scores", "differences"]} if write == "to_latex" else {}
    text = html.unescape(re.sub(r"<[^>]*>", " ", getattr(result, write)(**asked)))
    if write == "to_latex":
        text = re.sub(r"\$(\d)\\times10\^\{(-?\d+)\}\$", r"\1e\2", text)
        text = re.sub(r"\$([<>])\$", r"\1", text.replace("$-$", MINUS).replace("--", "–").replace("\\", ""))
        text = text.replace("allowbreak{}", "").replace("raggedright", "")
        for command, mark in {"ddag{}": "‡", "dag{}": "†", "S{}": "§", "P{}": "¶", "$|$": "‖"}.items():
            text = text.replace(command, mark)
    plain = "".join(text.split())
    for table in _tables(result.to_markdown())[:2]:
        for row in table:
            for column, cell in row.items():
                if write == "to_latex" and column in ("rank", "best?", "behind at most"):
                    continue  # a paper's table has the letters only
                shown = "".join(cell.strip("*").split())
                assert shown in plain, f"{cell!r} of {row} is not in {write}"


def _other_results(rng: np.random.Generator) -> list[Any]:
    """Return random results of the other questions: runs, datasets, folds, judgements."""
    names = "abc"[: rng.integers(2, 4)]
    shift = {name: float(rng.uniform(0.0, 1.0)) for name in names}
    runs = {name: rng.normal(shift[name], 1.0, rng.integers(3, 8)) for name in names}
    datasets = {
        f"data {i}": {name: float(rng.normal(shift[name], 1.0)) for name in names}
        for i in range(rng.integers(5, 12))
    }
    folds = {name: rng.normal(shift[name], 1.0, (5, 2)) for name in names}
    pairs = [tuple(rng.permutation(list(names))[:2]) for _ in range(60)]
    judgements = [(str(a), str(b), str(rng.choice([a, b, "tie"], p=[0.4, 0.4, 0.2]))) for a, b in pairs]
    return [
        bb.compare_runs(runs, n_resamples=99),
        bb.compare_datasets(datasets, n_resamples=99),
        bb.compare_folds(folds, n_resamples=99),
        bb.compare_preferences(judgements, n_resamples=99),
    ]


@rounds(2)
def test_outputs_of_the_other_questions_agree(number: int) -> None:
    for result in _other_results(generator("other outputs", number)):
        lines = list(csv.DictReader(io.StringIO(result.to_csv())))
        frame = result.to_frame()
        differences = json.loads(result.to_json())["differences"]
        assert len(lines) == len(frame) >= len(differences) >= 1
        for line, (_, row), told in zip(lines, frame.iterrows(), differences, strict=False):
            assert list(line) == list(row.index)
            for name, text in line.items():
                value = row[name]
                assert (text == "") == bool(value is None or value != value), (name, text, value)
                if text and isinstance(value, float):
                    assert float(text) == value, name
                if name in told and text and isinstance(told[name], float):
                    assert float(text) == told[name], name
        shown = "".join(html.unescape(re.sub(r"<[^>]*>", " ", result.to_html())).split())
        for table in _tables(result.to_markdown()):
            for cell in (cell for row in table for cell in row.values()):
                assert "".join(cell.strip("*").split()) in shown, cell
