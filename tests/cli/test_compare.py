"""`bestby compare` as a process: what goes where, exit statuses, files whole or absent."""

# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import csv
import io
import json
import math
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.helpers import COMMAND, Run, environment

from bestby._core.errors import DesignError, InvalidInputError
from bestby.cli import main

FORMS = ("json", "csv", "markdown", "latex", "html", "plot")
START = {"json": "{", "csv": "metric,a,b,", "markdown": "", "latex": "", "html": "<!", "plot": "<?xml"}


def _arguments(table: Path, *more: str) -> list[str]:
    return ["compare", str(table), "--gold", "label", "--item", "item", "--cluster", "doc", *more]


def test_the_table_goes_to_stdout_in_plain_text(run: Run, table: Path) -> None:
    done = run(*_arguments(table, "--metric", "accuracy"))
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert "high has the highest accuracy" in done.stdout
    assert "wide table; systems: low, middle, high; gold: label; item: item; cluster: doc" in " ".join(
        done.stdout.split()
    )


def test_the_same_twice_and_with_more_threads(run: Run, table: Path) -> None:
    arguments = _arguments(table, "--metric", "f1_macro", "--interval", "bca", "--resamples", "500")
    first = run(*arguments, "--json", "-")
    assert first.stdout == run(*arguments, "--json", "-", "--jobs", "2").stdout
    assert first.stdout != run(*arguments, "--json", "-", "--seed", "1").stdout


def test_every_option_reaches_the_comparison(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}

    def compare(evaluation: object, **options: object) -> None:
        seen.update(options, evaluation=evaluation)
        raise DesignError("enough", hint="seen")

    monkeypatch.setattr("bestby.cli.compare.compare_systems", compare)
    asked = (
        "--metric accuracy --metric f1[x] --system high --system low --baseline low --interval bca --level 0.9"
        " --simultaneous --test bootstrap --alternative less --correction bh --margin 0.02 --resamples 50"
        " --seed 7 --jobs 2 --stratum doc --on-missing worst --missing-value none"
        " --resample-size 0.2 --no-rescale"
    )
    assert main(_arguments(table, *asked.split())) == 2
    evaluation = seen.pop("evaluation")
    assert evaluation.names == ("high", "low")  # type: ignore[attr-defined]
    assert evaluation.strata is not None  # type: ignore[attr-defined]
    assert seen == {
        "metric": ["accuracy", "f1[x]"], "baseline": "low", "interval": "bca", "level": 0.9, "simultaneous": True,
        "test": "bootstrap", "alternative": "less", "correction": "bh", "margin": 0.02, "n_resamples": 50,
        "rng": 7, "n_jobs": 2, "progress": None, "resample_size": 0.2, "rescale": False,
    }  # fmt: skip


def test_scores_of_ones_own_have_a_name_and_a_direction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "latency.csv"
    path.write_text("item,a,b\n1,3,2\n2,4,1\n3,2,2\n4,5,3\n", encoding="utf-8")
    named = [str(path), "--metric", "speed"]
    assert main(["compare", *named, "--lower-is-better", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["differences"][0]["better"] == "b"
    assert not any(note["code"] == "direction_guessed" for note in document["notes"])
    assert main(["evaluate", *named, "--lower-is-better"]) == 0
    assert "Scores on speed (lower is better)" in capsys.readouterr().out
    assert main(["compare", *named, "--higher-is-better", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["differences"][0]["better"] == "a"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--lower-is-better --higher-is-better", "--lower-is-better and --higher-is-better contradict"),
        ("--lower-is-better --metric accuracy", "--lower-is-better contradicts the metric accuracy"),
    ],
)
def test_a_direction_that_contradicts(
    table: Path, capsys: pytest.CaptureFixture[str], options: str, message: str
) -> None:
    assert main(_arguments(table, *options.split())) == 2
    assert message in capsys.readouterr().err


def test_every_output_as_a_file(run: Run, table: Path, tmp_path: Path) -> None:
    names = {form: f"out.{'svg' if form == 'plot' else form}" for form in FORMS}
    done = run(*_arguments(table), *[word for form in FORMS for word in (f"--{form}", names[form])])
    assert (done.returncode, done.stderr) == (0, "")
    assert "high has the highest accuracy" in done.stdout
    for form, name in names.items():
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text.startswith(START[form])
        assert "high" in text or form == "plot"
    document = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text(encoding="utf-8"))))
    assert [float(row["difference"]) for row in rows] == [d["difference"] for d in document["differences"]]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names.values(), "table.csv"])


@pytest.mark.parametrize("form", FORMS)
def test_one_output_to_stdout_replaces_the_table(run: Run, table: Path, form: str) -> None:
    done = run(*_arguments(table), f"--{form}", "-", "--system", "low", "--system", "high")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(START[form])
    assert "Differences in accuracy, A" not in done.stdout or form in ("markdown", "latex", "html")


@pytest.mark.parametrize("name", ["p.png", "p.pdf", "P.SVG"])
def test_pictures(run: Run, table: Path, tmp_path: Path, name: str) -> None:
    assert run(*_arguments(table, "--plot", name)).returncode == 0
    start = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}[name[-3:].lower()]
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (["nowhere.csv"], "InvalidInputError: no file 'nowhere.csv'", "hint: check the path and the current directory"),
        (["table.csv", "--gold", "lable"], "InvalidInputError: table.csv has no column 'lable' (named as gold); did you mean 'label'?",
         "hint: its columns are: item, label, doc, low, middle, high"),
        (["table.csv", "--gold", "label", "--json", "-", "--csv", "-"], "InvalidInputError: --json and --csv both go to stdout (-)",
         "hint: give each output a place of its own; only one can go to -"),
        (["table.csv", "--gold", "label", "--json", "x", "--csv", "./x"], "InvalidInputError: --json and --csv both go to './x'",
         "hint: give each output a place of its own; only one can go to -"),
        (["table.csv", "--html", "no/where.html"], "InvalidInputError: cannot write 'no/where.html': there is no folder '{}/no'",
         "hint: create the folder first, or name another"),
        (["table.csv", "--html", "."], "InvalidInputError: cannot write '.': it is a folder", "hint: name a file in it"),
        (["table.csv", "--gold", "label", "--cluster", "doc", "--level", "95"], "InvalidInputError: --level must lie strictly between 0 and 1, got 95.0",
         "hint: 0.95 means 95 %"),
        (["table.csv", "--gold", "label", "--cluster", "doc", "--resamples", "0"], "InvalidInputError: --resamples must be a whole number of at least 1, got 0",
         "hint: bestby compare --help"),
        (["table.csv", "--plot", "x.jpeg"], "InvalidInputError: --plot writes .png, .svg, .pdf, got 'x.jpeg'",
         "hint: change the suffix of the file"),
        (["table.csv", "table.csv"], "InvalidInputError: two files are called 'table': 'table.csv' and 'table.csv'",
         "hint: give each system a name of its own: name=path"),
        ([], "UsageError: Missing argument 'FILES'.", "hint: bestby compare --help"),
        (["holes.csv"], "InvalidInputError: holes.csv: system 'a' has no value for 1 of 3 items; first: row 2",
         "hint: pass --on-missing drop to compare the other items only, or --on-missing worst to count the missing as wrong"),
        (["a=x.txt", "b=holes.csv"], "InvalidInputError: no file 'x.txt'", "hint: check the path and the current directory"),
        (["table.csv", "--option", "item=x"], "InvalidInputError: --option is for options of the format, not for 'item'",
         "hint: it is given by itself: --item ..."),
        (["table.csv", "--option", "systems=x"], "InvalidInputError: --option is for options of the format, not for 'systems'",
         "hint: it is given by itself: --system ..."),
        (["table.csv", "--no-rescale"], "InvalidInputError: --no-rescale has no effect without --resample-size: nothing is rescaled then",
         "hint: leave --no-rescale out, or give --resample-size too"),
        (["table.csv", "--gold", "label", "--cluster", "doc", "--seed", "-1"], "InvalidInputError: --seed must be a non-negative integer, got -1",
         "hint: --seed 0 gives the same numbers every time"),
        (["table.csv", "--gold", "label", "--cluster", "doc", "--resample-size", "500"], "InvalidInputError: a resample must have 2 to 30 units (items or clusters) here, got 500",
         "hint: a size is a number of units such as 200, or a fraction such as 0.2"),
        (["table.csv", "--gold", "label", "--cluster", "doc", "--resample-annotators"], "InvalidInputError: --resample-annotators needs --annotators: the columns of their labels",
         "hint: give both, or leave --resample-annotators out"),
        (["holes.csv", "table.csv", "--format", "texts"], "InvalidInputError: texts with a segment per line need a file of references",
         "hint: name it: --gold ..."),
        (["table.csv", "--gold", "label", "--system", "low", "--system", "high", "--stream", "--blocks", "2"], "DesignError: a bootstrap of blocks needs every item, but the table was counted into 9 distinct rows",
         "hint: read it whole: --no-stream"),
        (["table.csv", "--gold", ""], "InvalidInputError: --gold is empty: it names nothing", "hint: name it, or leave it out"),
        ([""], "InvalidInputError: FILES is empty: it names nothing", "hint: name it, or leave it out"),
        (["table.csv", "--json", ""], "InvalidInputError: --json is empty: it names nothing", "hint: name a file, or - for the standard output"),
        (["table.csv", "--json", "x" * 300], f"InvalidInputError: cannot write '{'x' * 300}': File name too long",
         "hint: check the permissions of the folder and the space left, or name another file"),
    ],
)  # fmt: skip
def test_bad_input_is_two_lines_on_stderr(
    run: Run, table: Path, tmp_path: Path, arguments: list[str], first: str, second: str
) -> None:
    (tmp_path / "holes.csv").write_text("gold,a,b\nx,x,y\ny,,y\nx,y,x\n", encoding="utf-8")
    done = run("compare", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"{first}\n{second}\n".replace("{}", str(tmp_path))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--level", "high"], "UsageError: Invalid value for '--level'"),
        (["--nonsense"], "UsageError: No such option: --nonsense"),
        (["--gold"], "UsageError: Option '--gold' requires an argument"),
    ],
)
def test_bad_usage_is_two_lines_too(run: Run, table: Path, arguments: list[str], told: str) -> None:
    done = run("compare", table, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first.startswith(told)
    assert second in ("hint: bestby compare --help", "hint: bestby --help")


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


def test_a_file_of_another_name_than_the_inputs_is_overwritten(table: Path) -> None:
    old = table.with_name("old.csv")
    old.write_text("old", encoding="utf-8")
    assert main(_arguments(table, "--csv", str(old))) == 0
    assert old.read_text(encoding="utf-8").startswith("metric,a,b")


def test_nothing_is_written_when_a_later_output_cannot_be_made(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from bestby.results.comparison import Comparison

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
    from bestby.results.comparison import Comparison

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


def test_a_closed_pipe_is_quiet(table: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, *_arguments(table, "--html", "-")], cwd=tmp_path, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="no signals")
def test_an_interrupt_is_quiet(table: Path, tmp_path: Path) -> None:
    # A hundred million resamples would take minutes. Only once everything is imported is it told to stop.
    code = (
        "import sys, bestby.cli, bestby.comparisons.items, bestby.readers\n"
        "print('ready', file=sys.stderr, flush=True)\n"
        "sys.exit(bestby.cli.main())"
    )
    arguments = _arguments(table, "--metric", "f1_macro", "--interval", "bca", "--resamples", "100000000")
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments, "--json", "out.json"],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        try:
            assert process.stderr is not None
            assert process.stderr.readline() == b"ready\n"
            time.sleep(1.5)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert (process.returncode, out, err.strip()) == (130, b"", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["table.csv"]


def test_a_disk_without_room(run: Run, table: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    code = f"exec {' '.join(repr(word) for word in COMMAND)} metrics > /dev/full"
    done = subprocess.run(["sh", "-c", code], capture_output=True, text=True, env=environment(), check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "InvalidInputError: cannot write the standard output: No space left on device",
        "hint: free some space, or write to a file elsewhere; all requested files are complete",
    ]


def test_published_absa_through_files(run: Run, shared_data, tmp_path: Path) -> None:
    # The first difference of the published table (Bestgen 2022): aen_bert minus bert_spc, to four decimals.
    for name in ("aen_bert", "bert_spc"):
        predictions, gold = list(csv.reader((shared_data("absa") / f"{name}.csv").read_text().splitlines()))[
            :2
        ]
        (tmp_path / f"{name}.txt").write_text("\n".join(predictions) + "\n", encoding="utf-8")
        (tmp_path / "gold.txt").write_text("\n".join(gold) + "\n", encoding="utf-8")
    done = run(
        "compare", "aen_bert=aen_bert.txt", "bert_spc=bert_spc.txt", "--gold", "gold.txt", "--csv", "-"
    )
    assert done.stderr == ""
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert (row["a"], row["b"], round(float(row["difference"]), 4)) == ("aen_bert", "bert_spc", 0.0110)


def test_scores_against_labels_of_text(run: Run, tmp_path: Path) -> None:
    rows = [
        (f"q{i}", "pos" if i % 3 else "neg", (i * 7 % 20 + (i % 3 > 0) * 9) / 30, (i * 11 % 20) / 20)
        for i in range(40)
    ]
    lines = ["item,gold,u,v", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = run("compare", "scores.csv", "--metric", "roc_auc[pos]", "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    scores = {entry["system"]: entry["score"] for entry in json.loads(done.stdout)["systems"]}
    for place, name in ((2, "u"), (3, "v")):
        pairs = [(p[place], n[place]) for p in rows for n in rows if (p[1], n[1]) == ("pos", "neg")]
        assert scores[name] == pytest.approx(sum((p > n) + 0.5 * (p == n) for p, n in pairs) / len(pairs))
    refused = run("compare", "scores.csv")
    assert refused.returncode == 2
    assert refused.stderr.startswith(
        "DesignError: system 'u' holds numbers such as 0.03333, all from 0 to 1,"
    )
    assert "probabilities of the class 'pos'" in refused.stderr
    assert "--metric roc_auc (or log_loss, brier)" in refused.stderr


def test_top_limits_what_is_shown_and_not_what_is_written(run: Run, table: Path) -> None:
    arguments = _arguments(table, "--metric", "accuracy")
    full = run(*arguments, "--markdown", "-").stdout
    some = run(*arguments, "--top", "2", "--markdown", "-").stdout
    assert "2 of 3 systems and 1 of 3 differences are shown" in some
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


@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_real_numbers_and_probabilities_are_refused_with_the_metric_to_name(
    run: Run, tmp_path: Path, stream: tuple[str, ...]
) -> None:
    rows = [(i / 7, i / 7 + 0.1 * (i % 3), i / 6) for i in range(40)]
    (tmp_path / "reg.csv").write_text("gold,a,b\n" + "".join(f"{g},{a},{b}\n" for g, a, b in rows))
    rows = [(i % 2, 0.3 + 0.4 * (i % 2) + 0.001 * i, 0.4 + 0.1 * (i % 3)) for i in range(40)]
    (tmp_path / "prob.csv").write_text("gold,a,b\n" + "".join(f"{g},{a},{b}\n" for g, a, b in rows))
    refused = run("compare", "reg.csv", "--gold", "gold", *stream)
    assert refused.returncode == 2
    assert "the gold holds real numbers" in refused.stderr
    assert "such as --metric rmse (or mae, pearson, spearman)" in refused.stderr
    refused = run("compare", "prob.csv", "--gold", "gold", *stream)
    assert refused.returncode == 2
    assert "look like probabilities of the class 1;" in refused.stderr
    done = run("compare", "prob.csv", "--gold", "gold", "--metric", "log_loss", "--json", "-")
    scores = {entry["system"]: entry["score"] for entry in json.loads(done.stdout)["systems"]}
    p = [row[1] if row[0] else 1 - row[1] for row in rows]
    assert scores["a"] == pytest.approx(-sum(map(math.log, p)) / 40)


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (
            "gate scores.csv --baseline old --candidate new --margin 0.05",
            "the margin of 5: the difference is 20.0",
        ),
        ("slices scores.csv --by half --resamples 99", "all items 100 80.0 60.0 20.0"),
        ("published scores.csv --system new --score 0.850", "published 85.0"),
    ],
)
def test_percent_of_what_is_no_comparison_of_items(
    command: str,
    shown: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [f"{i},{i % 2},{int(i % 10 < 8)},{int(i % 10 < 6)}" for i in range(100)]
    Path("scores.csv").write_text("\n".join(["item,half,new,old", *lines]))
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    github = ["--github"] if command.startswith("gate") else []
    assert main([*command.split(), "--percent", *github, "--json", "t.json"]) == 0
    assert shown in " ".join(capsys.readouterr().out.split())
    assert not github or shown in " ".join(summary.read_text(encoding="utf-8").split())
    assert shown not in Path("t.json").read_text(encoding="utf-8")


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
        "--latex-part must be among scores, differences, pairs, got 'pair'; did you mean 'pairs'?" in message
    )
    assert hint == "hint: bestby compare --help"
