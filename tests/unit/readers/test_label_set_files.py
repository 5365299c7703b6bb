"""Multi-label data in files: every form has the scores of scikit-learn."""

import json
import shlex
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sklearn_metrics

import bestby as bb
from bestby._core.errors import InvalidInputError
from bestby.cli import main
from bestby.cli.inputs import in_records
from bestby.report.comparison import better_by_score

NAMES = ["w", "x", "y", "z"]
METRICS = ["multilabel_f1_micro", "multilabel_f1_macro", "multilabel_f1_samples", "subset_accuracy"]
RNG = np.random.default_rng(7)
GOLD = RNG.random((40, 4)) < 0.4
A, B = (np.where(RNG.random(GOLD.shape) < share, GOLD, ~GOLD) for share in (0.9, 0.7))
COLUMNS = {"gold": GOLD.astype(int), "a": A.astype(int), "b": B.astype(int)}
for matrix in COLUMNS.values():
    matrix[[0, -1]] = 0  # no labels in the first and the last row


def _labels(matrix):
    return [[NAMES[column] for column in np.flatnonzero(row)] for row in matrix]


def _expected(predictions):
    gold = COLUMNS["gold"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # 0/0 counts as 0, with a warning
        averages = [
            sklearn_metrics.f1_score(gold, predictions, average=one) for one in ("micro", "macro", "samples")
        ]
    return [*averages, sklearn_metrics.accuracy_score(gold, predictions)]


def _json_lines(path, columns):
    rows = zip(*columns.values(), strict=True)
    lines = [
        json.dumps({"id": place, **dict(zip(columns, row, strict=True))}) for place, row in enumerate(rows)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _wide(write):
    """Return the writer of one table of all systems."""

    def written(folder):
        write(folder / "all", COLUMNS)
        return next(folder.glob("all*")), "gold"

    return written


def _csv(cell, name="all.csv"):
    def write(path, columns):
        table = {key: [cell(row) for row in matrix] for key, matrix in columns.items()}
        pd.DataFrame(table).to_csv(path.with_name(name), index_label="id")

    return _wide(write)


def _per_system(write, ending):
    """Return the writer of one file per system, and one of the gold."""

    def written(folder):
        for name, matrix in COLUMNS.items():
            write(folder / f"{name}{ending}", "gold" if name == "gold" else "prediction", matrix)
        return {name: folder / f"{name}{ending}" for name in "ab"}, str(folder / f"gold{ending}")

    return written


def _text(row, separator):
    return separator.join(NAMES[column] for column in np.flatnonzero(row))


def _lines(line, header=False):
    def write(path, name, matrix):
        head = [name] if header else []
        path.write_text("\n".join([*head, *map(line, matrix)]) + "\n", encoding="utf-8")

    return write


def _long(folder):
    parts = [
        pd.DataFrame({
            "system": name, "id": range(40), "prediction": [_text(row, "|") for row in COLUMNS[name]],
            "gold": [_text(row, "|") for row in COLUMNS["gold"]],
        })
        for name in "ab"
    ]  # fmt: skip
    pd.concat(parts).to_csv(folder / "long.csv", index=False)
    return folder / "long.csv", "gold"


def _brackets(path, columns):
    table = {f"{key}[{n}]": matrix[:, i] for key, matrix in columns.items() for i, n in enumerate(NAMES)}
    pd.DataFrame(table).to_csv(path.with_suffix(".csv"), index_label="id")


def _as_lists(path, columns):
    _json_lines(path.with_suffix(".jsonl"), {key: _labels(matrix) for key, matrix in columns.items()})


def _as_rows(path, columns):
    _json_lines(path.with_suffix(".jsonl"), {key: matrix.tolist() for key, matrix in columns.items()})


def _as_booleans(path, columns):
    _as_rows(path, {key: matrix.astype(bool) for key, matrix in columns.items()})


def _as_parquet(path, columns):
    frame = pd.DataFrame({key: _labels(matrix) for key, matrix in columns.items()})
    frame.to_parquet(path.with_suffix(".parquet"))


def _as_parquet_rows(path, columns):
    frame = pd.DataFrame({key: matrix.tolist() for key, matrix in columns.items()})
    frame.to_parquet(path.with_suffix(".parquet"))


def _column_per_label(path, name, matrix):
    del name
    pd.DataFrame(matrix, columns=NAMES).to_csv(path, index_label="id")


def _words(path, name, matrix):
    del name
    frame = pd.DataFrame(matrix.astype(bool), columns=NAMES)
    frame.to_csv(path, index_label="id")


BAR = {"label_separator": "|"}
FORMS = {
    "lists in JSON Lines": (_wide(_as_lists), {}),
    "rows in JSON Lines": (_wide(_as_rows), {}),
    "booleans in JSON Lines": (_wide(_as_booleans), {}),
    "lists in Parquet": (_wide(_as_parquet), {}),
    "rows in Parquet": (_wide(_as_parquet_rows), {}),
    "lists as text": (_csv(lambda row: str(_labels([row])[0])), {}),
    "lists as JSON in CSV": (_csv(lambda row: json.dumps(_labels([row])[0])), {}),
    "rows as text": (_csv(lambda row: str(row.tolist())), {}),
    "arrays as text": (_csv(str), {}),
    "columns with brackets": (_wide(_brackets), {}),
    "text with bars": (_csv(lambda row: _text(row, "|")), BAR),
    "text with semicolons": (_csv(lambda row: _text(row, "; ")), {"label_separator": ";"}),
    "a long table": (_long, BAR),
    "lists, a file each": (
        _per_system(lambda path, name, m: _json_lines(path, {name: _labels(m)}), ".jsonl"), {},
    ),
    "rows, a file each": (
        _per_system(lambda path, name, m: _json_lines(path, {name: m.tolist()}), ".jsonl"), {},
    ),
    "a column per label": (_per_system(_column_per_label, ".csv"), {"label_sets": True}),
    "a column of words per label": (_per_system(_words, ".csv"), {"label_sets": True}),
    "a column per label, all others": (_per_system(_column_per_label, ".csv"),
        {"classes": "columns"}),
    "a column per label, named": (_per_system(_column_per_label, ".csv"),
        {"classes": NAMES}),
    "lines with commas": (_per_system(_lines(lambda row: _text(row, ",")), ".txt"), {"label_separator": ","}),
    "lines with a header": (_per_system(_lines(lambda row: _text(row, "|"), header=True), ".csv"), BAR),
    "lines of numbers": (_per_system(_lines(lambda row: " ".join(map(str, row))), ".txt"), {}),
    "arrays": (_per_system(lambda path, _, m: np.save(path, m), ".npy"), {}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_scores_of_scikit_learn(form, tmp_path, capsys):
    write, options = FORMS[form]
    paths, gold = write(tmp_path)
    result = bb.evaluate(
        bb.read(paths, gold=gold, **in_records(bb.read, options)), metric=METRICS, interval=None
    )
    for name in "ab":
        scores = [next(s.score for s in result.systems if (s.system, s.metric) == (name, m)) for m in METRICS]
        np.testing.assert_allclose(scores, _expected(COLUMNS[name]), rtol=0, atol=1e-12)
    files = [f"{name}={path}" for name, path in paths.items()] if isinstance(paths, dict) else [str(paths)]
    command = ["evaluate", *files, "--gold", gold, "--metric", "subset_accuracy", "--interval", "none"]
    for option, value in options.items():
        if option != "label_sets":  # the metric says so
            value = value if isinstance(value, str) else ",".join(value)
            command += [f"--{option.replace('_', '-')}", value]
    assert main([*command, "--json", "-"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["systems"][0]["score"] == pytest.approx(_expected(COLUMNS["a"])[3])


def test_one_label_each_is_read_as_sets_if_asked(tmp_path):
    rows = np.eye(4, dtype=int)[[0, 1, 2, 3] * 5].tolist()
    path = tmp_path / "one.jsonl"
    _json_lines(path, {"gold": rows, "a": rows, "b": rows[::-1]})
    with pytest.raises(InvalidInputError, match="reads a set of labels") as error:
        bb.evaluate(bb.read(path, gold="gold"), metric="subset_accuracy")
    assert "read(..., label_sets=True)" in str(error.value.hint)
    result = bb.evaluate(bb.read(path, gold="gold", label_sets=True), metric="subset_accuracy", interval=None)
    assert [one.score for one in result.systems] == [1.0, 0.0]


def test_a_blank_is_no_label_and_na_is_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("gold,a,b\nx|y,x|y,NA\n,,\nx,y,x\n,,\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match="system 'b' has no value for 1 of 4 items; first: row 1"):
        bb.read(path, gold="gold", label_separator="|")
    evaluation = bb.read(path, gold="gold", label_separator="|", on_missing="drop")
    assert evaluation.gold.tolist() == [frozenset(), frozenset("x"), frozenset()]


def test_texts_without_a_separator_are_refused_with_the_option(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_text("gold,a,b\nx|y,x|y,x\ny,x,x\n", encoding="utf-8")
    command = ["compare", str(path), "--gold", "gold", "--metric", "multilabel_f1_micro"]
    assert main(command) == 2
    assert "--label-separator '|'" in capsys.readouterr().err
    assert main([*command, "--label-separator", "|"]) == 0
    path.write_text("gold,a,b\nx|y,x|y,x\n,x,x\n", encoding="utf-8")
    assert main(command) == 2
    assert "--label-separator '|'" in capsys.readouterr().err
    assert main([*command, "--label-separator", "|"]) == 0


def _texts(path, separator, *, blank):
    """Write columns of texts; the last and the first item have no label if `blank`."""
    keep = slice(None) if blank else GOLD.any(axis=1) & A.any(axis=1) & B.any(axis=1)
    table = {key: [_text(row, separator) for row in matrix[keep]] for key, matrix in COLUMNS.items()}
    if not blank:
        table = {key: [cell or "w" for cell in cells] for key, cells in table.items()}
    pd.DataFrame(table).to_csv(path, index_label="id")


@pytest.mark.parametrize("blank", [True, False])
@pytest.mark.parametrize("between", ["|", "; ", ", ", ",", "/", "\t", " "])
def test_hints_name_the_separator_in_the_file(between, blank, tmp_path, capsys):
    path = tmp_path / "t.csv"
    _texts(path, between, blank=blank)
    command = ["evaluate", str(path), "--gold", "gold", "--metric", "subset_accuracy", "--interval", "none"]
    wrong = ["--label-separator", "|" if between != "|" else ";"]
    for options in ([], wrong):
        assert main([*command, *options]) == 2
        hint = capsys.readouterr().err.partition("hint: ")[2]
        proposed = shlex.split(hint[hint.index("--label-separator") :])[:2]
        assert proposed[1].replace("\\t", "\t") == (between.strip(" ") or " ")
        assert main([*command, *proposed, "--json", "-"]) == 0
        printed = json.loads(capsys.readouterr().out)
        if blank:
            assert printed["systems"][0]["score"] == pytest.approx(_expected(COLUMNS["a"])[3])


def test_a_separator_that_is_wrong_for_one_column_or_leaves_commas_is_refused(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('gold,a,b\nx|y,x|y,"x, y"\ny,x,x\nx|y|z,x|y,"x, z"\n', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"no text of b holds the separator '\|', and many hold ','"):
        bb.read(path, gold="gold", label_separator="|")
    _texts(path, ", ", blank=True)
    with pytest.raises(InvalidInputError, match="end with ','") as error:
        bb.read(path, gold="gold", label_separator=" ")
    assert error.value.hint == 'if it separates labels, pass label_separator=","'
    write, _ = FORMS["lists, a file each"]
    paths, gold = write(tmp_path)
    for name in paths:
        pd.DataFrame({"prediction": [_text(row, ",") for row in COLUMNS[name]]}).to_csv(
            tmp_path / f"{name}.csv", index_label="id"
        )
    paths = {name: tmp_path / f"{name}.csv" for name in paths}
    with pytest.raises(InvalidInputError, match="no text of gold and systems holds"):
        bb.read(paths, gold=gold, label_separator="|")
    result = bb.evaluate(bb.read(paths, gold=gold, label_separator=","), metric=METRICS[3], interval=None)
    assert result.systems[0].score == pytest.approx(_expected(COLUMNS["a"])[3])


@pytest.mark.parametrize("single", ["Smith, John", "ice hockey", "and/or"])
def test_labels_that_hold_another_separator(single, tmp_path):
    path = tmp_path / "t.csv"
    rows = [("x|y", "x|y", f'"{single}"'), ("x", "x|y", "x"), (f'"{single}"', "x", f'"{single}"')]
    path.write_text("gold,a,b\n" + "".join(",".join(row) + "\n" for row in rows), encoding="utf-8")
    read = bb.read(path, gold="gold", label_separator="|")
    assert read.systems["b"].tolist() == [{single}, {"x"}, {single}]
    lists = tmp_path / "t.jsonl"
    _json_lines(lists, {"gold": [[single], ["x"]], "a": [[single], ["y"]]})
    assert bb.read(lists, gold="gold", label_separator="|").gold.tolist() == [{single}, {"x"}]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("values", [_labels, np.ndarray.tolist, lambda m: m.astype(bool).tolist()])
def test_sets_by_item_id_in_json(values, indent, tmp_path, capsys):
    for name, matrix in COLUMNS.items():
        by_id = {f"q{place}": item for place, item in enumerate(values(matrix))}
        if name == "a":
            by_id = dict(reversed(by_id.items()))
        (tmp_path / f"{name}.json").write_text(json.dumps(by_id, indent=indent), encoding="utf-8")
    paths, gold = {name: tmp_path / f"{name}.json" for name in "ab"}, str(tmp_path / "gold.json")
    for data in (paths, paths["a"]):
        result = bb.evaluate(bb.read(data, gold=gold, label_sets=True), metric=METRICS, interval=None)
        assert [one.score for one in result.systems if one.system == "a"] == pytest.approx(
            _expected(COLUMNS["a"])
        )
    command = ["evaluate", *(f"{name}={path}" for name, path in paths.items()), "--gold", gold]
    assert main(command) == 2
    assert "multi-label metric, such as multilabel_f1_micro" in capsys.readouterr().err
    assert main([*command, "--metric", "multilabel_f1_micro"]) == 0


def test_no_advice_to_normalise_sets(tmp_path, capsys):
    path = tmp_path / "t.jsonl"
    _json_lines(path, {name: matrix.tolist() for name, matrix in COLUMNS.items()})
    assert main(["compare", str(path), "--gold", "gold", "--metric", "accuracy"]) == 2
    said = capsys.readouterr().err
    assert "multilabel_f1_micro" in said
    assert "normalise" not in said


def test_names_beside_rows_without_names_are_refused_until_named(tmp_path):
    _column_per_label(tmp_path / "gold.csv", "gold", COLUMNS["gold"])
    _json_lines(tmp_path / "a.jsonl", {"prediction": COLUMNS["a"].tolist()})
    _json_lines(tmp_path / "b.jsonl", {"prediction": COLUMNS["b"].tolist()})
    paths = {name: tmp_path / f"{name}.jsonl" for name in "ab"}
    given = {"gold": str(tmp_path / "gold.csv"), "label_sets": True}
    with pytest.raises(InvalidInputError, match="nothing names the labels of 'a'"):
        bb.read(paths, **given)
    result = bb.evaluate(
        bb.read(paths, reading=bb.Reading(classes=NAMES), **given), metric="subset_accuracy", interval=None
    )
    assert result.systems[0].score == pytest.approx(_expected(COLUMNS["a"])[3])


def test_a_separator_must_be_a_text(tmp_path):
    with pytest.raises(InvalidInputError, match="label_separator must be a text, got ''"):
        bb.read(tmp_path, gold="gold", label_separator="")
    with pytest.raises(InvalidInputError, match="the values are sets of labels, and texts is for others"):
        bb.read(tmp_path, gold="gold", label_separator="|", texts=True)


@pytest.mark.parametrize("separated", [True, False])
def test_runs_datasets_and_folds(separated, tmp_path):
    def cells(matrix):
        return [_text(row, "|") for row in matrix] if separated else _labels(matrix)

    options = BAR if separated else {"label_sets": True}
    path = tmp_path / ("t.csv" if separated else "t.jsonl")

    def write(frame):
        if separated:
            frame.to_csv(path, index=False)
        else:
            frame.to_json(path, orient="records", lines=True)
        return path

    frame = pd.DataFrame({name: cells(matrix) for name, matrix in COLUMNS.items()})
    frame.insert(0, "item", range(40))
    score = _expected(COLUMNS["a"])[0]
    runs = pd.concat([frame.assign(run=run) for run in (1, 2)])
    read = bb.read_runs(write(runs), gold="gold", **options)
    result = bb.compare_runs(read, metric="multilabel_f1_micro", n_resamples=49)
    assert result["a", "b"].score_a == pytest.approx(score)
    folds = bb.read_folds(write(frame.assign(fold=[*"12345"] * 8)), gold="gold", **options)
    assert better_by_score(bb.compare_folds(folds, metric="multilabel_f1_micro")["a", "b"]) == "a"
    parts = bb.read_datasets(write(frame.assign(dataset=[*"pqrst"] * 8)), gold="gold", **options)
    by_dataset = bb.compare_datasets(parts, metric="subset_accuracy", n_resamples=49)
    column = by_dataset.systems.index("a")
    assert np.mean(by_dataset.scores[:, column]) == pytest.approx(_expected(COLUMNS["a"])[3])


def test_a_stored_baseline_of_sets(tmp_path, capsys):
    path = tmp_path / "t.csv"
    table = {name: [_text(row, "|") for row in matrix] for name, matrix in COLUMNS.items()}
    pd.DataFrame(table).to_csv(path, index_label="id")
    shared = [str(path), "--gold", "gold", "--metric", "subset_accuracy", "--label-separator", "|"]
    saved = str(tmp_path / "base.json")
    assert main(["gate", *shared, "--system", "b", "--save", saved]) == 0
    capsys.readouterr()
    stored = ["gate", *shared, "--system", "a", "--baseline-file", saved, "--json", "-"]
    assert main(stored) == 0
    difference = json.loads(capsys.readouterr().out)["checks"][0]["difference"]
    assert abs(difference) == pytest.approx(_expected(COLUMNS["a"])[3] - _expected(COLUMNS["b"])[3])
