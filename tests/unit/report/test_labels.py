"""Labels are shown wherever a name would be; data keep the names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import bestby as bb
from bestby._core.errors import InvalidInputError

GOLD = ["x", "y"] * 10
ANSWERS = (["x", "y"] * 9 + ["x", "x"], ["x"] * 10 + ["x", "y"] * 5, ["y"] * 9 + ["x"] * 11)
SCORES = ([0.81, 0.84, 0.83, 0.86, 0.82], [0.79, 0.80, 0.78, 0.81, 0.80], [0.6, 0.7, 0.65, 0.9, 0.1])


def answers(names: dict[str, str]) -> dict[str, list[str]]:
    return {names[key]: ANSWERS[place] for place, key in enumerate("abc")}


def scores(names: dict[str, str]) -> dict[str, list[float]]:
    return {names[key]: SCORES[place] for place, key in enumerate("abc")}


def study(n: dict[str, str], folder: Any) -> Any:
    made = bb.Study(folder / n["a"])
    for key, values in answers(n).items():
        made.add(key, run=0, predictions=values, gold=GOLD, baseline=key == n["b"])
    return made.compare(n_resamples=99)


def monitored(n: dict[str, str]) -> Any:
    made = bb.Monitor([n["a"], n["b"]], bounds=(0, 1), margin=0.05)
    for item, gold in enumerate(GOLD):
        made.add(f"q{item}", {n[key]: int(ANSWERS["ab".index(key)][item] == gold) for key in "ab"})
    return made.result()


ROSTER: dict[str, Callable[[dict[str, str], Any], Any]] = {
    "compare": lambda n, _: bb.compare(answers(n), GOLD, metric=["accuracy", "f1_macro"], n_resamples=99),
    "baseline": lambda n, _: bb.compare(answers(n), GOLD, baseline=n["b"], margin=0.2),
    "two": lambda n, _: bb.compare(
        {n[k]: answers(n)[n[k]] for k in "ab"}, GOLD, metric=["accuracy", "f1_macro"]
    ),
    "evaluate": lambda n, _: bb.evaluate(answers(n), GOLD),
    "runs": lambda n, _: bb.compare_runs(scores(n), n_resamples=99),
    "datasets": lambda n, _: bb.compare_datasets(
        {n[f"d{i}"]: {key: values[i] for key, values in scores(n).items()} for i in range(5)},
        outer="dataset",
        n_resamples=99,
    ),
    "runs on datasets": lambda n, _: bb.compare_datasets(
        {n[f"d{i}"]: scores(n) for i in range(3)}, n_resamples=99
    ),
    "folds": lambda n, _: bb.compare_folds(scores(n)),
    "slices": lambda n, _: bb.compare_slices(
        answers(n), GOLD, by={n["half"]: [n["p"], "q"] * 10}, n_resamples=99
    ),
    "frontier": lambda n, _: bb.frontier(
        answers(n), GOLD, cost={n["a"]: 3.0, n["b"]: 2.0, n["c"]: 1.0}, margin=0.5, n_resamples=99
    ),
    "attempts": lambda n, _: bb.compare_attempts(
        {n["a"]: [(3, 1), (3, 2)] * 10, n["b"]: [(3, 3), (3, 0)] * 10, n["c"]: [(3, 0), (3, 1)] * 10}
    ),
    "gate": lambda n, _: bb.gate({n[k]: answers(n)[n[k]] for k in "ba"}, GOLD, n_resamples=99),
    "preferences": lambda n, _: bb.compare_preferences(
        [(n["a"], n["b"], n["a"])] * 9 + [(n["b"], n["a"], n["b"])] * 5 + [(n["a"], n["c"], "tie")] * 3,
        n_resamples=99,
    ),
    "judged": lambda n, _: bb.compare_judged(
        {n["a"]: [1, 0] * 10, n["b"]: [1, 1, 0, 1] * 5},
        {n["a"]: [1, 0] * 4 + [None] * 12, n["b"]: [0, 1] * 4 + [None] * 12},
        labels_drawn="random",
    ),
    "orders": lambda n, _: bb.multi_aso(scores(n), n_resamples=99),
    "monitor": lambda n, _: monitored(n),
    "study": study,
    "published": lambda n, _: bb.compare_published({n["a"]: ANSWERS[0]}, GOLD, published="70%", name=n["b"]),
}
"""A result of each kind, of systems, datasets and slices of given names."""

NAMES = {key: f"org_{key}" for key in ("a", "b", "c", "half", "p", *(f"d{i}" for i in range(5)))}
LABELS = {name: f"Org_{key}" for key, name in NAMES.items()}
WRITERS = ("__str__", "details", "to_markdown", "to_latex", "methods")


def both(kind: str, folder: Any) -> tuple[Any, Any]:
    """Return a labelled result, and the result of data in which the labels are the names."""
    result = ROSTER[kind](NAMES, folder)
    labels = {name: label for name, label in LABELS.items() if _is_in(result, name)}
    assert labels
    renamed = ROSTER[kind]({key: LABELS[name] for key, name in NAMES.items()}, folder)
    return result.labelled(labels), renamed


def _is_in(result: Any, name: str) -> bool:
    try:
        result.labelled({name: "another label"})
    except InvalidInputError:
        return False
    return True


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("kind", ROSTER)
def test_a_labelled_result_reads_as_one_of_data_with_these_names(
    kind: str, writer: str, tmp_path: Any
) -> None:
    texts = (getattr(one, writer)() for one in both(kind, tmp_path))
    # But for the settings and the hash of the data, by which the numbers can be had again
    labelled, renamed = (
        [line for line in text.splitlines() if not re.match(r"(% )?bestby[ :]", line)] for text in texts
    )
    assert labelled == renamed
    assert any("Org" in line for line in labelled)


def test_data_keep_the_names(tmp_path: Any) -> None:
    result = ROSTER["compare"](NAMES, tmp_path)
    labelled = result.labelled({"org_a": "Chat", "f1_macro": "Macro-F1"})
    assert labelled == result
    assert labelled.to_json() == result.to_json()
    assert labelled.to_csv() == result.to_csv()
    assert labelled["org_a", "org_b", "f1_macro"] == result["org_a", "org_b", "f1_macro"]
    assert labelled.signature == result.signature
    assert "org_a" in str(result)


def test_a_metric_under_a_label_is_cited() -> None:
    texts = ["the cat sat on the mat", "a dog ran over the hill", "birds sing in the morning"]
    systems = {"a": texts, "b": [text.replace("the", "a") for text in texts]}
    result = bb.compare(systems, texts, metric="chrf", n_resamples=99).labelled({"chrf": "chrF"})
    assert "by chrF (Popović, 2015) on" in result.methods()
    assert "popovic-2015-chrf" in result.citations()


def test_notes_show_labels_and_keep_words_of_english() -> None:
    data = {"the": [0.5, 0.5, 0.5], "org_x": [0.7, 0.7, 0.7], "bert": [0.6, 0.6, 0.6]}
    result = bb.compare_runs(data, n_resamples=99)
    for name in ("org_x", "bert"):
        assert any(name in note.message for note in result.notes)
    text = result.labelled({"the": "Old", "org_x": "New", "bert": "BERT"}).details()
    for name in ("org_x", "bert "):
        assert name not in text.partition("bestby:")[0]
    assert "Old same score" not in text


@pytest.mark.parametrize(
    ("labels", "message", "hint"),
    [
        ({"f1_makro": "F"}, "no name in this result; did you mean 'f1_macro'?", "names: accuracy, f1_macro"),
        ({"org_a": "org_b"}, "labels shows 'org_a' and 'org_b' alike as 'org_b'", "a label of its own"),
        ({"org_a": "X", "org_b": "X"}, "labels shows 'org_a' and 'org_b' alike as 'X'", "a label of its own"),
        ({"org_a": " "}, "labels shows 'org_a' as ' '", "a label of its own"),
        ({"org_a": 3}, "a label must be a text, got 3", ""),
        (["org_a"], "labels must be a dictionary", '{"f1_macro": "Macro-F1"}'),
    ],
)
def test_wrong_labels_are_refused(labels: Any, message: str, hint: str, tmp_path: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        ROSTER["compare"](NAMES, tmp_path).labelled(labels)
    assert message in caught.value.message
    assert hint in str(caught.value.hint)


def test_two_names_may_exchange_their_labels(tmp_path: Any) -> None:
    result = ROSTER["two"](NAMES, tmp_path)
    text = result.labelled({"org_a": "org_b", "org_b": "org_a"}).to_markdown()
    other = ROSTER["two"]({**NAMES, "a": "org_b", "b": "org_a"}, tmp_path)
    assert text.partition("```")[0] == other.to_markdown().partition("```")[0]


def test_a_page_shows_labels(tmp_path: Any) -> None:
    labelled, _ = both("compare", tmp_path)
    page = labelled.to_html(items=True)
    assert "Org_a and Org_b differ on" in page or "Org_b and Org_a differ on" in page
    assert not re.search(r"org_[abc] (and|has|won|differ)", page)


def test_sentences_show_labels(tmp_path: Any) -> None:
    for kind in ("slices", "monitor"):
        labelled, renamed = both(kind, tmp_path)
        assert labelled.sentence == renamed.sentence
    labelled, renamed = both("gate", tmp_path)
    assert labelled.sentences == renamed.sentences


@pytest.mark.parametrize("kind", [kind for kind in ROSTER if kind not in ("monitor", "published")])
def test_a_figure_shows_labels(kind: str, tmp_path: Any) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.text import Text

    labelled, renamed = (
        [text.get_text() for text in one.plot().figure.findobj(Text)] for one in both(kind, tmp_path)
    )
    assert labelled == renamed
    assert not any("org_" in text for text in labelled)
