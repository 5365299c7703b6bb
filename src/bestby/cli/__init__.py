"""The command line: one module per command; parse, call, print."""

from __future__ import annotations

TYPE_CHECKING = False  # as in `bestby`: nothing is imported before interrupts are looked after

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["app", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Returns 0; 1 for a gate that failed and 3 for one that is inconclusive; 2 for bad input, bad usage or an
    output that cannot be written; 70 for a defect of bestby, also where it cannot be imported; 130 when
    interrupted; 141 when the reader of the output has gone.
    """
    try:
        from bestby.cli.interrupts import after_imports

        with after_imports():
            if arguments is None:  # nothing else runs in this process
                _collect_less()
            from bestby.cli.commands import run

            return run(arguments)
    except KeyboardInterrupt:
        return 130
    except Exception:  # a broken installation raises anything on import, and status 1 is a failed gate
        import traceback

        traceback.print_exc()
        return 70


def _collect_less() -> None:
    """Let Python look for unused objects less often, and not at all at the end."""
    import atexit
    import gc

    # New objects after which Python looks for unused ones among them: imports make many that all stay
    gc.set_threshold(10_000)
    atexit.register(gc.freeze)


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'bestby.cli' has no attribute {name!r}")
    from bestby.cli.commands import app

    return app
