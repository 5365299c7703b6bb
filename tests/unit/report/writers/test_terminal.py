"""Text for terminals and pipes."""

from __future__ import annotations

import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from rich.cells import cell_len

import bestby as bb
from bestby.report.comparison import Comparison
from bestby.report.writers.terminal import print_to, to_text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_whole_text(made: SimpleNamespace) -> None:
    text = to_text(made.five(), details=True)
    lines = text.splitlines()
    assert lines[0].startswith("aen_bert has the highest accuracy, 0.781, over 638 items;")
    assert "rank  system     accuracy   95 % interval  group" in lines
    assert any(line.startswith(" 3–5  atae_lstm     0.708  [0.674, 0.739]  bc     ") for line in lines)
    assert "Differences in accuracy, first − second" in lines
    assert any(
        line.startswith("aen_bert   bert_spc        0.011  [−0.025, 0.044]    0.58 ") for line in lines
    )
    assert "Cochran's Q test that all systems are equal: 43.21 on 4 df, p = 9e-9." in lines
    assert lines[-1] == made.five().signature
    assert made.five().details() == text


def test_the_short_answer(made: SimpleNamespace) -> None:
    text = to_text(made.five())
    assert str(made.five()) == made.five().table() == text
    assert len(text.splitlines()) <= 40
    assert "Cochran" not in text
    assert text.endswith(
        "\nbestby 0.1.0, seed 0, data 01234567. The whole report: --details, or result.details()"
    )
    details = to_text(made.five(), details=True)
    tables = text.split("\n\n")[1:3]
    assert all(table in details for table in tables)


@pytest.mark.parametrize("k", [2, 5, 9, 12])
def test_the_short_answer_has_at_most_forty_lines(made: SimpleNamespace, k: int) -> None:
    text = to_text(made.ladder([f"s{i:02d}" for i in range(k)], margin=0.03))
    assert len(text.splitlines()) <= 41
    _, differences = text.split("\nDifference")
    rows = re.findall(r"^(?:s\d\d)? .* \[", differences, re.MULTILINE)
    assert len(rows) == (k * (k - 1) // 2 if k <= 5 else k - 1)


def test_bars_stand_where_there_is_room(made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    text = to_text(made.five())
    assert text.count("●") == 5 + 10
    assert text.count("│") + text.count("─●") > 10
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    file = Terminal()
    print_to(made.ladder(["one_system", "another", "a_third"], margin=0.03), file)
    assert file.getvalue().count("●") == 3  # the table of differences is too wide


def test_text_is_plain_and_never_wider_than_a_hundred(any_comparison: Comparison) -> None:
    text = to_text(any_comparison)
    assert "\x1b" not in text
    *lines, signature = to_text(any_comparison, details=True).splitlines()
    assert signature == any_comparison.signature
    lines += text.splitlines()
    assert max(cell_len(line) for line in lines) <= 100
    assert all(line == line.rstrip() for line in lines)


def test_the_environment_does_not_change_the_text(
    made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = to_text(made.five())
    for name, value in {"COLUMNS": "40", "FORCE_COLOR": "1", "TERM": "dumb", "NO_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    assert to_text(made.five()) == before


def test_columns_appear_with_what_they_hold(made: SimpleNamespace) -> None:
    assert "p (holm)" not in to_text(made.five())
    with_margin = to_text(made.roster["margin"]())
    assert "p (holm)" in with_margin
    assert "inconclusive" in with_margin
    assert "group" not in to_text(made.roster["baseline"]())
    assert "base (baseline)" in to_text(made.roster["baseline"]())


def test_markup_and_emoji_in_names_are_shown_as_they_are(made: SimpleNamespace) -> None:
    text = to_text(made.ladder(["[bold]x[/bold]", ":smile:", "漢字"]))
    assert "[bold]x[/bold]" in text
    assert ":smile:" in text
    assert "漢字" in text


def test_many_pairs_are_cut_and_counted(made: SimpleNamespace) -> None:
    text = to_text(made.roster["many"]())
    assert "system_00 − system: 14 of 105\n" in text
    assert "Differences in accuracy, system_00 − system" in text
    assert len(re.findall(r"\nsystem_\d", text.split("\nDifferences")[1])) == 14
    whole = to_text(made.roster["many"](), details=True)
    assert "result.details()" not in whole
    assert len(re.findall(r"\nsystem_\d", whole.split("\nDifferences")[1])) == 105


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_pipe_without_unicode_gets_plain_signs(made: SimpleNamespace, encoding: str) -> None:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    print_to(made.five(), file)
    file.flush()
    text = raw.getvalue().decode(encoding)
    assert "[-0.025, 0.044]" in text
    assert "?" not in text.replace("alike?", "")


def test_a_terminal_gets_colour_and_its_own_width(
    made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    file = Terminal()
    print_to(made.roster["margin"](), file)
    assert "\x1b[" in file.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    plain = Terminal()
    print_to(made.roster["margin"](), plain)
    *lines, _ = [line for line in plain.getvalue().splitlines() if "bestby:" not in line]
    assert max(len(line.rstrip()) for line in lines if "\x1b" not in line) <= 80


def test_a_wide_table_breaks_its_headers_and_no_cell_loses_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    names = ("aardvark", "elephant", "flamingo", "hedgehog", "kangaroo")
    table = {
        f"d{i}": {name: round(0.7 + 0.01 * j + 0.02 * rng.normal(), 4) for j, name in enumerate(names)}
        for i in range(14)
    }
    c = bb.compare_datasets(table, outer="dataset", margin=0.03)
    lines = to_text(c).splitlines()
    assert any(line.endswith("  mark") for line in lines)
    assert max(map(len, lines[:-1])) <= 100
    assert any("losses" in line.split() for line in lines)  # below "wins" and "ties"
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")  # fewer than the cells need
    narrow = Terminal()
    print_to(c, narrow)
    for shown in (lines, re.sub(r"\x1b\[[\d;]*m", "", narrow.getvalue()).splitlines()):
        for d in c.differences:
            assert any(line.startswith(d.a) and d.b in line and f"  {d.verdict}" in line for line in shown)


def test_names_are_not_broken_in_mid_word_while_headers_are_wide(
    made: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    names = ["newstest2017.LIUM-NMT.4900.en-de", "a_prepositional_phrase_and_more_of_it", "c"]
    file = Terminal()
    print_to(made.ladder(names), file)
    plain = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue())
    *lines, _ = [line.rstrip() for line in plain.splitlines()]
    assert max(map(cell_len, lines)) <= 80
    words = {word for name in names for word in re.findall(r"[^-._]+", name)}
    pairs = "\n".join(lines[lines.index("Differences in accuracy, first − second") :])
    assert all(word in pairs for word in words)


def test_long_names_lose_what_they_have_in_common(made: SimpleNamespace) -> None:
    names = [
        f"newstest2017.{name}-NMT.{4900 + i}.of_the_year.en-de" for i, name in enumerate(["LIUM", "LMU", "Q"])
    ]
    text = to_text(made.ladder(names, margin=0.03))
    lines = text.splitlines()
    left_out = (
        'Names of systems begin with "newstest2017." and end with ".of_the_year.en-de", which is left out'
    )
    assert lines.count(left_out) == 1
    assert any(line.startswith("…LIUM-NMT.4900…  …LMU-NMT.4901…  ") for line in lines)
    *rest, _ = lines
    assert max(map(cell_len, rest)) <= 100


def test_other_long_names_are_broken_after_their_signs(made: SimpleNamespace) -> None:
    long = [
        "bert_around_prepositional_phrase_x_and_then_some_more",
        "roberta_large_mnli_with_noun_phrases_twice_over",
    ]
    _, *tables = to_text(made.ladder([*long, "c"])).split("\nrank ")
    lines = "".join(tables).splitlines()
    broken = [line.split()[0] for line in lines if line.startswith(("bert_", "roberta_"))]
    assert broken
    assert all(part.endswith("_") for part in broken if part not in long)
    chinese = ["一个很长的系统名称用于测试表格的宽度和折叠方式第一" * 2, "b", "c"]
    *rest, _ = to_text(made.ladder(chinese)).splitlines()
    assert max(map(cell_len, rest)) <= 100


def test_what_two_tables_share_is_said_once() -> None:
    judged = [("A", "B", "A")] * 30 + [("B", "A", "B")] * 4 + [("A", "C", "A")] * 12 + [("C", "A", "C")] * 5
    judged += [("B", "C", "tie")] + [("B", "C", "B")] * 3
    c = bb.compare_preferences(judged, n_resamples=999)
    assert "".join(to_text(c, details=True).split()).count("*1of3differences") == 1
    assert to_text(c).count("* the interval is for one pair") == 1
    assert c.to_markdown().count("1 of 3 differences") == 1
    assert "1 tie counts as half a win" in to_text(c)
