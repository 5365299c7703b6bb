"""The plugin for pytest in scratch projects: baselines are stored, compared with, and lacking."""

from __future__ import annotations

from importlib.metadata import entry_points

import pytest

PLUGIN = "bestby.questions.gate.pytest_plugin"
LOADED = any(one.value == PLUGIN for one in entry_points(group="pytest11"))
"""Whether pytest loads the plugin by itself: it does where bestby was installed with it."""

SUITE = """
import os
import pytest

WRONG = int(os.environ.get("WRONG", 0))
GOLD = ["xyz"[n % 3] for n in range(300)]
PREDICTIONS = ["xyz"[(n + (n < WRONG or n % 10 == 0)) % 3] for n in range(300)]

def test_labels(bestby_gate):
    bestby_gate(PREDICTIONS, GOLD, metric="accuracy", margin=0.05)

@pytest.mark.parametrize("part", ["a/b", "a b"])
def test_scores(bestby_gate, part):
    right = {f"q{n}": float(p == g) for n, (p, g) in enumerate(zip(PREDICTIONS, GOLD))}
    result = bestby_gate(right, metric="mean", margin=0.05, name=part)
    assert result is None or result.outcome == "pass"
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """Write a suite of three gates, whose predictions get worse as the variable WRONG says."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(SUITE)
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return suite.runpytest_subprocess("-p", "no:cacheprovider", "-p", PLUGIN, *arguments)


def test_no_folder_is_a_reason_to_skip(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    loading = () if LOADED else ("-p", PLUGIN)
    suite.runpytest_subprocess("-p", "no:cacheprovider", *loading, "-rs").assert_outcomes(skipped=3)


def test_a_baseline_is_stored_once_and_compared_with(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = ("--bestby-baseline", "gates")
    first = run(suite, *place)
    first.assert_outcomes(failed=3)
    first.stdout.fnmatch_lines(["*no baseline is stored in *run this test with --bestby-update"])
    run(suite, *place, "--bestby-update").assert_outcomes(passed=3)
    assert len(list((suite.path / "gates").iterdir())) == 3
    same = run(suite, *place, "--junitxml", "report.xml")
    same.assert_outcomes(passed=3)
    same.stdout.fnmatch_lines(
        ["*gates of bestby*", "*::test_labels: Pass: candidate is not worse than baseline*"]
    )
    assert "bestby gate" in (suite.path / "report.xml").read_text(encoding="utf-8")
    monkeypatch.setenv("WRONG", "120")
    worse = run(suite, *place)
    worse.assert_outcomes(failed=3)
    worse.stdout.fnmatch_lines(["Fail: *", "metric *difference*margin*baseline*candidate"])
    assert "Traceback" not in worse.stdout.str()


def test_the_user_chooses_what_an_open_gate_does_and_other_items_are_refused(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite.makeini("[pytest]\nbestby_baseline = gates")
    run(suite, "--bestby-update").assert_outcomes(passed=3)
    monkeypatch.setenv("WRONG", "17")
    chosen: list[tuple[tuple[str, ...], dict[str, int]]] = [
        ((), {"failed": 3}),
        (("--bestby-inconclusive", "xfail"), {"xfailed": 3}),
        (("-o", "bestby_inconclusive=pass"), {"passed": 1, "failed": 2}),  # the suite's own assertion
    ]
    for more, outcome in chosen:
        done = run(suite, *more)
        done.assert_outcomes(**outcome)
        done.stdout.fnmatch_lines(["*::test_labels: Inconclusive: *"])
    suite.makepyfile(SUITE.replace("range(300)", "range(200)"))
    done = run(suite)
    done.assert_outcomes(failed=3)
    done.stdout.fnmatch_lines(["*has 300 items, the candidate has 200*"])


def test_without_a_gate_nothing_of_bestby_is_imported(suite: pytest.Pytester) -> None:
    suite.makepyfile(
        "import sys\ndef test_modules():\n"
        "    assert not {'numpy', 'bestby.data', 'bestby.questions.gate.compare'} & {*sys.modules}\n"
    )
    run(suite).assert_outcomes(passed=1)
