"""Notes, reports and figures of `compare_preferences`."""

from __future__ import annotations

import json

import pytest
from tests.unit.questions.preferences.examples import PLAIN, ROWS, TWO, codes

from bestby.questions.preferences.compare import compare_preferences


def test_notes() -> None:
    few = compare_preferences(ROWS[:90], n_resamples=300)
    assert "few_clusters" in codes(few)
    assert "few_differing" in codes(compare_preferences(PLAIN[:12]))


def test_two_groupings_are_said_wherever_one_is() -> None:
    voters = [f"v{k % 70}" for k in range(len(ROWS))]
    rows = dict(zip(("item", "a", "b", "winner"), map(list, zip(*ROWS, strict=True)), strict=True))
    one = compare_preferences(rows)
    assert "360 judgements in 60 clusters" in str(one)
    assert "take the clusters, not the judgements, to be independent" in one.methods()
    both = compare_preferences({**rows, "voter": voters}, clusters=["item", "voter"])
    assert "360 judgements in two crossed groupings of 60 and 70 clusters" in " ".join(str(both).split())
    assert "Variances allow for both groupings (Cameron" in both.methods()
    assert "few_clusters" not in codes(one)


def test_a_system_that_one_voter_alone_tells_of() -> None:
    rows = [(f"v{k % 60}", *row) for k, row in enumerate(PLAIN)]
    rows += [("loud", "new", "one", won) for won in ("new", "one", "one") * 9]
    result = compare_preferences(rows)
    (note,) = [note for note in result.notes if note.code == "few_clusters"]
    assert note.message.startswith("all judgements of new are of one cluster")


def test_an_order_effect_that_would_explain_all_wins_is_named() -> None:
    text = " ".join(str(compare_preferences([("x", "y", "x")] * 30)).split())
    assert "It was always shown first: an order effect would explain that, too" in text
    mixed = compare_preferences([("x", "y", "x"), ("y", "x", "x")] * 15)
    assert "always shown" not in str(mixed)


def test_what_is_not_used_is_named_once() -> None:
    frame = {
        "a": [row[0] for row in PLAIN],
        "b": [row[1] for row in PLAIN],
        "winner": [row[2] for row in PLAIN],
        "annotator": [f"v{k % 30}" for k in range(len(PLAIN))],
        "prompt": [f"p{k % 40}" for k in range(len(PLAIN))],
        "question_id": [*range(len(PLAIN))],
        "length_a": [k % 17 for k in range(len(PLAIN))],
        "length_b": [k % 13 for k in range(len(PLAIN))],
    }
    unused = {"unused_voters", "unused_prompts", "unused_style"}
    named = {note.code: note.message for note in compare_preferences(frame).notes}
    assert unused <= named.keys()
    assert named["unused_prompts"].startswith("prompt may say what was judged, and is no cluster")
    used = compare_preferences(frame, covariates=["length"], clusters=["annotator", "prompt"])
    assert not unused & codes(used)
    assert "unused_prompts" not in codes(compare_preferences(frame, items="prompt"))
    assert [one.name for one in used.covariates] == ["length"]
    assert "without and with length taken into account" in str(used)
    assert "mean voter" not in str(used)
    assert "mean voter" in str(compare_preferences(frame, clusters="annotator", voter_weights="shrunk"))


def test_report() -> None:
    result = compare_preferences(ROWS, n_resamples=200)
    text = result.details()
    assert text.startswith("one has the highest strength")
    for part in (
        "win rate",
        "Probability that the first is preferred to the second",
        "wins–ties–losses",
        "Bradley and Terry's model",
        "judgements:360",
    ):
        assert part in text
    document = json.loads(result.to_json())
    assert (document["n_judgements"], document["n_clusters"], document["tie"]) == (360, 60, None)
    assert len(document["systems"]) == 4
    frame = result.to_frame()
    assert frame.shape[0] == 6
    assert frame["probability"].tolist() == [d.probability for d in result]
    assert "probability" in result.to_csv().splitlines()[0]
    assert "| first | second | probability |" in result.to_markdown()
    assert "\\toprule" in result.to_latex()
    page = result.to_html()
    assert page.count("<svg") == 2
    assert "Probability that the first is preferred to the second by the strengths" in page


@pytest.mark.parametrize("kind", ["scores", "forest"])
def test_figures(kind: str) -> None:
    axes = compare_preferences(ROWS).plot(kind=kind)
    assert "strength" in axes.get_xlabel()


def test_report_of_two_systems_and_of_davidson() -> None:
    result = compare_preferences(TWO, ties="davidson", n_resamples=99)
    assert json.loads(result.to_json())["tie"]["parameter"] == result.tie_parameter
    assert result.to_html().count("<svg") == 1
    assert "Davidson's model" in str(result)
