"""The plugin for pytest: an evaluation inside a suite of tests passes, fails or stays open by a gate.

pytest loads this module at every start, by its entry point, so that bestby is imported only where a test asks
for the fixture.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from bestby.questions.gate.result import Gate

_PROPERTY = "bestby gate"
"""Under this name the words of each gate are among the properties of its test, and in JUnit XML."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("bestby", "gates of bestby")
    baseline, inconclusive = "Folder of the stored baselines.", "What a test does whose gate is inconclusive."
    group.addoption("--bestby-baseline", metavar="FOLDER", help=baseline)
    group.addoption(
        "--bestby-update", action="store_true", help="Store what is evaluated as baselines; compare nothing."
    )
    group.addoption("--bestby-inconclusive", choices=("fail", "xfail", "pass"), help=inconclusive)
    parser.addini("bestby_baseline", baseline)
    parser.addini("bestby_inconclusive", f"{inconclusive} fail (the default), xfail or pass.", default="fail")


@pytest.fixture
def bestby_gate(request: pytest.FixtureRequest) -> Callable[..., Gate | None]:
    """Return a function that compares predictions with the stored baseline of the test.

    It takes an `Evaluation` of one system, or predictions (or scores per item) and the gold, with `items`,
    `clusters` and `strata` as `Evaluation.of` does. ``name`` tells several gates of one test apart. All other
    arguments are those of `bestby.gate`: ``metric``, ``margin``, ``level``. It returns the `Gate`, or None
    where the baseline is stored.
    """

    def decide(predictions: Any, gold: Any = None, *, name: str = "", **arguments: Any) -> Gate | None:
        from bestby._core.errors import BestbyError
        from bestby.data.evaluation import Evaluation
        from bestby.questions.gate import report
        from bestby.questions.gate.compare import gate
        from bestby.questions.gate.stored_baseline import stored, with_stored
        from bestby.report.writers.files import write_text

        place, update = _place(request, name), request.config.getoption("bestby_update")
        evaluation = predictions
        if not isinstance(evaluation, Evaluation):
            parts = {key: arguments.pop(key, None) for key in ("items", "clusters", "strata")}
            evaluation = Evaluation.of({"baseline" if update else "candidate": predictions}, gold, **parts)
        if update:
            place.parent.mkdir(parents=True, exist_ok=True)
            write_text(str(place), stored(evaluation))
            request.node.user_properties.append((_PROPERTY, f"stored {place.name}"))
            return None
        if not place.is_file():
            pytest.fail(
                f"no baseline is stored in {place}: run this test with --bestby-update", pytrace=False
            )
        try:
            result = gate(with_stored(place, evaluation), **arguments)
        except BestbyError as error:
            pytest.fail(str(error), pytrace=False)
        words = report.message(result)
        request.node.user_properties.append((_PROPERTY, words))
        request.node.add_report_section("call", _PROPERTY, str(result))
        outcome: str = result.outcome
        if outcome == "inconclusive":
            outcome = _setting(request.config, "bestby_inconclusive")
        if outcome == "xfail":
            pytest.xfail(words)
        if outcome != "pass":
            pytest.fail(words, pytrace=False)
        return result

    return decide


def _setting(config: pytest.Config, name: str) -> str:
    """Return an option, else what the file of settings says."""
    return str(config.getoption(name) or config.getini(name))


def _place(request: pytest.FixtureRequest, name: str) -> Path:
    """Return the file of the baseline of a gate of a test; skip the test where no folder is named."""
    folder = _setting(request.config, "bestby_baseline")
    if not folder:
        pytest.skip("no folder of baselines is named: give --bestby-baseline FOLDER")
    # Not all that names of tests hold can be in a name of a file, and what is replaced could make two alike.
    identity = f"{request.node.nodeid}\0{name}"
    words = re.sub(r"[^\w.-]+", "-", f"{request.node.name} {name}".strip())[:80].strip("-")
    digest = hashlib.blake2b(identity.encode(), digest_size=4).hexdigest()
    return Path(request.config.rootpath, folder, f"{words}.{digest}.json")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say below the results what each gate decided."""
    lines = [
        f"{report.nodeid}: {words}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for key, words in report.user_properties
        if key == _PROPERTY
    ]
    if lines:
        terminalreporter.section("gates of bestby")
        for line in sorted(lines):
            terminalreporter.write_line(line)
