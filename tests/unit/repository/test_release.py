"""Whether version, citation file, tag, changelog and wheel agree, and how a release is prepared."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest
from tools import release

import bestby as bb

ROOT = Path(__file__).resolve().parents[3]
CITATION = "cff-version: 1.2.0\ntitle: bestby\nversion: 0.1.0\ndate-released: 2026-01-01\nlicense: MIT\n"
RECIPE = 'schema_version: 1\n\ncontext:\n  name: bestby\n  version: "0.1.0"\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src" / "bestby").mkdir(parents=True)
    (tmp_path / "changelog.d").mkdir()
    (tmp_path / release.VERSION_FILE).write_text('"""The version."""\n\n__version__ = "0.1.0"\n')
    (tmp_path / release.CITATION_FILE).write_text(CITATION)
    (tmp_path / release.RECIPE_FILE).parent.mkdir()
    (tmp_path / release.RECIPE_FILE).write_text(RECIPE)
    (tmp_path / release.CHANGELOG_FILE).write_text("# Changelog\n\n## bestby 0.1.0 (2026-01-01)\n")
    return tmp_path


def wheel(root: Path, name: str, metadata: str) -> Path:
    path = root / f"bestby-{name}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"bestby-{name}.dist-info/METADATA", f"Name: bestby\nVersion: {metadata}\n")
    return path


def git(root: Path, *arguments: str) -> None:
    settings = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *settings, *arguments], cwd=root, check=True, capture_output=True)


def test_what_agrees(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = wheel(root, "0.1.0", "0.1.0")
    assert release.main(["--root", str(root), "--wheel", str(good)]) == 0
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(("name", "metadata"), [("0.1.0", "0.2.0"), ("0.2.0", "0.1.0")])
def test_a_wheel_of_another_version(root: Path, name: str, metadata: str) -> None:
    (sentence,) = release.disagreements(root, [wheel(root, name, metadata)])
    assert "holds version 0.1.0 and 0.2.0" in sentence


@pytest.mark.parametrize("name", release.FOLLOWING)
def test_a_file_of_another_version(name: str, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = root / name
    path.write_text(path.read_text().replace("0.1.0", "0.0.9"))
    assert release.main(["--root", str(root)]) == 1
    assert capsys.readouterr().err == f"{name} names version 0.0.9, src/bestby/_version.py names 0.1.0\n"


def test_a_citation_without_a_version(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / release.CITATION_FILE).write_text("cff-version: 1.2.0\n")
    assert release.main(["--root", str(root)]) == 1
    assert "CITATION.cff must name the version once" in capsys.readouterr().err


def test_tag_and_changelog(root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "All")
    git(root, "tag", "v0.0.9")
    (sentence,) = release.disagreements(root, tag=True)
    assert sentence == "the commit has the tags v0.0.9, and not v0.1.0"
    git(root, "tag", "v0.1.0")
    assert release.disagreements(root, tag=True) == []
    (root / "changelog.d" / "1.feature.md").write_text("New.")
    (root / release.CHANGELOG_FILE).write_text("# Changelog\n")
    assert release.disagreements(root, tag=True) == [
        "CHANGELOG.md does not begin with a section for 0.1.0",
        "changelog.d still holds 1.feature.md and 0 more fragments",
    ]


def test_a_version_is_written(root: Path) -> None:
    for version, date in (("0.2.0", "2026-02-03"), ("0.10.0", "2026-12-24")):
        release.write_version(root, version, date)
        assert release.disagreements(root) == []
        citation = (root / release.CITATION_FILE).read_text()
        assert citation == CITATION.replace("0.1.0", version).replace("2026-01-01", date)
        assert (root / release.RECIPE_FILE).read_text() == RECIPE.replace("0.1.0", version)
    assert (root / release.VERSION_FILE).read_text() == '"""The version."""\n\n__version__ = "0.10.0"\n'


def test_outputs_that_pages_show_have_the_version(root: Path) -> None:
    page = root / "docs" / "guides" / "scenarios.md"
    page.parent.mkdir(parents=True)
    shown = "computed with bestby {0} (Someone)\ncomputed with bestby\n{0} (Someone)\n['bestby:{0}']\n"
    shown += "bestby {0}, seed 0, data ....\nSince bestby 0.0.9\n"
    page.write_text(shown.format("0.0.9"))
    release.write_version(root, "0.2.0", "2026-02-03")
    assert page.read_text() == shown.format("0.2.0")


def test_pages_show_this_version() -> None:
    pages = [path for pages in release.PAGES for path in ROOT.glob(pages)]
    shown = {found for path in pages for found in release.SHOWN.findall(path.read_text(encoding="utf-8"))}
    assert {" ".join(words.split()) for words in shown} == {"computed with bestby", "'bestby:", "bestby"}
    assert all(
        release.SHOWN.sub(rf"\g<1>{bb.__version__}", text) == text
        for text in (path.read_text(encoding="utf-8") for path in pages)
    )


@pytest.mark.parametrize(
    ("version", "words"), [("0.2", "three numbers"), ("v0.2.0", "three numbers"), ("0.1.0", "after 0.1.0")]
)
def test_a_version_that_is_none_or_released(root: Path, version: str, words: str) -> None:
    with pytest.raises(release.ReleaseError, match=words):
        release.write_version(root, version, "2026-02-03")
    assert release.disagreements(root) == []
    assert (root / release.CITATION_FILE).read_text() == CITATION


def test_the_changelog_is_made_of_the_fragments(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("towncrier", reason="towncrier, of the dependency group dev, makes the changelog")
    git(root, "init", "-q")
    (root / "pyproject.toml").write_text(
        '[tool.towncrier]\nname = "bestby"\ndirectory = "changelog.d"\nfilename = "CHANGELOG.md"\n'
        'ignore = ["summary.md"]\n'
    )
    (root / release.CHANGELOG_FILE).write_text("# Changelog\n\n<!-- towncrier release notes start -->\n")
    (root / "changelog.d" / "1.feature.md").write_text("Something new.")
    assert release.main(["--root", str(root), "--prepare", "0.2.0"]) == 1
    assert "write into changelog.d/summary.md what a user gains" in capsys.readouterr().err
    (root / release.SUMMARY_FILE).write_text("It is better.\n")
    git(root, "add", ".")
    assert release.main(["--root", str(root), "--prepare", "0.2.0"]) == 0
    assert "git tag v0.2.0" in capsys.readouterr().out
    changelog = (root / release.CHANGELOG_FILE).read_text()
    assert "It is better." in changelog
    assert "(docs/changes/0.2.0.md)" in changelog
    assert "Something new." not in changelog
    assert "Something new." in (root / release.CHANGES_FILE.format("0.2.0")).read_text()
    git(root, "add", ".")
    git(root, "commit", "-qam", "Release 0.2.0")
    git(root, "tag", "v0.2.0")
    assert release.disagreements(root, tag=True) == []
