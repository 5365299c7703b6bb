"""`bestby compare` as a process: what goes where, files whole or absent, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.helpers import Run

from bestby._core.errors import InvalidInputError
from bestby.cli import main


def _arguments(table: Path, *more: str) -> list[str]:
    return ["compare", str(table), "--gold", "label", "--item", "item", "--cluster", "doc", *more]


def test_as_much_is_printed_as_asked_for(run: Run, table: Path) -> None:
    brief, short, details = (
        run(*_arguments(table), *more).stdout for more in (["--brief"], [], ["--details"])
    )
    assert "Systems by accuracy" in brief
    assert "Differences" not in brief
    assert len(brief.splitlines()) < len(short.splitlines()) < len(details.splitlines())
    assert short.splitlines()[-1].endswith("The whole report: --details, or result.details()")
    assert details.splitlines()[-1].startswith("bestby:")
    assert "Items of each class" in details
    assert "Items of each class" not in short
    done = run(*_arguments(table, "--brief", "--details"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "--brief and --details contradict each other" in done.stderr


@pytest.mark.parametrize("name", ["p.png", "p.pdf", "P.SVG"])
def test_pictures(run: Run, table: Path, tmp_path: Path, name: str) -> None:
    assert run(*_arguments(table, "--plot", name)).returncode == 0
    start = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[name[-3:].lower()]
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["compare", "table.csv"], "table.csv"),
        (["compare", "low=table.csv", "holes.csv"], "./table.csv"),
        (["compare", "a=holes.csv", "b=holes.csv", "--gold", "table.csv"], "link.csv"),
        (["compare", "t?ble.csv"], "table.csv"),
        (["compare", "."], "table.csv"),
        (["runs", "table.csv"], "table.csv"),
        (["folds", "table.csv"], "table.csv"),
        (["datasets", "table.csv"], "table.csv"),
        (["preferences", "table.csv"], "table.csv"),
        (["plan", "table.csv"], "table.csv"),
        (["advise", "table.csv"], "table.csv"),
    ],
)
def test_an_input_is_not_overwritten(
    table: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    output: str,
) -> None:
    monkeypatch.chdir(table.parent)
    Path("holes.csv").write_text("item,prediction\n1,x\n", encoding="utf-8")
    Path("link.csv").symlink_to("table.csv")
    before = table.read_bytes()
    assert main([*command, "--json", output]) == 2
    assert capsys.readouterr().err == (
        "InvalidInputError: --json would overwrite the input 'table.csv'\nhint: name another file\n"
    )
    assert table.read_bytes() == before


def test_a_log_that_a_quoted_pattern_stands_for_is_not_overwritten(run: Run, tmp_path: Path) -> None:
    for name, rewards in (("a", [1, 0, 1]), ("b", [0, 0, 1])):
        rows = [{"task_id": task, "reward": reward, "info": {}} for task, reward in enumerate(rewards)]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows), encoding="utf-8")
    done = run("compare", str(tmp_path / "*.json"), "--json", str(tmp_path / "a.json"))
    assert done.returncode == 2
    assert "--json would overwrite the input" in done.stderr
    assert run("compare", str(tmp_path / "*.json"), "--json", str(tmp_path / "result")).returncode == 0


def test_nothing_is_written_when_a_later_output_cannot_be_made(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bestby.report.comparison import Comparison

    def fail(self: Comparison, path: object = None) -> str:
        raise InvalidInputError("no such luck\nat all")

    monkeypatch.setattr(Comparison, "to_html", fail)
    old = tmp_path / "out.json"
    old.write_text("kept", encoding="utf-8")
    outputs = ["--json", str(old), "--csv", str(tmp_path / "out.csv"), "--html", str(tmp_path / "out.html")]
    assert main(_arguments(table, *outputs)) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == (
        "",
        "InvalidInputError: no such luck at all\nhint: bestby compare --help\n",
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "table.csv"]
    assert old.read_text(encoding="utf-8") == "kept"


def test_an_internal_error_has_a_status_and_a_traceback_of_its_own(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bestby.report.comparison import Comparison

    def fail(self: Comparison, path: object = None) -> str:
        raise ZeroDivisionError("such things happen")

    monkeypatch.setattr(Comparison, "to_html", fail)
    assert main(_arguments(table, "--html", str(table.with_name("out.html")))) == 70
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("Traceback")
    assert captured.err.splitlines()[-2:] == [
        "InternalError: ZeroDivisionError: such things happen",
        "hint: this is a defect of bestby: please report it with the lines above",
    ]


def test_top_limits_what_is_shown_and_not_what_is_written(run: Run, table: Path) -> None:
    arguments = _arguments(table, "--metric", "accuracy")
    full = run(*arguments, "--markdown", "-").stdout
    some = run(*arguments, "--top", "2", "--markdown", "-").stdout
    assert "2 of 3 systems are shown" in some
    assert "| low |" in full
    assert "| low |" not in some
    assert "2 of 3 systems" in " ".join(run(*arguments, "--top", "2").stdout.split())
    assert run(*arguments, "--top", "2", "--csv", "-").stdout == run(*arguments, "--csv", "-").stdout
    assert run(*arguments, "--top", "3", "--markdown", "-").stdout == full
    refused = run(*arguments, "--top", "0")
    assert refused.returncode == 2
    assert "--top" in refused.stderr
    page = run(*arguments, "--top", "2", "--html", "-").stdout
    assert 'data-key="low">low<' in page


def test_items_are_listed_on_the_page_only_if_they_are_asked_for(run: Run, table: Path) -> None:
    arguments = _arguments(table, "--metric", "accuracy", "--html", "-")
    plain, listed = run(*arguments).stdout, run(*arguments, "--items").stdout
    assert "Items on which they differ" not in plain
    assert "Items on which they differ" in listed
    assert "shows the gold and the predictions of single items" in listed
    assert len(listed) > len(plain)
    refused = run(*_arguments(table, "--items"))
    assert refused.returncode == 2
    assert refused.stderr.splitlines() == [
        "InvalidInputError: --items needs --html: no page is written",
        "hint: give --html too, or leave --items out",
    ]
    table.with_name("plain.csv").write_text("gold,a,b\n" + "x,x,y\ny,x,y\n" * 5, encoding="utf-8")
    counted = run("compare", "plain.csv", "--gold", "gold", "--html", "-", "--items", "--stream")
    assert counted.returncode == 2
    assert "a list of single items needs every item" in counted.stderr
    assert "--no-stream" in counted.stderr


def test_percent_is_for_people_and_latex_options_reach_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{i},{int(i % 10 < 8)},{int(i % 10 < 6)}" for i in range(100)]
    Path("scores.csv").write_text("\n".join(["item,new,old", *lines]))
    words = ["compare", "scores.csv", "--metric", "solved", "--percent"]
    latex = ["--latex", "~/t.tex", "--latex-part", "scores", "--latex-digits", "0", "--latex-label", "tab:x"]
    monkeypatch.setenv("HOME", str(tmp_path))
    more = [
        "--latex-wide",
        "--latex-caption",
        "Ours.",
        "--json",
        "t.json",
        "--plot",
        "t.svg",
        "--html",
        "t.html",
    ]
    assert main([*words, *latex, *more]) == 0
    assert "80.0" in capsys.readouterr().out
    text = (tmp_path / "t.tex").read_text()
    for part in (r"\begin{table*}", r"\caption{Ours.}", r"\label{tab:x}", r"\textbf{80}", r"solved (\%)"):
        assert part in text
    assert json.loads(Path("t.json").read_text())["systems"][0]["score"] == 0.8
    assert "solved (%)" in Path("t.html").read_text()
    assert main([*words, "--latex-wide"]) == 2
    assert "--latex-wide needs --latex" in capsys.readouterr().err
    assert main([*words, "--latex", "-", "--latex-part", "pair"]) == 2
    message, hint = capsys.readouterr().err.splitlines()
    assert (
        "--latex-part must be among metrics, scores, differences, pairs, got 'pair'; did you mean 'pairs'?"
        in message
    )
    assert hint == "hint: bestby compare --help"


def test_labels_are_shown_and_data_keep_the_names(run: Run, table: Path, tmp_path: Path) -> None:
    written = ("--csv", "out.csv", "--json", "out.json", "--latex", "out.tex", "--html", "out.html")
    done = run(*_arguments(table), "--label", "accuracy=Acc.", "--label", "high=Ours & co", *written)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Ours & co has the highest Acc.,")
    assert r"Ours \& co" in (tmp_path / "out.tex").read_text(encoding="utf-8")
    assert "Ours &amp; co" in (tmp_path / "out.html").read_text(encoding="utf-8")
    for name in ("out.csv", "out.json"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "Ours" not in text
        assert "high" in text


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["high"], "--label names no label: 'high'"),
        (["high=x", "high=y"], "--label gives 'high' a second label: 'high=y'"),
        (["hihg=x"], "--label has 'hihg', which is no name in this result; did you mean 'high'?"),
        (["high=low"], "--label shows 'high' and 'low' alike as 'low'"),
    ],
)
def test_wrong_labels_are_refused(run: Run, table: Path, labels: list[str], message: str) -> None:
    done = run(*_arguments(table), *[word for label in labels for word in ("--label", label)])
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
