"""What all results share: notes, where the numbers come from, and the ways to show them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bestby._core import checks
from bestby._core.versions import blas, versions
from bestby._version import __version__


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
    """Return notes as notes about a metric, or about systems on it."""
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
