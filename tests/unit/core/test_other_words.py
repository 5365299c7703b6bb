"""The words of other libraries are answered with ours, in Python and on the command line, and ours work."""

from __future__ import annotations

import re
from typing import Any

import pytest

import bestby as bb
from bestby.cli import main
from bestby.metrics import list_metrics, resolve
from bestby.metrics.registry import SUGGESTIONS
from bestby.questions.advice.advise import KINDS_ELSEWHERE

GOLD = [1, 0] * 10
SYSTEMS = {"a": GOLD, "b": [1, 1] * 10}
KEYWORDS = {
    "item_column": ([*range(20)], "items"),
    "sampling": (500, "n_resamples"),
    "n_iter": (500, "n_resamples"),
    "n_loops": (500, "n_resamples"),
    "confidence_level": (0.9, "level"),
    "bias_corrected": (True, 'interval="bca"'),
    "chi2": (True, 'test="mcnemar"'),
    "randomization": (True, 'test="permutation"'),
    "t_test": (True, 'test="t"'),
    "use_bonferroni": (True, 'correction="bonferroni"'),
    "fdr": (True, 'correction="bh"'),
    "method": ("bias_corrected", 'interval="bca"'),
}
VALUES = [
    ("test", "t-test", "t"),
    ("test", "ttest", "t"),
    ("test", "chi2", "mcnemar"),
    ("test", "randomization", "permutation"),
    ("test", "approximate randomization", "permutation"),
    ("interval", "bias_corrected", "bca"),
    ("interval", "bootstrap", "percentile"),
    ("interval", "wilson", "tango"),
    ("correction", "fdr", "bh"),
    ("correction", "fdr_bh", "bh"),
    ("correction", "Benjamini-Hochberg", "bh"),
    ("alternative", "larger", "greater"),
]


@pytest.mark.parametrize("word", KEYWORDS)
def test_a_keyword_of_another_library(word: str) -> None:
    value, ours = KEYWORDS[word]
    with pytest.raises(bb.errors.InvalidInputError, match=re.escape(f"did you mean {ours}?")):
        bb.compare(SYSTEMS, GOLD, **{word: value})
    name, _, setting = ours.partition("=")
    followed: dict[str, Any] = {name: setting.strip('"') or value}
    assert bb.compare(SYSTEMS, GOLD, **{"n_resamples": 99, **followed}).differences


@pytest.mark.parametrize(("argument", "value", "ours"), VALUES)
def test_a_value_of_another_library(argument: str, value: str, ours: str) -> None:
    with pytest.raises(bb.errors.InvalidInputError, match=f"; did you mean '{ours}'") as caught:
        bb.compare(SYSTEMS, GOLD, **{argument: value})
    assert caught.value.argument == argument
    assert bb.compare(SYSTEMS, GOLD, n_resamples=99, **{argument: ours}).differences


def test_each_comparison_is_answered_with_what_it_takes() -> None:
    runs = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.5]}
    with pytest.raises(bb.errors.InvalidInputError, match="did you mean 'brunner-munzel'"):
        bb.compare_runs(runs, test="mann-whitney")
    with pytest.raises(bb.errors.InvalidInputError, match='did you mean test="corrected-t"'):
        bb.compare_folds(runs, t_test=True)
    with pytest.raises(bb.errors.InvalidInputError) as caught:
        bb.evaluate(SYSTEMS, GOLD, use_bonferroni=True)
    assert caught.value.hint == 'compare takes correction="bonferroni"'
    with pytest.raises(bb.errors.InvalidInputError, match=r"no parameter 'mann_whitney'\n"):
        bb.compare(SYSTEMS, GOLD, mann_whitney=True)


@pytest.mark.parametrize(
    ("option", "ours"),
    [
        ("--n-iter", "--resamples"),
        ("--n-loops", "--resamples"),
        ("--sampling", "--resamples"),
        ("--random-state", "--seed"),
        ("--use-bonferroni", "--correction bonferroni"),
        ("--fdr", "--correction bh"),
        ("--chi2", "--test mcnemar"),
        ("--randomization", "--test permutation"),
        ("--t-test", "--test t"),
        ("--bias-corrected", "--interval bca"),
    ],
)
def test_an_option_of_another_tool(option: str, ours: str, tmp_path: Any, capsys: Any) -> None:
    table = tmp_path / "table.csv"
    table.write_text("gold,a,b\n" + "1,1,0\n0,0,0\n1,1,1\n" * 5)
    command = ["compare", str(table), "--gold", "gold"]
    assert main([*command, option, "9"]) == 2
    assert f"UsageError: No such option: {option}; did you mean {ours}?" in capsys.readouterr().err
    assert main([*command, *ours.split(), *(["99"] if " " not in ours else [])]) == 0
    if ours.startswith(("--test", "--correction")):
        assert main(["evaluate", str(table), "--gold", "gold", option]) == 2
        belongs = f"{ours.split()[0]} belongs to bestby compare"
        assert belongs in capsys.readouterr().err


def test_advise_and_compare_know_the_same_names_of_metrics() -> None:
    for name in [*KINDS_ELSEWHERE, *SUGGESTIONS, *(row.name.replace("LABEL", "x") for row in list_metrics())]:
        try:
            resolve(name)
        except bb.errors.InvalidInputError as error:
            refused = error
        else:
            bb.advise(name)
            continue
        meant = re.search(r"did you mean (\S+?)(?: or \S+)?\?", refused.message)
        if meant is not None:
            proposed = [meant[1]]
        else:  # a metric of one class, or one that is computed elsewhere, whose scores have its name
            proposed = re.findall(r"[a-z0-9_]+_macro", refused.message)
            assert proposed or "computed elsewhere" in refused.message
            assert (
                bb.compare({"a": [0.5, 1.0], "b": [0.2, 0.1]}, metric=name, n_resamples=99).metrics[0].name
                == name
            )
        for one in proposed:
            assert resolve(one if one not in ("f1", "precision", "recall") else f"{one}_macro")
            assert bb.advise(one).test


@pytest.mark.parametrize("call", ["compare", "to_latex", "methods"])
def test_labels_are_those_of_a_result(call: str) -> None:
    result = bb.compare(SYSTEMS, GOLD)
    with pytest.raises(bb.errors.BestbyError) as caught:
        bb.compare(SYSTEMS, GOLD, labels={}) if call == "compare" else getattr(result, call)(labels={})
    assert str(caught.value.hint).startswith("result.labelled({")
