"""What is published: addresses, extras, recipe, wheel and sdist, and an environment with the wheel alone.

`make wheel-test` builds wheel, sdist and environment, and names their folder in BESTBY_BUILT.
"""

from __future__ import annotations

import email
import os
import re
import runpy
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml
from tools import release

ROOT = Path(__file__).resolve().parents[3]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
SOURCE, SITE = PROJECT["urls"]["Source"], PROJECT["urls"]["Documentation"]

NAMING = [
    "pyproject.toml",
    "CITATION.cff",
    "README.md",
    "action.yml",
    release.RECIPE_FILE,
    "docs/**/*.md",
    "docs/*.txt",
]
ADDRESS = re.compile(r"""https://[^\s"'<>)\]`,]*bestby[^\s"'<>)\]`,]*""")

NAMES_ON_CONDA = {"matplotlib": "matplotlib-base", "duckdb": "python-duckdb"}

LARGEST = 460 * 2**20
"""What an environment with bestby may take on disk, in bytes, with the modules that pip compiles."""
SLOWEST = 2.0
"""What the first comparison may take, in seconds of processor."""


def test_addresses_are_those_of_the_project() -> None:
    others = {
        f"{address} in {path.relative_to(ROOT)}"
        for names in NAMING
        for path in ROOT.glob(names)
        for address in ADDRESS.findall(path.read_text(encoding="utf-8"))
        if not f"{address}/".startswith((f"{SOURCE}/", SITE, "https://pypi.org/"))
    }
    assert others == set(), "bring them into line with [project.urls], and run python docs/make_llms_txt.py"


def test_the_guide_names_the_action_of_the_source() -> None:
    used = re.findall(r"uses: (\S+/bestby)@", (ROOT / "docs/guides/gate.md").read_text(encoding="utf-8"))
    assert used == [SOURCE.removeprefix("https://github.com/")]


def test_getting_started_lists_every_extra() -> None:
    guide = (ROOT / "docs/guides/getting-started.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?) \|", guide.partition("\n## Compare")[0], re.M)
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(PROJECT["optional-dependencies"])


def test_the_recipe_needs_what_the_wheel_needs() -> None:
    def spelled(requirements: list[str]) -> set[str]:
        split = (requirement.partition(">=") for requirement in requirements)
        return {f"{NAMES_ON_CONDA.get(name, name)} >={version}" for name, _, version in split}

    recipe = yaml.safe_load((ROOT / release.RECIPE_FILE).read_text(encoding="utf-8"))
    host, run = (set(recipe["requirements"][part]) for part in ("host", "run"))
    assert run == spelled(PROJECT["dependencies"]) | {"python >=${{ python_min }}"}
    assert host == spelled(PYPROJECT["build-system"]["requires"]) | {"python ${{ python_min }}.*", "pip"}
    assert recipe["context"]["python_min"] == PROJECT["requires-python"].removeprefix(">=")
    points = [" = ".join(script) for script in PROJECT["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == points


def test_the_published_documentation_is_that_of_make_docs() -> None:
    settings = yaml.safe_load((ROOT / ".readthedocs.yaml").read_text(encoding="utf-8"))
    build, *_, copy = settings["build"]["commands"]
    command = [*build.split(), "--dry-run"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"sphinx-build .*--fail-on-warning .* docs {copy.split()[2]}$", shown, re.M)


@pytest.fixture(scope="module")
def built() -> Path:
    if "BESTBY_BUILT" not in os.environ:
        pytest.skip("make wheel-test builds what is looked at here")
    return Path(os.environ["BESTBY_BUILT"])


def test_the_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(*built.glob("*.whl")) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    sources = (path for path in (ROOT / "src").rglob("*") if path.is_file() and path.suffix != ".pyc")
    assert names == {path.relative_to(ROOT / "src").as_posix() for path in sources}
    assert "bestby/py.typed" in names
    assert any(name.endswith(".html.j2") for name in names)


def test_the_sdist_holds_what_git_does(built: Path) -> None:
    with tarfile.open(*built.glob("*.tar.gz")) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not in a clone of the repository")
    tracked = {name for name in done.stdout.split("\0") if not name.startswith((".ci/", "changelog.d/"))}
    assert names == tracked - {""} | {"PKG-INFO"}


def test_the_long_description_leads_to_the_documentation(built: Path) -> None:
    with zipfile.ZipFile(*built.glob("*.whl")) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/METADATA"))
        text = str(email.message_from_bytes(archive.read(name)).get_payload(decode=True), "utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    pages = {
        path.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
    }
    home = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    pictures = {picture.replace("images/", "_images/") for picture in re.findall(r"!\[.*?\]\((.+?)\)", home)}
    assert links
    assert {link.partition("#")[0] for link in links} <= {SITE + place for place in pages | pictures}


def test_an_installation_is_small(built: Path) -> None:
    files = (path for path in (built / "venv").rglob("*") if path.is_file() and not path.is_symlink())
    assert sum(512 * path.stat().st_blocks for path in files) <= LARGEST


def test_the_examples_of_the_readme_run_with_the_wheel_alone(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = built / "venv/bin/python"
    readme = ROOT / "README.md"
    flags = PYPROJECT["tool"]["pytest"]["ini_options"]["doctest_optionflags"]
    options = [word for flag in flags for word in ("-o", flag)]
    subprocess.run([python, "-m", "doctest", *options, readme], cwd=ROOT, check=True)
    monkeypatch.setattr(sys, "executable", str(python))
    text = readme.read_text(encoding="utf-8")
    assert runpy.run_path(str(ROOT / "docs/make_guide_outputs.py"))["page"](text) == text


@pytest.mark.skipif(sys.platform == "win32", reason="measures the processor by wait4")
def test_the_first_comparison_is_quick(built: Path) -> None:
    command = "compare examples/langid/predictions.csv --gold gold --item item --system nb_13 --system svm_14"
    bestby = built / "venv/bin/bestby"
    child = subprocess.Popen([bestby, *command.split()], cwd=ROOT, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    assert used.ru_utime + used.ru_stime <= SLOWEST
