"""What a comparison returns: frozen records that hold unrounded numbers and say how they were made."""

from __future__ import annotations

import dataclasses
import importlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, runtime_checkable

from bestby._core import checks, rounding
from bestby._core.errors import InvalidInputError
from bestby._core.text import quoted
from bestby._core.versions import blas

if TYPE_CHECKING:
    from bestby._core.typing import Alternative

_MOST_LISTED = 50
"""Names that a signature lists."""

_MIRROR: dict[str, Alternative] = {"two-sided": "two-sided", "greater": "less", "less": "greater"}


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader of the result must know.

    Parameters
    ----------
    code : str
        A short, stable name, such as ``"few_resamples"``.
    message : str
        One or two sentences: what was met and what it means.
    about : tuple of str
        What the note belongs to: a metric, a metric and a system, or a metric and two systems;
        empty for the whole comparison.
    """

    code: str
    message: str
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Parameters
    ----------
    low, high : float
        Its ends, on the scale of the measure.
    level : float
        The nominal coverage, such as 0.95.
    method : str
        ``"tango"``, ``"wilson"``, ``"bca"``, ``"percentile"``, ``"basic"``, ``"studentized"``,
        ``"normal"`` or ``"max-t"``.
    exact : bool
        True if no resample was drawn: the ends are those of infinitely many, or of a formula.
    """

    low: float
    high: float
    level: float
    method: str
    exact: bool

    def mirrored(self) -> Interval:
        """Return the interval of the negated quantity."""
        return dataclasses.replace(self, low=_negated(self.high), high=_negated(self.low))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def defined(
    interval: Interval | None, notes: tuple[Note, ...] = ()
) -> tuple[Interval | None, tuple[Note, ...]]:
    """Return an interval with its notes; None and a note that says so if an end is no number.

    Examples
    --------
    >>> nan = float("nan")
    >>> interval, notes = defined(Interval(nan, nan, 0.95, "normal", True))
    >>> interval, notes[0].code
    (None, 'undefined_interval')
    """
    if interval is None or not (math.isnan(interval.low) or math.isnan(interval.high)):
        return interval, notes
    message = (
        f"no {interval.method} interval: the measure or its standard error is undefined on these data, so the"
        " uncertainty of this number is unknown"
    )
    return None, (*notes, Note("undefined_interval", message))


@dataclass(frozen=True, slots=True)
class TestResult:
    """One significance test.

    Parameters
    ----------
    name : str
        ``"permutation"``, ``"permutation-standardised"``, ``"bootstrap"``, ``"mcnemar"``,
        ``"mcnemar-midp"``, ``"sign"``, ``"wilcoxon"`` or ``"t"``.
    p_value : float
        Never 0 when it was estimated by resampling.
    alternative : {"two-sided", "greater", "less"}
        On the scale of the measure: "greater" asks whether the score of A is greater than that of B.
    exact : bool
        True if the whole reference distribution was used, False if it was sampled or approximated.
    method : str
        How the reference distribution was had: ``"enumeration"``, ``"convolution"``,
        ``"characteristic function"``, ``"binomial"``, ``"monte carlo"``,
        ``"importance sampling"`` (swaps drawn where they reach the difference, for small p-values) or
        ``"asymptotic"``.
    error : float
        Monte Carlo standard error of the p-value; 0 if nothing was sampled.
    n_resamples : int
        Number of resamples drawn, those of importance sampling too; 0 if none.
    statistic : float
        What the test looks at; for the resampling tests the difference itself.
    signed : bool
        Whether the sign of the statistic says which system the test favours. Sums of squares and counts of
        folds have no such sign.
    """

    __test__ = False  # not a pytest class

    name: str
    p_value: float
    alternative: Alternative
    exact: bool
    method: str
    error: float = 0.0
    n_resamples: int = 0
    statistic: float = float("nan")
    signed: bool = True

    @property
    def direction(self) -> Literal["greater", "less"] | None:
        """The side on which the test sees system A, on the scale of the measure.

        This is the sign of the statistic, not of the difference between the scores: a sign test counts the
        items that each system wins, and a system can win most items and have the lower mean. None if the
        statistic is 0, or if it has no sign and the test is two-sided.
        """
        if not self.signed:
            return None if self.alternative == "two-sided" else self.alternative
        if self.statistic > 0.0:
            return "greater"
        return "less" if self.statistic < 0.0 else None

    def mirrored(self) -> TestResult:
        """Return the same test with the two systems exchanged."""
        return dataclasses.replace(
            self,
            alternative=_MIRROR[self.alternative],
            statistic=_negated(self.statistic) if self.signed else self.statistic,
        )


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The score of one system on one metric.

    Parameters
    ----------
    metric, system : str
        Their names.
    score : float
        On the scale of the measure.
    interval : Interval or None
        Confidence interval of the score; None where it is undefined, which a note then says.
    rank_low, rank_high : int
        The ranks (1 is best) that the tests of the family leave open, at its level.
    group : str or None
        Compact letters: two systems that share a letter could not be told apart, or the test favours the one
        with the worse score, of which a note tells. More than 26 groups are
        numbered, as in ``"3-7, 9"``. None when not every pair was tested, or if there are more groups than
        systems.
    standard_error : float or None
        Standard error of the score; None where it is undefined.
    standard_error_method : str or None
        Where it comes from, as for `Difference`.
    """

    metric: str
    system: str
    score: float
    interval: Interval | None
    rank_low: int
    rank_high: int
    group: str | None
    standard_error: float | None = field(default=None, kw_only=True)
    standard_error_method: str | None = field(default=None, kw_only=True)


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference A minus B between two systems on one metric, and how sure it is.

    Parameters
    ----------
    metric, a, b : str
        The metric and the two systems.
    estimate : float
        Score of A minus score of B, on the scale of the measure, whichever direction is better.
    score_a, score_b : float
        The two scores.
    interval : Interval or None
        Confidence interval of the difference; None where it is undefined, which a note then says.
    test : TestResult
        The significance test.
    p_adjusted : float
        The p-value after correction over the family.
    greater_is_better : bool
        The direction of the metric.
    n_items : int
        Number of items.
    n_differing : int
        Number of items whose contribution to the metric differs between the two systems.
    verdict : {"better", "worse", "equivalent", "inconclusive"} or None
        Of A against B, from the interval against the margin; None without a margin.
    margin : float or None
        The smallest difference that matters.
    notes : tuple of Note
        What must be known about this difference.
    n_clusters : int
        Number of clusters the items lie in; 0 if they are independent.
    equivalence_interval : Interval or None
        The interval that the verdict "equivalent" rests on: that of two one-sided tests at the level of the
        test, so at the level 1 - 2 alpha (90 % for 95 %). None without a margin.
    level : float
        Nominal coverage of the interval; 1 - level is the level of the test.
    standard_error : float or None
        Standard error of the difference; None where it is undefined.
    standard_error_method : str or None
        Where it comes from. ``"formula"``: sd / sqrt(n) for a mean of n items or runs (of two samples of
        runs the root of the sum of squares), the delta method for other functions of sums. ``"cr2"``,
        ``"two-way"``: cluster-robust. ``"crossed"``: over items and runs together. ``"sandwich"``,
        ``"fisher"``: of fitted strengths, from the judgements or from the Fisher information.
        ``"bootstrap"``: the standard deviation of the bootstrap replicates. ``"corrected-t"``,
        ``"conservative-t"``: over the folds of cross-validation, corrected for what they have in common.
    """

    metric: str
    a: str
    b: str
    estimate: float
    score_a: float
    score_b: float
    interval: Interval | None
    test: TestResult
    p_adjusted: float
    greater_is_better: bool
    n_items: int
    n_differing: int
    verdict: str | None = None
    margin: float | None = None
    notes: tuple[Note, ...] = ()
    n_clusters: int = 0
    equivalence_interval: Interval | None = None
    level: float = field(default=0.95, kw_only=True)
    standard_error: float | None = field(default=None, kw_only=True)
    standard_error_method: str | None = field(default=None, kw_only=True)

    @property
    def p_value(self) -> float:
        """The raw p-value."""
        return self.test.p_value

    @property
    def exact(self) -> bool:
        """Whether the p-value is exact."""
        return self.test.exact

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return extent(self.n_items, self.n_clusters)

    @property
    def ahead(self) -> str | None:
        """The system with the better score, whichever direction is better; None if they are level."""
        if self.estimate == 0.0 or self.estimate != self.estimate:
            return None
        return self.a if (self.estimate > 0.0) == self.greater_is_better else self.b

    @property
    def favoured(self) -> str | None:
        """The system that the test favours, significant or not; None if the test favours neither.

        Tests of ranks and signs can favour the system with the worse mean.
        """
        direction = self.test.direction
        if direction is None:
            return None
        return self.a if (direction == "greater") == self.greater_is_better else self.b

    @property
    def opposed(self) -> bool:
        """Whether the test favours one system and the score the other."""
        return None not in (self.ahead, self.favoured) and self.ahead != self.favoured

    @property
    def better(self) -> str | None:
        """The system that both the score and the test favour.

        Where the scores are level, or the test favours neither, the other of the two decides. None if the
        score and the test favour different systems, or neither favours any.
        """
        return None if self.opposed else self.ahead or self.favoured

    @property
    def sentence(self) -> str:
        """The difference in plain words, the size before the significance."""
        words: str = _report("words").difference_sentence(self)
        return words

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the interval of this one difference; return the matplotlib Axes."""
        return _report("figures").interval(self, ax=ax)

    def mirrored(self) -> Difference:
        """Return the difference B minus A."""
        swap = {"better": "worse", "worse": "better"}
        return dataclasses.replace(
            self,
            a=self.b,
            b=self.a,
            estimate=_negated(self.estimate),
            score_a=self.score_b,
            score_b=self.score_a,
            interval=None if self.interval is None else self.interval.mirrored(),
            test=self.test.mirrored(),
            equivalence_interval=self.equivalence_interval and self.equivalence_interval.mirrored(),
            verdict=swap.get(self.verdict, self.verdict) if self.verdict else None,
        )

    def __str__(self) -> str:
        words: str = _report("words").with_standard_error(self)
        return words


def extent(n_items: int, n_clusters: int, what: str = "items") -> str:
    """Return in words how much was compared.

    Examples
    --------
    >>> extent(40, 0), extent(1000, 100)
    ('40 items', '1000 items in 100 clusters')
    """
    return f"{n_items} {what}" + (f" in {n_clusters} clusters" if n_clusters else "")


@dataclass(frozen=True, slots=True)
class StochasticOrder:
    """How nearly the runs of system A are stochastically better than those of system B.

    Parameters
    ----------
    a, b : str
        The two systems.
    violation_ratio : float
        0 if A is ahead at every quantile, 1 if B is; NaN if the samples are the same.
    standard_error : float
        Of the violation ratio, by the bootstrap.
    epsilon_min : float
        Upper confidence bound of the violation ratio, at the level.
    level : float
        The confidence level after correction for the number of comparisons.
    n_a, n_b : int
        Number of runs.
    test : TestResult
        One-sided permutation test. Its statistic is the violation ratio shrunk towards 1/2.
    notes : tuple of Note
        What must be known about this result.
    """

    a: str
    b: str
    violation_ratio: float
    standard_error: float
    epsilon_min: float
    level: float
    n_a: int
    n_b: int
    test: TestResult
    notes: tuple[Note, ...] = ()

    @property
    def p_value(self) -> float:
        """How often A would come out as well if the runs of both systems were exchangeable."""
        return self.test.p_value

    @property
    def dominant(self) -> bool:
        """Whether A is almost stochastically better: whether the p-value is at most 1 - level."""
        return self.test.p_value <= round(1.0 - self.level, 14) * (1.0 + rounding.SAME)

    @property
    def below_half(self) -> bool:
        """Whether `epsilon_min` is below 0.5, where custom calls A almost stochastically dominant."""
        return self.epsilon_min < 0.5

    @property
    def below_fifth(self) -> bool:
        """Whether `epsilon_min` is below 0.2, the customary stricter limit."""
        return self.epsilon_min < 0.2

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        words: str = _report("ordering").order_sentence(self)
        return words

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True, eq=False)
class StochasticOrders:
    """Almost stochastic order between every two systems; matrices are read row over column.

    Parameters
    ----------
    systems : tuple of str
        The systems, in the order of rows and columns.
    orders : dict
        For each two systems (a, b), in both directions, how nearly a is better than b.
    notes : tuple of Note
        What must be known about these results: one note for each cause, however many pairs have it. Every
        order has the notes on its own pair.
    """

    systems: tuple[str, ...]
    orders: dict[tuple[str, str], StochasticOrder]
    notes: tuple[Note, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> StochasticOrder:
        if key not in self.orders:
            raise InvalidInputError(
                f"no order between {quoted(key)} here",
                hint=f"result[row, column] with two of: {', '.join(self.systems)}",
            )
        return self.orders[key]

    @property
    def violation_ratio(self) -> Any:
        """The violation ratios, shape (S, S); NaN on the diagonal."""
        return self._matrix("violation_ratio")

    @property
    def epsilon_min(self) -> Any:
        """The upper confidence bounds, shape (S, S); NaN on the diagonal."""
        return self._matrix("epsilon_min")

    @property
    def p_value(self) -> Any:
        """The p-values, before correction, shape (S, S); NaN on the diagonal."""
        return self._matrix("p_value")

    @property
    def dominant(self) -> Any:
        """Where the row is almost stochastically better than the column, booleans, shape (S, S)."""
        return self._matrix("dominant") == 1.0

    def _matrix(self, value: str) -> Any:
        import numpy as np

        rows = [
            [float("nan") if a == b else float(getattr(self.orders[a, b], value)) for b in self.systems]
            for a in self.systems
        ]
        return np.array(rows)

    def to_frame(self, value: str = "epsilon_min") -> Any:
        """Return one of the matrices as a pandas DataFrame, row over column (extra ``frames``).

        Parameters
        ----------
        value : {"epsilon_min", "violation_ratio", "p_value", "dominant"}
            Which.
        """
        return _report("ordering").to_frame(self, value)

    def __str__(self) -> str:
        text: str = _report("ordering").to_text(self)
        return text

    def __repr__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Omnibus:
    """A test of the hypothesis that all systems are alike on one metric.

    Parameters
    ----------
    metric : str
        The metric.
    name : str
        ``"cochran_q"`` or ``"friedman"``.
    statistic : float
        The statistic.
    df : int
        Its degrees of freedom.
    p_value : float
        From the chi-squared approximation.
    """

    metric: str
    name: str
    statistic: float
    df: int
    p_value: float


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """Name, direction and scale of a metric.

    Parameters
    ----------
    name : str
        The one spelling used everywhere.
    greater_is_better : bool
        The direction.
    bounds : tuple of float
        The least and the greatest value the score can take; infinite where there is none.
    """

    name: str
    greater_is_better: bool
    bounds: tuple[float, float]

    def __post_init__(self) -> None:
        checks.check_text(self.name, "metric names")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Everything needed to make the numbers again.

    Parameters
    ----------
    version : str
        The version of this package.
    versions : dict
        Versions of Python, NumPy, SciPy and Numba, and of the libraries that cut or matched the items.
    seed : int
        The seed; also when fresh entropy was asked for.
    n_resamples : int
        The number of resamples asked for; exact results draw none.
    settings : dict
        Every other argument: metrics, interval, level, simultaneous, test, alternative, correction,
        margin, baseline.
    data : dict
        Number of items, clusters, strata and systems.
    data_hash : str
        First 16 hexadecimal digits of a BLAKE2b hash of the data.
    blas : str or None
        The library that multiplied NumPy's matrices, with the kernel it chose for the processor, such as
        "openblas 0.3.30 Haswell"; None where that is not known. Another kernel may round the last digits of
        sums of real numbers otherwise. It is in the JSON and not in the signature, which holds what the
        user can set.
    """

    version: str
    versions: dict[str, str]
    seed: int
    n_resamples: int
    settings: dict[str, Any]
    data: dict[str, Any]
    data_hash: str
    blas: str | None = field(default_factory=blas)

    @property
    def signature(self) -> str:
        """All of it on one line."""
        parts = [f"bestby:{self.version}"]
        parts += [f"{key}:{_plain(value)}" for key, value in self.settings.items()]
        parts += [f"resamples:{self.n_resamples}", f"seed:{self.seed}"]
        parts += [f"{key}:{_plain(value)}" for key, value in self.data.items()]
        parts += [f"data:{self.data_hash}"]
        parts += [f"{key}:{value}" for key, value in self.versions.items()]
        return "|".join(parts)


@runtime_checkable
class Indexed(Protocol):
    """Differences that are not held one by one: they are asked for by their names."""

    def find(self, metric: str, a: str, b: str) -> Difference | None:
        """Return A minus B on a metric if it is held in this direction, else None."""


class Reported:
    """What every result that has a report can do; its class names the module that describes it."""

    __slots__ = ()
    described_by: ClassVar[str]

    def __str__(self) -> str:
        text: str = _report("terminal").to_text(self)
        return text

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        html: str = _report("html").to_fragment(self)
        return html

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists and numbers, as `to_json` writes them."""
        document: dict[str, Any] = _report("data").to_dict(self)
        return document

    def to_json(self, path: str | Path | None = None) -> str:
        """Return the result as JSON, floats unrounded; write it to `path` if given."""
        return _written(_report("data").to_json(self), path)

    def to_frame(self) -> Any:
        """Return one tidy row per metric and pair as a pandas DataFrame (extra ``frames``)."""
        return _report("data").to_frame(self)

    def to_csv(self, path: str | Path | None = None, *, spreadsheet_safe: bool = False) -> str:
        """Return the rows of `to_frame` as CSV, floats unrounded; write it to `path` if given.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        spreadsheet_safe : bool
            For names that you did not choose yourself and a file that is opened in a spreadsheet: put an
            apostrophe before texts that begin like formulas (with ``=``, ``+``, ``-``, ``@``, a tab or a line
            end). Numbers never change. By default the CSV holds the names as they are.
        """
        return _written(_report("data").to_csv(self, spreadsheet_safe=spreadsheet_safe), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Return the tables as Markdown; write it to `path` if given."""
        return _written(_report("markdown").to_markdown(self), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Return the table as LaTeX (booktabs); write it to `path` if given."""
        return _written(_report("latex").to_latex(self), path)

    def to_html(self, path: str | Path | None = None) -> str:
        """Return one self-contained HTML page, tables and figures; write it to `path` if given."""
        return _written(_report("html").to_html(self), path)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison(Reported):
    """The result of `compare`: scores, differences, and how they were had.

    Parameters
    ----------
    metrics : tuple of MetricInfo
        In the order asked for.
    systems : tuple of SystemScore
        Per metric, the best first.
    differences : sequence of Difference
        Per metric, in the order of the ranks (two-sided, every pair), in the order given
        (one-sided), or each system against the baseline. A tuple; of thousands of pairs of proportions a
        sequence that makes each when it is asked for.
    omnibus : tuple of Omnibus
        For three or more systems, where the metric is a mean over items.
    notes : tuple of Note
        Notes of the comparison as a whole; those of a difference are with it.
    provenance : Provenance
        Settings, versions, seed and data hash.
    n_items : int
        Number of items.
    level : float
        Confidence level.
    correction : str
        How p-values were adjusted.
    margin : float or None
        The smallest difference that matters.
    baseline : str or None
        The system all others were compared with.
    n_clusters : int
        Number of clusters the items lie in; 0 if they are independent.
    """

    metrics: tuple[MetricInfo, ...]
    systems: tuple[SystemScore, ...]
    differences: Sequence[Difference]
    omnibus: tuple[Omnibus, ...]
    notes: tuple[Note, ...]
    provenance: Provenance
    n_items: int
    level: float
    correction: str
    margin: float | None = None
    baseline: str | None = None
    n_clusters: int = 0
    _index: dict[tuple[str, str, str], int] = field(init=False, repr=False)

    described_by: ClassVar[str] = "comparison"

    def __post_init__(self) -> None:
        index = {}
        if not isinstance(self.differences, Indexed):
            index = {(d.metric, d.a, d.b): i for i, d in enumerate(self.differences)}
        object.__setattr__(self, "_index", index)

    def find(self, metric: str, a: str, b: str) -> Difference | None:
        """Return A minus B on a metric if the comparison holds it in this direction, else None."""
        if isinstance(self.differences, Indexed):
            return self.differences.find(metric, a, b)
        position = self._index.get((metric, a, b))
        return None if position is None else self.differences[position]

    def __getitem__(self, key: tuple[str, ...]) -> Difference:
        """Return the difference A minus B: ``result[a, b]``, or ``result[a, b, metric]``."""
        names = [metric.name for metric in self.metrics]
        if not isinstance(key, tuple) or len(key) not in (2, 3):
            raise InvalidInputError(
                f"a comparison is indexed by two systems, got {quoted(key)}", hint="result['a', 'b']"
            )
        a, b, metric = key if len(key) == 3 else (*key, names[0])
        if len(key) == 2 and len(names) > 1:
            raise InvalidInputError(
                f"the comparison has {len(names)} metrics: {', '.join(names)}",
                hint=f"name one: result[{quoted(a)}, {quoted(b)}, {quoted(names[0])}]",
            )
        found = self.find(metric, a, b)
        if found is not None:
            return found
        found = self.find(metric, b, a)
        if found is not None:
            return found.mirrored()
        known = ", ".join(dict.fromkeys(s.system for s in self.systems))
        raise InvalidInputError(
            f"no difference between {quoted(a)} and {quoted(b)} on {quoted(metric)} in this comparison",
            hint=f"systems: {known}; metrics: {', '.join(names)}"
            + (f"; baseline: {self.baseline}" if self.baseline else ""),
        )

    def __iter__(self) -> Iterator[Difference]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def score(self, system: str, metric: str | None = None) -> SystemScore:
        """Return the score of one system on one metric (the first if none is named)."""
        name = metric or self.metrics[0].name
        for entry in self.systems:
            if entry.system == system and entry.metric == name:
                return entry
        raise InvalidInputError(
            f"no score of {quoted(system)} on {quoted(name)} in this comparison",
            hint=f"systems: {', '.join(dict.fromkeys(s.system for s in self.systems))}",
        )

    @property
    def extent(self) -> str:
        """How much was compared, in words."""
        return extent(self.n_items, self.n_clusters)

    @property
    def signature(self) -> str:
        """Every setting, version and data hash that made the numbers, on one line."""
        return self.provenance.signature

    def to_markdown(self, path: str | Path | None = None, *, top: int | None = None) -> str:
        """Return the tables as Markdown; write it to `path` if given.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        top : int, optional
            How many of the best systems to show; by default all of up to 50, and 20 of more.
        """
        return _written(_report("markdown").to_markdown(self, top), path)

    def to_latex(self, path: str | Path | None = None, *, top: int | None = None) -> str:
        """Return the table as LaTeX (booktabs); write it to `path` if given; `top` as for `to_markdown`."""
        return _written(_report("latex").to_latex(self, top), path)

    def to_html(self, path: str | Path | None = None, *, top: int | None = None) -> str:
        """Return one self-contained HTML page; write it to `path` if given; `top` as for `to_markdown`.

        Where not all systems are shown, the page can be searched for them and for each pair.
        """
        return _written(_report("html").to_html(self, top), path)

    def plot(self, metric: str | None = None, *, ax: Any = None, top: int | None = None) -> Any:
        """Draw the forest plot of the differences of one metric; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            One of the metrics; the first by default.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        top : int, optional
            Draw so many of the best systems, each against the best and its neighbour; by default all of up
            to 50, and 20 of more.
        """
        return _report("figures").forest(self, metric=metric, ax=ax, top=top)


def _report(module: str) -> Any:
    """Return a module of the report room.

    Results may be printed, but know nothing of printing: this is the one door that leads upward,
    opened by name and only when a reader asks.
    """
    return importlib.import_module(f"bestby.report.{module}")


def _written(text: str, path: str | Path | None) -> str:
    if path is not None:
        _report("write").write_text(path, text)
    return text


def _negated(value: float) -> float:
    """Return minus `value` without making a negative zero."""
    return 0.0 - value


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        if len(value) > _MOST_LISTED:  # the hash of the data knows all of them
            return f"{value[0]},{value[1]},...,{value[-1]}({len(value)})"
        return ",".join(str(item) for item in value)
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
