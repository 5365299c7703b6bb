"""Containers of every kind, in every place: the same result or a refusal."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import pytest
from tests.laws import containers, places
from tests.laws.outcomes import check_error

import bestby as bb


def failures(call: Callable[[Any], Any], made: Mapping[str, Any], expected: Callable[[Any], bool]) -> Any:
    """Return what became of the containers for which it is not what is expected, or an error not ours."""
    found: dict[str, Any] = {}
    for kind, values in made.items():
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                result = call(values)
            except bb.errors.BestbyError as error:
                check_error(error)
                result = error
            except Exception as error:
                found[kind] = f"{type(error).__name__}: {error}"
                continue
        if not expected(result):
            found[kind] = result
    return found


def is_refused(result: Any) -> bool:
    """Return whether a call ended in an error of ours."""
    return isinstance(result, bb.errors.BestbyError)


@pytest.mark.parametrize("place", places.GIVEN)
def test_the_same_values_in_other_containers_give_the_same_result(place: str) -> None:
    values, call = places.GIVEN[place]
    expected = places.told(call(values))
    made = containers.nested(values) if isinstance(values[0], list) else containers.alike(values)
    if place == "replicability":
        del made["labelled series"]  # whose labels name the datasets
    assert not failures(lambda given: places.told(call(given)), made, lambda found: found == expected)


@pytest.mark.parametrize("place", places.GIVEN)
def test_what_has_no_order_or_not_all_values_is_refused(place: str) -> None:
    values, call = places.GIVEN[place]
    fit = containers.GAPS if place.endswith((", dropped", ", worst")) else ()
    fit = ("records",) if place == "Annotations.of" else fit  # which are rows of two labels
    fit = (*fit, *(("times",) if place in places.OF_LABELS else ()))  # dates are labels, as text
    made = {kind: given for kind, given in containers.refused(values).items() if kind not in fit}
    assert not failures(call, made, is_refused)


@pytest.mark.check
@pytest.mark.parametrize("place", places.GIVEN)
def test_no_container_raises_another_error(place: str) -> None:
    """Where whole arguments are odd, unit/test_misuse.py looks."""
    values, call = places.GIVEN[place]
    made = containers.anything(values)
    assert not failures(lambda given: str(call(given)), made, lambda _: True)


@pytest.mark.parametrize("place", places.TOGETHER)
def test_pandas_objects_that_belong_together_have_the_same_labels_in_one_order(place: str) -> None:
    """Those with the same labels, or none, join by place; in another order, or with others, they do not."""
    call = places.TOGETHER[place]
    x = pd.Series(containers.PLAIN, index=list("uvwxyz"))
    y = pd.Series(containers.OTHER, index=x.index)
    fit = {"same": y}
    unfit = {"shuffled": y.iloc[::-1]}
    assert not failures(lambda other: call(x, other), fit, lambda found: not is_refused(found))
    assert not failures(lambda other: call(x, other), unfit, is_refused)
    if place not in ("Study, ids", "compare, items"):  # where the labels are passed as ids
        fit = {"numbered": y.reset_index(drop=True)}
        unfit = {"shifted": y.set_axis(list("vwxyza")), "others": y.set_axis(list("ABCDEF"))}
        assert not failures(lambda other: call(x, other), fit, lambda found: not is_refused(found))
        assert not failures(lambda other: call(x, other), unfit, is_refused)
        numbers = x.reset_index(drop=True)
        assert not failures(lambda other: call(numbers, other), {"sorted": numbers.iloc[::-1]}, is_refused)
