"""Check that all that names the version of a release agrees, or prepare one; nothing is published.

``python tools/release.py`` changes nothing: the version in ``_version.py``, citation file, recipe, the wheels
given by ``--wheel`` and, with ``--tag``, the tag of the commit and the changelog must agree.
``python tools/release.py --prepare 0.2.0`` writes that version, makes the changelog from its fragments, and
says what is left to do.
"""

from __future__ import annotations

import argparse
import datetime as dt
import re
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from email.parser import HeaderParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION_FILE = "src/bestby/_version.py"
CITATION_FILE = "CITATION.cff"
RECIPE_FILE = "recipe/recipe.yaml"
CHANGELOG_FILE = "CHANGELOG.md"
SUMMARY_FILE = "changelog.d/summary.md"
"""What a user gains by the next version, on a page; to be written by hand before a release."""
CHANGES_FILE = "docs/changes/{}.md"
"""Every change of a version, made of the fragments."""
MARKER = "<!-- towncrier release notes start -->\n"

VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
FOLLOWING = {
    CITATION_FILE: re.compile(r"^version: (.+)$", re.MULTILINE),
    RECIPE_FILE: re.compile(r'^  version: "(.+)"$', re.MULTILINE),
}
"""The files that name the version of ``_version.py``, and how."""
DATE = re.compile(r"^date-released: .+\n", re.MULTILINE)
PAGES = ("docs/guides/*.md", "docs/notebooks/*.ipynb")
SHOWN = re.compile(r"(computed with bestby\s+|'bestby:|^bestby (?=\S+, seed))\d+\.\d+\.\d+", re.MULTILINE)
"""The version in outputs that pages show: of a paragraph for a paper, of a signature, of a short answer."""
SECTION = re.compile(r"^##? \w+ (\d+\.\d+\.\d+)\b", re.MULTILINE)
FRAGMENT = re.compile(r"\s+\((?:#[\w.-]+(?:,\s+)?)+\)")
"""The names of the fragments that a change is from, which say nothing to readers."""
RELEASE = re.compile(r"\d+\.\d+\.\d+")


class ReleaseError(Exception):
    """A release that cannot be prepared as asked for."""


def one(pattern: re.Pattern[str], root: Path, name: str) -> str:
    """Return what the only match of the pattern in a file holds."""
    matches = pattern.findall((root / name).read_text(encoding="utf-8"))
    if len(matches) != 1:
        raise ReleaseError(f"{name} must name the version once, in a line like {pattern.pattern!r}")
    return str(matches[0])


def wheel_versions(wheel: Path) -> set[str]:
    """Return the versions in the file name and in the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(metadata).decode("utf-8")
    return {wheel.name.split("-")[1], HeaderParser().parsestr(text)["Version"]}


def tags(root: Path) -> list[str]:
    """Return the tags of the commit that is checked out."""
    done = subprocess.run(
        ["git", "tag", "--points-at", "HEAD"], cwd=root, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def disagreements(root: Path, wheels: Sequence[Path] = (), *, tag: bool = False) -> list[str]:
    """Return a sentence for each place that names another version than ``_version.py`` does."""
    version = one(VERSION, root, VERSION_FILE)
    followed = {name: one(pattern, root, name) for name, pattern in FOLLOWING.items()}
    found = [
        f"{name} names version {other}, {VERSION_FILE} names {version}"
        for name, other in followed.items()
        if other != version
    ]
    for wheel in wheels:
        if wheel_versions(wheel) != {version}:
            others = " and ".join(sorted(wheel_versions(wheel)))
            found.append(f"{wheel.name} holds version {others}, {VERSION_FILE} names {version}")
    if tag:
        named = tags(root)
        if f"v{version}" not in named:
            found.append(f"the commit has the tags {', '.join(named) or 'none'}, and not v{version}")
        sections = SECTION.findall((root / CHANGELOG_FILE).read_text(encoding="utf-8"))
        if sections[:1] != [version]:
            found.append(f"{CHANGELOG_FILE} does not begin with a section for {version}")
        if left := sorted(path.name for path in (root / "changelog.d").glob("*.md")):
            found.append(f"changelog.d still holds {left[0]} and {len(left) - 1} more fragments")
    return found


def write_version(root: Path, version: str, date: str) -> None:
    """Write version and date into ``_version.py``, what follows it, and the outputs that pages show."""
    if not RELEASE.fullmatch(version):
        raise ReleaseError(f"a version has three numbers, as 0.2.0 has, got {version!r}")
    released = SECTION.findall((root / CHANGELOG_FILE).read_text(encoding="utf-8"))
    newest = max((tuple(map(int, text.split("."))) for text in released), default=(0, 0, 0))
    if tuple(map(int, version.split("."))) <= newest:
        raise ReleaseError(f"{version} does not come after {'.'.join(map(str, newest))}, which is released")
    naming = {VERSION_FILE: VERSION, **FOLLOWING}
    before = {name: one(pattern, root, name) for name, pattern in naming.items()}
    for name, pattern in naming.items():
        path, old = root / name, before[name]
        text = path.read_text(encoding="utf-8")
        path.write_text(
            pattern.sub(lambda line, old=old: line[0].replace(old, version), text), encoding="utf-8"
        )
    path = root / CITATION_FILE
    path.write_text(DATE.sub(f"date-released: {date}\n", path.read_text(encoding="utf-8")), encoding="utf-8")
    for path in (path for pages in PAGES for path in sorted(root.glob(pages))):
        text = path.read_text(encoding="utf-8")
        path.write_text(SHOWN.sub(rf"\g<1>{version}", text), encoding="utf-8")


def prepare(root: Path, version: str) -> None:
    """Write the version, the summary into the changelog, and the fragments into a page of their own."""
    date = dt.datetime.now(tz=dt.UTC).date().isoformat()
    summary = root / SUMMARY_FILE
    if not summary.exists():
        raise ReleaseError(f"write into {SUMMARY_FILE} what a user gains by {version}, on a page")
    write_version(root, version, date)
    write_changes(root, version, date)
    section = f"## bestby {version} ({date})\n\n{summary.read_text(encoding='utf-8').strip()}\n\n"
    section += (
        f"[Every change of {version}]({CHANGES_FILE.format(version)}), with all numbers that changed.\n"
    )
    path = root / CHANGELOG_FILE
    head, marker, rest = path.read_text(encoding="utf-8").partition(MARKER)
    path.write_text(f"{head}{marker}\n{section}{rest}", encoding="utf-8")
    for fragment in (root / "changelog.d").glob("*.md"):
        fragment.unlink()
    print(
        f"Version {version} is written. What is left to do:\n"
        f"  read {CHANGELOG_FILE}, then make check\n"
        f"  git add --all && git commit --message 'Release {version}'\n"
        f"  git tag v{version}\n"
        "  make release-check"
    )


def write_changes(root: Path, version: str, date: str) -> None:
    """Write the page of every change from the fragments."""
    command = ["-m", "towncrier", "build", "--draft", "--version", version, "--date", date]
    made = subprocess.run([sys.executable, *command], cwd=root, check=True, capture_output=True, text=True)
    _, _, changes = made.stdout.partition("\n")  # without the title
    changes = FRAGMENT.sub("", changes).replace("](docs/", "](../")
    page = root / CHANGES_FILE.format(version)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"# Every change of {version}\n\n{changes.strip()}\n", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check or prepare a release; nothing is published.")
    parser.add_argument("--prepare", metavar="VERSION", help="write this version and the changelog")
    parser.add_argument("--wheel", action="append", default=[], type=Path, help="a wheel that must agree")
    parser.add_argument("--tag", action="store_true", help="tag and changelog must agree as well")
    parser.add_argument("--root", default=ROOT, type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    try:
        if asked.prepare is not None:
            prepare(asked.root, asked.prepare)
            return 0
        found = disagreements(asked.root, asked.wheel, tag=asked.tag)
    except ReleaseError as error:
        found = [str(error)]
    for sentence in found:
        print(sentence, file=sys.stderr)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
