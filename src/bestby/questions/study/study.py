"""The door of the room: a study that is fed as experiments finish, and compared whenever one likes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import unknown_keyword, with_suggestions
from bestby._core.text import counted, quoted
from bestby._core.typing import ArrayLike, Correction, Question, Rng
from bestby.comparisons import family
from bestby.comparisons.settings import Settings, check_reach
from bestby.data.reading import Reading, checked_reading
from bestby.engine.base import Drawing
from bestby.engine.text_statistics import Counting
from bestby.questions.study.boostsa import import_outcomes, write_outcomes
from bestby.questions.study.compare import Condition, Plan, chosen_metrics, compared
from bestby.questions.study.result import StudyComparison
from bestby.questions.study.source import Entry, Gold, Run
from bestby.questions.study.store import Store, role_of
from bestby.resampling.settings import Resampling, combined_settings
from bestby.vocabulary import StudyInterval, StudyTest


class Study:
    """Conditions and their runs on one test set, kept in a directory, and compared as it grows.

    A study has one gold. Its conditions are baselines or treatments; a treatment is compared with all
    baselines or with those it names. Every condition may have several runs. Any number of processes may add
    runs and compare at the same time; a process that is killed leaves the study as it was.

    Parameters
    ----------
    path : str or Path
        The directory, made when the first run is added.

    See Also
    --------
    compare_runs : Compare runs that are in memory.
    bestby.results.StudyComparison : What `Study.compare` returns.

    Examples
    --------
    >>> import tempfile
    >>> study = Study(tempfile.mkdtemp())
    >>> gold = ["x", "y"] * 50
    >>> _ = study.add("h0", run=0, predictions=["x"] * 100, gold=gold, baseline=True)
    >>> _ = study.add(
    ...     "h1", run=0, predictions=["x"] * 20 + ["x", "y"] * 40, learning_rate=0.1
    ... )
    >>> _ = study.add(
    ...     "h1", run=1, predictions=["x"] * 30 + ["x", "y"] * 35, learning_rate=0.1
    ... )
    >>> study
    <study of 2 conditions, 3 runs, 100 items>
    >>> result = study.compare(metric="accuracy")
    >>> result["h1", "h0"].estimate, result.score("h1").runs
    (0.375, (0.9, 0.85))
    """

    def __init__(self, path: str | Path) -> None:
        self._store = Store(checks.valid_path(path, "name the folder of the study; add(...) adds runs to it"))

    @property
    def path(self) -> Path:
        """The directory."""
        return self._store.path

    def __repr__(self) -> str:
        conditions = self.conditions()
        if not conditions:
            return "<study without runs>"
        n_runs = sum(len(self.runs(condition)) for condition in conditions)
        sizes = {"condition": len(conditions), "run": n_runs, "item": self.gold().n_items}
        return f"<study of {', '.join(counted(number, noun) for noun, number in sizes.items())}>"

    @with_suggestions
    def add(
        self,
        condition: str,
        *,
        run: str | int,
        predictions: Any,
        gold: Any = None,
        ids: ArrayLike | None = None,
        clusters: Any = None,
        reading: Reading | None = None,
        baseline: bool | None = None,
        against: str | Sequence[str] | None = None,
        epochs: float | None = None,
        replace: bool = False,
        **tags: str | float | bool | None,
    ) -> Run:
        """Add a run; it is on the disk when this returns.

        Parameters
        ----------
        condition : str
            The condition, such as "h0" or "bert-large".
        run : str or int
            Which run of it: a number, a seed, a name.
        predictions : array_like, shape (n,) or (n, K), or mapping of id to label or row
            A label or number per item, or a probability per item and class.
        gold : array_like, shape (n,) or (n, K), or mapping, optional
            The gold. Needed with the first run; if it is given again, it must be the same.
        ids : array_like, shape (n,), optional
            Item ids of predictions and gold. Without them, values are in the order of the study's gold, and
            the labels of a pandas index are kept as ids if they are unique: later runs must agree with them.
        clusters : array_like, shape (n,), or mapping, optional
            With the gold: the group each item belongs to.
        reading : Reading, optional
            How soft labels are read: `classes` names their columns, by default as a data frame or the study
            does, and `normalise` divides their rows by their sums.
        baseline : bool, optional
            Whether others are compared with this condition. By default as its earlier runs; False if it has
            none.
        against : str or sequence of str, optional
            The baselines to compare this condition with. By default as its earlier runs; all if it has none.
        epochs : int or float, optional
            For how long it was trained.
        replace : bool
            Take the place of a run of the same name, which is otherwise an error.
        **tags : str, number, bool or None
            Whatever else is to be remembered.

        Returns
        -------
        Run
            The run as it was stored.

        Raises
        ------
        InvalidInputError
            If the run is in the study already, its values do not fit the gold, or its role is not that of
            the other runs of the condition.
        DesignError
            If clusters are two crossed groupings.
        StudyError
            If the files cannot be read or written. The study is then as it was, unless the message says that
            the run is there and only the disk has not confirmed it.
        """
        for name in ("classes", "normalise"):
            if name in tags:  # where they were once, and would be tags now
                raise unknown_keyword(Study.add, name, tags[name])
        entry = Entry(
            condition, run, predictions, gold, ids, clusters,
            checked_reading(reading, "Study.add", "classes normalise"),
            baseline, against, epochs, tags,
        )  # fmt: skip
        return self._store.put(entry, replace=replace)

    def conditions(self) -> tuple[str, ...]:
        """Return the names of the conditions; numbers in them sort as numbers."""
        return self._store.conditions()

    def baselines(self) -> tuple[str, ...]:
        """Return the names of the conditions that others are compared with."""
        return tuple(name for name in self.conditions() if self._store.role(name)[0])

    def runs(self, condition: str) -> tuple[str, ...]:
        """Return the names of the runs of a condition, none if there is no such condition."""
        return self._store.runs(condition)

    def load(self, condition: str, run: str | int) -> Run:
        """Return a run: its predictions in the order of the gold, and what is known about it."""
        return self._store.load(condition, run)

    @property
    def n_looks(self) -> int:
        """How often the test set was looked at: `compare` with other runs than before is one more look."""
        return self._store.n_looks()

    def gold(self) -> Gold:
        """Return the items and their gold."""
        return self._store.gold()

    def remove(self, condition: str, run: str | int) -> None:
        """Remove a run. The gold stays, also if no run is left."""
        self._store.remove(condition, run)

    def import_outcomes(self, path: str | Path, *, replace: bool = False) -> tuple[Run, ...]:
        """Add the experiments of an ``outcomes.json`` of BooStSa.

        Parameters
        ----------
        path : str or Path
            The file.
        replace : bool
            Take the place of runs of the same name.
        """
        return import_outcomes(self._store, path, replace=replace)

    def export_outcomes(self, path: str | Path) -> tuple[Any, ...] | None:
        """Write the study as an ``outcomes.json`` that BooStSa loads.

        Returns
        -------
        tuple or None
            The label that each number there stands for, if labels had to be numbered.
        """
        return write_outcomes(self._store, path)

    @with_suggestions
    def compare(
        self,
        *,
        metric: Any = None,
        per_class: bool = False,
        conditions: Sequence[str] | None = None,
        baseline: str | Sequence[str] | None = None,
        interval: StudyInterval | None = "auto",
        test: StudyTest | None = "auto",
        correction: Correction = "holm",
        level: float = 0.95,
        alternative: Question = "two-sided",
        margin: float | None = None,
        rng: Rng = 0,
        n_resamples: int = 10_000,
        resampling: Resampling | None = None,
    ) -> StudyComparison:
        """Compare every treatment with its baselines.

        Results are kept in the study; what was computed before, with the same runs and settings, is found
        again, so that after adding a condition only what is new is computed.

        Parameters
        ----------
        metric : str, Metric or list of them, optional
            What to compare, as for `compare`. Only what was asked for by name is kept in the study: an object
            or a function may be another one tomorrow and have the same name.
        per_class : bool
            Add ``f1[LABEL]`` for every class of the gold.
        conditions : sequence of str, optional
            Which conditions take part; all by default.
        baseline : str or sequence of str, optional
            Compare every other condition with these, whatever the roles in the study are. Without it, and
            without a baseline in the study, every two conditions are compared.
        interval : str or None
            How intervals are made, by a name in the table of the guide "Choosing an interval". "auto": for
            two single runs as for `compare`; otherwise the t interval over items and runs, as for
            `compare_runs`: a single run beside several is assumed to vary as they do. "t", "percentile" and
            "basic" allow for items and runs, the others for items only. None:
            no intervals, as for `compare`.
        test : str or None
            The significance test, by a name in the table of the guide "Choosing a test". "auto": for two
            single runs as for `compare`; otherwise the t test over items and runs.
            "bootstrap" resamples items and runs; all but "t" and "bootstrap" allow for items only. None: no
            test, as for `compare`.
        correction : {"holm", "bonferroni", "bh", "none"}
            How p-values are corrected; the family is all pairs of one metric.
        level : float
            Nominal coverage; 1 - level is the level of the tests.
        alternative : {"two-sided", "greater", "less", "better"}
            "better" asks whether the treatment is better than the baseline, whichever direction that is.
        margin : float, optional
            The smallest difference that matters; turns on verdicts, which need intervals.
        rng, n_resamples, resampling
            As for `compare`. With ``rng=None``, fresh entropy, no result is found again.

        Returns
        -------
        StudyComparison
            Scores with their mean and standard deviation over runs, differences, notes and provenance.

        Raises
        ------
        InvalidInputError
            If there are fewer than two conditions, or an argument cannot be used as given.
        DesignError
            If an interval or test allows for items only, and a condition has several runs.
        """
        resampling = combined_settings(resampling, n_resamples, rng)
        settings = Settings.checked(
            "study", interval=interval, level=level, test=test, alternative=alternative,
            correction=correction, margin=margin, resample_size=resampling.resample_size,
            rescale=resampling.rescale,
        )  # fmt: skip
        drawing = Drawing.of(resampling)
        gold = self._store.gold()
        chosen = self._chosen(conditions)
        loaded = {
            name: Condition(name, tuple(self._store.load(name, run, gold=gold) for run in self.runs(name)))
            for name in chosen
        }
        pairs, baselines = self._pairs(loaded, gold, baseline)
        metrics, named = chosen_metrics(metric, gold, per_class)
        for one in metrics:
            check_reach(settings.margin, one)
        plan = Plan(
            gold, loaded, pairs, baselines, metrics, named, settings, drawing, Counting.of(drawing),
            by_default=metric is None,
        )  # fmt: skip
        return compared(self._store, plan)

    def _chosen(self, conditions: Sequence[str] | None) -> tuple[str, ...]:
        existing = self.conditions()
        if isinstance(conditions, str):
            raise InvalidInputError(f"conditions must be a list of names, got {quoted(conditions)}")
        chosen = (
            existing
            if conditions is None
            else tuple(dict.fromkeys(checks.valid_name_list(conditions, "conditions")))
        )
        for name in chosen:
            self._check_is_condition(name, existing)
        if len(chosen) < 2:
            raise InvalidInputError(
                f"a comparison needs at least 2 conditions, got {len(chosen)}: {', '.join(chosen) or 'none'}",
                hint="add the runs of another condition",
            )
        return chosen

    def _check_is_condition(self, name: str, conditions: Sequence[str]) -> None:
        if name not in conditions:
            raise InvalidInputError(
                f"the study has no condition {quoted(name)}",
                hint=f"conditions: {', '.join(conditions) or 'none yet'}",
            )

    def _pairs(
        self, loaded: Mapping[str, Condition], gold: Gold, baseline: str | Sequence[str] | None
    ) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
        """Return the pairs to compare, and the baselines among them."""
        chosen = list(loaded)
        if baseline is not None:
            named = tuple(dict.fromkeys(checks.valid_name_list(baseline, "baseline")))
            for name in named:
                self._check_is_condition(name, chosen)
            pairs = [(name, base) for base in named for name in chosen if name not in named]
        else:
            roles = {name: role_of(name, condition.runs) for name, condition in loaded.items()}
            named = tuple(name for name in chosen if roles[name][0])
            if not named:
                order = range(len(chosen))
                return [
                    (chosen[a], chosen[b]) for a, b in family.pairs_to_compare(order, None, sided=True)
                ], ()
            rivals = {name: roles[name][1] for name in chosen if name not in named}
            for name, against in rivals.items():
                self._store.check_against(name, [base for base in against or () if base not in named], gold)
            pairs = [
                (name, base)
                for base in named
                for name, bases in rivals.items()
                if bases is None or base in bases
            ]
        if not pairs:
            raise InvalidInputError(
                f"there is nothing to compare with the baselines {', '.join(named)}",
                hint="add a treatment, or name another baseline",
            )
        return pairs, named
