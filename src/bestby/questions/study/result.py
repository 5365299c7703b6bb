"""What the comparison of a study returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from bestby._core.keywords import with_suggestions
from bestby._core.text import grouped
from bestby.report.comparison import Comparison, Difference, RunsScore
from bestby.report.reported import canvas_of, shown_metric, written
from bestby.vocabulary import FigureFont, FigureWidth, StudyFigure


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class StudyComparison(Comparison):
    """The result of `Study.compare`: every treatment against its baselines.

    Parameters
    ----------
    systems, differences, baseline
        `ConditionScore`, `StudyDifference`; `baseline` is None if there are several.
    baselines : tuple of str
        The conditions that others were compared with; empty if every two conditions were compared.
    n_computed, n_reused : int
        How many scores and differences were computed now, and how many were found in the study's cache.

    See Also
    --------
    bestby.Study.compare : Makes it.
    bestby.load : Reads it back from JSON.
    """

    systems: tuple[ConditionScore, ...]
    differences: tuple[StudyDifference, ...]
    baselines: tuple[str, ...] = field(kw_only=True)
    n_computed: int = field(kw_only=True)
    n_reused: int = field(kw_only=True)

    kind: ClassVar[str] = "study"

    @staticmethod
    def _report() -> Any:
        from bestby.questions.study import report

        return report

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        counts = [entry.n_runs for entry in self.systems]
        low, high = min(counts), max(counts)
        runs = f"{low}" if low == high else f"{low} to {high}"
        return f"{grouped(self.n_items)} items, {runs} {'run' if high == 1 else 'runs'} of each condition"

    @with_suggestions
    def plot(  # type: ignore[override]
        self,
        metric: str | None = None,
        *,
        kind: StudyFigure = "auto",
        by: Any = None,
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
    ) -> Any:
        """Draw the comparison; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            One of the metrics; the first by default.
        kind : {"auto", "forest", "systems", "scores", "baseline", "matrix", "growth"}
            "growth": score and interval of each condition against its epochs, or against what `by` gives.
            The others as for `Comparison.plot`.
        by : "epochs" or mapping of str to float, date or str, optional
            For "growth": the place of each condition, such as the number of its training items, or a date,
            which may be written as 2026-01-31; conditions that are left out are not drawn. By default the
            mean number of epochs of its runs.
        width, font, percent, ax
            As for `Comparison.plot`.
        """
        from bestby.questions.study import report

        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent)
        return report.study(shown, metric, kind, by, canvas)

    def to_results_tsv(self, path: str | Path | None = None) -> str:
        """Return a table of one row per baseline and treatment, as the ``results.tsv`` of BooStSa 0.2.13.

        Every baseline is followed by its treatments. Of each metric there are the score, the difference from
        the baseline (``d_``), its mark (``s_``) and the standard deviation between the runs (``std_``), with
        four decimals, under the names that BooStSa has for its eight metrics (``f1`` is `f1_macro`). Marks
        are of the p-value after correction: ``*`` at most .05 and ``**`` at most .01 for a treatment that is
        better, ``!`` at most .05 for one that is worse. One-sided tests cannot show that: there ``!`` says
        that the interval lies on the baseline's side of 0.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.

        Raises
        ------
        DesignError
            If every two conditions were compared: there is no baseline then.
        """
        from bestby.questions.study import report

        text: str = report.results_tsv(self)
        return written(text, path)


@dataclass(frozen=True, slots=True, repr=False)
class ConditionScore(RunsScore):
    """The score of one condition on one metric: the mean over its runs.

    Parameters
    ----------
    runs : tuple of float
        The score of each run, in the order of their names.
    epochs : float or None
        The mean number of epochs of its runs, if all have one.

    See Also
    --------
    StudyComparison : Holds one per metric and condition.
    """

    epochs: float | None = field(kw_only=True, default=None)


@dataclass(frozen=True, slots=True, repr=False)
class StudyDifference(Difference):
    """The difference between two conditions on one metric, over items and runs.

    Parameters
    ----------
    n_runs : tuple of int
        Runs of A and of B.

    See Also
    --------
    StudyComparison : Holds one per metric and pair.
    Difference : What all differences have.
    """

    n_runs: tuple[int, int] = field(kw_only=True)

    def _mirrored_fields(self) -> dict[str, Any]:
        return {**Difference._mirrored_fields(self), "n_runs": self.n_runs[::-1]}
