"""Markdown and LaTeX: nothing in a name breaks a table."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from bestby import advise, compare, compare_datasets, compare_runs, compare_slices
from bestby._core.errors import InvalidInputError
from bestby.report.comparison import Comparison
from bestby.report.document import describe
from bestby.report.writers import latex, markdown

needs_pdflatex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")


def cells(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)[1:-1]


def test_markdown_of_five(made: SimpleNamespace) -> None:
    lines = markdown.to_markdown(made.five()).splitlines()
    assert lines[0].startswith(r"**aen\_bert has the highest accuracy, 0.781, over 638 items;")
    assert "| rank | system | accuracy | 95 % interval | group |" in lines
    assert "| ---: | :--- | ---: | ---: | :--- |" in lines
    assert r"| 1–2 | **aen\_bert** | 0.781 | \[0.747, 0.812\] | a |" in lines
    assert r"| aen\_bert | memnet | **0.060** | \[0.024, 0.094\] | 0.0013 |" in lines
    assert made.five().signature in lines


def test_every_markdown_row_has_the_cells_of_its_header(any_comparison: Comparison) -> None:
    text = markdown.to_markdown(any_comparison)
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 2 * len(any_comparison.metrics)
    for table in tables:
        assert {len(cells(line)) for line in table} == {len(cells(table[0]))}


def test_markdown_escapes_names(made: SimpleNamespace) -> None:
    text = markdown.to_markdown(made.roster["hostile names"]())
    assert "<script>" not in text
    assert r"\<script\>" in text
    assert r"c\|d\#" in text
    assert "`" not in markdown.to_markdown(made.ladder(["a`b", "c"])).split("```")[0].replace("\\`", "")


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_b", r"a\_b"),
        ("50% & #1", r"50\% \& \#1"),
        ("{x}$y^2~", r"\{x\}\$y\textasciicircum{}2\textasciitilde{}"),
        ("a\\b", r"a\textbackslash{}b"),
        ("a--b", "a-{}-b"),
        ("−0.1 – ∞", r"$-$0.1 -- $\infty$"),
        ("naïve Ångström ß", r"na\"{\i}ve \r{A}ngstr\"{o}m \ss{}"),
        ("αβλ Ω", r"$\alpha$$\beta$$\lambda$ $\Omega$"),
        ("μοντέλο-α τ²", r"μοντέλο-$\alpha$ $\tau$$^{2}$"),
        ("two\nlines", r"two\textbackslash{}nlines"),
        ("漢", "漢"),
        ('("Equal" means)', "(``Equal'' means)"),
        ('5" wide', "5'' wide"),
    ],
)
def test_latex_escapes(text: str, escaped: str) -> None:
    assert latex.escape(text) == escaped


def test_latex_of_five(made: SimpleNamespace) -> None:
    text = latex.to_latex(made.five())
    lines = text.splitlines()
    assert lines[0] == r"% needs \usepackage{booktabs,graphicx}"
    assert lines[1] == f"% {made.five().signature}"
    assert r"aen\_bert & \textbf{0.781}\textsuperscript{a} {\footnotesize [0.747, 0.812]} \\" in lines
    assert r"atae\_lstm & 0.708\textsuperscript{bc} {\footnotesize [0.674, 0.739]} \\" in lines
    assert text.count(r"\textbf") == 1
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 2


def test_latex_puts_metrics_side_by_side(made: SimpleNamespace) -> None:
    text = latex.to_latex(made.two_metrics())
    assert r"System & accuracy & f1[a\_b] \\" in text
    assert text.count(r"\begin{table}") == 3


def captions(text: str) -> list[str]:
    return re.findall(r"\\caption\{(.*)\}", text)


def test_latex_captions_tell_the_methods_of_their_own_table(made: SimpleNamespace) -> None:
    scores, first, second = captions(latex.to_latex(made.two_metrics()))
    assert "Intervals" not in scores
    assert "BCa bootstrap for differences, Wilson score for scores." in first
    assert "BCa bootstrap for differences, percentile bootstrap for scores." in second
    assert "two-sided (exact, by convolution); no correction." in first
    assert "two-sided (Monte Carlo); no correction." in second


def test_latex_captions_keep_off_the_rules(made: SimpleNamespace) -> None:
    text = latex.to_latex(made.five())
    assert text.count(r"\setlength{\belowcaptionskip}{6pt}") == text.count(r"\begin{table}")
    assert text.index(r"\belowcaptionskip") < text.index(r"\caption")
    assert text.index(r"\caption") < text.index(r"\fontsize{8}{9.6}\selectfont\setlength{\tabcolsep}{3pt}")


def test_latex_captions_do_not_break_before_a_percent_sign(made: SimpleNamespace) -> None:
    text = " ".join(captions(latex.to_latex(made.five())))
    assert r"95~\% intervals" in text
    assert r" \%" not in text
    assert latex.prose("p < 0.05, p = 0.2") == r"p~$<$~0.05, p~=~0.2"


def test_an_end_of_an_interval_close_to_0_is_a_power_of_ten(made: SimpleNamespace) -> None:
    close = made.difference("aen_bert", "memnet", 0.073, low=-0.000002, high=0.146073)
    text = latex.to_latex(made.five(differences=(close,)))
    assert r"[$-$$2\times10^{-6}$, 0.146]" in text


def test_small_p_values_are_powers_of_ten(made: SimpleNamespace) -> None:
    text = latex.to_latex(made.roster["margin"]())
    assert r"$2\times10^{-7}$" in text
    tiny = made.five(differences=(made.difference(p_value=0.0),))
    assert r"$<1\times10^{-15}$" in latex.to_latex(tiny)


def test_latex_says_when_pdflatex_will_not_do(made: SimpleNamespace) -> None:
    assert "XeLaTeX or LuaLaTeX with a font that has: 漢" in latex.to_latex(made.ladder(["漢", "b"]))
    assert "XeLaTeX" not in latex.to_latex(made.roster["hostile names"]())


def test_no_cell_is_read_as_an_option_of_the_line_before(made: SimpleNamespace) -> None:
    text = latex.to_latex(made.ladder(["[x]", "*y"]))
    assert not re.search(r"\\\\\s*[\[*]", text)


ARTICLE = r"\documentclass{article}"
PAPERS = {
    # Columns of 3.03 in, text of 10.95 pt, as in the style of ACL.
    "ACL": r"\documentclass[11pt,twocolumn]{article}"
    r"\usepackage[a4paper,margin=2.5cm,columnsep=0.6cm]{geometry}",
    "NeurIPS": r"\documentclass{article}\usepackage[textwidth=5.5in,textheight=9in]{geometry}",
    "IEEE": r"\documentclass[conference]{IEEEtran}",
}


def compiled(body: str, folder: Path, preamble: str = ARTICLE) -> str:
    """Return what pdflatex says of tables in a document of nothing else."""
    document = rf"{preamble}\usepackage{{booktabs,graphicx}}\begin{{document}}{body}\end{{document}}"
    (folder / "table.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "table.tex"],
        cwd=folder,
        capture_output=True,
        check=False,
    )
    log = done.stdout.decode("latin-1")
    assert done.returncode == 0, log[-2000:]
    return log


@needs_pdflatex
def test_latex_compiles_alone(any_comparison: Comparison, tmp_path: Path) -> None:
    compiled(latex.to_latex(any_comparison), tmp_path)
    assert (tmp_path / "table.pdf").stat().st_size > 1000


def advice() -> Any:
    return advise(metric="f1_macro", n_items=200)


def test_a_row_that_ends_in_a_paragraph_is_ended_as_a_row() -> None:
    rows = [line for line in advice().to_latex().splitlines() if r"& \raggedright" in line]
    assert len(rows) > 5
    assert {line.rsplit(" ", 1)[1] for line in rows} == {r"\tabularnewline"}


@needs_pdflatex
def test_an_advice_compiles(tmp_path: Path) -> None:
    assert "Output written on table.pdf" in compiled(advice().to_latex(), tmp_path)


def test_every_column_of_an_advice_has_a_name() -> None:
    tables = describe(advice()).sections[0].tables
    assert tables
    assert all(column.header for table in tables for column in table.columns)


def test_a_caption_that_asks_has_no_second_sign() -> None:
    c = compare_slices(
        {"a": list("xyxxyx"), "b": list("xyyxxx")}, list("xyxyxy"), by={"part": list("uuvvww")}
    )
    (text,) = [text for text in captions(c.to_latex()) if "?" in text]
    assert text.endswith("?")
    assert "\n\nDoes the difference depend on the slice?\n\n" in c.to_markdown()


def widest(made: SimpleNamespace) -> list[Any]:
    """Return results with the widest tables: many columns, many systems, long names, several metrics."""
    rng = np.random.default_rng(0)
    item = rng.normal(size=25)
    runs = {name: item + rng.normal(0.0, 0.5, (4, 25)) for name in ("aen_bert", "bert_spc", "memnet")}
    long = [f"newstest2017.LIUM-NMT.{4900 + i}_finetuned_with_more_data.en-de" for i in range(4)]
    table = {
        f"d{i}": {f"system_{j}": 0.7 + 0.01 * j + 0.01 * (i * j % 5) for j in range(9)} for i in range(9)
    }
    gold = rng.integers(0, 3, 60)
    thirty = {f"system_{i}_of_the_year": np.where(rng.random(60) < 0.7, gold, 0) for i in range(30)}
    return [
        compare(thirty, gold, metric=["accuracy", "f1_macro"], interval="normal", test=None),
        made.ladder(list(runs), margin=0.03),
        made.ladder(long, margin=0.03),
        made.two_metrics(),
        made.roster["many"](),
        compare_runs(runs, margin=0.1),
        compare_datasets(table, outer="dataset", margin=0.03),
    ]


@needs_pdflatex
@pytest.mark.parametrize("paper", PAPERS)
def test_the_widest_tables_fit_a_column(paper: str, made: SimpleNamespace, tmp_path: Path) -> None:
    if (
        paper == "IEEE"
        and not subprocess.run(["kpsewhich", "IEEEtran.cls"], capture_output=True, check=False).stdout
    ):
        pytest.skip("no IEEEtran on this machine (texlive-publishers)")
    for result in widest(made):
        text = result.to_latex() + result.to_latex(parts=["pairs"], wide=True)
        log = compiled(text, tmp_path, PAPERS[paper])
        assert "Overfull" not in log
        assert "Float too large" not in log
        assert "multiply defined" not in log


def test_parts_are_chosen_by_name(made: SimpleNamespace) -> None:
    c = made.five()
    scores = c.to_latex(parts=["scores"])
    assert scores.count(r"\begin{table}") == 1
    assert r"\caption{Scores over 638 items" in scores
    both = c.to_latex(parts=["pairs", "scores"], label="tab:x")
    assert re.findall(r"\\label\{(.*)\}", both) == ["tab:x", "tab:x-2"]
    with pytest.raises(
        InvalidInputError, match=r"among scores, differences, pairs, got 'score'; did you mean"
    ):
        c.to_latex(parts=["score"])
    with pytest.raises(InvalidInputError, match="parts is empty"):
        c.to_latex(parts=[])
    with pytest.raises(InvalidInputError, match="every two systems"):
        made.roster["baseline"]().to_latex(parts=["pairs"])


def test_the_matrix_of_pairs_is_a_triangle_with_marks(made: SimpleNamespace) -> None:
    lines = made.five().to_latex(parts=["pairs"]).splitlines()
    assert r"system & 2 & 3 & 4 & 5 \\" in lines
    assert r"1 aen\_bert & 0.011 & 0.060* & 0.072* & 0.097* \\" in lines
    assert r"4 atae\_lstm &  &  &  & 0.025 \\" in lines
    assert any("$\\le$ 0.05" in line for line in lines)
    assert any(r"row $-$ column" in line for line in lines)


def test_a_caption_is_for_one_table_and_left_as_it_is(made: SimpleNamespace) -> None:
    text = made.five().to_latex(parts=["scores"], caption=r"Our \emph{scores}.", wide=True, label="tab:s")
    assert r"\caption{Our \emph{scores}.}" in text
    assert r"\begin{table*}[t]" in text
    assert r"\end{table*}" in text
    with pytest.raises(InvalidInputError, match="a caption is for one table, and there are 2"):
        made.five().to_latex(caption="x")


def test_digits_replace_those_of_scores_and_differences_only(made: SimpleNamespace) -> None:
    text = made.five().to_latex(digits=2)
    assert r"\textbf{0.78}\textsuperscript{a} {\footnotesize [0.75, 0.81]}" in text
    assert r"aen\_bert & memnet & 0.06 & {}[0.02, 0.09] & 0.0013 \\" in text
    for digits in (-1, 1.5, True):
        with pytest.raises(InvalidInputError, match="digits must be a whole number"):
            made.five().to_latex(digits=digits)


@pytest.mark.parametrize("label", ["x%", "a\\b", "{a}", "a#b"])
def test_labels_that_latex_does_not_take_are_refused(made: SimpleNamespace, label: str) -> None:
    with pytest.raises(InvalidInputError, match="label must not hold") as caught:
        made.five().to_latex(label=label)
    assert caught.value.hint == "use letters, digits and - _ : ."


def test_letters_of_groups_are_told_from_systems_of_one_letter(made: SimpleNamespace) -> None:
    said = "The letters of groups are no names of systems"
    for names, confusing in ((["b", "a", "c"], True), (["A", "B"], True), (["x", "y"], False)):
        c = made.ladder(names)
        for text in (str(c), c.to_markdown(), c.to_html(), c.to_latex(parts=["scores"])):
            assert (said in text) == confusing


def many_results(n: int, names: str = "system_{}") -> Comparison:
    rng = np.random.default_rng(0)
    return compare({names.format(place): rng.integers(0, 2, 60) for place in range(n)}, n_resamples=99)


def test_a_table_that_is_wider_than_a_narrow_column_stands_over_both() -> None:
    result = many_results(12)
    wide = result.to_latex(parts=["pairs"])
    assert r"\begin{table*}" in wide
    assert "set over both (table*)" in wide.split(r"\begin{table*}")[0]
    assert "table*" not in result.to_latex(parts=["scores"])
    assert "set over both" not in result.to_latex(parts=["pairs"], wide=True)
    assert "table*" not in many_results(2).to_latex(parts=["scores"])


def test_the_columns_of_a_table_are_parted_rather_than_shrunk_below_7_pt() -> None:
    text = many_results(20, "organisation/system_{}_of_the_year").to_latex(parts=["pairs"], label="t")
    assert "the columns are parted in" in text
    tables = re.findall(r"system & ([\d &]+) \\\\", text)
    assert " & ".join(tables).split(" & ") == [str(place) for place in range(2, 21)]
    sizes = [len(table.split(" & ")) for table in tables]
    assert max(sizes) - min(sizes) <= 1
    labels = re.findall(r"\\label\{(.*)\}", text)
    assert labels[0] == "t"
    assert len(set(labels)) == len(labels)
    assert "the columns are parted" not in many_results(8).to_latex()


def test_no_table_is_scaled_below_seven_eighths() -> None:
    for result in (many_results(12), many_results(2)):
        text = result.to_latex()
        assert text.count(r"\resizebox") == text.count(r"\ifdim.875\width>\linewidth.875\width\else")
        assert r"\fontsize{8}{9.6}" in text


def test_the_pairs_of_more_than_six_systems_are_a_matrix() -> None:
    six, seven = many_results(6).to_latex(), many_results(7).to_latex()
    assert "& 2 & 3 &" not in six
    assert "first & second" in six
    assert "system & 2 & 3 & 4 & 5 & 6 & 7" in seven
    assert "first & second" not in seven
    assert "first & second" in many_results(7).to_latex(parts=["differences"])


def test_the_pairs_of_the_systems_that_are_shown_are_a_matrix() -> None:
    text = many_results(60).to_latex(top=8)
    assert "system & 2 & 3 & 4 & 5 & 6 & 7 & 8" in text
    assert "first & second" not in text


def test_two_systems_on_several_metrics_are_one_table(made: SimpleNamespace) -> None:
    rng = np.random.default_rng(0)
    gold = rng.integers(0, 3, 60)
    systems = {name: np.where(rng.random(60) < 0.7, gold, 0) for name in ("new", "old_er")}
    result = compare(systems, gold, metric=["accuracy", "f1_macro"], n_resamples=99)
    text = result.to_latex()
    assert text.count(r"\begin{table}") == 1
    first, second = (d.a for d in result.differences)
    assert rf"metric & {first.replace('_', chr(92) + '_')} & " in text
    for d in result.differences:
        sign = 1.0 if d.a == first else -1.0
        row = next(line for line in text.splitlines() if line.startswith(d.metric.replace("_", r"\_")))
        numbers = [cell.strip().replace("$-$", "-") for cell in row.split("&")]
        assert float(numbers[3]) == pytest.approx(sign * d.estimate, abs=0.006)
    assert {first, second} <= set(systems)
    (caption,) = re.findall(r"\\caption\{(.*)\}", text)
    assert "for accuracy: Tango score; for f1\\_macro:" in caption
    assert "for scores" not in caption
    assert "correction" not in caption
    assert result.to_latex(parts=["scores"]).count(r"\begin{table}") == 1
    assert result.to_latex(parts=["differences"]).count(r"\begin{table}") == 2


@pytest.mark.parametrize("name", ["@everyone", "@user", "(@user)", "_@user", "x @user/team", "@\u00fcser"])
def test_markdown_mentions_nobody(made: Any, name: str) -> None:
    text = markdown.to_markdown(made.ladder([name, "ndcg@10"])).split("```")[0]
    assert re.search(r"(?<![A-Za-z0-9])@\w", text) is None
    assert "@&#8203;" in text
    assert "ndcg@10" in text
