"""`bestby judged`: systems by the scores of a judge, corrected by a few human labels."""

from __future__ import annotations

from typing import Any

from bestby.questions.judged.compare import compare_judged
from bestby.questions.judged.parameters import Judged
from bestby.questions.judged.reader import read_calibration, read_judged


def judged(values: Judged, progress: Any) -> Any:
    """Read and compare."""
    columns = values.data.arguments()
    arguments = {**values.design.arguments(), **values.statistics.arguments()}
    if values.design.calibration is None:
        scores = read_judged(values.path, **columns)
    else:
        scores = read_judged(values.path, **{**columns, "human": False})
        arguments["calibration"] = read_calibration(values.design.calibration, **columns)
    return compare_judged(scores, **arguments, progress=progress)
