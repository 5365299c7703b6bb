"""Files with a judge's scores of all items and the human scores of a few."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from bestby._core import checks
from bestby._core.keywords import with_suggestions
from bestby.data.columns import MISSING
from bestby.data.layouts.judged import JudgedColumns, JudgedItems
from bestby.questions.judged.calibration_layout import calibration_of
from bestby.questions.judged.judged_labels_layout import JudgedLabels, judged_table
from bestby.readers import arguments
from bestby.readers.opening import one_table


@with_suggestions
def read_judged(
    path: str | Path | Sequence[str | Path],
    *,
    judge: str | Sequence[str] | None = None,
    human: str | Sequence[str] | Literal[False] | None = None,
    items: str | None = None,
    system_column: str | None = None,
    missing: str | Iterable[str] = MISSING,
) -> JudgedItems | JudgedLabels:
    r"""Read the scores of a judge for all items, and of humans for some of them.

    A *long* table has a row per item and system: columns item, system, judge and human. A *wide* table has a
    row per item: columns ``judge[a]``, ``human[a]``, ``judge[b]``, ... for systems a, b, .... Cells of
    human scores are empty where there is none. A table of *labels* has a row per item: columns judge and
    human with labels, and ``prediction[a]``, ``prediction[b]``, ... with what systems predict.

    Parameters
    ----------
    path : str or Path
        CSV, TSV, JSON Lines or Parquet.
    judge, human : str or sequence of str, optional
        The columns of scores of a long table. By default those called judge and human, or all that begin with
        ``judge_`` and ``human_``: several judges, or several humans. Several judges may share a column, with
        their names in the column judge_name, and the scores of several humans may be in rows of their own.
        ``human=False``: there are no human scores, as a calibration set tells the judge's error rates.
    items, system_column : str, optional
        The columns of item ids and of systems of a long table; those called item or id, and system or model,
        are found.
    missing : str or iterable of str
        The texts that mean a missing value.

    Returns
    -------
    JudgedItems or JudgedLabels
        What `compare_judged` takes: scores, or labels and predictions. Columns called cluster and stratum are
        used as such there; all others may be named.

    Raises
    ------
    InvalidInputError
        If the file cannot be read, or its columns do not fit together.

    See Also
    --------
    compare_judged : Compare the systems by these scores.
    read : Scores that need no correction.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "judged.csv")
    ...     _ = path.write_text("item,system,judge,human\nq1,a,0.9,1\nq1,b,0.3,\n", encoding="utf-8")
    ...     data = read_judged(path)
    >>> data.names, data.judge[:, :, 0], data.human
    (('a', 'b'), array([[0.9, 0.3]]), array([[ 1., nan]]))
    """
    arguments.check(path, missing=missing, items=items, system_column=system_column)
    named = _named(judge, None if human is False else human, items, system_column)
    table = one_table(path, "the scores of judge and humans", missing)
    return judged_table(table, dataclasses.replace(named, labelled=human is not False))


def read_calibration(
    path: str | Path,
    *,
    judge: str | Sequence[str] | None = None,
    human: str | Sequence[str] | None = None,
    items: str | None = None,
    system_column: str | None = None,
    missing: str | Iterable[str] = MISSING,
) -> JudgedItems:
    """Read the verdicts of judge and humans for the items of a calibration set; see `read_judged`.

    Without a column of systems they are for all systems alike.
    """
    arguments.check(path, missing=missing, items=items, system_column=system_column)
    table = one_table(path, "a calibration set", missing)
    return calibration_of(table, _named(judge, human, items, system_column))


def _named(judge: Any, human: Any, items: str | None, system_column: str | None) -> JudgedColumns:
    """Return the columns that were named."""
    names = [
        () if one is None else tuple(checks.valid_name_list(one, what))
        for one, what in ((judge, "judge"), (human, "human"))
    ]
    return JudgedColumns(names[0], names[1], items, system_column)
