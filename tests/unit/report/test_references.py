"""Every method has its work, and the works are the same everywhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bestby._version import __version__
from bestby.report import references
from bestby.report.references import SOFTWARE, SOURCES, bibtex, cited, label, rendered, works
from bestby.vocabulary import KINDS

CITING = Path(__file__).resolve().parents[3] / "docs" / "concepts" / "citing.md"
NO_METHOD = {("test", "auto"), ("interval", "auto"), ("correction", "none")}


@pytest.mark.parametrize("kind", ["test", "interval", "correction", "omnibus"])
def test_every_method_of_the_vocabulary_has_its_work(kind: str) -> None:
    names = {term.name for term in KINDS[kind] if (kind, term.name) not in NO_METHOD}
    assert set(SOURCES[kind]) == names
    assert all(SOURCES[kind].values())


def test_every_model_of_ties_has_its_work() -> None:
    assert set(SOURCES["model"]) == {t.name for t in KINDS["setting"] if "ties" in t.arguments}


def test_every_work_is_cited_and_there() -> None:
    used = {key for kind in SOURCES.values() for keys in kind.values() for key in keys}
    assert used == set(works()) - {SOFTWARE}


def test_every_entry_is_complete_and_its_key_says_whose_it_is() -> None:
    for key, entry in works().items():
        if key == SOFTWARE:
            continue
        fields = dict(references._FIELD.findall(entry))
        assert {"author", "year"} < set(fields), key
        assert entry.count("{") == entry.count("}"), key
        first, year = fields["author"].partition(",")[0], fields["year"]
        plain = {"{\\i}": "i", "{\\v{s}}": "s", "{\\'c}": "c", "{\\'a}": "a", "'": "", " ": "-"}
        for written, letter in plain.items():
            first = first.replace(written, letter)
        assert key.startswith(first.lower()), key
        assert f"-{year}-" in key, key
        assert ("-etal-" in key) == (fields["author"].count(" and ") > 1), key
        assert "{" not in label(key), key
        assert "\\" not in label(key), key


@pytest.mark.skipif(not CITING.is_file(), reason="docs/ is not beside the tests")
def test_the_page_on_citing_has_the_same_entries() -> None:
    text = CITING.read_text(encoding="utf-8")
    shown = re.findall(
        r"@\w+\{[^,]+,\n.*?\n\}\n", "".join(re.findall(r"```bibtex\n(.*?)```", text, re.DOTALL)), re.DOTALL
    )
    assert len(shown) >= 8
    entries = {" ".join(entry.split()) for entry in works().values()}
    assert {" ".join(entry.split()) for entry in shown} <= entries


def test_bibtex_names_the_version_and_each_work_once() -> None:
    assert f"version {__version__}" in bibtex()
    assert bibtex().count("@") == len(works())
    assert "version 9.9" in bibtex([SOFTWARE, SOFTWARE], "9.9")
    assert bibtex([SOFTWARE, SOFTWARE]).count("@misc") == 1


def test_a_text_that_only_looks_like_a_citation_stays() -> None:
    text = "We compared [@me] and x_1 [@holm-1979-simple]."
    assert rendered(text) == "We compared [@me] and x_1 (Holm, 1979)."
    assert rendered(text, "latex") == r"We compared [@me] and x\_1 \citep{holm-1979-simple}."
    assert rendered(text, "markdown") == r"We compared \[@&#8203;me\] and x\_1 [@holm-1979-simple]."
    assert cited(text) == ("holm-1979-simple",)
