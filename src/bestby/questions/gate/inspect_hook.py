"""The extension for Inspect: at the end of an evaluation, the gate of its logs.

Inspect loads this module before the first evaluation of a process, by its entry point. Unless `ASKED` is set
it does nothing: no hook is registered, and nothing else is imported. The gate runs in a process of its own,
when the logs are written, so that it cannot break the evaluation. Inspect logs and ignores what a hook
raises, so the gate cannot change the exit status of ``inspect eval``; that of ``inspect eval ... && bestby
gate ...`` is the verdict.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in `bestby.cli`: what is not asked for costs nothing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

ASKED = "BESTBY_GATE"
"""The variable that asks for a gate: the arguments of ``bestby gate``, without the candidate."""


def register() -> None:
    """Register the hook with Inspect."""
    from inspect_ai.hooks import Hooks, hooks

    def on_run_end(_: Any, data: Any) -> Any:
        return _after_run(data)

    def on_eval_set_end(_: Any, data: Any) -> Any:
        return _after_eval_set(data)

    members = {"__module__": __name__, "on_run_end": on_run_end, "on_eval_set_end": on_eval_set_end}
    hooks(name="gate", description=f"bestby gate after each evaluation ({ASKED})")(
        type("Gate", (Hooks,), members)
    )


async def _after_run(data: Any) -> None:
    """Decide on the logs of an evaluation; those of an evaluation set wait for its end."""
    if data.eval_set_id is not None:
        return
    unfinished = [str(log.eval.task) for log in data.logs if log.status != "success"]
    if unfinished or data.exception is not None or not data.logs:
        which = f" of {', '.join(unfinished)}" if unfinished else ""
        _say(f"\nbestby: no gate, because the evaluation{which} did not succeed\n")
        return
    decide([str(log.location) for log in data.logs])


async def _after_eval_set(data: Any) -> None:
    decide([str(data.log_dir)])


def decide(logs: Sequence[str]) -> None:
    """Run the gate with the logs as the candidate, and print what it says, or why it cannot be run.

    Inspect does not show what a hook raises, so what a user can mend is printed: a variable that cannot be
    split into arguments (a ValueError), and a process that cannot be started (an OSError).
    """
    import shlex
    import subprocess

    try:
        arguments = [*shlex.split(os.environ.get(ASKED, "")), *logs]
        done = subprocess.run(
            [sys.executable, "-m", "bestby", "gate", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "PYTHONUTF8": "1"},
        )
    except (OSError, ValueError) as error:
        _say(f"\nbestby: no gate: {error}\n")
    else:
        _say(f"\nbestby gate {shlex.join(arguments)}\n{done.stdout}{done.stderr}")


def _say(text: str) -> None:
    """Write to the output as it is then: a display on the whole screen keeps it until it closes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"  # such a display says none
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
    sys.stdout.flush()


if os.environ.get(ASKED):
    register()
