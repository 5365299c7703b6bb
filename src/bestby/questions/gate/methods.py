"""What the paragraph for a paper says of a gate."""

from __future__ import annotations

from collections.abc import Iterator

from bestby.questions.gate.result import Gate, GateCheck
from bestby.report.numbers import alpha, margin_text, percent
from bestby.report.paper.shared import clustered, drawn, intervals_and_tests, measured, with_works
from bestby.report.references import cite
from bestby.report.words import listed


def _failing(g: Gate, bounded: list[GateCheck]) -> str:
    """Return how checks fail that an exact test decides; nothing if a bound decides all."""
    tested = [check for check in bounded if check.fail_p is not None]
    if not tested:
        return ""
    which = "A check fails" if len(tested) == len(bounded) else "Checks of right and wrong answers fail"
    share = f" divided by {len(g.checks)}, the number of checks (Bonferroni)" if len(g.checks) > 1 else ""
    return (
        f"{which} if an exact unconditional test{cite('analysis', 'loss beyond a margin')} shows a"
        f" greater loss at {alpha(g.level):.6g}{share}."
    )


def sentences(g: Gate) -> Iterator[str]:
    """Yield how it was decided whether a candidate may take the place of a baseline."""
    yield f"We asked whether {g.candidate} may take the place of {g.baseline}, on the same {g.extent}."
    yield clustered(g)
    bounded = [check for check in g.checks if check.margin is not None]
    alarms = [check for check in g.checks if check.margin is None]
    if bounded:
        margins = listed(
            [f"{margin_text(check.margin or 0.0)} for {measured(check.name)}" for check in bounded]
        )
        bounds = [check.difference.equivalence_interval for check in bounded]
        methods = dict.fromkeys(one.method for one in bounds if one is not None)
        named_methods = listed([with_works("interval", one) for one in methods])
        yield (
            f"A loss of this much matters: {margins}. A check passes if the one-sided {percent(g.level)}"
            f" bound of the difference{cite('analysis', 'equivalence')} excludes it; all checks"
            f" must pass, which needs no correction. Bounds: {named_methods}."
        )
        yield _failing(g, bounded)
    if alarms:
        names = listed([measured(check.name) for check in alarms])
        _, tests = intervals_and_tests([check.difference for check in alarms])
        several = f", corrected by Holm's procedure{cite('correction', 'holm')}" if len(alarms) > 1 else ""
        yield (
            f"For {names} we tested whether the candidate is worse, at the {percent(alpha(g.level))} level:"
            f" {tests}{several}."
        )
    yield drawn(g, g.differences)
