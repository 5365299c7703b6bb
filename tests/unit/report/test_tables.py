"""Markdown and LaTeX: nothing in a name breaks a table."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bestby import compare_runs
from bestby.report.writers import latex, markdown
from bestby.results.comparison import Comparison

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
        ("two\nlines", r"two\textbackslash{}nlines"),
        ("漢", "漢"),
    ],
)
def test_latex_escapes(text: str, escaped: str) -> None:
    assert latex.escape(text) == escaped


def test_latex_of_five(made: SimpleNamespace) -> None:
    text = latex.to_latex(made.five())
    lines = text.splitlines()
    assert lines[0] == r"% needs \usepackage{booktabs}"
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
    assert text.index(r"\caption") < text.index(r"\small\setlength{\tabcolsep}{4pt}")


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


def compiled(body: str, folder: Path) -> str:
    """Return what pdflatex says of tables in a document of nothing else."""
    document = (
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + body + "\\end{document}\n"
    )
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


@needs_pdflatex
def test_the_widest_tables_fit_the_page(made: SimpleNamespace, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    item = rng.normal(size=25)
    runs = {name: item + rng.normal(0.0, 0.5, (4, 25)) for name in ("aen_bert", "bert_spc", "memnet")}
    for result in (made.ladder(list(runs), margin=0.03), compare_runs(runs, margin=0.1)):
        assert "Overfull" not in compiled(latex.to_latex(result), tmp_path)
