"""How often intervals hold what they say and tests reject what is true: measured, stored, published.

``python -m calibration`` (``make calibrate``) makes the grid and the page; the modules `coverage`,
`type_one_error`, `dependence`, `annotators`, `resample_size`, `runs_items`, `rivals` and `aso_thresholds` are
studies of their own, run by their names: ``python -m calibration.coverage``.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "calibration" / "results"
CACHE = ROOT / "build" / "calibration"
