"""Which metric is compared, and whether it suits the data.

Metrics that compare labels give a number for anything, also for probabilities, real numbers, texts and labels
in another spelling. Such data are refused, with the metric to name.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bestby._core.errors import DesignError, InvalidInputError, within
from bestby._core.text import counted, normal_form, quoted
from bestby._core.typing import Array
from bestby.data.columns import codes, complete, is_plain
from bestby.data.evaluation import Evaluation, Streamed
from bestby.data.roles import NEEDS_GOLD, are_surely_scores, check_no_predictions, listed, quantities
from bestby.data.values import Key, Rule, with_decimal_comma
from bestby.metrics import probabilities
from bestby.metrics._items import say_which_is_positive
from bestby.metrics.base import BaseMetric
from bestby.metrics.built_in import notes_on_functions
from bestby.metrics.directions import direction_of, greater_is_better_by_name, is_label
from bestby.metrics.functions import name_and_direction
from bestby.metrics.registry import class_needed, default, resolve, without_class
from bestby.metrics.regression import Mean
from bestby.results.base import Note

_SHOWN = 4
"""Labels that a message shows: enough to see what they are, on one line."""

FAR_APART = 20.0
"""Ratio of the mean sizes of scores from which a note says that their scales differ: percentages are 100
times as large as shares, and systems worth comparing by one metric rarely differ by as much."""

_FOR_TEXTS = 'metric="chrf" (or bleu, rougeL); or for short answers metric="em" (or qa_f1)'
_FOR_NUMBERS = 'name a metric of numbers, such as metric="rmse" (or mae, pearson, spearman)'


def chosen_metrics(
    metric: Any,
    evaluation: Evaluation,
    greater_is_better: bool | None = None,
    *,
    certain: bool = False,
) -> tuple[list[BaseMetric], Evaluation]:
    """Return the metrics to compare, and the data with notes on how the metrics read them.

    `metric` is what the user named. None is the metric that the source of the data suggests, otherwise
    accuracy; cross-entropy for soft gold, the mean without gold. Without gold, a name that no metric has is
    that of the scores themselves, whose direction `greater_is_better` says. Values that are called as
    predictions are need gold or the name of a metric; if `certain`, all that are not called as scores are.
    """
    metrics, parts = metrics_of_parts(metric, {"": evaluation}, greater_is_better, certain=certain)
    return metrics, parts[""]


def metrics_of_parts(
    metric: Any,
    parts: Mapping[str, Evaluation],
    greater_is_better: bool | None = None,
    *,
    certain: bool = False,
) -> tuple[list[BaseMetric], dict[str, Evaluation]]:
    """Return the metrics to compare on data in several parts, under the words that name them in messages."""
    spec = metric
    if spec is None:
        spec = next((part.suggested for part in parts.values() if part.suggested is not None), None)
    named = spec is not None
    golds = [part.gold for part in parts.values()]
    scored = any(gold is None for gold in golds)
    if not named:
        _check_are_scores(parts, certain=certain)
    if spec is None:
        soft = any(gold is not None and gold.ndim == 2 for gold in golds)
        spec = default(scored, soft_gold=soft)
        if greater_is_better is None:
            spec = _falling(parts) or spec
    specs = list(spec) if isinstance(spec, list | tuple) else [spec]
    directed = [_directed(*name_and_direction(one, greater_is_better), golds) for one in specs]
    metrics = [one for one, _ in directed]
    check_names(metrics)
    notes = [note for _, notes in directed for note in notes]
    noted = {place: part.with_notes(notes) for place, part in parts.items()}
    return metrics, read_by(metrics, noted, named=named)


def _falling(parts: Mapping[str, Evaluation]) -> Mean | None:
    """Return the mean of scores of which lower ones are better, by the one name that all of them have."""
    if any(part.gold is not None for part in parts.values()):
        return None
    called = {part.called.get(system, system) for part in parts.values() for system in part.names}
    name = called.pop() if len(called) == 1 else ""
    return None if greater_is_better_by_name(name) else Mean(name, greater_is_better=False)


def check_names(metrics: Sequence[BaseMetric]) -> None:
    """Refuse no metric, and two of one name."""
    if not metrics:
        raise InvalidInputError("at least one metric is needed", hint="metric='accuracy'")
    names = [one.name for one in metrics]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        raise InvalidInputError(
            f"metric {quoted(doubled)} is given {names.count(doubled)} times",
            hint="give each a name of its own",
        )


def read_by(
    metrics: Sequence[BaseMetric], parts: Mapping[str, Evaluation], *, named: bool
) -> dict[str, Evaluation]:
    """Refuse data that do not suit the metrics; return the parts with notes on how the metrics read them.

    `named` says whether the user (or the source of the data) named the metrics; real numbers are labels only
    if so, and texts only if so or where other datasets may have classes.
    """
    labels, sets = _label_notes(metrics, parts, named=named), _set_notes(metrics, parts)
    functions = notes_on_functions(metrics, parts.values())
    return {
        place: part.with_notes(
            [
                *labels.get(place, ()),
                *sets.get(place, ()),
                *_reading_notes(metrics, part, place),
                *functions,
                *_form_notes(metrics, part),
                *_scale_notes(metrics, part),
                *_comma_notes(metrics, part),
                *_class_notes(metrics, part),
            ]
        )
        for place, part in parts.items()
    }


def notes_of_parts(parts: Mapping[str, Evaluation]) -> list[Note]:
    """Return the notes on all parts, each once; one that not all parts have names those that do.

    >>> both, one = Note("few", "few items"), Note("tied", "many ties")
    >>> plain = Evaluation.of({"a": [1, 0], "b": [1, 1]})
    >>> parts = {"x": plain.with_notes([both, one]), "y": plain.with_notes([both])}
    >>> [note.message for note in notes_of_parts(parts)]
    ['few items', 'x: many ties']
    """
    places: dict[Note, list[str]] = {}
    for place, part in parts.items():
        for note in dict.fromkeys(part.notes):
            places.setdefault(note, []).append(place)
    return [
        note if len(where) == len(parts) else replace(note, message=f"{listed(where)}: {note.message}")
        for note, where in places.items()
    ]


def _check_are_scores(parts: Mapping[str, Evaluation], *, certain: bool) -> None:
    """Refuse values without gold that are called as predictions are; if `certain`, all but scores.

    A predicted class that is a number has a mean, which says nothing of whether it is right.
    """
    for place, part in parts.items():
        if part.gold is not None:
            continue
        called = {system: part.called.get(system, system) for system in part.names}
        with within(place):
            check_no_predictions(called)
        unknown = (
            name
            for name, word in called.items()
            if is_label(word) and not are_surely_scores(word, part.systems[name])
        )
        name = next(unknown, None) if certain else None
        if name is not None:
            what = quoted(name) if called[name] == name else f"{quoted(name)}, called {quoted(called[name])},"
            raise InvalidInputError(
                f"{place and f'{place}: '}without gold, a gate compares scores, and no name says that the"
                f" values of {what} are scores",
                hint=NEEDS_GOLD,
            )


def _scale_notes(metrics: Sequence[BaseMetric], part: Evaluation) -> list[Note]:
    """Return notes on scores, whose mean is compared, of systems on visibly different scales."""
    if part.gold is not None or not any(isinstance(one, Mean) for one in metrics):
        return []
    notes = []
    if odd := quantities(part.names):
        message = (
            f"{listed(odd)} among the systems: are these quantities of a system, such as its time or cost? If"
            " so, leave them out: reading=bestby.Reading(ignore=[...]) (--ignore)"
        )
        notes.append(Note("quantities", message, tuple(odd)))
    if all(one.ndim == 1 and one.dtype.kind in "biuf" for one in part.compact.values()):
        notes += system_scales({name: np.asarray(values) for name, values in part.systems.items()})
    return notes


def system_scales(scores: Mapping[str, Array]) -> list[Note]:
    """Return a note if scores of two systems, or other numbers among them, are on visibly different scales.

    >>> system_scales({"a": np.array([0.4, 0.5]), "b": np.array([44.0, 51.0])})[0].code
    'mixed_percent'
    >>> system_scales({"acc": np.array([0.0, 1.0]), "ms": np.array([810.0, 640.0])})[0].code
    'scales_differ'
    >>> system_scales({"a": np.array([0.0, 1.0]), "b": np.array([0.0, 0.0])})
    []
    """
    sizes = {name: float(np.abs(x).mean()) for name, x in scores.items() if x.size}
    sizes = {name: size for name, size in sizes.items() if size > 0.0}
    if not sizes:
        return []
    least, most = min(sizes, key=sizes.__getitem__), max(sizes, key=sizes.__getitem__)
    if sizes[most] < FAR_APART * sizes[least]:
        return []
    small, large = scores[least], scores[most]
    means = f"the mean of {least} is {float(small.mean()):.3g}, that of {most} {float(large.mean()):.3g}"
    in_unit, in_percent = (min(small.min(), large.min()) >= 0 and large.max() <= top for top in (1, 100))
    # Mean from which scores up to 100 beside shares look like percentages; losses and counts are often below
    if in_percent and small.max() <= 1 and large.mean() > 20.0:
        message = f"{means}: shares beside percentages? If so, give all scores as shares, or all in percent"
        return [Note("mixed_percent", message)]
    if in_unit or in_percent or np.abs(small).max() >= np.abs(large).min():
        return []
    message = (
        f"{means}: scales on which scores of one metric hardly are. If one of the two is no system, leave it"
        " out: reading=bestby.Reading(ignore=[...]) (--ignore); if they are, bring their scores to one scale"
    )
    return [Note("scales_differ", message)]


def _directed(
    spec: Any, greater_is_better: bool | None, golds: Sequence[Array | None]
) -> tuple[BaseMetric, tuple[Note, ...]]:
    """Return a metric, of scores under any name, and a note if their direction is a guess."""
    scored = any(gold is None for gold in golds)
    are_scores = scored and (is_label(spec) or (isinstance(spec, str) and isinstance(resolve(spec), Mean)))
    if are_scores and (greater_is_better is not None or is_label(spec)):
        greater, notes = direction_of(spec, greater_is_better)
        return Mean(spec, greater_is_better=greater), notes
    metric = named_metric(spec, golds)
    if greater_is_better is not None and greater_is_better != metric.greater_is_better:
        raise InvalidInputError(
            f"greater_is_better={greater_is_better} contradicts the metric {metric.name}",
            hint=f"name it alone, as it knows its direction: metric={quoted(spec)}",
            argument="metric",
        )
    return metric, ()


def named_metric(spec: Any, golds: Sequence[Array | None]) -> BaseMetric:
    """Return the metric that is meant; if it lacks its class, an error names those of the gold.

    >>> named_metric("f1", [np.array([0, 1, 1])])
    Traceback (most recent call last):
    ...
    bestby._core.errors.InvalidInputError: f1 needs a class or an average: f1[1], f1_macro, ...
    hint: name one: metric="f1[1]"
    """
    stem = without_class(spec)
    if stem is None:
        return resolve(spec)
    hard = [codes(gold)[0].tolist() for gold in golds if gold is not None and is_plain(gold)]
    labels = list(dict.fromkeys(label for one in hard for label in one))[:_SHOWN]
    raise class_needed(stem, spec, labels[1:] if say_which_is_positive(labels) else labels)


def chosen_metric(
    metric: Any, evaluation: Evaluation, greater_is_better: bool | None = None
) -> tuple[BaseMetric, Evaluation]:
    """Return the one metric to compare, and the data with notes on how it reads them."""
    chosen, parts = metric_of_parts(metric, {"": evaluation}, greater_is_better)
    return chosen, parts[""]


def metric_of_parts(
    metric: Any, parts: Mapping[str, Evaluation], greater_is_better: bool | None = None
) -> tuple[BaseMetric, dict[str, Evaluation]]:
    """Return the one metric to compare on data in several parts; see `metrics_of_parts`."""
    if isinstance(metric, list | tuple) and len(metric) != 1:
        raise InvalidInputError(
            f"one metric at a time is compared here, got {len(metric)}",
            hint="call once per metric",
            argument="metric",
        )
    metrics, noted = metrics_of_parts(metric, parts, greater_is_better)
    return metrics[0], noted


def _reading_notes(metrics: Sequence[BaseMetric], part: Evaluation, place: str) -> list[Note]:
    """Return what the metrics themselves say of the data; an error names the part."""
    if isinstance(part, Streamed):
        return []
    with within(place):
        return [note for metric in metrics for note in metric.reading_notes(part)]


def _label_notes(
    metrics: Sequence[BaseMetric], parts: Mapping[str, Evaluation], *, named: bool
) -> dict[str, list[Note]]:
    """Refuse metrics of labels and of probabilities that do not suit hard labels; return notes by part."""
    reading = [one for one in metrics if one.reads in ("labels", "distributions")]
    hard = {place: part for place, part in parts.items() if _has_labels(part)} if reading else {}
    golds = {place: probabilities.gold_labels(part) for place, part in hard.items()}
    everywhere = {label for labels in golds.values() for label in labels.tolist()}
    notes: dict[str, list[Note]] = {}
    for place, part in hard.items():
        gold, part_notes = golds[place], notes.setdefault(place, [])
        columns = {name: probabilities.present(part, name) for name in part.names}
        if _are_plain(columns, gold):
            continue
        with within(place):
            gold_labels = GoldLabels.of(gold, everywhere)
            if not named:
                _check_whole(reading[0], columns, gold)
            for one in {metric.reads: metric for metric in reversed(reading)}.values():
                _check_no_scores(one, columns, gold)  # the first metric of each kind stands for the others
            for one in reading:
                if one.reads == "distributions":
                    part_notes += _note_probabilities(one, part, gold)
            distributed = all(one.reads == "distributions" for one in reading)
            part_notes += _check_shared(columns, gold, gold_labels, part.n_items, probable=distributed)
            part_notes += _check_no_texts(
                reading[0], columns, gold, gold_labels, part.n_items, named=named or len(parts) > 1
            )
    return notes


def _form_notes(metrics: Sequence[BaseMetric], part: Evaluation) -> list[Note]:
    """Return notes on texts that count as different from the gold though they look alike."""
    names = ", ".join(metric.name for metric in metrics if metric.reads == "objects")
    references = part.gold.tolist() if names and part.gold is not None else []
    notes = []
    for system in part.names if references else ():
        odd = sum(map(_differ_in_form, references, part.systems[system].tolist()))
        if odd:
            message = (
                f"in {counted(odd, 'text')} of {system}, words of the gold have another Unicode form and"
                f" count as different ({names}): write both in one form, for example with"
                ' unicodedata.normalize("NFC", text), and with plain spaces'
            )
            notes.append(Note("unicode_forms", message, (system,)))
    return notes


def _differ_in_form(gold: Any, text: Any) -> bool:
    """Tell whether a text shares more words with a reference in the normal form than as written."""
    references = [gold] if isinstance(gold, str) else gold if isinstance(gold, list | tuple) else []
    if not isinstance(text, str) or not all(isinstance(one, str) for one in references):
        return False
    if text.isascii() and all(map(str.isascii, references)):
        return False
    words, normal = {*text.split(" ")}, {*normal_form(text).split(" ")}
    return any(
        len(normal.intersection(normal_form(one).split(" "))) > len(words.intersection(one.split(" ")))
        for one in references
        if one != text
    )


def _set_notes(metrics: Sequence[BaseMetric], parts: Mapping[str, Evaluation]) -> dict[str, list[Note]]:
    """Refuse sets of labels of which none is a label of the gold; return notes, as for single labels."""
    if not any(metric.label_sets for metric in metrics):
        return {}
    golds = {
        place: _labels_of_sets(part.gold)
        for place, part in parts.items()
        if part.gold is not None and part.classes is None  # among which labels were looked up
    }
    everywhere = {label for gold in golds.values() for label in gold.tolist()}
    notes = {}
    for place, gold in golds.items():
        if not gold.size:
            continue
        columns = {name: _labels_of_sets(values) for name, values in parts[place].systems.items()}
        with within(place):
            notes[place] = _check_shared(columns, gold, GoldLabels.of(gold, everywhere), None, probable=False)
    return notes


def _labels_of_sets(items: Array) -> Array:
    """Return the labels of sets, each once; an item that is none is left to its metric."""
    labels = {label for one in items if isinstance(one, frozenset) for label in one}
    return np.array(sorted(labels, key=str))


def _has_labels(evaluation: Evaluation) -> bool:
    """Return whether gold and systems are labels without named classes: among those they were looked up."""
    gold = evaluation.gold
    if gold is None or evaluation.classes is not None or gold.size == 0:
        return False
    return set(evaluation.names) <= set(evaluation.coded) and "" in evaluation.coded


def _are_plain(columns: Mapping[str, Array], gold: Array) -> bool:
    """Return whether all are whole numbers, and every system has a label of the gold: all is well then."""
    gold_labels = {*gold.tolist()}
    return all(
        labels.dtype.kind in "iu" and not gold_labels.isdisjoint(labels.tolist())
        for labels in (gold, *columns.values())
    )


def _check_whole(metric: BaseMetric, columns: Mapping[str, Array], gold: Array) -> None:
    """Refuse real numbers where no metric was named."""
    named = {"the gold": gold} | {f"system {name!r}": labels for name, labels in columns.items()}
    for what, labels in named.items():
        if gold.size == 2 and labels is not gold:  # there is more to say where there are two classes
            continue
        real = probabilities.fractions(labels)
        if labels.dtype.kind == "f" and real.size:
            raise DesignError(
                f"{what} holds real numbers, such as {real[0]:.4g}, but the default metric, {metric.name},"
                " compares labels",
                hint=f'{_FOR_NUMBERS}; metric="{metric.name}" compares the numbers as labels'
                + ("" if labels is gold else _leaving_out(columns, gold)),
            )


def _check_no_scores(metric: BaseMetric, columns: Mapping[str, Array], gold: Array) -> None:
    """Refuse probabilities where labels are compared, and any other scores of one of two classes."""
    if probabilities.fractions(gold).size:  # such as ratings of half stars
        return
    for name, labels in columns.items():
        fractions = probabilities.unknown_fractions(labels, gold)
        if not fractions.size:
            continue
        likely = probabilities.are_probabilities(labels, gold)
        if not (likely or gold.size == 2):
            continue
        if likely and metric.reads == "distributions":
            continue
        what = f"system {name!r} holds numbers such as {fractions[0]:.4g}"
        if gold.size != 2:
            raise DesignError(
                f"{what}, all from 0 to 1, which look like probabilities; {metric.name} compares labels",
                hint="pass labels, or the probabilities of all classes, an array of shape (items, classes);"
                f" for numbers {_FOR_NUMBERS}{_leaving_out(columns, gold)}",
            )
        lesser, greater = map(_quoted, gold.tolist())
        if not likely:
            what = f"system {name!r} holds numbers such as {_outside(labels, gold, fractions[0]):.10g}"
        if likely:
            raise DesignError(
                f"{what}, all from 0 to 1, which look like probabilities of the class {greater};"
                f" {metric.name} compares labels",
                hint='for probabilities name metric="roc_auc" (or log_loss, brier); for'
                f" {metric.name} pass labels, such as np.where(p > 0.5, {greater}, {lesser})"
                f"{_leaving_out(columns, gold)}",
            )
        raise DesignError(
            f"{what}, which are neither labels of the gold ({lesser} and {greater}) nor probabilities;"
            f" {metric.name} cannot read them",
            hint=f'for scores that are higher for the class {greater} name metric="roc_auc"; for'
            f" {metric.name} pass {'labels' if metric.reads == 'labels' else 'probabilities'}"
            f"{_leaving_out(columns, gold)}",
        )


def _leaving_out(columns: Mapping[str, Array], gold: Array) -> str:
    """Return advice to leave a column of numbers out, such as confidences, if others hold labels."""
    if any(not probabilities.unknown_fractions(labels, gold).size for labels in columns.values()):
        return "; leave a column out that is no system: ignore=[...]"
    return ""


def _outside(labels: Array, gold: Array, otherwise: float) -> float:
    """Return the first number that is neither a label of the gold nor from 0 to 1, so no probability."""
    values = probabilities.numbers(labels)
    assert values is not None  # some are fractions
    outside = values[((values < 0.0) | (values > 1.0)) & ~np.isin(labels, gold)]
    return float(outside[0]) if outside.size else otherwise


def _note_probabilities(metric: BaseMetric, evaluation: Evaluation, gold: Array) -> list[Note]:
    """Return a note on systems whose numbers are read as the probability of one class; refuse others."""
    _, single = probabilities.with_both_classes(evaluation, metric.name)
    if not single:
        return []
    lesser, greater = map(_quoted, gold.tolist())
    others = [name for name in evaluation.names if name not in single]
    if say_which_is_positive(gold.tolist()) and not others:
        return []
    message = (
        f"{metric.name} reads the numbers of {listed(single)} as probabilities of {greater}, the label that"
        f" sorts last; if they are probabilities of {lesser}, give 1 - p in their place"
    )
    if others:
        message += f"; labels of {listed(others)} count as probabilities of 0 and 1"
    return [Note("probability_of_class", message, (metric.name,))]


def _comma_notes(metrics: Sequence[BaseMetric], evaluation: Evaluation) -> list[Note]:
    """Return a note if the gold holds numbers with decimal commas, and a metric takes them as labels."""
    names = [metric.name for metric in metrics if metric.reads == "labels"]
    gold = evaluation.gold
    if not names or gold is None or gold.ndim != 1 or gold.dtype.kind != "U":
        return []
    labels = evaluation.codes_of("")[0].tolist()
    shown = with_decimal_comma(labels)
    if shown is None:
        return []
    message = (
        f"gold such as {quoted(shown)} is text, which counts as a label ({', '.join(names)}); if these are"
        " numbers, write them with a decimal point, and choose a metric of numbers, such as mse"
    )
    return [Note("decimal_commas", message)]


def _class_notes(metrics: Sequence[BaseMetric], evaluation: Evaluation) -> list[Note]:
    """Return notes on how hard and soft labels were read by metrics of the other kind."""
    if evaluation.classes is None or evaluation.gold is None:
        return []
    columns = {"the gold": evaluation.gold, **evaluation.systems}
    rows = {name: values for name, values in columns.items() if values.ndim == 2}
    notes = []
    label_metrics = [metric.name for metric in metrics if metric.reads == "labels"]
    if label_metrics and rows:
        tied = {
            name: int(((values == values.max(axis=1, keepdims=True)).sum(axis=1) > 1).sum())
            for name, values in rows.items()
        }
        message = "a soft label counts as its most probable class"
        shared = [f"{count} of {name}" for name, count in tied.items() if count]
        if shared:
            message += f", the first of equally probable ones ({', '.join(shared)})"
        notes += [Note("most_probable_class", f"for {name} {message}", (name,)) for name in label_metrics]
    distribution_metrics = [metric.name for metric in metrics if metric.reads == "distributions"]
    hard = [name for name, values in columns.items() if values.ndim == 1]
    if distribution_metrics and hard:
        message = f"{', '.join(hard)}: a hard label counts as probability 1 of its class"
        notes += [
            Note("certain_of_its_class", f"for {name}, {message}", (name,)) for name in distribution_metrics
        ]
    return notes


@dataclass(frozen=True)
class GoldLabels:
    """The labels of the gold, by the rule by which the values of these data are compared."""

    rule: Rule
    keys: frozenset[Key]

    @classmethod
    def of(cls, gold: Array, everywhere: Collection[Any]) -> GoldLabels:
        """Return the labels of one part: those of its gold, and those that only other parts hold."""
        rule = Rule.of(complete(gold), strings=True)
        others = {*everywhere}.difference(gold.tolist())
        return cls(rule, frozenset(map(rule.key, [*gold.tolist(), *others])))

    def __contains__(self, label: Any) -> bool:
        return self.rule.key(label) in self.keys


def _check_shared(
    columns: Mapping[str, Array],
    gold: Array,
    gold_labels: GoldLabels,
    n_items: int | None,
    *,
    probable: bool,
) -> list[Note]:
    """Refuse systems if none predicts a label of the gold; note those that do not, and odd spellings.

    Numbers that are probabilities need not be labels if they are `probable`, that is, read as such. `n_items`
    is None for sets of labels.
    """
    predicted = {name: labels for name, labels in columns.items() if labels.size}  # some may lack all items
    strange = [
        name
        for name, labels in predicted.items()
        if not any(label in gold_labels for label in labels.tolist())
        and not (probable and probabilities.are_probabilities(labels, gold))
    ]
    if strange and len(strange) == len(predicted):
        first = predicted[strange[0]]
        raise DesignError(
            f"no prediction of any system is a label of the gold: the gold has {_shown(gold)}, system"
            f" {strange[0]!r} predicts {_shown(first)}",
            hint=_remedy(predicted, gold, gold_labels, n_items),
        )
    notes = [
        Note(
            "no_shared_label",
            f"{name} predicts no label that the gold has ({_shown(predicted[name])} against"
            f" {_shown(gold)}), so every {'item' if n_items else 'label'} counts as wrong: if only the"
            " spelling differs, its score is meaningless",
            (name,),
        )
        for name in strange
    ]
    for name, labels in predicted.items():
        if misspelt := _misspelt(labels, gold, gold_labels):
            message = (
                f"{name} predicts labels that differ from those of the gold only in case or spaces"
                f" and count as wrong: {_examples(misspelt)}; if they mean the same, spell them alike"
            )
            notes.append(Note("label_spelling", message, (name,)))
        if rounded := _rounded(labels, gold, gold_labels):
            message = (
                f"{name} predicts numbers that differ from labels of the gold only because one of"
                f" both was stored with fewer digits and count as wrong: {_examples(rounded)}; round both"
                " alike"
            )
            notes.append(Note("label_precision", message, (name,)))
    return notes


def _check_no_texts(
    metric: BaseMetric,
    columns: Mapping[str, Array],
    gold: Array,
    gold_labels: GoldLabels,
    n_items: int,
    *,
    named: bool,
) -> list[Note]:
    """Refuse texts where no metric was named; otherwise note that they are compared letter by letter.

    Labels that hardly recur and some of which have several words are texts, and no codes, dates or classes.
    """
    if gold.dtype.kind != "U" or not _hardly_recur(gold, n_items):
        return []
    if sum(" " in label.strip() for label in gold.tolist()) <= 0.2 * gold.size:
        return []
    if all(label in gold_labels for labels in columns.values() for label in labels.tolist()):
        return []
    what = f"the gold looks like texts, such as {_quoted(max(gold.tolist(), key=len))}"
    if not named:
        raise DesignError(
            f"{what}, but the default metric, {metric.name}, counts as wrong what is not the same letter by"
            " letter",
            hint=f'name a metric: {_FOR_TEXTS}; metric="{metric.name}" compares letter by letter',
        )
    message = (
        f"{what}, and what is not the same letter by letter counts as wrong; chrf, bleu and rougeL read"
        " texts, em and qa_f1 short answers"
    )
    return [Note("texts_as_labels", message)]


def _examples(pairs: Sequence[tuple[Any, Any]]) -> str:
    more = f" and {len(pairs) - 2} more" if len(pairs) > 2 else ""
    return ", ".join(f"{_quoted(odd)} against {_quoted(label)}" for odd, label in pairs[:2]) + more


def _remedy(predicted: Mapping[str, Array], gold: Array, gold_labels: GoldLabels, n_items: int | None) -> str:
    """Return what to do if no system predicts a label of the gold."""
    pairs = [pair for labels in predicted.values() for pair in _misspelt(labels, gold, gold_labels)]
    if pairs:
        odd, label = pairs[0]
        return (
            f"{_quoted(odd)} differs from {_quoted(label)} only in case or spaces: give predictions and"
            " gold one spelling, for example with .strip().lower()"
        )
    near = [pair for labels in predicted.values() for pair in _rounded(labels, gold, gold_labels)]
    if near:
        return (
            f"{near[0][0]!r} differs from {near[0][1]!r} only because one of both was stored with fewer"
            " digits: round both alike, for example with .astype(float).round(6)"
        )
    columns = [gold, *predicted.values()]
    if n_items is not None and any(_are_texts(labels, n_items) for labels in columns):
        return f"texts need a metric that reads them: {_FOR_TEXTS}"
    if any(probabilities.fractions(labels).size for labels in columns):
        return _FOR_NUMBERS
    advice = (
        "give predictions and gold the same labels; if these items happen to lack the labels that are"
        " predicted, name all of them with classes=[...], which compare takes"
    )
    return advice if gold.dtype.kind == "U" else f"{advice}; for quantities {_FOR_NUMBERS}"


def _misspelt(labels: Array, gold: Array, gold_labels: GoldLabels) -> list[tuple[str, str]]:
    """Return pairs of a predicted label and one of the gold that differ in case or white space only."""
    if labels.dtype.kind != "U" or gold.dtype.kind != "U":
        return []
    folded = {_folded(label): label for label in gold.tolist()}
    return [
        (label, folded[_folded(label)])
        for label in labels.tolist()
        if _folded(label) in folded and label not in gold_labels
    ]


def _rounded(labels: Array, gold: Array, gold_labels: GoldLabels) -> list[tuple[float, float]]:
    """Return pairs of a predicted number and one of the gold that are the same in lower precision.

    One of both, all predictions or the whole gold, holds only numbers of that precision, and the number with
    the fewer digits is that of the other: what is merely close is no pair.
    """
    if (
        labels.dtype.kind != "f"
        or gold.dtype.kind != "f"
        or all(one in gold_labels for one in labels.tolist())
    ):
        return []
    for precision in (np.float16, np.float32):
        with np.errstate(over="ignore"):
            narrow, others = labels.astype(precision), gold.astype(precision)
        label_of = dict(zip(others.tolist(), gold.tolist(), strict=True))
        pairs = [
            (label, label_of[one])
            for label, one in zip(labels.tolist(), narrow.tolist(), strict=True)
            if label not in gold_labels and one in label_of
        ]
        if np.array_equal(narrow, labels):
            return pairs
        if np.array_equal(others, gold):
            return [pair for pair in pairs if len(repr(pair[0])) < len(repr(pair[1]))]
    return []


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _are_texts(labels: Array, n_items: int) -> bool:
    """Return whether labels look like generated texts: most have several words, or hardly any recurs."""
    if labels.dtype.kind != "U":
        return False
    several_words = np.mean([" " in label.strip() for label in labels.tolist()])
    return bool(several_words > 0.5 or _hardly_recur(labels, n_items))


def _hardly_recur(distinct: Array, n_items: int) -> bool:
    return distinct.size > 10 and distinct.size > 0.5 * n_items


def _quoted(label: Any) -> str:
    """Return a label as a message shows it: a number without needless digits, a long text cut.

    >>> _quoted("pos"), _quoted(1.0), _quoted(2)
    ("'pos'", '1', '2')
    """
    if isinstance(label, float):
        return f"{label:.6g}"
    return repr(label[:40] if isinstance(label, str) else label)


def _shown(labels: Array) -> str:
    """Return some of the labels as a message shows them."""
    shown = [_quoted(label) for label in labels[:_SHOWN].tolist()]
    return ", ".join(shown) + (f" and {labels.size - _SHOWN} more" if labels.size > _SHOWN else "")
