"""What every result can do: print, draw and write itself."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, TypeVar

from bestby._core.errors import InvalidInputError
from bestby._core.keywords import Renamed, with_suggestions
from bestby._core.text import quoted, suggestion
from bestby._version import __version__
from bestby.report.loading import encoded
from bestby.results.base import Provenance
from bestby.vocabulary import FigureFont, FigureWidth, ItemFigure

FRAMES: tuple[Literal["pandas", "polars", "pyarrow"], ...] = ("pandas", "polars", "pyarrow")
"""Libraries of the data frames that `to_frame` makes, the first that is installed being the default."""

SCORE, SQUARE, OF_JUDGE = 100.0, 100.0**2, 0.0
"""By what a field of a record is multiplied in percent; 0: if a judge scores on the scale of the metric."""

T = TypeVar("T", bound="Reported")
Record = TypeVar("Record")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reported(Renamed, ABC):
    """What every result can do; its class says which module describes it."""

    _renamed: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("p", "pvalue", "p_value"), "result.to_frame() has the p-values"),
        **dict.fromkeys(("ci", "interval"), "result.to_frame() has the intervals"),
        **dict.fromkeys(
            ("to_df", "to_dataframe", "to_pandas", "to_polars"), "result.to_frame() makes a table"
        ),
        "summary": "str(result) is the short answer, result.details() the whole report",
        "save": "result.to_json(path) writes what bestby.load(path) reads",
    }

    _frame_backend: str | None = field(default=None, kw_only=True)
    _labels: Mapping[str, str] | None = field(default=None, kw_only=True)

    kind: ClassVar[str]

    @staticmethod
    @abstractmethod
    def _report() -> Any:
        """Return the module that describes results of this class; imported when one is shown."""

    def __str__(self) -> str:
        from bestby.report.writers import terminal

        return terminal.to_text(shown_in(self))

    def __repr__(self) -> str:
        """Return one line: the class, and the first sentence of the report."""
        from bestby.report import document

        return f"<{type(self).__name__}: {document.headline(shown_in(self))}>"

    def _repr_html_(self) -> str:
        from bestby.report.writers import html as html_module

        return html_module.to_fragment(shown_in(self))

    def __eq__(self, other: object) -> bool:
        """Return whether two results have the same class and equal fields, arrays and NaN by value."""
        if self is other or type(self) is not type(other):
            return self is other
        return bool(encoded(self) == encoded(other))

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.signature))

    @property
    def signature(self) -> str:
        """Every setting, version and data hash that made the numbers, on one line."""
        provenance: Provenance | None = getattr(self, "provenance", None)
        return f"bestby:{__version__}" if provenance is None else provenance.signature

    def labelled(self, labels: Mapping[str, str]) -> Self:
        r"""Return the result with labels for names of systems, metrics and datasets in everything shown.

        What is printed, drawn or written as Markdown, LaTeX or HTML shows the labels, and so do the
        paragraph of `methods` and sentences of the result. Data keep the names: `to_json`, `to_csv` and
        `to_frame`, and what is looked up in the result, as ``result["a", "b"]``; and so does the line of
        settings, by which the numbers can be had again.

        Parameters
        ----------
        labels : mapping of str to str
            What is shown for a name; names without a label stay. In LaTeX a label is text, as a name is:
            signs such as ``_`` and ``$`` are set as they are.

        Raises
        ------
        InvalidInputError
            If a name is not in the result, or two names would be shown alike.

        Examples
        --------
        >>> import bestby as bb
        >>> result = bb.compare({"org__chat": [1, 1, 1, 0], "old": [0, 1, 0, 0]}, metric="acc")
        >>> shown = result.labelled({"org__chat": "Chat", "acc": "Accuracy"})
        >>> shown["org__chat", "old"].estimate
        0.5
        >>> [line for line in shown.to_latex().splitlines() if "Accuracy &" in line]
        ['Accuracy & 0.750 & 0.250 & 0.50 & {}[$-$0.23, 0.85] & 0.50 \\\\']
        """
        from bestby.report import labels as labels_module

        return dataclasses.replace(self, _labels=labels_module.checked(self, labels))

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists and numbers, as `to_json` writes them."""
        from bestby.report import data

        return data.to_dict(self)

    @with_suggestions
    def to_json(self, path: str | Path | None = None) -> str:
        """Return JSON, floats unrounded, that `bestby.load` reads back; write it to `path` if given."""
        from bestby.report import data

        return written(data.to_json(self), path)

    @with_suggestions
    def to_frame(self, what: str | None = None, *, backend: str | None = None) -> Any:
        """Return one of the tables of the result as a data frame, numbers unrounded.

        Parameters
        ----------
        what : str, optional
            Which table. For comparisons ``"differences"`` (the default: one row per metric and pair) or
            ``"scores"`` (one row per metric and system, with interval, ranks and group; the default if there
            are no differences).
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame. By default that of the frame that was compared, else the first of these
            that is installed.
        """
        from bestby.report import data

        return data.to_frame(self, what, backend or self._frame_backend)

    @with_suggestions
    def to_csv(
        self, path: str | Path | None = None, *, what: str | None = None, spreadsheet_safe: bool = False
    ) -> str:
        """Return the rows of `to_frame` as CSV, floats unrounded; write it to `path` if given.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        what : str, optional
            Which table, as for `to_frame`.
        spreadsheet_safe : bool
            For names that you did not choose yourself and a file that is opened in a spreadsheet: put an
            apostrophe before texts that begin like formulas (with ``=``, ``+``, ``-``, ``@``, a tab or a line
            end). Numbers never change. By default the CSV holds the names as they are.
        """
        from bestby.report import data

        return written(data.to_csv(self, what, spreadsheet_safe=spreadsheet_safe), path)

    @with_suggestions
    def to_markdown(
        self, path: str | Path | None = None, *, top: int | None = None, percent: bool = False
    ) -> str:
        """Return the tables as Markdown; write it to `path` if given.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        top : int, optional
            How many of the best systems a `Comparison` shows; by default all of up to 50, and 20 of more.
        percent : bool
            As for `table`.
        """
        from bestby.report.writers import markdown

        return written(markdown.to_markdown(shown_in(self, percent), top), path)

    @with_suggestions
    def to_latex(
        self,
        path: str | Path | None = None,
        *,
        top: int | None = None,
        parts: Sequence[str] | None = None,
        wide: bool = False,
        label: str = "",
        caption: str = "",
        digits: int | None = None,
        percent: bool = False,
    ) -> str:
        r"""Return the tables as LaTeX (booktabs); write them to `path` if given.

        Two systems are one table with a row for each metric. The pairs of more than six systems are a
        triangular matrix. Letters are not smaller than 7 pt: a table that is wider than one column of a page
        of two stands over both, and the columns of a still wider one are parted, as a comment above it says.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        top : int, optional
            As for `to_markdown`.
        parts : sequence of str, optional
            Which tables: "scores", "differences", "pairs" (the differences of every two systems as a
            triangular matrix, significant ones marked), and others that the kind of result has. By default
            "pairs" takes the place of "differences" for more than six systems, and for two "metrics", which
            has both scores and the difference on each metric, that of "scores" and "differences".
        wide : bool
            Every table over both columns of a page (``table*``).
        label : str
            For ``\ref``; of several tables the second gets it with "-2" after it, and so on.
        caption : str
            LaTeX that replaces the caption; for one table only.
        digits : int, optional
            Decimals of scores, differences and intervals, in place of those that the intervals give. A
            number that would be rounded to 0, or across it, still gets as many more as it takes to see its
            side.
        percent : bool
            As for `table`.

        Raises
        ------
        InvalidInputError
            If `parts` names a table that the result does not have, if there are several tables for one
            `caption`, or as for `table`.

        Examples
        --------
        >>> import bestby as bb
        >>> result = bb.compare({"new": [1, 1, 1, 0, 1], "old": [0, 1, 0, 0, 1]})
        >>> text = result.to_latex(parts=["scores"], label="tab:main", percent=True)
        >>> [line for line in text.splitlines() if "label" in line]
        ['\\label{tab:main}']
        """
        from bestby.report.writers import latex as writer

        layout = writer.Layout(wide, label, caption, digits)
        return written(writer.to_latex(shown_in(self, percent), top, parts=parts, layout=layout), path)

    @with_suggestions
    def to_html(
        self, path: str | Path | None = None, *, top: int | None = None, percent: bool = False
    ) -> str:
        """Return one self-contained HTML page; write it to `path` if given; `top` as for `to_markdown`.

        Where not all systems are shown, the page can be searched for them and for each pair. `percent` as for
        `table`.
        """
        from bestby.report.writers import html as html_module

        return written(html_module.to_html(shown_in(self, percent), top), path)

    @with_suggestions
    def details(self, *, top: int | None = None, percent: bool = False) -> str:
        """Return the whole report as text, of which ``print(result)`` shows the short answer.

        Parameters
        ----------
        top : int, optional
            As for `to_markdown`.
        percent : bool
            As for `table`.

        Examples
        --------
        >>> import bestby as bb
        >>> result = bb.compare({"new": [1, 1, 1, 0, 1], "old": [0, 1, 0, 0, 1]})
        >>> result.signature in result.details(), result.signature in str(result)
        (True, False)
        """
        from bestby.report.writers import terminal

        return terminal.to_text(shown_in(self, percent), top, details=True)

    @with_suggestions
    def table(self, *, top: int | None = None, percent: bool = False) -> str:
        """Return the short answer that ``print(result)`` shows, as text.

        Parameters
        ----------
        top : int, optional
            How many of the best systems a `Comparison` shows; by default 20 of more.
        percent : bool
            Show scores and differences in percent, where the metric is a share: bounded by 0 and 1 or by -1
            and 1, or without bounds and with no score beyond them. Other metrics stay as they are. Writers
            for programs (`to_json`, `to_csv`, `to_frame`) know no percent.

        Raises
        ------
        InvalidInputError
            If percent is asked for and no metric is a share, or there is a margin and not all of them are.
        """
        from bestby.report.writers import terminal

        return terminal.to_text(shown_in(self, percent), top)

    @with_suggestions
    def methods(self, style: Literal["text", "latex", "markdown"] = "text") -> str:
        r"""Return a paragraph for a paper: what was compared and how, with the works that it rests on.

        It gives the design, the metric, the intervals and the tests with their level, the correction, the
        resamples and the seed, and the version of the software. The numbers themselves belong into a table
        or a figure beside it.

        Parameters
        ----------
        style : {"text", "latex", "markdown"}
            How works are cited: in words; as ``\citep{key}`` with the keys of `citations`, all else escaped
            for LaTeX; or as Pandoc's Markdown does, ``[@key]``.
        """
        from bestby.report import paper

        return paper.paragraph(shown_in(self), style)

    @with_suggestions
    def citations(self, path: str | Path | None = None) -> str:
        """Return the works that `methods` cites as BibTeX; write them to `path` if given."""
        from bestby.report import paper

        return written(paper.citations(shown_in(self)), path)


def shown_in(result: Any, percent: bool = False) -> Any:
    """Return what is shown of a result: the result, or the same in percent, or under its labels."""
    if percent:
        from bestby.report.percent import in_percent

        result = in_percent(result)
    if labels := getattr(result, "_labels", None):
        from bestby.report.labels import applied

        return applied(result, labels)
    return result


def with_backend(result: T, backend: str | None) -> T:
    """Return a result whose `to_frame` makes frames of the kind that was compared, if it can make such."""
    return dataclasses.replace(result, _frame_backend=backend if backend in FRAMES else None)


def record_called(name: str, records: Sequence[Record], field: str, what: str = "system") -> Record:
    """Return the record whose field has this name, or an error that lists the names there are."""
    for one in records:
        if getattr(one, field) == name:
            return one
    names = [str(getattr(one, field)) for one in records]
    raise InvalidInputError(
        f"there is no {what} {quoted(name)} in this result{suggestion(str(name), names)}",
        hint=f"{what}s: {', '.join(names)}",
    )


def written(text: str, path: str | Path | None) -> str:
    """Return a text, after it is written to `path` if there is one."""
    from bestby.report.writers import files

    if path is not None:
        files.write_text(path, text)
    return text


class Drawn(ABC):
    """A result with one kind of figure, which its class names: a function, with its module."""

    __slots__ = ()

    @staticmethod
    @abstractmethod
    def _figure() -> Any:
        """Return the function that draws results of this class; imported when one is drawn."""

    @with_suggestions
    def plot(
        self,
        *,
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
    ) -> Any:
        """Draw the result; return the matplotlib Axes. There is one kind of figure.

        Parameters
        ----------
        width : {"column", "page"} or float, optional
            The width in a paper, for which letters have the right size: of a column (3.03 inches) or of the
            text of a page (6.3 inches) in the style of ACL, or any number of inches. By default the figure
            is as wide as it needs.
        font : {"sans", "serif"}, optional
            The letters; by default those that matplotlib is set to.
        percent : bool
            Show scores and differences in percent, as for `table`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        """
        canvas = canvas_of(ax, width, font)
        return self._figure()(shown_in(self, percent), canvas=canvas)


class DrawnSystems:
    """A comparison of systems on one test set, with several kinds of figures."""

    __slots__ = ()

    @with_suggestions
    def plot(
        self,
        metric: str | None = None,
        *,
        kind: ItemFigure = "auto",
        width: FigureWidth | float | None = None,
        font: FigureFont | None = None,
        percent: bool = False,
        ax: Any = None,
        top: int | None = None,
    ) -> Any:
        """Draw a figure of one metric; return the matplotlib Axes.

        Parameters
        ----------
        metric : str, optional
            One of the metrics; the first by default.
        kind : {"auto", "forest", "systems", "scores", "baseline", "matrix"}
            "forest": a line per pair, with its interval. "systems": a line per system, marked by whether
            another has a significantly better score, or by the baseline. "scores": a line per system.
            "baseline": the difference of each system with the baseline or, without one, the best. "matrix":
            every pair, the effect as a colour and significance as a mark. "auto": the pairs of up to nine
            systems, a line per system of more; the differences with the baseline if there is one.
        width : {"column", "page"} or float, optional
            The width in a paper, for which letters have the right size: of a column (3.03 inches) or of the
            text of a page (6.3 inches) in the style of ACL, or any number of inches. By default the figure
            is as wide as it needs.
        font : {"sans", "serif"}, optional
            The letters; by default those that matplotlib is set to.
        percent : bool
            As for `table`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure by default.
        top : int, optional
            Draw so many of the best; by default all of up to 50, else 20. A forest of them has each against
            the best and its neighbour.

        Examples
        --------
        >>> import bestby as bb
        >>> result = bb.compare({"old": [1, 0, 0, 1] * 25, "new": [1, 1, 0, 1] * 25}, gold=[1] * 100)
        >>> axes = result.plot(kind="systems", width="column", font="serif")
        >>> axes.figure.savefig("systems.pdf")  # doctest: +SKIP
        """
        from bestby.report.figures import systems

        canvas = canvas_of(ax, width, font)
        shown, metric = shown_metric(self, metric, percent)
        return systems.drawn(shown, metric, kind, canvas, top)


def canvas_of(ax: Any, width: FigureWidth | float | None, font: FigureFont | None) -> Any:
    """Return what a figure is drawn on."""
    from bestby.report.figures import canvas

    return canvas.Canvas.of(ax, width, font)


def shown_metric(result: Any, metric: str | None, percent: bool) -> tuple[Any, str | None]:
    """Return what is shown of a result, itself or in percent, and the name that a metric has there."""
    shown = shown_in(result, percent)
    if metric is None or shown is result:
        return shown, metric
    names = {old.name: new.name for old, new in zip(result.metrics, shown.metrics, strict=True)}
    return shown, names.get(metric, metric)


def labelled_pair(result: Any, pair: Any) -> Any:
    """Return two names as the result shows them; anything else as it is."""
    if not isinstance(pair, tuple | list) or not (labels := result._labels):
        return pair
    return tuple(labels.get(name, name) for name in pair)


class InShort:
    """What is said on one line: a score or a difference."""

    __slots__ = ()

    @property
    def short(self) -> str:
        """One line: estimate, interval, p, number of items and verdict of a difference; score and interval.

        Examples
        --------
        >>> import bestby as bb
        >>> bb.compare({"new": [1] * 9 + [0], "old": [0, 1] * 5})["new", "old"].short
        'new − old: 0.40 [−0.09, 0.72], p = 0.22, n = 10'
        """
        from bestby.report import words

        return words.short(self)

    def __repr__(self) -> str:
        """Return one line: the class, and what is short."""
        return f"<{type(self).__name__} {self.short}>"
