"""Spans, tags and sets of labels against seqeval and scikit-learn."""

from __future__ import annotations

import sys
import warnings
from functools import partial

import numpy as np
import pytest
import seqeval.metrics
import seqeval.scheme

from bestby._core.errors import InvalidInputError, MissingExtraError
from bestby.metrics import multilabel, spans

PARTS = ("precision", "recall", "f1")
LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOE1": "IE", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}


def tagged(generator, letters, n=60):
    """Tags at random, mostly ill-formed, and predictions that agree on most tokens."""
    tags = ["O", "O", *(f"{letter}-{one}" for letter in letters for one in ("PER", "LOC", "a-b"))]
    gold = [generator.choice(tags, generator.integers(1, 9)).tolist() for _ in range(n)]
    gold[0] = [f"{letter}-PER" for letter in letters] + ["O"]
    predictions = [
        [tag if generator.random() < 0.8 else str(generator.choice(tags)) for tag in item] for item in gold
    ]
    return gold, predictions


def against(metric, gold, predictions, reference, generator, n=25):
    """Compare on the full set and on resamples with the library's own score of the resampled items."""
    fitted = metric.fit(gold, [predictions], None)
    rows = fitted.statistics(gold, predictions)
    assert rows.dtype == np.float64
    draws = [np.arange(len(gold)), *generator.integers(0, len(gold), (n, len(gold)))]
    draws += list(generator.integers(0, len(gold), (n, 3)))  # small ones miss types
    expected = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 0/0, which the libraries count as 0 with a warning
        expected.extend(reference([gold[i] for i in d], [predictions[i] for i in d]) for d in draws)
    totals = np.array([rows[drawn].sum(axis=0) for drawn in draws])
    np.testing.assert_allclose(fitted.score(totals), expected, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(fitted.score(totals[3]), fitted.score(totals)[3])
    assert len(set(expected)) > 1


@pytest.mark.parametrize("average", ["micro", "macro"])
@pytest.mark.parametrize("part", PARTS)
def test_lenient_against_seqeval(part, average, generator):
    gold, predictions = tagged(generator, "BIES")
    name = f"span_{part}" if average == "micro" else f"span_{part}_macro"
    reference = partial(getattr(seqeval.metrics, f"{part}_score"), average=average)
    against(spans.NAMES[name][1](name), gold, predictions, reference, generator)


@pytest.mark.parametrize("scheme", LETTERS)
@pytest.mark.parametrize("average", ["micro", "macro"])
def test_schemes_against_seqeval(average, scheme, generator):
    gold, predictions = tagged(generator, LETTERS[scheme])
    name = "span_f1" if average == "micro" else "span_f1_macro"
    metric = spans.PATTERNS[name][1](f"{name}@{scheme}", scheme)
    assert metric.name == f"{name}@{scheme}"
    reference = partial(
        seqeval.metrics.f1_score, average=average, mode="strict", scheme=getattr(seqeval.scheme, scheme)
    )
    against(metric, gold, predictions, reference, generator)


@pytest.mark.parametrize("letters", ["BI", "IE", "BIES", "BILU"])
def test_strict_detects_the_scheme_of_the_gold(letters, generator):
    gold, predictions = tagged(generator, letters)
    metric = spans.NAMES["span_f1_strict"][1]("span_f1_strict").fit(gold, [predictions], None)
    totals = metric.statistics(gold, predictions).sum(axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scheme = seqeval.scheme.auto_detect(gold)
        expected = seqeval.metrics.f1_score(gold, predictions, mode="strict", scheme=scheme)
    assert float(metric.score(totals)) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("label", ["PER", "a-b"])
def test_one_type_against_seqeval(label, part, generator):
    gold, predictions = tagged(generator, "BI")

    def reference(a, b):
        report = seqeval.metrics.classification_report(a, b, output_dict=True, zero_division=0)
        key = "f1-score" if part == "f1" else part
        return report.get(label, {key: 0.0})[key]

    metric = spans.WITH_LABEL[f"span_{part}"][1](f"span_{part}[{label}]", label)
    against(metric, gold, predictions, reference, generator)


def test_spans_that_are_given():
    gold = [[(0, 5, "PER"), (10, 12, "LOC")], [], [[3, 4, "PER"]]]
    predictions = [[(0, 5, "PER"), (0, 5, "PER"), (10, 12, "PER")], [(1, 2, "LOC")], []]
    metric = spans.Spans("span_f1", "f1")
    np.testing.assert_array_equal(
        metric.statistics(gold, predictions), [[1, 2, 2], [0, 1, 0], [0, 0, 1]]
    )  # the one given twice counts once
    macro = spans.MacroSpans("span_f1_macro", "f1").fit(gold, [predictions], None)
    assert macro.types == ("LOC", "PER")
    assert float(macro.score(macro.statistics(gold, predictions).sum(axis=0))) == pytest.approx(0.25)
    strict = spans.NAMES["span_f1_strict"][1]("span_f1_strict").fit(gold, [predictions], None)
    np.testing.assert_array_equal(strict.statistics(gold, predictions)[:, 0], [1, 0, 0])


def test_macro_takes_the_types_of_the_sample():
    gold, predictions = [["B-A"], ["B-B"]], [["B-A"], ["O"]]
    metric = spans.MacroSpans("span_f1_macro", "f1").fit(gold, [predictions, [["B-C"], ["O"]]], None)
    rows = metric.statistics(gold, predictions)
    np.testing.assert_array_equal(metric.score(np.stack([rows[0], rows[1], rows.sum(axis=0)])), [1, 0, 0.5])
    assert np.isnan(metric.score(np.zeros(9)))
    assert metric.undefined(rows.sum(axis=0)) is None
    assert metric.undefined(np.zeros(9)).startswith("span_f1_macro is undefined: neither gold nor")
    precision = spans.MacroSpans("span_precision_macro", "precision", types=metric.types)
    assert precision.undefined(rows.sum(axis=0)) == (
        "precision of 'B' is 0/0 (never predicted) and counts as 0 in span_precision_macro"
    )


def test_nothing_predicted():
    totals = np.array([0.0, 0.0, 4.0])
    assert float(spans.Spans("span_precision", "precision").score(totals)) == 0.0
    told = spans.Spans("span_precision[A]", "precision", label="A").undefined(totals)
    assert told == "span_precision[A] is 0/0 (no span of type 'A' is predicted) and counts as 0"
    assert spans.Spans("span_f1", "f1").undefined(totals) is None


def test_fitting_that_fails():
    tags = [["B-A", "O"]]
    with pytest.raises(InvalidInputError, match=r"span_f1\[B\]: there is no label 'B'; the labels are A, C"):
        spans.Spans("span_f1[B]", "f1", label="B").fit(tags, [[["B-C", "O"]]], None)
    with pytest.raises(
        InvalidInputError, match=r"must follow one of the schemes .*; none of them has the letters B, L, O, S"
    ):
        spans.Spans("span_f1_strict", "f1", "strict").fit([["B-A", "L-A", "S-A", "O"]], [], None)
    with pytest.raises(
        InvalidInputError, match="item 0 of the gold: tag 1 must be O, or one of B, I, E, L, S"
    ):
        spans.Spans("span_f1_strict", "f1", "strict").fit([["B-A", "x"]], [], None)
    with pytest.raises(InvalidInputError, match="must know the scheme of the tags"):
        spans.Spans("span_f1_strict", "f1", "strict").statistics(tags, tags)
    with pytest.raises(InvalidInputError, match="the scheme in span_f1@BIO must be one of IOB1, IOB2"):
        spans.PATTERNS["span_f1"][1]("span_f1@BIO", "BIO")
    with pytest.raises(InvalidInputError, match="the scheme of mine must be one of"):
        spans.Spans("mine", "f1", "BIO").fit(tags, [tags], None)
    with pytest.raises(InvalidInputError, match="needs gold spans or tags"):
        spans.Spans("span_f1", "f1").fit(None, [tags], None)
    with pytest.raises(InvalidInputError, match="neither gold nor predictions have a span"):
        spans.MacroSpans("span_f1_macro", "f1").fit([["O"]], [[["O"]]], None)
    with pytest.raises(InvalidInputError, match="span_f1_macro was fitted without the type 'A'"):
        spans.MacroSpans("span_f1_macro", "f1").statistics(tags, tags)


def test_a_tag_of_another_scheme():
    metric = spans.PATTERNS["span_f1"][1]("span_f1@IOB2", "IOB2").fit([["B-A"]], [[["S-A"]]], None)
    with pytest.raises(
        InvalidInputError, match="item 0 of the predictions: tag 0 must be O, or one of B, I before"
    ):
        metric.statistics([["B-A"]], [["S-A"]])


def test_tags_need_seqeval_and_spans_do_not(monkeypatch):
    monkeypatch.setitem(sys.modules, "seqeval", None)
    metric = spans.Spans("span_f1", "f1")
    with pytest.raises(MissingExtraError, match=r"pip install 'bestby\[spans\]'"):
        metric.statistics([["B-A"]], [["O"]])
    np.testing.assert_array_equal(metric.statistics([[(0, 1, "A")]], [[]]), [[0, 0, 1]])


def test_tag_accuracy(generator):
    gold, predictions = tagged(generator, "BI")
    reference = seqeval.metrics.accuracy_score
    against(spans.TagAccuracy(), gold, predictions, reference, generator)
    assert np.isnan(spans.TagAccuracy().score(np.zeros(2)))


def labelled(generator, n=50):
    everything = np.array(["a", "b", "c", "d", "e"])
    gold, predictions = (
        [set(everything[generator.random(5) < 0.3].tolist()) for _ in range(n)] for _ in range(2)
    )
    predictions = [a if generator.random() < 0.6 else b for a, b in zip(gold, predictions, strict=True)]
    return gold, predictions


def test_sets_of_labels_may_be_lists_or_empty():
    gold, predictions = [["a", "b"], [], (3,)], [{"b", "a"}, set(), frozenset({4})]
    np.testing.assert_array_equal(multilabel.SubsetAccuracy().values(gold, predictions), [1, 1, 0])
    np.testing.assert_array_equal(multilabel.SamplesF1().values(gold, predictions), [1, 0, 0])
    np.testing.assert_array_equal(
        multilabel.MicroF1().statistics(gold, predictions), [[2, 2, 2], [0, 0, 0], [0, 1, 1]]
    )


def test_a_missing_set_of_labels_is_never_right():
    gold = [set(), {"a"}]
    for metric in (multilabel.MicroF1(), multilabel.MacroF1(labels=("a",)), multilabel.SamplesF1()):
        missing = [metric.empty] * 2
        assert float(metric.score(metric.statistics(gold, missing).sum(axis=0))) == 0.0
    assert multilabel.SubsetAccuracy().empty is None  # the empty set would be right for the first item


def test_sets_of_labels_undefined():
    metric = multilabel.MacroF1(labels=("a", "b"))
    totals = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    assert float(metric.score(totals)) == 0.5
    assert metric.undefined(totals) == (
        "f1 of 'b' is 0/0 (neither in the gold nor predicted) and counts as 0 in multilabel_f1_macro"
    )
    assert metric.undefined(np.ones(6)) is None
    assert multilabel.MicroF1().undefined(np.zeros(3)) == (
        "multilabel_f1_micro is 0/0 (no item has a label) and counts as 0"
    )
    assert multilabel.MicroF1().undefined(np.ones(3)) is None
