"""A process that does one job with one tool: run.py starts it and asks for turns.

    python benchmarks/worker.py JOB TOOL BUDGET

Prints a line of JSON when it is ready, one per line read from standard input (a turn), and one at the end:
the peak of its memory. Runs in the environment of the tool, whose standard output goes to standard error.
"""

from __future__ import annotations

import os

if __name__ == "__main__":
    for _library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import json
import logging
import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])  # in place of this directory

FEW = 2
PROBE = 20
MOST_NUMBERS = 50_000_000
"""Numbers of eight bytes a rival may hold at once: 400 MB."""
OURS_FOR = 0.1
"""Seconds that a turn of bestby lasts at least: the median of the calls in it counts.

The first calls find the caches as the rivals left them, and must be few among all."""


def peak() -> float:
    """Return the greatest resident memory of this process so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux: getrusage would count the process that started this one
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the CPU time of a call, and what it returned."""
    begun = time.process_time()
    result = work(*arguments)
    return time.process_time() - begun, result


def repeated(work: Callable[[], Any], at_least: float = OURS_FOR, fewest: int = 3) -> tuple[float, Any]:
    """Return the median CPU time of a call repeated for so long."""
    taken: list[float] = []
    answer = None
    while len(taken) < fewest or sum(taken) < at_least:
        seconds, answer = timed(work)
        taken.append(seconds)
    return sorted(taken)[len(taken) // 2], answer


def affordable(rival: Any, n_resamples: int, budget: float) -> int:
    """Return how many resamples fit the budget and the memory, B if all of them do."""
    most = max(FEW + 1, min(n_resamples, MOST_NUMBERS // rival.held))
    rival.draw(FEW)  # imports and caches
    fixed = timed(rival.draw, FEW)[0]
    allowed = max(budget, fixed)  # or the time of the resamples is lost in that of a call
    size = min(PROBE, most)
    for _ in range(3):  # the first few may be too quick to time
        drawn = max(timed(rival.draw, size)[0] - fixed, 1e-7 * size)
        if drawn > allowed:
            break
        size = max(size, min(int(size * allowed / drawn), most, 10 * size))
    return size


def drawing(rival: Any, size: int, n_resamples: int) -> tuple[float, Any]:
    """Time `size` resamples and scale what exceeds the time of a few to B."""
    seconds, drawn = timed(rival.draw, size)
    if size == n_resamples:
        return seconds, drawn
    fixed = timed(rival.draw, FEW)[0]
    return fixed + max(seconds - fixed, 0.0) * (n_resamples - FEW) / (size - FEW), drawn


def turns_of_ours(job: Any) -> Iterator[dict[str, Any]]:
    from bestby import compare  # noqa: F401  what is imported is not memory the job adds

    ours = job.make().ours
    before = peak()
    ours()  # imports
    yield {"how": "", "note": "", "scaled_from": 0, "before": before}
    while True:
        seconds, answer = repeated(ours)
        yield {"seconds": seconds, "answer": shown(answer)}


def turns_of_rival(job: Any, tool: str, budget: float) -> Iterator[dict[str, Any]]:
    rival = job.make().rivals[tool]()
    before, cut = peak(), 0
    if rival.resamples:
        size = affordable(rival, job.n_resamples, budget)
        cut = size if size < job.n_resamples else 0
    yield {"how": rival.how, "note": rival.note, "scaled_from": cut, "before": before}
    finishing: float | None = None
    answer: Any = None
    while True:
        if not rival.resamples:
            seconds, answer = repeated(lambda: rival.finish(rival.draw(0)))
            yield {"seconds": seconds, "answer": shown(answer)}
            continue
        if cut or job.n_resamples * rival.held > 1_000_000:
            seconds, drawn = drawing(rival, size, job.n_resamples)
        else:  # quick enough to be done more than once
            seconds, drawn = repeated(lambda: rival.draw(job.n_resamples), fewest=1)
        if finishing is None or finishing < budget:  # what cannot be cut is done once if long
            finishing, answer = timed(rival.finish, drawn)
        yield {"seconds": seconds + finishing, "answer": shown(answer)}


def shown(answer: Any) -> str:
    """Return a p-value (or the like), or both ends of an interval."""
    if isinstance(answer, float):
        return f"{answer:.3g}"
    low, high = answer
    return f"{low:.4f} to {high:.4f}"


def main() -> None:
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a tool prints is not an answer
    warnings.simplefilter("ignore")
    logging.getLogger("sacrebleu").setLevel(logging.ERROR)
    from benchmarks import jobs

    name, tool, budget = sys.argv[1:]
    job = next(job for job in jobs.all_jobs() if job.name == name)
    turns = turns_of_ours(job) if tool == "bestby" else turns_of_rival(job, tool, float(budget))

    def say(answer: dict[str, Any]) -> None:
        print(json.dumps(answer), file=told, flush=True)

    say(next(turns))
    for _line in sys.stdin:
        say(next(turns))
    say({"peak": peak()})


if __name__ == "__main__":
    main()
