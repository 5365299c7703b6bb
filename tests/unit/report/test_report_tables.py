"""Markdown and LaTeX: nothing in a name breaks a table."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from bestby.report import latex, markdown
from bestby.results import Comparison


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
        ("two\nlines", "two lines"),
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
    assert r"aen\_bert & \textbf{0.781}\textsuperscript{a} {\small [0.747, 0.812]} \\" in lines
    assert r"atae\_lstm & 0.708\textsuperscript{bc} {\small [0.674, 0.739]} \\" in lines
    assert text.count(r"\textbf") == 1
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == 2


def test_latex_puts_metrics_side_by_side(made: SimpleNamespace) -> None:
    text = latex.to_latex(made.two_metrics())
    assert r"System & accuracy & f1[a\_b] \\" in text
    assert text.count(r"\begin{table}") == 3


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


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
def test_latex_compiles_alone(any_comparison: Comparison, tmp_path: Path) -> None:
    body = latex.to_latex(any_comparison)
    document = (
        "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n" + body + "\\end{document}\n"
    )
    (tmp_path / "table.tex").write_text(document, encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "-no-shell-escape", "table.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout.decode("latin-1")[-2000:]
    assert (tmp_path / "table.pdf").stat().st_size > 1000
