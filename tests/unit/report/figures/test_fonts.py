"""Names in figures: letters that no font has, and names that are too long."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest
from matplotlib import font_manager

import bestby as bb
from bestby.report.figures import drawing, systems, texts

CHINESE = "中文模型"


def result(*names: str) -> bb.results.Comparison:
    gold = ["x", "y", "z"] * 10
    return bb.compare({name: ["x"] * (10 + i) + gold[10 + i :] for i, name in enumerate(names)}, gold)


@pytest.fixture(autouse=True)
def found_anew() -> Iterator[None]:
    """Let later tests look for installed fonts again: those found here are forgotten with the list."""
    yield
    texts.add_new_fonts.cache_clear()


def only(monkeypatch: pytest.MonkeyPatch, *families: str) -> None:
    """Let matplotlib know the fonts that it brings, and which of the others are installed."""
    texts.add_new_fonts.cache_clear()
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    manager = font_manager.fontManager
    mine = [entry for entry in manager.ttflist if entry.name.startswith(("DejaVu", "STIX", "cm"))]
    monkeypatch.setattr(manager, "ttflist", mine)
    monkeypatch.setattr(texts, "FAMILIES", families)


def test_one_warning_for_all_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    axes = result(CHINESE, "한국어").plot()
    with pytest.warns(UserWarning, match="no installed font has") as caught:
        drawing.render(axes, ".png")
    (warning,) = caught
    said = str(warning.message)
    assert {letter for letter in said if ord(letter) > 0x2FFF} == set(CHINESE + "한국어")
    assert "install a font that has them" in said
    assert "findfont" not in said


def test_a_page_is_silent_since_the_reader_has_other_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = result(CHINESE, "한국어").to_html()
    assert CHINESE in text[text.index("<svg") :]


def test_other_warnings_pass() -> None:
    with pytest.warns(RuntimeWarning, match="another"), texts.one_warning():
        warnings.warn("another", RuntimeWarning, stacklevel=1)


def test_fonts_are_added_where_letters_are_lacking_and_they_are_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    only(monkeypatch, "STIXGeneral", "No Such Family")
    letter = "\u2ae7"  # a tack that STIX has and DejaVu has not
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes = systems.scores(result(f"tack {letter}", "bert"))
        drawing.render(axes, ".png")
    families = {label.get_text().split("\xa0")[0]: label.get_fontfamily() for label in axes.get_yticklabels()}
    assert families[f"tack {letter}"][-1] == "STIXGeneral"
    assert "No Such Family" not in families[f"tack {letter}"]
    assert families["bert"] == ["sans-serif"]


def test_fonts_installed_after_the_list_of_fonts_was_made_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "STIXGeneral")
    manager = font_manager.fontManager
    path = next(entry.fname for entry in manager.ttflist if entry.name == "STIXGeneral")
    monkeypatch.setattr(manager, "ttflist", [e for e in manager.ttflist if not e.name.startswith("STIX")])
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [path, __file__])
    texts.add_new_fonts.cache_clear()
    axes = systems.scores(result("tack \u2ae7", "bert"))
    families = [label.get_fontfamily()[-1] for label in axes.get_yticklabels()]
    assert sorted(families) == ["STIXGeneral", "sans-serif"]


def test_long_names_lose_their_middle() -> None:
    names = [f"{'checkpoint-' * 270}{number}" for number in (1000, 2000)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes = result(*names).plot()
        drawing.render(axes, ".svg")
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert all(len(label) < 150 for label in labels)
    assert {label.partition("\xa0")[0][-4:] for label in labels if "−" not in label} == {"1000", "2000"}
    assert max(axes.figure.get_size_inches()) < 30


@pytest.mark.parametrize("spelt", ["مرحبا", "שלום"])
def test_names_from_right_to_left_leave_the_direction_of_their_line(spelt: str) -> None:
    marked = f"\N{LEFT-TO-RIGHT MARK}{spelt}\N{LEFT-TO-RIGHT MARK}"
    assert texts.name(spelt) == marked
    assert texts.short_names([spelt, "bert"]) == {spelt: marked, "bert": "bert"}
    forest = result("bert", spelt).plot()
    shown = [label.get_text() for label in forest.get_yticklabels()]
    assert f"{drawing.MINUS} {marked}" in shown
    assert any(label.startswith(f"{marked}{drawing.GAP}") for label in shown)


def test_other_names_have_no_marks_of_direction() -> None:
    assert texts.name("système 系统 система") == "système 系统 система"


def test_a_mark_of_direction_in_a_name_itself_is_shown_as_an_escape() -> None:
    assert texts.name("a\N{LEFT-TO-RIGHT MARK}") == r"a\u200e"
