"""What all results share: notes, where the numbers come from, and the ways to show them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from bestby._core import checks
from bestby._core.keywords import with_suggestions
from bestby._core.lazy import module_by_name
from bestby._core.versions import blas, versions
from bestby._version import __version__
from bestby.results.loading import encoded

FRAMES: tuple[Literal["pandas", "polars", "pyarrow"], ...] = ("pandas", "polars", "pyarrow")
"""Libraries of the data frames that `to_frame` makes, the first that is installed being the default."""

T = TypeVar("T", bound="Reported")


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader of the result must know.

    Parameters
    ----------
    code : str
        A short, stable name, such as ``"few_resamples"``; the page "Notes" of the reference lists all.
    message : str
        One or two sentences: what was met and what it means.
    about : tuple of str
        What the note belongs to: a metric, a metric and a system, or a metric and two systems;
        empty for the whole comparison.

    See Also
    --------
    Comparison : Holds notes on the whole; those on one pair are with its difference.
    """

    code: str
    message: str
    about: tuple[str, ...] = ()


def notes_about(notes: Iterable[Note], *about: str) -> tuple[Note, ...]:
    """Return the same notes about a metric, or about systems on it."""
    return tuple(Note(note.code, note.message, about) for note in notes)


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

    See Also
    --------
    bestby.list_metrics : Lists the metrics and their directions.
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
        Versions of Python, NumPy and SciPy, and of the libraries that cut or matched the items.
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
        First 16 hexadecimal digits of a BLAKE2b hash of the data, whatever type their values came in: whole
        numbers have the same one as integers and as floats.
    blas : str or None
        The library that multiplied NumPy's matrices, with the kernel it chose for the processor, such as
        "openblas 0.3.30 Haswell"; None where that is not known. Another kernel may round the last digits of
        sums of real numbers otherwise. It is in the JSON and not in the signature, which holds what the
        user can set.

    See Also
    --------
    Comparison : Holds it; its `signature` says it on one line.
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


def provenance_of(
    settings: Mapping[str, Any],
    data: Mapping[str, Any],
    content: Any = None,
    *,
    data_hash: str = "",
    packages: Iterable[str] = (),
    seed: int = 0,
    n_resamples: int = 0,
) -> Provenance:
    """Return the provenance of a result; without a hash of the data, `content` is hashed by its `repr`."""
    data_hash = data_hash or hashlib.blake2b(repr(content).encode(), digest_size=8).hexdigest()
    return Provenance(
        __version__, versions(packages), seed, n_resamples, dict(settings), dict(data), data_hash
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reported:
    """What every result can do; its class names the module that describes it."""

    _frame_backend: str | None = field(default=None, init=False)

    described_by: ClassVar[str]

    def __str__(self) -> str:
        text: str = module_by_name("bestby.report.writers.terminal").to_text(self)
        return text

    def __repr__(self) -> str:
        """Return one line: the class, and the first sentence of the report."""
        return f"<{type(self).__name__}: {module_by_name('bestby.report.document').headline(self)}>"

    def _repr_html_(self) -> str:
        html: str = module_by_name("bestby.report.writers.html").to_fragment(self)
        return html

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

    def to_dict(self) -> dict[str, Any]:
        """Return plain dictionaries, lists and numbers, as `to_json` writes them."""
        document: dict[str, Any] = module_by_name("bestby.report.data").to_dict(self)
        return document

    @with_suggestions
    def to_json(self, path: str | Path | None = None) -> str:
        """Return JSON, floats unrounded, that `bestby.load` reads back; write it to `path` if given."""
        return written(module_by_name("bestby.report.as_json").to_json(self), path)

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
        return module_by_name("bestby.report.data").to_frame(self, what, backend or self._frame_backend)

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
        return written(
            module_by_name("bestby.report.data").to_csv(self, what, spreadsheet_safe=spreadsheet_safe), path
        )

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
        return written(
            module_by_name("bestby.report.writers.markdown").to_markdown(shown_in(self, percent), top), path
        )

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

        A table that is wider than a column of text is scaled down to it.

        Parameters
        ----------
        path : str or Path, optional
            Where to write it.
        top : int, optional
            As for `to_markdown`.
        parts : sequence of str, optional
            Which tables: "scores", "differences", and others that the kind of result has; all of them by
            default. "pairs" is written only if it is named here: the differences of every two systems as a
            triangular matrix, significant ones marked.
        wide : bool
            Over both columns of a page (``table*``).
        label : str
            For ``\ref``; of several tables the second gets it with "-2" after it, and so on.
        caption : str
            LaTeX that replaces the caption; for one table only.
        digits : int, optional
            Decimals of scores, differences and intervals, in place of those that the standard errors give. A
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
        writer = module_by_name("bestby.report.writers.latex")
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
        return written(
            module_by_name("bestby.report.writers.html").to_html(shown_in(self, percent), top), path
        )

    @with_suggestions
    def table(self, *, top: int | None = None, percent: bool = False) -> str:
        """Return what ``print(result)`` shows, as text.

        Parameters
        ----------
        top : int, optional
            As for `to_markdown`.
        percent : bool
            Show scores and differences in percent, where the metric is a share: bounded by 0 and 1 or by -1
            and 1, or without bounds and with no score beyond them. Other metrics stay as they are. Writers
            for programs (`to_json`, `to_csv`, `to_frame`) know no percent.

        Raises
        ------
        InvalidInputError
            If percent is asked for and no metric is a share, or there is a margin and not all of them are.
        """
        text: str = module_by_name("bestby.report.writers.terminal").to_text(shown_in(self, percent), top)
        return text

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
        text: str = module_by_name("bestby.report.paper.paragraph").paragraph(self, style)
        return text

    @with_suggestions
    def citations(self, path: str | Path | None = None) -> str:
        """Return the works that `methods` cites as BibTeX; write them to `path` if given."""
        return written(module_by_name("bestby.report.paper.paragraph").citations(self), path)


def shown_in(result: Any, percent: bool) -> Any:
    """Return what is shown of a result, which is the result or the same in percent."""
    return module_by_name("bestby.report.percent").in_percent(result) if percent else result


def remember_backend(result: T, backend: str | None) -> T:
    """Let `to_frame` return the kind of frame that was compared by default, if it can make such frames."""
    object.__setattr__(result, "_frame_backend", backend if backend in FRAMES else None)
    return result


def written(text: str, path: str | Path | None) -> str:
    """Return a text, after it is written to `path` if there is one."""
    if path is not None:
        module_by_name("bestby.report.writers.files").write_text(path, text)
    return text


def negated(value: float) -> float:
    """Return minus `value` without making a negative zero."""
    return 0.0 - value


def _plain(value: Any) -> str:
    if isinstance(value, list | tuple):
        # Names that a signature lists
        if len(value) > 50:  # the hash of the data knows all of them
            return f"{value[0]},{value[1]},...,{value[-1]}({len(value)})"
        return ",".join(str(item) for item in value)
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
