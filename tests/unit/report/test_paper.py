"""The paragraph for a paper says what was compared and how, of every kind of result."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tests.unit.test_common_surface import RESULTS, instance

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.report.references import cited, works

GENERATOR = np.random.default_rng(0)
GOLD = GENERATOR.integers(0, 3, 60)
SYSTEMS = {name: np.where(GENERATOR.random(60) < 0.7, GOLD, GENERATOR.integers(0, 3, 60)) for name in "abc"}

DEMANDS = {
    # Bestgen 2022, sections 2 and 3
    "the systems": r"\b3 systems \((\w, )*\w and \w\)",
    "the measure": r"by f1_macro\b",
    "the data": r"on the same 60 items",
    "the difference and its interval": r"every difference with its 95 % confidence interval",
    "the method of the intervals": r"BCa bootstrap \(Efron, 1987\)",
    "the number of resamples": r"\b999 resamples\b",
    "whether there was a correction": r"3 comparisons were corrected for their number: Holm \(Holm, 1979\)",
    # Dror et al. 2018, sections 4 and 5
    "the name of the test": r"paired permutation test \(Noreen, 1989",
    "the level of the test": r"at the 5 % level",
    "the sides of the test": r"two-sided",
    # both: so that others get the same numbers
    "the seed": r"seed 0",
    "the software": rf"bestby {re.escape(bb.__version__)} \(The bestby authors\)",
}


@pytest.mark.parametrize("demand", DEMANDS)
def test_what_the_works_demand_is_in_the_paragraph(demand: str) -> None:
    result = bb.compare(SYSTEMS, GOLD, metric="f1_macro", interval="bca", n_resamples=999)
    assert re.search(DEMANDS[demand], result.methods()), result.methods()


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_has_a_paragraph_and_its_works(name: str) -> None:
    result = instance(name)
    text, marked = result.methods(), result.methods("markdown")
    assert text.startswith(("We ", "From the p-values"))
    assert text.endswith(".")
    assert "  " not in text
    assert "[@" not in text
    keys = cited(marked)
    assert set(re.findall(r"^@\w+\{([^,]+),", result.citations(), re.MULTILINE)) == set(keys)
    assert keys[-1] == "bestby"
    assert len(re.findall(r"\\citep\{", result.methods("latex"))) == marked.count("[@")
    assert set(keys) <= set(works())
    if name not in ("Advice", "StochasticOrder", "StochasticOrders"):
        assert bb.load(result.to_json()).methods() == text


def test_the_interval_of_a_verdict_is_named_where_it_is_not_the_one_shown() -> None:
    errors = {name: np.random.default_rng(k).exponential(size=30) for k, name in enumerate("ab")}
    few = {name: values[:8] for name, values in errors.items()}
    wide = "(two one-sided tests (Schuirmann, 1987); wide skewness-allowing t (Hall) (Hall, 1992))"
    assert wide in bb.compare(errors, metric="loss", margin=0.3).methods()
    named = bb.compare(few, metric="loss", margin=0.3)
    assert wide in named.methods()
    assert "hall-1992-removal" in named.citations()
    assert (
        "(Schuirmann, 1987))." in bb.compare(errors, metric="loss", margin=0.3, interval="normal").methods()
    )


def test_it_follows_the_settings() -> None:
    def said(**settings: Any) -> str:
        return bb.compare(SYSTEMS, GOLD, metric="accuracy", **settings).methods()

    assert "were not corrected for their number" in said(correction="none")
    assert "on the same 60 items, with b as the baseline." in said(baseline="b")
    assert "a difference of less than 0.02 does not matter" in said(margin=0.02)
    assert "the 90 % interval of their difference lies between \N{MINUS SIGN}0.02 and 0.02" in said(
        margin=0.02
    )
    assert "all systems are equal: Cochran's Q test (Cochran, 1950)" in said()
    untested = said(test=None)
    assert "tested each" not in untested
    assert "We did not test the differences." in untested
    assert "We report the differences without intervals." in said(interval=None)
    assert "corrected" not in untested
    assert "confidence interval" not in said(interval=None)
    assert "Nothing was resampled" in said()
    together = said(correction="simultaneous")
    assert "simultaneous max-T (Romano and Wolf, 2005)" in together
    assert "The adjusted p-values of the 3 comparisons are those of the intervals" in together
    clustered = said(clusters=[i // 3 for i in range(60)])
    assert "take the clusters, not the items, to be independent" in clustered
    assert "to be independent" not in said()


def test_methods_that_differ_are_said_by_metric() -> None:
    result = bb.compare(SYSTEMS, GOLD, metric=["accuracy", "f1_macro"], n_resamples=99)
    text = result.methods()
    assert ": for accuracy: Tango score (Tango, 1998) for differences, Wilson score and mid-P (" in text
    assert "; for f1_macro: " in text
    assert ": for accuracy: paired permutation test (Noreen, 1989), two-sided (exact, binomial); for" in text
    shown = " ".join(str(result).split())
    assert "Intervals (95 %): for accuracy: Tango score for differences, Wilson score" in shown
    both = (text, shown, result.to_markdown(), result.to_latex(), result.to_html())
    assert not any(re.search(r"\(\d+ of \d+\)", one) for one in both)


def test_metrics_have_families_of_their_own() -> None:
    text = bb.compare(SYSTEMS, GOLD, metric=["accuracy", "f1_macro"], n_resamples=99).methods()
    assert "by accuracy and f1_macro" in text
    assert "3 comparisons on each metric" in text
    two = bb.compare({name: SYSTEMS[name] for name in "ab"}, GOLD, n_resamples=99).methods()
    assert "There was one comparison, so no p-value was corrected" in two


def test_names_act_in_no_form() -> None:
    result = bb.compare({"a_1": SYSTEMS["a"], "50%": SYSTEMS["b"]}, GOLD)
    assert r"a\_1" in result.methods("latex")
    assert r"50\%" in result.methods("latex")
    assert "<b>" not in bb.compare({"<b>": SYSTEMS["a"], "c": SYSTEMS["b"]}, GOLD).to_html()


def test_the_page_holds_it() -> None:
    result = bb.compare(SYSTEMS, GOLD)
    page = result.to_html()
    assert "How to report this" in page
    assert "by accuracy on the same 60 items" in page
    assert "@article{tango-1998-equivalence," in page


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="style must be one of text, latex, markdown"):
        bb.compare(SYSTEMS, GOLD).methods("word")  # type: ignore[arg-type]


def test_metrics_of_texts_cite_their_works() -> None:
    from bestby.report.references import SOURCES, cite_metric

    names = [row.name for row in bb.list_metrics() if row.family in ("bleu", "translation", "summarisation")]
    assert len(names) > 8
    assert all(cite_metric(name) for name in names)
    others = [row.name for row in bb.list_metrics() if row.name not in names]
    assert not any(map(cite_metric, others))
    assert {key for key in SOURCES["metric"] if not cite_metric(key)} == set()
    texts = ["the cat sat on the mat", "a dog ran over the hill", "birds sing in the morning"]
    systems = {"a": texts, "b": [text.replace("the", "a") for text in texts]}
    result = bb.compare(systems, texts, metric="chrf++", n_resamples=99)
    assert "by chrf++ (Popović, 2015; Popović, 2017) on" in result.methods()
    assert "popovic-2017-chrf" in result.citations()
