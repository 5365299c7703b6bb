"""`agreement`: how far annotators agree, by all usual coefficients; who agrees with whom, who does not."""

from __future__ import annotations

import dataclasses
import hashlib
import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from bestby._core import checks
from bestby._core.errors import InvalidInputError
from bestby._core.keywords import with_suggestions
from bestby._core.typing import FloatArray, IntArray
from bestby.data.columns import group_codes
from bestby.data.reading import Reading, checked_reading
from bestby.data.roles import listed
from bestby.engine.interval_methods import FEW_RARE
from bestby.inference.clusters import few
from bestby.questions.agreement.coefficients import (
    Scale,
    alpha_of,
    check_varied,
    coefficients_of,
    counted,
    kappa_of,
)
from bestby.questions.agreement.interval import Items, Measured, difference
from bestby.questions.agreement.result import (
    Agreement,
    AgreementCoefficient,
    AnnotatorAgreement,
    AnnotatorPair,
    LabelAgreement,
)
from bestby.questions.agreement.source import Labelled, as_codes, labels_of
from bestby.report.reported import with_backend
from bestby.results.base import Note, provenance_of
from bestby.vocabulary import allowed_names

PARADOX = 0.2
"""How far AC1 is above alpha where what counts as chance decides more than the labels do."""

MOST_ANNOTATORS = 20
"""Annotators up to which every two are compared: 190 pairs take some seconds."""


@with_suggestions
def agreement(
    data: Any,
    *,
    items: Any = None,
    clusters: Any = None,
    reading: Reading | None = None,
    scale: Scale = "nominal",
    level: float = 0.95,
) -> Agreement:
    """Measure how far annotators agree: by all usual coefficients, by pairs, and without each of them.

    Parameters
    ----------
    data : mapping of str to array_like, shape (n,), or data frame, or list of dict
        The labels of each annotator, None where one gave none. A table has a column per annotator, or a row
        per item and annotator, with a column called annotator, rater or the like.
    items : str or list of str, optional
        The column of item ids, if it is not called item or id; several are joined.
    clusters : str or array_like, shape (n,), optional
        The cluster of each item, such as its document; of a table also the name of a column.
    reading : Reading, optional
        How the data are read. `annotators` names the columns of the annotators, or the one that says who
        labelled; `value_column` names the column of labels then; `ignore` leaves columns out. `classes` are
        all labels that annotators could choose, in their order: AC1 and AC2 depend on their number, and
        ordinal labels need them if they are no numbers.
    scale : {"nominal", "ordinal", "interval", "ratio"}
        What the labels mean: names, ranks, numbers with differences, or numbers with ratios.
    level : float
        The level of the intervals.

    Returns
    -------
    Agreement
        The coefficients, every two annotators, each against the others, and the labels.

    Raises
    ------
    InvalidInputError
        If the data or an argument cannot be used as given, or all labels are the same.

    See Also
    --------
    evaluate : Agreement as a metric, of several groups of annotators side by side.
    compare_judged : Systems by a judge and a few human labels.

    Notes
    -----
    Every coefficient is (p_o - p_e) / (1 - p_e), or one less the ratio of two disagreements; they differ in
    what counts as chance. Nominal labels: Krippendorff's alpha [1]_, Fleiss' kappa [2]_ if all items have
    equally many labels, Cohen's kappa [3]_ of two annotators, AC1 [4]_. Ordinal labels: alpha, Cohen's kappa
    and AC2 with linear and with quadratic weights. Numbers: alpha and intraclass correlations [5]_, of the
    items that all annotators scored: one-way (``"icc_1"``), two-way by agreement (``"icc_a_1"``) and by
    consistency (``"icc_c_1"``), and of the mean of all annotators (``"icc_a_k"``).

    Intervals are for other items and the same annotators. A value belongs to the interval if it is no more
    than Student's quantile times a standard error from the estimate: that of items that have this value. They
    are the items at hand mixed with unanimous ones, or with labels given at random, which is to a coefficient
    what Wilson's interval is to a share. So it does not shrink if the rare label was seen on few items. With
    fewer than ten such items it misses high agreement too often nevertheless, and the note ``"rare_label"``
    says so. What agreement is without an annotator is compared with that of all by both intervals and their
    correlation [6]_.

    References
    ----------
    .. [1] Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania.
    .. [2] Fleiss (1971), Measuring nominal scale agreement among many raters, Psychol. Bull. 76, 378-382.
    .. [3] Cohen (1968), Weighted kappa, Psychol. Bull. 70, 213-220.
    .. [4] Gwet (2008), Computing inter-rater reliability and its variance in the presence of high agreement,
       Brit. J. Math. Statist. Psychol. 61, 29-48.
    .. [5] McGraw & Wong (1996), Forming inferences about some intraclass correlation coefficients, Psychol.
       Methods 1, 30-46.
    .. [6] Zou (2007), Toward using confidence intervals to compare correlations, Psychol. Methods 12,
       399-413.

    Examples
    --------
    >>> from bestby import agreement
    >>> labels = {
    ...     "ann": ["spam", "ham", "ham", "spam", "ham", "ham"] * 10,
    ...     "ben": ["spam", "ham", "ham", "ham", "ham", "ham"] * 10,
    ...     "cem": ["spam", "ham", "spam", "spam", "ham", "ham"] * 10,
    ... }
    >>> result = agreement(labels)
    >>> [(one.name, round(one.value, 3)) for one in result]
    [('krippendorff_alpha', 0.503), ('fleiss_kappa', 0.5), ('ac1', 0.6)]
    >>> max(result.pairs, key=lambda pair: pair.kappa).kappa
    0.6666666666666667
    """
    how = checked_reading(reading, "agreement", "ignore value_column classes annotators")
    checks.choice(scale, allowed_names("scale", "agreement"), "scale")
    checks.level(level)
    labelled = labels_of(data, how, items, clusters)
    if how.classes is not None and scale in ("interval", "ratio"):
        raise InvalidInputError(
            f"classes are names in their order, and scale={scale!r} reads numbers",
            hint="leave classes out, or choose scale='ordinal'", argument="reading.classes",
        )  # fmt: skip
    codes, labels = as_codes(labelled.labels, scale, how.classes)
    numbers = (
        [float(code) for code in range(len(labels))]
        if how.classes is not None and scale == "ordinal"
        else labels
    )
    check_varied(codes, labels)
    known = (codes >= 0).any(axis=1)
    groups = None
    if labelled.clusters is not None:
        groups = group_codes(labelled.clusters[known])[1].astype(np.int64)
    names, everything = labelled.annotators, Items.of(codes[known], groups)
    usable = (codes[known] >= 0).sum(axis=1) > 1

    measured = [Measured(one, everything) for one in coefficients_of(everything.kinds, numbers, scale)]
    coefficients = tuple(_coefficient(one, level) for one in measured if math.isfinite(one.value))
    every = range(len(names))
    pairs = list(combinations(every, 2)) if len(names) <= MOST_ANNOTATORS else []
    counts = counted(codes[known][usable], len(labels))
    settings = {
        "scale": scale,
        "classes": None if how.classes is None else [*map(str, labels)],
        "level": level,
    }
    n_clusters = 0 if groups is None else len(np.unique(groups[usable]))
    sizes = {"items": int(usable.sum()), "clusters": n_clusters, "annotators": len(names)}
    result = Agreement(
        scale=scale,
        annotators=tuple(
            _annotator(names, one, everything, measured[0], (numbers, scale, level)) for one in every
        ),
        coefficients=coefficients,
        pairs=tuple(
            pair
            for one in pairs
            if (pair := _pair(names, one, everything, numbers, scale, level)) is not None
        ),
        labels=tuple(_labels(counts, labels)) if scale in ("nominal", "ordinal") else (),
        level=level,
        n_items=int(usable.sum()),
        n_clusters=n_clusters,
        n_labels=int(counts.sum()),
        notes=tuple(
            _notes(labelled, codes, labels, scale, counts, groups, coefficients, said=how.classes is not None)
        ),
        provenance=provenance_of(settings, sizes, data_hash=_hash(names, codes, labels, labelled.clusters)),
    )
    return with_backend(result, labelled.backend)


def _coefficient(measured: Measured, level: float) -> AgreementCoefficient:
    observed, expected = measured.shares or (None, None)
    name, interval = measured.coefficient.name, measured.interval(level)
    return AgreementCoefficient(name, measured.value, interval, observed, expected, measured.n)


def _against(items: Items, columns: list[int], labels: Sequence[Any], scale: Scale) -> Measured | None:
    """Return kappa of the first of some annotators and the others; None without an item in common."""
    measured = Measured(kappa_of(labels, scale), items.columns(columns))
    return measured if measured.n else None


def _pair(
    names: Sequence[str],
    pair: tuple[int, int],
    items: Items,
    labels: Sequence[Any],
    scale: Scale,
    level: float,
) -> AnnotatorPair | None:
    kappa = _against(items, [*pair], labels, scale)
    if kappa is None or kappa.shares is None:
        return None
    a, b = (names[place] for place in pair)
    value, interval = (None, None) if math.isnan(kappa.value) else (kappa.value, kappa.interval(level))
    return AnnotatorPair(a, b, kappa.n, *kappa.shares, value, interval)


def _annotator(
    names: Sequence[str], place: int, items: Items, alpha: Measured, how: tuple[Sequence[Any], Scale, float]
) -> AnnotatorAgreement:
    """Return one annotator against the others, and alpha without this one."""
    labels, scale, level = how
    others = [other for other in range(len(names)) if other != place]
    kappa = _against(items, [place, *others], labels, scale)
    if kappa is None or kappa.shares is None:
        return AnnotatorAgreement(names[place], 0, math.nan, None, None, None, None, None)
    value, interval = (None, None) if math.isnan(kappa.value) else (kappa.value, kappa.interval(level))
    one = AnnotatorAgreement(names[place], kappa.n, kappa.shares[0], value, interval, None, None, None)
    rest = items.columns(others)
    pairable = rest.kinds[(rest.kinds >= 0).sum(axis=1) > 1]
    if np.unique(pairable[pairable >= 0]).size < 2:
        return one
    without = Measured(alpha_of(rest.kinds, labels, scale), rest)
    change, between = difference(without, alpha, level)
    return dataclasses.replace(one, without=without.value, difference=change, difference_interval=between)


def _labels(counts: FloatArray, labels: Sequence[Any]) -> Iterator[LabelAgreement]:
    """Yield how often each label is given, and its specific agreement (Cicchetti & Feinstein 1990)."""
    m = counts.sum(axis=1)
    for label, given in zip(labels, counts.T, strict=True):
        total = float(given.sum())
        # Of the other m - 1 labels of an item, m_c - 1 are the same
        again = float((given * (given - 1.0) / (m - 1.0)).sum())
        name = f"{label:g}" if isinstance(label, float) else str(label)
        specific = again / total if total > 0.0 else None
        yield LabelAgreement(name, total / float(m.sum()), int((given > 0.0).sum()), specific)


def _hash(names: Sequence[str], codes: IntArray, labels: Sequence[Any], clusters: Any) -> str:
    """Return a hash of the labels, whatever order items and annotators have."""
    groups = [""] * len(codes) if clusters is None else [str(one) for one in clusters.tolist()]
    rows = sorted(zip(codes.tolist(), groups, strict=True))
    content = repr((names, [str(label) for label in labels], rows)).encode()
    return hashlib.blake2b(content, digest_size=8).hexdigest()


# -- notes -------------------------------------------------------------------------------------------


def _notes(
    labelled: Labelled,
    codes: IntArray,
    labels: Sequence[Any],
    scale: Scale,
    counts: FloatArray,
    groups: IntArray | None,
    coefficients: Sequence[AgreementCoefficient],
    *,
    said: bool,
) -> Iterator[Note]:
    """Yield what must be known of the data and of the coefficients."""
    if labelled.description:
        yield Note("read_as", labelled.description)
    numbers = [label for label in labels if _is_whole(label)]
    if scale == "nominal" and not said and len(labels) > 2 and len(numbers) == len(labels):
        yield Note(
            "numbers_as_labels",
            f"the labels are numbers ({listed([str(one) for one in labels], 5)}) and were taken for names, of"
            " which any two differ as much; choose the scale ordinal or interval if they are ranks or scores",
        )
    if scale in ("nominal", "ordinal"):
        given = np.stack([(codes == place).any(axis=0) for place in range(len(labels))])
        alone = ~(given & (given.sum(axis=1, keepdims=True) > 1)).any(axis=0)
        if alone.any():
            names = [name for name, is_so in zip(labelled.annotators, alone, strict=True) if is_so]
            yield Note(
                "no_common_label",
                f"no label of {listed(names)} was given by another annotator: leave a column out that is"
                " none: ignore=... (--ignore), or give labels one spelling",
            )
    single = int((codes >= 0).any(axis=1).sum()) - len(counts)
    if single:
        yield Note(
            "single_labels",
            f"{single} of {len(counts) + single} items have one label, which tells nothing of agreement: the"
            " coefficients are of the others",
        )
    whole = int((codes >= 0).all(axis=1).sum())
    if scale in ("interval", "ratio") and whole < len(counts):
        yield Note(
            "incomplete_items",
            f"intraclass correlations are of the {whole} items that all annotators scored, of {len(counts)}",
        )
    per_item = counts.sum(axis=1)
    if scale == "nominal" and per_item.min() < per_item.max():
        yield Note(
            "unequal_labels",
            f"items have {per_item.min():.0f} to {per_item.max():.0f} labels, and Fleiss' kappa needs equally"
            " many: alpha and AC1 are of all labels there are",
        )
    yield from _notes_on_rare_labels(counts, labels, scale)
    yield from _paradox(coefficients, counts, labels)
    if groups is not None:
        sizes = np.bincount(groups[(codes[(codes >= 0).any(axis=1)] >= 0).sum(axis=1) > 1])
        if few(sizes[sizes > 0].astype(np.float64)):
            yield Note(
                "few_clusters",
                f"there are {np.count_nonzero(sizes)} clusters, few or with much of the items in one:"
                " intervals may be too short",
            )


def _is_whole(label: Any) -> bool:
    return str(label).lstrip("-").isdecimal()


def _notes_on_rare_labels(counts: FloatArray, labels: Sequence[Any], scale: Scale) -> Iterator[Note]:
    given = (counts > 0.0).sum(axis=0)
    if scale in ("nominal", "ordinal") and not given.all():
        never = [str(label) for label, n in zip(labels, given.tolist(), strict=True) if not n]
        yield Note(
            "label_never_given",
            f"nobody gave {listed(never, 5)}: the labels do not tell whether annotators would agree on it",
        )
    commonest = int(np.argmax(counts.sum(axis=0)))
    rare = int((np.delete(counts, commonest, axis=1) > 0.0).any(axis=1).sum())
    if rare < FEW_RARE:
        yield Note(
            "rare_label",
            f"only {rare} {'item has' if rare == 1 else 'items have'} another label than the commonest, fewer"
            f" than {FEW_RARE}, which hardly shows how often annotators agree on it: intervals are long, and"
            " hold high agreement less often than they say",
        )


def _paradox(
    coefficients: Sequence[AgreementCoefficient], counts: FloatArray, labels: Sequence[Any]
) -> Iterator[Note]:
    """Yield a note where labels agree often and chance would, too (Feinstein & Cicchetti 1990)."""
    by_name = {one.name: one for one in coefficients}
    alpha, ac1 = by_name.get("krippendorff_alpha"), by_name.get("ac1")
    if alpha is None or ac1 is None or ac1.value - alpha.value < PARADOX:
        return
    assert alpha.observed is not None
    assert alpha.expected is not None
    assert ac1.expected is not None
    place = int(np.argmax(counts.sum(axis=0)))
    share = counts[:, place].sum() / counts.sum()
    yield Note(
        "kappa_paradox",
        f"{100 * alpha.observed:.0f} % of pairs agree, but alpha is {alpha.value:.2f}, as {100 * share:.0f} %"
        f" of all labels are {labels[place]!r} and chance would agree on {100 * alpha.expected:.0f} %. AC1 is"
        f" {ac1.value:.2f}: it ascribes {100 * ac1.expected:.0f} % to chance, and less the more one label"
        " prevails. Alpha tells whether rare labels are agreed on, AC1 how often labels agree: report both",
    )
