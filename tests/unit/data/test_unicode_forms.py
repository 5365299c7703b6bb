"""Ids, labels and groups that look alike count as one, with a note, however they are written."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import bestby as bb
from bestby._core.text import natural, normal_form, quoted

GOLD = ["café", "thé", "eau"] * 8
A = ["café", "thé", "eau", "café", "eau", "eau"] * 4
B = ["thé", "thé", "eau", "café", "thé", "café"] * 4
IDS = [f"é{number}" for number in range(24)]


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


FORMS: dict[str, Callable[[str], str]] = {
    "decomposed": nfd,
    "zero-width space": lambda text: f"\u200b{text}",
    "byte-order mark": lambda text: f"\ufeff{text}",
    "no-break space at the end": lambda text: f"{text}\xa0",
    "variation selector": lambda text: f"{text}\ufe0f",
    "soft hyphen": lambda text: f"{text[0]}\xad{text[1:]}",
}


def forms(result: object) -> list[str]:
    return [note.message for note in result.notes if note.code == "unicode_forms"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "f1[café]", "cohen_kappa"])
def test_labels(form: Callable[[str], str], metric: str) -> None:
    expected = bb.compare({"a": A, "b": B}, GOLD, metric=metric)
    for data, gold in (
        ({"a": [form(label) for label in A], "b": B}, GOLD),
        ({"a": A, "b": B}, [form(label) for label in GOLD]),
    ):
        result = bb.compare(data, gold, metric=metric)
        assert [one.score for one in result.systems] == [one.score for one in expected.systems]
        assert result["a", "b"].p_adjusted == expected["a", "b"].p_adjusted
        assert len(forms(result)) == 1
    assert forms(expected) == []


def test_the_note_shows_what_cannot_be_seen() -> None:
    (message,) = forms(bb.evaluate({"a": [nfd(label) for label in A]}, GOLD))
    assert r"'cafe\u0301' and 'caf\xe9'" in message
    assert quoted(nfd("café")) == r"'cafe\u0301'"
    assert quoted("café") == "'café'"


def test_a_number_behind_a_zero_width_space() -> None:
    result = bb.evaluate({"a": ["\u200b1", "\u200b0"] * 5}, [1, 0] * 5, metric="accuracy")
    assert result.systems[0].score == 1.0


@pytest.mark.parametrize("on_missing", ["error", "drop", "worst"])
def test_ids_of_mappings(on_missing: str) -> None:
    a, b = dict(zip(IDS, A, strict=True)), dict(zip(map(nfd, IDS), B, strict=True))
    result = bb.compare({"a": a, "b": b}, dict(zip(IDS, GOLD, strict=True)), on_missing=on_missing)
    assert result.n_items == 24
    assert result.systems[0].score == bb.evaluate({"a": A}, GOLD).systems[0].score
    (message,) = forms(result)
    assert message.startswith("24 item ids are written in several Unicode forms")


def test_ids_that_one_system_has_in_two_forms_are_two_items() -> None:
    both = ["é", nfd("é")]
    result = bb.compare(
        {"a": dict(zip(both, "xy", strict=True)), "b": dict(zip(both, "xx", strict=True))},
        dict(zip(both, "xy", strict=True)),
    )
    assert (result.n_items, forms(result)) == (2, [])


def frame(ids: list[str], predictions: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"item": ids, "prediction": predictions, "gold": GOLD})


def test_files_and_long_tables(tmp_path: Path) -> None:
    a, b = frame(IDS, A), frame([nfd(one) for one in IDS], B)
    files = {"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"}
    a.to_csv(files["a"], index=False)
    b.to_csv(files["b"], index=False)
    long = pd.concat([a.assign(system="a"), b.assign(system="b")])
    expected = bb.compare({"a": A, "b": B}, GOLD)
    for data in (bb.read(files, gold="gold"), long):
        result = bb.compare(data)
        assert result["a", "b"].estimate == expected["a", "b"].estimate
        assert len(forms(result)) == 1


def test_a_study_a_judge_and_an_index(tmp_path: Path) -> None:
    study = bb.Study(tmp_path / "study")
    study.add("a", run=1, predictions=dict(zip(IDS, A, strict=True)), gold=dict(zip(IDS, GOLD, strict=True)))
    study.add("b", run=1, predictions=dict(zip(map(nfd, IDS), B, strict=True)))
    scores = [0.5, 0.25, 1.0, 0.75] * 6
    judge = {"a": dict(zip(IDS, scores, strict=True)), "b": dict(zip(map(nfd, IDS), scores, strict=True))}
    human = {"a": dict.fromkeys(IDS[:5], 1.0), "b": dict.fromkeys(IDS[:5], 0.5)}
    assert bb.compare_judged(judge, human, labels_drawn="random").n_items == 24
    gold = pd.Series(GOLD, index=IDS)
    assert bb.evaluate({"a": pd.Series(A, index=[nfd(one) for one in IDS])}, gold).n_items == 24


def test_groups() -> None:
    words = [("é", nfd("é"), "o", "u")[place % 4] for place in range(24)]
    sliced = bb.compare_slices({"a": A, "b": B}, GOLD, by={"word": words})
    assert {one.slice for one in sliced.slices} == {"é", "o", "u"}
    assert len(forms(sliced)) == 1
    clustered = bb.compare({"a": A, "b": B}, GOLD, clusters=words)
    assert clustered.n_clusters == 3


def test_names_of_systems_that_look_alike_are_refused() -> None:
    with pytest.raises(bb.errors.InvalidInputError, match="system names must look different"):
        bb.compare({"é": A, nfd("é"): B}, GOLD)


@pytest.mark.parametrize("metric", ["em", "wer", "bleu", "rouge1", "qa_f1"])
def test_metrics_of_texts_keep_their_number_and_say_so(metric: str) -> None:
    gold = [f"le café {number} est noir" for number in range(12)]
    texts = [nfd(text) for text in gold]
    score_of, result = {}, bb.evaluate({"a": texts, "b": gold}, gold, metric=metric)
    for one in result.systems:
        score_of[one.system] = one.score
    (message,) = forms(result)
    assert "in 12 texts of a, words of the gold have another Unicode form" in message
    mended = bb.evaluate({"a": [unicodedata.normalize("NFC", text) for text in texts]}, gold, metric=metric)
    assert forms(mended) == []
    assert mended.systems[0].score == score_of["b"] != score_of["a"]


def test_the_normal_form_keeps_joiners_that_scripts_are_spelt_with() -> None:
    for text in ("می‌خواهم", "👩‍🔬", "क्‍ष"):
        assert normal_form(text) == unicodedata.normalize("NFC", text)


def test_numbers_of_any_length_in_names() -> None:
    assert bb.evaluate({"a": ["1" * 5000, "x"] * 9}, ["1" * 5000, "x"] * 9).systems[0].score == 1.0
    whole = [10**5000, 2] * 9
    assert bb.evaluate({"a": whole}, ["1" + "0" * 5000, "2"] * 9).systems[0].score == 1.0
    assert bb.evaluate({"a": whole}, whole).systems[0].score == 1.0
    assert sorted(["h" + "1" * 5000, "h10", "h007", "h2"], key=natural)[:3] == ["h2", "h007", "h10"]


def test_classes_are_those_of_the_gold() -> None:
    result = bb.compare({"a": [nfd(label) for label in GOLD], "b": B}, GOLD)
    assert all(entry.labels == result.classes[0].labels for entry in result.classes)
    assert sorted(result.classes[0].labels) == ["café", "eau", "thé"]
    assert {entry.system: entry.counts for entry in result.classes}["a"] == (8, 8, 8)
    assert "never_predicted" not in {note.code for note in result.notes if note.about == ("a",)}


P = [(3 * place % 8 + 0.5) / 9 for place in range(24)]
Q = [(5 * place % 8 + 0.5) / 9 for place in range(24)]
WORDS = ["café", "eau"] * 12


def soft(values: list[float], name: str = "café") -> pd.DataFrame:
    return pd.DataFrame({name: values, "eau": [1 - value for value in values]})


def test_classes(tmp_path: Path) -> None:
    expected = [one.score for one in bb.evaluate({"a": soft(P), "b": soft(Q)}, WORDS).systems]
    other = soft(Q, nfd("café"))
    table = pd.concat([soft(P).add_prefix("a["), other.add_prefix("b[")], axis=1).add_suffix("]")
    files = {"a": tmp_path / "a.csv", "b": tmp_path / "b.csv"}
    for one, path in zip((soft(P), other), files.values(), strict=True):
        one.assign(gold=WORDS, item=range(24)).to_csv(path, index=False)
    for result in (
        bb.evaluate({"a": soft(P), "b": other}, WORDS),
        bb.evaluate({"a": soft(P), "b": other}, WORDS, reading=bb.Reading(classes=[nfd("café"), "eau"])),
        bb.evaluate(table.assign(gold=WORDS), gold="gold"),
        bb.evaluate(bb.read(files, gold="gold", reading=bb.Reading(classes=["café", "eau"]))),
        bb.evaluate(bb.read(files, gold="gold", reading=bb.Reading(classes=[nfd("café"), "eau"]))),
    ):
        assert [one.score for one in result.systems] == expected


def test_two_classes_of_one_system_that_look_alike_are_not_one_column() -> None:
    both = pd.DataFrame({"café": P, nfd("café"): [1 - value for value in P], "eau": [0.0] * 24})
    with pytest.raises(bb.errors.InvalidInputError, match=r"'cafe\\u0301', eau, but the classes are"):
        bb.evaluate({"a": both}, WORDS, reading=bb.Reading(classes=["café", nfd("café"), "eau"]))


def test_preferences(tmp_path: Path) -> None:
    spelt = [("café", "x", "café"), ("x", "café", "x"), ("café", "x", "tie"), ("x", "café", "café")] * 6
    mixed = [tuple(map(nfd, row)) if place % 3 else row for place, row in enumerate(spelt)]
    mixed[0] = ("café", "x", nfd("café"))
    expected = bb.compare_preferences(spelt, n_resamples=99)["café", "x"]
    judged = pd.DataFrame(mixed, columns=["a", "b", "winner"])
    judged[:9].to_csv(tmp_path / "1.csv", index=False)
    judged[9:].to_csv(tmp_path / "2.csv", index=False)
    read = bb.read_preferences([tmp_path / "1.csv", tmp_path / "2.csv"])
    for data in (mixed, judged, read):
        for systems in (None, [nfd("café"), "x"]):
            found = bb.compare_preferences(data, systems=systems, n_resamples=99)["café", "x"]
            assert (found.estimate, found.wins) == (expected.estimate, expected.wins)


def test_datasets_that_look_alike_are_refused() -> None:
    row = {"a": 0.5, "b": 0.4}
    long = pd.DataFrame(
        [(name, system, row[system]) for name in ("é", "u", "v") for system in row],
        columns=["dataset", "system", "score"],
    )
    long.loc[0, "dataset"] = nfd("é")
    for data in ({"é": row, nfd("é"): row, "u": row}, long):
        with pytest.raises(bb.errors.InvalidInputError, match="dataset names must look different") as error:
            bb.compare_datasets(data)
    assert "write both with the same characters" in str(error.value)
    assert len(bb.compare_datasets(long.replace(nfd("é"), "é")).datasets) == 3


def test_systems_are_chosen_in_any_form(tmp_path: Path) -> None:
    data = {"café": A, "x": B, "thé": B}
    wide = pd.DataFrame({**data, "gold": GOLD})
    wide.to_csv(tmp_path / "wide.csv", index=False)
    for systems in ([nfd("café"), "x"], [nfd("caf?"), "x"]):
        for result in (
            bb.evaluate(data, GOLD, systems=systems),
            bb.evaluate(data, GOLD, reading=bb.Reading(ignore=nfd("thé"))),
            bb.evaluate(wide, gold="gold", systems=systems),
            bb.evaluate(bb.read(tmp_path / "wide.csv", gold="gold", systems=systems)),
        ):
            assert {one.system for one in result.systems} == {"café", "x"}
