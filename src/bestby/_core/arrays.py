"""What a container of values may be, how it becomes an array, and what labels it brings.

Labels are the index of pandas objects and the names of the columns of frames. Values are joined by place, so
labels that say otherwise are refused here, for all functions in the same words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from os import PathLike
from typing import Any

import numpy as np

from bestby._core import paths
from bestby._core.errors import InvalidInputError
from bestby._core.text import normal_form, path_text, quoted
from bestby._core.typing import Array, ArrayLike, IntArray

_HINT = "pass a list, a NumPy array, or a pandas, polars or Arrow column"
_OF_A_TEST_SET = "pass a value per item; scores of whole test sets are for compare_published(scores={...})"

_IN_ORDER = (
    "bring both into one order, for example gold.loc[predictions.index]; .to_numpy() ignores the index"
)


def sequence(values: Any, what: str) -> Any:
    """Return values that lie in an order, those of an iterator as a list."""
    if isinstance(values, np.ndarray) and values.ndim:
        return values
    if isinstance(values, AbstractSet):
        raise InvalidInputError(
            f"{what} is a {type(values).__name__}, which has no order",
            hint="pass a list, such as sorted(values)",
        )
    if isinstance(values, Mapping):
        raise InvalidInputError(
            f"{what} must be a sequence of values, got a mapping", hint="pass its values as a list"
        )
    if isinstance(values, list | tuple):
        return values
    if tuple(getattr(values, "shape", ()))[1:] == (0,):
        raise InvalidInputError(f"{what} has no columns", hint="pass a value per item")
    kind = type(values).__name__
    try:
        if getattr(values, "shape", None) == ():
            raise TypeError("it is a single value")
        if any(hasattr(values, name) for name in ("to_numpy", "__array__", "__dlpack__", "detach")):
            return values
        if hasattr(values, "toarray"):  # a sparse matrix of SciPy
            return values.toarray()
        if _names_file(values):
            raise _path(values, what)
        if isinstance(values, str | bytes | bytearray) or not isinstance(values, Iterable):
            raise TypeError(f"{kind} is not a sequence")
        return list(values)
    except InvalidInputError:
        raise
    except Exception as error:  # code of the user's own container runs here, and may raise anything
        raise _no_array(what, kind, error) from error


def _names_file(values: Any) -> bool:
    """Tell whether this is a path, or a text that is the path of a file."""
    return isinstance(values, PathLike) or (isinstance(values, str) and paths.is_file(values))


def _path(values: Any, what: str) -> InvalidInputError:
    return InvalidInputError(
        f"{what} must be a one-dimensional sequence of values, got the path {path_text(values)}",
        hint="read the file first: bestby.read_labels(path) for a label per line, bestby.read(path) for a"
        " table or the file of a tool",
    )


def _no_array(what: str, kind: str, error: Exception) -> InvalidInputError:
    cause = str(error) or type(error).__name__
    hint = _OF_A_TEST_SET if kind in ("float", "float64", "float32") else _HINT
    return InvalidInputError(
        f"{what} must be a one-dimensional sequence of values, got {kind}: {cause}", hint=hint
    )


def as_array(values: ArrayLike, what: str) -> Array:
    """Return `values` as a NumPy array without copying where that is possible.

    Takes anything with ``__array__``, ``to_numpy`` or ``__dlpack__``, tensors that need
    ``detach().cpu()`` first, and plain sequences. Masked cells of a masked array are missing values: None.

    >>> as_array(["a", "b"], "gold")
    array(['a', 'b'], dtype='<U1')
    >>> as_array(np.ma.array([1, 2], mask=[False, True]), "gold")
    array([1, None], dtype=object)
    """
    container = sequence(values, what)
    try:
        array = _converted(container)
        if array.dtype.kind == "T":  # NumPy's texts of any length, which may hold missing ones
            array = array.astype(object)
        return _without_str_types(array) if array.dtype.kind == "O" and array.ndim == 1 else array
    except Exception as error:  # as in `sequence`
        raise _no_array(what, type(container).__name__, error) from error


def _converted(values: Any) -> Array:
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ma.MaskedArray):
        return _with_gaps(values)
    if isinstance(values, list | tuple):
        return _from_list(list(values))
    if isinstance(values, np.ndarray):
        return np.asarray(values)
    if hasattr(values, "detach"):  # a tensor that may require a gradient or live on a device
        values = values.detach().cpu()
    if hasattr(values, "to_numpy") and not type(values).__module__.startswith("pyarrow"):
        return np.asarray(values.to_numpy())  # Arrow's own takes no texts and nothing missing
    return np.asarray(values) if hasattr(values, "__array__") else np.from_dlpack(values)


def _with_gaps(values: np.ma.MaskedArray[Any, Any]) -> Array:
    """Return an array of objects with None in place of what is masked; a plain one if nothing is."""
    mask = np.ma.getmaskarray(values)
    data = np.asarray(values)
    if mask.dtype != np.bool_ or not mask.any():  # records have a mask for each field; they are refused later
        return data
    out = data.astype(object)
    out[mask] = None
    return out


def _from_list(values: list[Any]) -> Array:
    """Array of a list, keeping mixed types as objects instead of letting NumPy turn all into strings."""
    kinds = {type(value) for value in values}
    if any(issubclass(kind, np.ma.MaskedArray) for kind in kinds):
        values = [_cell(value) for value in values]
        kinds = {type(value) for value in values}
    if any(_is_str_type(kind) for kind in kinds):
        values = [_plain_text(value) for value in values]
        kinds = {type(value) for value in values}
    if str in kinds and len(kinds) > 1:
        return objects(values)
    return np.asarray(values)


def objects(values: list[Any]) -> Array:
    """Return values as an array of objects."""
    return np.fromiter(values, dtype=object, count=len(values))  # asks no value for an array


def _is_str_type(kind: type) -> bool:
    return issubclass(kind, str) and kind not in (str, np.str_)


def _plain_text(value: Any) -> Any:
    """Return the text that a value of a type derived from str holds, whatever `str` prints."""
    return str.__str__(value) if _is_str_type(type(value)) else value


def _without_str_types(array: Array) -> Array:
    if not any(_is_str_type(kind) for kind in {type(value) for value in array}):
        return array
    return objects([_plain_text(value) for value in array])


def _cell(value: Any) -> Any:
    if value is np.ma.masked:
        return None
    return _with_gaps(value) if isinstance(value, np.ma.MaskedArray) else value


def values_of(values: Any) -> Any:
    """Return the values of a mapping, such as of run to score, as a list; anything else as it is."""
    return list(values.values()) if isinstance(values, Mapping) else values


def joined_by_key(columns: Mapping[str, Any], keys: str) -> dict[str, Any]:
    """Return what belongs together value by value, mappings joined by key in the order of the first.

    >>> joined_by_key({"a": {1: 0.8, 2: 0.9}, "b": {2: 0.7, 1: 0.6}}, "runs")
    {'a': [0.8, 0.9], 'b': [0.6, 0.7]}
    """
    named = [what for what, values in columns.items() if isinstance(values, Mapping)]
    if not named:
        check_labels(columns)
        return dict(columns)
    first = named[0]
    order = list(columns[first])
    for what, values in columns.items():
        if not isinstance(values, Mapping):
            raise InvalidInputError(
                f"{first} are a mapping of {keys} to values, but {what} are not",
                hint=f"pass mappings of {keys} to values for all, or plain lists in the same order",
            )
        odd = [key for key in order if key not in values] + [
            key for key in values if key not in columns[first]
        ]
        if odd:
            raise InvalidInputError(
                f"{what} and {first} have different {keys}: {quoted(odd[0])} is not in both",
                hint=f"leave out the {keys} that one of them lacks",
            )
    return {what: [values[key] for key in order] for what, values in columns.items()}


def listed(values: Any, what: str) -> list[Any]:
    """Return the values of a container as Python has them, whatever they are, one per row."""
    container = sequence(values, what)
    try:
        if not isinstance(container, list | tuple) and len(getattr(container, "shape", ())) > 1:
            return list(_converted(container).tolist())
        for method in ("tolist", "to_list", "to_pylist"):
            if hasattr(container, method):
                return list(getattr(container, method)())
        if isinstance(container, Iterable):
            return list(container)
        array = _converted(container)
        if array.ndim == 0:  # of pandas' NaT
            raise TypeError("it is a single value")
        return list(array.tolist())
    except Exception as error:  # as in `sequence`
        raise _no_array(what, type(container).__name__, error) from error


def labels_of(values: Any) -> Any | None:
    """Return the index of a pandas object; None for all that has none."""
    index = getattr(values, "index", None)
    return index if hasattr(index, "equals") and hasattr(index, "tolist") else None


def is_numbered(labels: Any) -> bool:
    """Return whether labels are 0 to n - 1 in this order, as pandas numbers rows that nobody labelled."""
    if getattr(labels, "start", None) == 0 and getattr(labels, "step", None) == 1:
        return True
    try:
        return bool(np.array_equal(np.asarray(labels), np.arange(len(labels))))
    except (TypeError, ValueError):
        return False


def check_labels(containers: Mapping[str, Any], ids: Any = None) -> Any | None:
    """Refuse pandas objects whose indexes say that their values do not belong together as they lie.

    An index that just numbers the rows from 0 says nothing, unless the same numbers stand in another order
    elsewhere. Returns the labels that they share, if there are any but numbers from 0, else None.

    >>> import pandas as pd
    >>> check_labels({"gold": pd.Series([1, 0], ["x", "y"]), "system 'a'": [1, 1]}).tolist()
    ['x', 'y']
    """
    indexes = {what: labels_of(values) for what, values in containers.items()}
    return check_indexes({what: index for what, index in indexes.items() if index is not None}, ids)


def check_columns(containers: Mapping[str, Any]) -> None:
    """Refuse pandas frames with a row per run whose columns, the items, are not the same in one order."""
    frames = {what: values for what, values in containers.items() if hasattr(values, "iloc")}
    columns = {what: getattr(values, "columns", None) for what, values in frames.items()}
    check_indexes({what: names for what, names in columns.items() if names is not None}, called="columns")


def check_indexes(indexes: Mapping[str, Any], ids: Any = None, called: str = "index") -> Any | None:
    """Do what `check_labels` does, with the indexes, or the columns, themselves."""
    main = next((what for what, index in indexes.items() if not is_numbered(index)), None)
    if main is None:
        return None
    labels = indexes[main]
    place = {what: position for position, what in enumerate(indexes)}
    for what, index in indexes.items():
        if what == main or len(index) != len(labels) or _same(index, labels):
            continue
        one, other = sorted((what, main), key=place.__getitem__)
        if _is_shuffled(index, labels):
            raise InvalidInputError(
                f"the {called} of {other} is in another order than that of {one}", hint=_IN_ORDER
            )
        if not is_numbered(index):
            raise _unlike(indexes[one], indexes[other], f"the {called} of {one}", f"that of {other}")
    if ids is not None and labels_of(ids) is None:
        named = as_array(ids, "ids")
        if named.ndim == 1 and _is_shuffled(named, labels):
            raise InvalidInputError(f"the {called} of {main} holds the ids in another order", hint=_IN_ORDER)
    return labels


def _same(one: Any, other: Any) -> bool:
    return bool(one.equals(other)) or in_normal_form(one.tolist()) == in_normal_form(other.tolist())


def in_normal_form(ids: Iterable[Any]) -> list[Any]:
    r"""Return ids, those that are text in the form in which they are compared.

    >>> in_normal_form(["cafe\u0301", 7]) == ["caf\xe9", 7]
    True
    """
    return [normal_form(one) if isinstance(one, str) else one for one in ids]


def _is_shuffled(one: Any, other: Any) -> bool:
    """Return whether both hold the same labels in another order."""
    mine, others = one.tolist(), other.tolist()
    return len(mine) == len(others) and mine != others and Counter(mine) == Counter(others)


def _unlike(one: Any, other: Any, first: str, second: str) -> InvalidInputError:
    mine, others = one.tolist(), set(other.tolist())
    odd = [label for label in mine if label not in others]
    absent = f"; first missing from the latter: {quoted(odd[0])}" if odd else ""
    return InvalidInputError(
        f"{first} and {second} share {len(mine) - len(odd)} of {len(mine)} labels{absent}",
        hint="bring both to the same labels, for example with gold.loc[predictions.index]; .to_numpy()"
        " ignores the index",
    )


def check_same_order(labels: Any, ids: Sequence[Any], what: str, reference: str) -> None:
    """Refuse labels that are not the ids of a reference, such as the items of a study, in their order.

    `ids` are 0 to n - 1 if nobody named any.
    """
    named, mine = as_ids(labels), list(ids)
    if named is None or named == mine or len(named) != len(mine):
        return
    if Counter(named) == Counter(mine):
        raise InvalidInputError(f"the index of {what} is in another order than {reference}", hint=_IN_ORDER)
    if not (is_numbered(np.asarray(mine)) or is_numbered(labels)):
        raise _unlike(
            np.asarray(named, dtype=object), np.asarray(mine, dtype=object), f"the index of {what}", reference
        )


def as_ids(labels: Any) -> list[Any] | None:
    """Return labels as ids, which are whole numbers or text; None if one of them repeats another.

    >>> as_ids(np.array(["x", "y"])), as_ids(np.array([0.5, 1.0])), as_ids(np.array([1, 1]))
    (['x', 'y'], ['0.5', '1.0'], None)
    """
    listed = labels.tolist()
    whole = all(isinstance(label, int) and not isinstance(label, bool) for label in listed)
    ids = listed if whole else [str(label) for label in listed]
    return ids if len(set(ids)) == len(ids) else None


def column_names(values: Any) -> list[Any] | None:
    """Return the names of the columns of a frame; None for all that has none."""
    if isinstance(values, np.ndarray | list | tuple):
        return None
    names = getattr(values, "column_names", None)  # of Arrow, whose `columns` are the values
    names = getattr(values, "columns", None) if names is None else names
    if names is None or callable(names) or not isinstance(names, Iterable):
        return None
    return list(names)


def are_default_names(names: Sequence[Any]) -> bool:
    """Return whether these are the names that pandas and polars give columns which nobody named."""
    numbered = all(not isinstance(name, str) for name in names) and is_numbered(names)
    return numbered or list(names) == [f"column_{place}" for place in range(len(names))]


def take(values: Any, positions: IntArray) -> Any:
    """Return the values at some positions, in a container of the same kind.

    >>> take(["x", "y", "z"], np.array([2, 0]))
    ['z', 'x']
    """
    if isinstance(values, list | tuple):
        return [values[position] for position in positions.tolist()]
    if hasattr(values, "iloc"):
        return values.iloc[positions]
    if column_names(values) is not None:  # a frame of Arrow, or of polars
        return values.take(positions) if hasattr(values, "take") else values[positions.tolist()]
    array = as_array(values, "values")
    if array.dtype.kind == "O" and array is not values:  # NumPy has arrays where Python has lists
        rows = listed(values, "values")
        return [rows[position] for position in positions.tolist()]
    return array[positions]


_NO_FRAMES = (Mapping, str, bytes, list, tuple, set, np.ndarray, np.generic)


def is_table(data: Any) -> bool:
    """Tell whether `data` is a data frame, or a list of records: mappings of column to value."""
    if isinstance(data, list | tuple):
        return bool(data) and all(issubclass(kind, Mapping) for kind in {*map(type, data)})
    return is_frame(data)


def is_frame(data: Any) -> bool:
    """Tell whether `data` has named columns: a frame of any library, lazy or not."""
    if isinstance(data, _NO_FRAMES) or type(data).__module__.partition(".")[0] in ("builtins", "bestby"):
        return False
    return is_partitioned(data) or _narwhal(data) is not None or _has_named_columns(data)


def is_partitioned(data: Any) -> bool:
    """Tell whether `data` is a data frame of dask, which is not imported for that."""
    return type(data).__module__.partition(".")[0].startswith("dask") and hasattr(data, "map_partitions")


def _narwhal(data: Any) -> Any:
    """Return a frame as narwhals sees it; None for what is none."""
    import narwhals as nw

    try:
        frame = nw.from_native(data, pass_through=True)
    except ValueError:  # duplicate names, which are refused where the columns are looked at
        return data
    return frame if isinstance(frame, nw.DataFrame | nw.LazyFrame) else None


def _has_named_columns(data: Any) -> bool:
    """Tell whether `data` is a table that narwhals does not know, such as a data set of Hugging Face."""
    return hasattr(data, "column_names") and hasattr(data, "__getitem__")
