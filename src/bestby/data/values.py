"""How a value is read: by itself and by what the gold holds, never by the values of other systems."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np

from bestby._core import arrays, checks
from bestby._core.checks import NUMERAL, number_hint
from bestby._core.errors import InvalidInputError, MissingValueError
from bestby._core.text import counted, normal_form, quoted
from bestby._core.typing import Array, ArrayLike, IntArray
from bestby.data import columns as data_columns
from bestby.data import soft
from bestby.data.columns import (
    EXACT,
    Coded,
    Column,
    coded_texts,
    complete,
    item_namer,
    label_column,
    system_or_gold,
    text_of_value,
    texts_coded,
)
from bestby.data.soft import Annotations
from bestby.results.base import Note

Key: TypeAlias = int | float | str
"""The form in which values are compared: an exact whole number, a float or a text. True is 1, False is 0."""

_WHOLE = re.compile(r"([+-]?(?:0|[1-9]\d*))(?:\.0*)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?(0|[1-9]\d*)", re.ASCII)
_BOOLEANS = {"true": 1, "false": 0}

_MOST_DIGITS = 400
"""Whole numbers with more digits are texts: no float is as large, and Python refuses over 4300."""

BOOLEAN_WORDS = ("False", "True")


def number_of(text: str) -> int | float | None:
    """Return the number that a text spells, whole numbers exactly; None for any other text.

    >>> number_of("1.0"), number_of("9007199254740993"), number_of("5e-1"), number_of("01"), number_of("x")
    (1, 9007199254740993, 0.5, None, None)
    """
    whole = _WHOLE.fullmatch(text)
    if whole is not None:
        return int(whole[1]) if len(whole[1]) <= _MOST_DIGITS else float(text)
    if not NUMERAL.fullmatch(text):
        return None
    number = float(text)
    if not number.is_integer():
        return number
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else number


def key_of(value: Any) -> Key:
    """Return the number or boolean that a value is or spells, otherwise its text in the normal form."""
    if isinstance(value, str):
        text = normal_form(value)
        number = number_of(text)
        if number is not None:
            return number
        return _BOOLEANS.get(text.lower(), text)
    return _number_key(value)


def _number_key(value: Any) -> Key:
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return int(value)
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return int(number) if number.is_integer() else number
    return text_of_value(value)


def spelled(key: Key) -> str:
    """Return the text of a number in its plain spelling; a text is its own."""
    return key if isinstance(key, str) else repr(key)


@dataclass(frozen=True)
class Rule:
    """How the values of one comparison are read; it follows from the gold alone.

    `kind`: "scores" without a gold; "numbers" or "booleans" if every value is one; "text" if a label is not;
    "codes" if the gold spells a number in several ways, such as 1.1 and 1.10, so that labels are texts. As a
    text, a whole number or a boolean has one spelling.
    """

    kind: Literal["scores", "numbers", "booleans", "text", "codes"] = "scores"
    as_text: bool = False
    spelling: Mapping[Key, str] = field(default_factory=dict)
    keys: frozenset[Key] = frozenset()
    fold_booleans: bool = True
    with_scores: bool = False
    whole: bool = False

    @classmethod
    def of(cls, gold: Column | None, *, strings: bool = False) -> Rule:
        """Return the rule for a gold; without one, values are scores and each column is read by itself."""
        if gold is None:
            return cls(as_text=strings)
        if not gold.is_text:
            kind: Literal["booleans", "numbers"] = "booleans" if gold.values.dtype.kind == "b" else "numbers"
            return cls(kind, whole=not strings and are_whole(gold))
        texts = _distinct(gold)
        keys = {text: key_of(text) for text in texts}
        if _holds_text(keys):
            return cls._of_texts("text", texts)
        if _all_booleans(texts):
            return cls("booleans", strings, _unique(keys), frozenset(keys.values()))
        if len({_folded(text, booleans=True) for text in texts}) > len({*keys.values()}):
            return cls._of_texts("codes", texts)
        whole = not strings and all(isinstance(key, int) for key in keys.values())
        return cls("numbers", strings, _unique(keys), frozenset(keys.values()), whole=whole)

    @classmethod
    def _of_texts(cls, kind: Literal["text", "codes"], texts: Collection[str]) -> Rule:
        words = [text.lower() for text in texts if text.lower() in _BOOLEANS]
        fold = len({*words}) == len(words)
        keys = {text: _folded(text, booleans=fold) for text in texts}
        with_scores = not any(map(_looks_like_number, texts))
        return cls(kind, True, _unique(keys), frozenset(keys.values()), fold, with_scores)

    @property
    def labels_are_texts(self) -> bool:
        """Whether labels are compared as texts."""
        return self.kind in ("text", "codes")

    def key(self, value: Any) -> Key:
        """Return the form in which a value is compared."""
        if not self.labels_are_texts:
            return key_of(value)
        text = value if isinstance(value, str) else spelled(key_of(value))
        if isinstance(value, bool | np.bool_):
            text = BOOLEAN_WORDS[int(value)]
        return _folded(text, booleans=self.fold_booleans)

    def keys_of(self, column: Column) -> dict[Any, Key]:
        """Return the distinct values of a column as they are compared; none for plain numbers."""
        if not column.is_text and (not self.as_text or not self.keys):
            return {}
        if self._takes_numbers and column.numbers is not None:
            return {}
        return {value: self.key(value) for value in _distinct(column)}

    @property
    def _takes_numbers(self) -> bool:
        return self.kind == "scores" and not self.as_text

    def read(self, column: Column, keys: Mapping[Any, Key]) -> Column:
        """Return a column with its values as they are compared, given its keys."""
        if self._takes_numbers and column.numbers is not None:
            return column.numbers
        if isinstance(column.data, Coded):
            return Column(Coded(self.read(column.distinct, keys).values, column.data.codes), column.missing)
        if not column.is_text and (not self.as_text or self.keys.isdisjoint(keys.values())):
            if not self.whole or column.values.dtype.kind != "f" or not are_whole(column):
                return column
            return Column(np.where(column.missing, 0.0, column.values).astype(np.int64), column.missing)
        numbers = None
        if self.with_scores and self.keys.isdisjoint(keys.values()):
            numbers = self._numbers(column, {text: key_of(text) for text in keys})
        elif not self.as_text:
            numbers = self._numbers(column, keys)
        if numbers is not None:
            return numbers
        return _as_texts(column, {value: self._text(key) for value, key in keys.items()})

    def _text(self, key: Key) -> str:
        plain = BOOLEAN_WORDS[int(key)] if self.kind == "booleans" and key in (0, 1) else spelled(key)
        return self.spelling.get(key, plain) if self.as_text else plain

    def _numbers(self, column: Column, keys: Mapping[str, Key]) -> Column | None:
        """Return a column of texts as numbers; None if one is no number, or no type holds all exactly."""
        if not keys or _holds_text(keys):
            return None
        distinct: set[Any] = {*keys.values()}
        dtype: Any = np.float64
        if (self.kind == "booleans" and distinct <= {0, 1}) or _all_booleans(keys):
            dtype = np.bool_
        elif self.kind == "scores" and not all(map(_INTEGER.fullmatch, keys)):
            dtype = np.float64
        elif all(isinstance(key, int) for key in distinct) and integer_type(distinct) is not None:
            dtype = integer_type(distinct)
        elif self.kind != "scores" and any(_as_float(key) != key for key in distinct):
            return None
        table = {text: _as_float(key) if dtype is np.float64 else key for text, key in keys.items()}  # type: ignore[arg-type]
        filler = next(iter(table.values()), 0)
        listed = [table.get(text, filler) for text in column.values.tolist()]
        return Column(np.array(listed, dtype=dtype), column.missing)


def read_together(
    gold: Column | None, systems: Mapping[str, Column], *, strings: bool = False
) -> tuple[Column | None, dict[str, Column], list[tuple[str, ...]]]:
    """Return the gold and the systems with their values as they are compared, and what became one label."""
    rule = Rule.of(gold, strings=strings)
    columns = list(systems.values()) if gold is None else [gold, *systems.values()]
    keys = [rule.keys_of(column) for column in columns]
    read = [rule.read(column, own) for column, own in zip(columns, keys, strict=True)]
    spellings: dict[Key, set[str]] = {}
    for own in keys:
        for value, key in own.items():
            if isinstance(value, str) and key in rule.keys:
                spellings.setdefault(key, set()).add(value)
    merged = sorted(tuple(sorted(texts)) for texts in spellings.values() if len(texts) > 1)
    labels = None if gold is None else read.pop(0)
    return labels, dict(zip(systems, read, strict=True)), merged


def as_scores(column: Column) -> Column:
    """Return a column of text as numbers or booleans if all its values are such, otherwise as it is.

    >>> from bestby.data.columns import column_of_texts
    >>> as_scores(column_of_texts(["1", "2.5"])).values, as_scores(column_of_texts(["1", "x"])).is_text
    (array([1. , 2.5]), True)
    """
    rule = Rule()
    read = rule.read(column, rule.keys_of(column))
    return column if read.is_text else read


def merged_note(merged: Sequence[tuple[str, ...]]) -> tuple[Note, ...]:
    """Return notes on labels that are spelled in several ways: in several Unicode forms, or as numbers."""
    forms = [texts for texts in merged if len({*map(normal_form, texts)}) == 1]
    merged = [texts for texts in merged if texts not in forms]
    notes = () if not forms else (forms_note("label", forms),)
    if not merged:
        return notes
    shown = "; ".join(" and ".join(map(repr, texts[:3])) for texts in merged[:3])
    more = f"; and {len(merged) - 3} more" if len(merged) > 3 else ""
    message = (
        f"several spellings of a number or boolean count as one label: {shown}{more}. If they are different"
        " codes, some wrong predictions count as right: write the codes so that they are not numbers, such as"
        " 'v1.10'"
    )
    return (*notes, Note("labels_merged", message))


def forms_note(noun: str, forms: Sequence[Collection[str]]) -> Note:
    """Return the note on texts that look alike, are written with different characters, and count as one."""
    examples = "; ".join(" and ".join(map(ascii, sorted(texts)[:3])) for texts in forms[:3])
    verb = "is" if len(forms) == 1 else "are"
    message = (
        f"{counted(len(forms), noun)} {verb} written in several Unicode forms, which look alike and count as"
        f" one: {examples}"
    )
    return Note("unicode_forms", message)


def integer_type(numbers: Collection[Any]) -> Any:
    """Return the type of 64 bits that holds whole numbers, None if none does."""
    low, high = min(numbers, default=0), max(numbers, default=0)
    if low >= -(2**63) and high < 2**63:
        return np.int64
    return np.uint64 if low >= 0 and high < 2**64 else None


def _all_booleans(texts: Iterable[Any]) -> bool:
    return all(isinstance(text, str) and text.lower() in _BOOLEANS for text in texts)


def are_whole(column: Column) -> bool:
    """Tell whether numbers are whole, and floats exactly the ones they stand for."""
    column = column.distinct
    values = column.values
    if values.dtype.kind != "f" or values.ndim != 1:
        return values.dtype.kind in "iu"
    there = values[~column.missing] if column.missing.any() else values
    return bool((np.abs(there) <= EXACT).all() and (there == np.rint(there)).all())


def _looks_like_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _holds_text(keys: Mapping[Any, Key]) -> bool:
    return any(isinstance(key, str) for key in keys.values())


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer of more than 308 digits
        return float("inf") if value > 0 else float("-inf")


def _folded(text: str, *, booleans: bool) -> str:
    """Return a label that is a text in its normal form and the one spelling of whole numbers and booleans."""
    text = normal_form(text)
    whole = _WHOLE.fullmatch(text)
    if whole is not None:
        return "0" if whole[1] == "-0" else whole[1]
    return text.lower() if booleans and text.lower() in _BOOLEANS else text


def _unique(keys: Mapping[str, Key]) -> dict[Key, str]:
    """Return the spelling of each value that has one only."""
    count = Counter(keys.values())
    return {key: text for text, key in keys.items() if count[key] == 1}


def _distinct(column: Column) -> list[Any]:
    """Return the values of a column, each once."""
    column = column.distinct
    values = column.values if not column.missing.any() else column.values[~column.missing]
    return [*{*values.tolist()}] if values.dtype.kind in "OU" else np.unique(values).tolist()


def _as_texts(column: Column, table: Mapping[Any, str]) -> Column:
    """Return the column with each value as the text that stands for it."""
    if column.values.dtype.kind == "U" and all(value == text for value, text in table.items()):
        return column
    filler = next(iter(table.values()), "")
    listed = [table.get(value, filler) for value in column.values.tolist()]
    return Column(np.array(listed, dtype=np.str_), column.missing)


def label_codes(columns: Sequence[Array]) -> tuple[Array, list[IntArray]]:
    """Return the sorted union of the labels of several columns, compared exactly, and each column's codes."""
    kinds = {values.dtype.kind for values in columns}
    if len(kinds) > 1 and ("U" in kinds or not _one_type_holds(columns, kinds)):
        return _codes_compared_exactly(columns)
    labels = np.unique(np.concatenate(columns))
    return labels, [np.searchsorted(labels, values).astype(np.int64) for values in columns]


def share_a_label(gold: Array, values: Array) -> bool:
    """Tell whether some value is a label of the gold.

    >>> share_a_label(np.array([1, 2]), np.array(["?", "2"]))
    True
    """
    _, (known, there) = label_codes([np.unique(gold), np.unique(values)])
    return bool(np.isin(there, known).any())


def without_labels(gold: Column, systems: Mapping[str, Column]) -> list[str]:
    """Return which columns hold none of the gold's labels, such as sentences or scores that are not whole."""
    if not any(column.is_text for column in systems.values()):
        return []
    gold, systems = gold.distinct, {name: column.distinct for name, column in systems.items()}
    known = gold.values[~gold.missing]
    present = {
        name: column.values[~column.missing]
        for name, column in systems.items()
        if column.is_text or gold.is_text
    }
    strange = [name for name, values in present.items() if values.size and not share_a_label(known, values)]
    if len(strange) == len(present):
        return strange
    return [name for name in strange if present[name].dtype.kind != "f" or are_whole(systems[name])]


def _codes_compared_exactly(columns: Sequence[Array]) -> tuple[Array, list[IntArray]]:
    """Return the union and codes of labels that no one type of numbers holds; see `label_codes`."""
    has_texts = any(values.dtype.kind == "U" and values.size for values in columns)
    words = BOOLEAN_WORDS if columns[0].dtype.kind == "b" else None

    def label(value: Any) -> Key:
        if isinstance(value, str):
            return value
        key = key_of(value)
        return words[int(key)] if words is not None and key in (0, 1) else spelled(key) if has_texts else key

    def place_in_order(key: Key) -> tuple[bool, Any]:
        number = key if not isinstance(key, str) else number_of(key)
        return (True, key) if number is None else (False, number)

    keys = [[label(value) for value in values.tolist()] for values in columns]
    distinct = {key for own in keys for key in own}
    order = sorted(distinct, key=place_in_order)
    place = {key: position for position, key in enumerate(order)}
    whole = None if has_texts or not all(isinstance(key, int) for key in distinct) else integer_type(distinct)
    names = np.array([spelled(key) for key in order]) if whole is None else np.array(order, dtype=whole)
    return names, [np.array([place[key] for key in own], dtype=np.int64) for own in keys]


def _one_type_holds(columns: Sequence[Array], kinds: Collection[str]) -> bool:
    """Tell whether one type of numbers holds the values of all columns as they are."""
    if "f" not in kinds:
        return np.result_type(*columns).kind != "f"  # of signed and unsigned integers NumPy makes floats
    whole = [values for values in columns if values.dtype.kind in "iu" and values.size]
    return all(int(values.max()) <= EXACT and int(values.min()) >= -EXACT for values in whole)


def checked_labels(
    inputs: Mapping[str, Any],
    ids: Array | None,
    annotations: Annotations | None,
    classes: ArrayLike | None,
    normalise: bool,
    coded: dict[str, Coded],
) -> tuple[dict[str, Array | Coded], Array | None, tuple[Note, ...]]:
    """Return the values of the systems and the gold (under ``""``), the classes of soft ones, and notes."""
    inputs = {
        name: (coded_texts(values) if isinstance(values, list) else None) or values
        for name, values in inputs.items()
    }
    rows = [
        name
        for name, values in inputs.items()
        if not isinstance(values, Coded) and data_columns.is_soft(values)
    ]
    if not rows:
        checks.refuse_unused(
            "hard labels and scores: only soft labels are normalised", normalise=(normalise, False)
        )
    if not rows and annotations is None and classes is None:
        as_given, notes = _hard_labels(inputs, coded)
        return as_given, None, notes
    named = classes
    if named is None and annotations is not None and annotations.named:
        named = annotations.classes
    hint = soft.ASK_CLASSES
    if named is None:
        named = soft.named_classes({system_or_gold(name): inputs[name] for name in rows}, system_or_gold(""))
        hint = hint if named is None else soft.ASK_NAMES
    if named is None and annotations is not None:
        named = annotations.classes
    known = None if named is None else checks.column(named, "classes")
    n_classes = None if known is None else int(known.size)
    out: dict[str, Array] = {}
    for name, values in inputs.items():
        if name in rows:
            ordered = soft.by_name(values, known, system_or_gold(name))
            out[name] = soft.distributions(
                ordered, system_or_gold(name), n_classes=n_classes, normalise=normalise, place=item_namer(ids)
            )
            n_classes = out[name].shape[1]
        else:
            out[name] = label_column(values, system_or_gold(name)).values
    assert n_classes is not None  # of a row, of the annotations, or named
    names = soft.classes_of(known, n_classes)
    if "" in inputs or annotations is not None:
        rule = Rule.of(label_column(names, "classes"), strings=True)
        for name in inputs:
            if name not in rows:
                column = label_column(out[name], system_or_gold(name))
                out[name] = rule.read(column, rule.keys_of(column)).values
                soft.positions(out[name], names, system_or_gold(name), hint=hint)
    return {**out}, names, ()


def _hard_labels(
    inputs: Mapping[str, Any], coded: dict[str, Coded]
) -> tuple[dict[str, Array | Coded], tuple[Note, ...]]:
    """Return one label or number per item, texts as codes if there is a gold, and notes."""
    columns = {name: label_column(values, system_or_gold(name)) for name, values in inputs.items()}
    if "" in columns:
        coded |= {name: texts_coded(column.compact) for name, column in columns.items() if column.is_text}
    # The values stay as given, for functions of the user's own; metrics of labels read them in this way.
    as_given = {
        name: coded[name] if name in coded else column.values  # noqa: SIM401 - makes no array in vain
        for name, column in columns.items()
    }
    if not any(column.is_text for column in columns.values()):
        return as_given, ()  # numbers have one spelling
    columns |= {name: complete(texts.distinct) for name, texts in coded.items()}
    merged = read_together(columns.pop("", None), columns, strings=True)[2]
    return as_given, merged_note(merged)


def assumed_classes_note(annotations: Annotations, columns: Mapping[str, Any]) -> tuple[Note, ...]:
    """Return a note if columns of soft systems are read as the sorted labels of the annotators."""
    names = tuple(
        name
        for name, values in columns.items()
        if data_columns.is_soft(values) and arrays.are_default_names(arrays.column_names(values) or [])
    )
    classes = annotations.classes
    if not names or annotations.named or np.array_equal(classes, np.arange(classes.size)):
        return ()
    listed = ", ".join(map(str, classes[:8])) + (", …" if classes.size > 8 else "")
    message = (
        f"the columns of {', '.join(names)} are taken for the annotators' labels in sorted order ({listed}):"
        " pass classes=[...] to say which they are"
    )
    return (Note("classes_assumed", message, names),)


def opaque(values: Any, what: str) -> Array:
    """Return items of any kind as an array of objects, with none missing.

    >>> opaque([(10, 3), (10, 0)], "system 'a'")
    array([(10, 3), (10, 0)], dtype=object)
    """
    listed = arrays.listed(values, what)
    if {*map(type, listed)} - {str, list, tuple}:  # of these none stands for a missing value
        for position, value in enumerate(listed):
            if checks.missing(value):
                raise MissingValueError(
                    f"{what} has a missing value at position {position}", hint=checks.ASK_VALUE
                )
    return np.fromiter(listed, dtype=object, count=len(listed))  # np.array would take lists for rows


def check_scores(arrays: Mapping[str, Array]) -> None:
    """Refuse systems that hold no scores where there is no gold."""
    for name, array in arrays.items():
        if array.ndim == 2 and array.dtype.kind != "O":
            raise InvalidInputError(
                f"without gold, systems must be per-item scores, but {quoted(name)} holds a row per item",
                hint="pass gold=... to compare soft predictions",
            )
    texts = {name: array for name, array in arrays.items() if array.dtype.kind == "U"}
    if texts:
        # One text makes text of all columns of a file: the one to be named is none that spells a number.
        odd = (
            (name, place)
            for name, array in texts.items()
            for place, text in enumerate(array.tolist())
            if not NUMERAL.fullmatch(text)
        )
        name, place = next(odd, ("", 0))
        if not name:  # as many texts as numbers: the metric reads what it needs of them
            return
        text = str(texts[name][place])
        hint = "pass gold=... to compare predictions, or correct this value"
        if any(all(NUMERAL.fullmatch(str(one)) for one in array.tolist()) for array in arrays.values()):
            hint = f"leave it out if it is no system: ignore={name!r}; or {hint}"
        raise InvalidInputError(
            f"without gold, systems must be per-item scores, but {quoted(name)} holds text:"
            f" {quoted(text)} at position {place}",
            hint=number_hint(text, hint),
        )


_COMMA_NUMBER = re.compile(r"[+-]?\d+(,\d+)?", re.ASCII)


def with_decimal_comma(texts: Collection[str]) -> str | None:
    """Return a number with a decimal comma if texts are such, or whole numbers, and nothing else.

    >>> with_decimal_comma(["1", "0,25"]), with_decimal_comma(["1", "0,25", "x"])
    ('0,25', None)
    """
    shown = min((text for text in texts if "," in text), default=None)
    return None if shown is None or not all(map(_COMMA_NUMBER.fullmatch, texts)) else shown
