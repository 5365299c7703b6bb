# ruff: noqa: E501 - rows of tables
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bestby._core.errors import DesignError, InvalidInputError, StudyError
from bestby.data.reading import Reading
from bestby.questions.study.boostsa import import_outcomes, read_outcomes, write_outcomes
from bestby.questions.study.store import Store
from bestby.readers.files import read_labels


def rows(values: list[Any]) -> list[list[Any]]:
    return [value if isinstance(value, list) else [value] for value in values]


def block(
    *runs: list[Any], targs: Any = (1, 0, 1), idxs: Any = (7, 5, 6), name: str = "e", epochs: Any = ()
) -> Any:
    """The five lists of a condition, as BooStSa 0.2.13 writes them."""
    return {
        "exp_idxs": [f"{name}.{i}" for i in range(len(runs))],
        "preds": [rows(run) for run in runs],
        "targs": [rows(list(targs))] * len(runs),
        "idxs": [rows(list(idxs))] * len(runs),
        "epochs": list(epochs),
    }


OUTCOMES = {
    "h0": {
        **block([1, 1, 1], [0, 0, 0], name="h0", epochs=[10, 12]),
        "h1": {
            "h1": block([1, 0, 0], [1, 0, 1], name="h1", epochs=[10, 10]),
            "h2": block([0, 0, 1], name="h2"),
        },
    }
}


def written(tmp_path: Path, content: Any, name: str = "outcomes.json") -> Path:
    path = tmp_path / name
    path.write_text(json.dumps(content))
    return path


class TestReading:
    def test_every_experiment_is_a_run(self, tmp_path: Path) -> None:
        entries = read_outcomes(written(tmp_path, OUTCOMES))
        assert [(e.condition, e.run, e.baseline, e.against, e.epochs) for e in entries] == [
            ("h0", "h0.0", True, None, 10),
            ("h0", "h0.1", True, None, 12),
            ("h1", "h1.0", False, ["h0"], 10),
            ("h1", "h1.1", False, ["h0"], 10),
            ("h2", "h2.0", False, ["h0"], None),
        ]
        assert entries[2].predictions.tolist() == [1, 0, 0]
        assert entries[2].ids is not None
        assert entries[2].ids.tolist() == [7, 5, 6]

    def test_soft_labels(self, tmp_path: Path) -> None:
        gold, found = [[0.5, 0.5], [1, 0]], [[0.25, 0.75], [0.1, 0.9]]
        path = written(tmp_path, {"h0": {**block(found, targs=gold, idxs=[0, 1]), "h1": {}}})
        assert read_outcomes(path)[0].predictions.tolist() == found
        broken = [[0.25, 0.75], [0.1, 0.8]]
        path = written(tmp_path, {"h0": {**block(broken, targs=gold, idxs=[0, 1]), "h1": {}}})
        with pytest.raises(InvalidInputError, match=r"experiment 'e\.0' of 'h0': preds, row 1 sums to 0\.9"):
            read_outcomes(path)

    def test_a_treatment_under_two_controls(self, tmp_path: Path) -> None:
        h1 = block([1, 0, 0])
        path = written(
            tmp_path,
            {"a": {**block([1, 1, 1]), "h1": {"h1": h1}}, "b": {**block([0, 0, 0]), "h1": {"h1": h1}}},
        )
        store = Store(tmp_path / "s")
        assert len(import_outcomes(store, path)) == 3
        assert store.against("h1") == ("a", "b")
        other = block([0, 0, 0])
        path = written(
            tmp_path,
            {"a": {**block([1, 1, 1]), "h1": {"h1": h1}}, "b": {**block([0, 0, 0]), "h1": {"h1": other}}},
        )
        with pytest.raises(DesignError, match="'h1' has other experiments under 'b' than under 'a'"):
            read_outcomes(path)

    def test_a_control_without_experiments_of_its_own(self, tmp_path: Path) -> None:
        path = written(tmp_path, {"h0": {**block(), "h1": {"h1": block([1, 0, 0])}}})
        store = Store(tmp_path / "s")
        import_outcomes(store, path)
        store.add("h0", run=0, predictions=[1, 1, 1], baseline=True)
        assert store.against("h1") == ("h0",)

    def test_experiments_without_names_are_numbered(self, tmp_path: Path) -> None:
        content = {"h0": {**block([1, 1, 1], [0, 0, 0]), "exp_idxs": [None, None], "h1": {}}}
        assert [entry.run for entry in read_outcomes(written(tmp_path, content))] == ["0", "1"]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"targs": [rows([1, 0, 0])]}, "have the targets 0 and 1 for item 6; a study has one gold"),
            (
                {"idxs": [rows([7, 5, 8])]},
                "share 2 of 3 items; a study has one gold\nhint: folds are not runs",
            ),
        ],
    )
    def test_other_folds(self, tmp_path: Path, change: dict[str, Any], message: str) -> None:
        content = {"h0": {**block([1, 1, 1]), "h1": {"h1": {**block([1, 0, 0]), **change}}}}
        with pytest.raises(DesignError, match=message):
            read_outcomes(written(tmp_path, content))

    def test_the_same_items_in_another_order(self, tmp_path: Path) -> None:
        h1 = block([0, 1, 0], targs=[0, 1, 1], idxs=[5, 6, 7])
        store = Store(tmp_path / "s")
        import_outcomes(store, written(tmp_path, {"h0": {**block([1, 1, 1]), "h1": {"h1": h1}}}))
        assert store.gold().ids.tolist() == [7, 5, 6]
        assert store.load("h1", "e.0").predictions.tolist() == [0, 0, 1]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ([], "expected an object of conditions"),
            ({"h0": {"preds": []}}, "condition 'h0' lacks some of the lists exp_idxs, preds"),
            ({"h0": {**block([1, 0, 1]), "idxs": [], "h1": {}}}, "the lists of condition 'h0' have different len"),
            ({"h0": {**block([1, 0, 1], targs=[1, 0]), "h1": {}}}, "'e.0' have different lengths"),
            ({"h0": {**block([1, 0, 1], epochs=[1, 2]), "h1": {}}}, "1 experiments and 2 numbers of epochs"),
            ({"h0": {**block([1, 0, 1], [1, 0, 1]), "exp_idxs": ["a", "a"]}}, "two experiments named 'a'"),
            ({"h0": {**block([1, 0, [1, 0]])}}, "preds must have as many numbers in every row"),
            ({"h0": {**block([1, 0, 1]), "h1": {"h0": block([1, 0, 1])}}}, "'h0' is both a control and a treatment"),
            ({}, "holds no experiment"),
        ],
    )  # fmt: skip
    def test_what_is_no_such_file(self, tmp_path: Path, content: Any, message: str) -> None:
        with pytest.raises((InvalidInputError, DesignError), match=message):
            read_outcomes(written(tmp_path, content))

    def test_a_file_that_is_cut_off_or_not_there(self, tmp_path: Path) -> None:
        path = written(tmp_path, OUTCOMES)
        path.write_text(path.read_text()[:100])
        with pytest.raises(InvalidInputError, match="is not JSON"):
            read_outcomes(path)
        with pytest.raises(InvalidInputError, match=r"^no file '.*nothing\.json'\n"):
            read_outcomes(tmp_path / "nothing.json")


class TestImport:
    def test_the_study_has_what_the_file_has(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        import_outcomes(store, written(tmp_path, OUTCOMES))
        assert store.conditions() == ("h0", "h1", "h2")
        assert store.runs("h1") == ("h1.0", "h1.1")
        assert store.against("h2") == ("h0",)
        assert store.load("h1", "h1.0").epochs == 10

    def test_all_or_nothing(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        store.add("h2", run="h2.0", predictions=[0, 0, 0], gold=[1, 0, 1], ids=[7, 5, 6])
        with pytest.raises(InvalidInputError, match=r"run 'h2\.0' of 'h2' is already in the study"):
            import_outcomes(store, written(tmp_path, OUTCOMES))
        assert store.conditions() == ("h2",)
        import_outcomes(store, written(tmp_path, OUTCOMES), replace=True)
        assert store.load("h2", "h2.0").predictions.tolist() == [0, 0, 1]

    def test_another_gold(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        store.add("h7", run=0, predictions=[0, 0, 0], gold=[0, 0, 1], ids=[7, 5, 6])
        with pytest.raises(InvalidInputError, match="gold of item 7 is 0 in the study, 1"):
            import_outcomes(store, written(tmp_path, OUTCOMES))
        assert store.conditions() == ("h7",)

    def test_the_file_may_say_what_the_study_says_in_other_words(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        store.add("h0", run="x", predictions=[0, 0, 0], gold=[1, 0, 1], ids=[7, 5, 6], baseline=True)
        store.add("h1", run="x", predictions=[0, 0, 0])  # against all
        import_outcomes(store, written(tmp_path, OUTCOMES))
        assert store.runs("h1") == ("h1.0", "h1.1", "x")
        assert store.role("h1") == (False, None)


class TestWriting:
    def test_the_same_file_comes_back(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        import_outcomes(store, written(tmp_path, OUTCOMES))
        assert write_outcomes(store, tmp_path / "again.json") is None
        assert json.loads((tmp_path / "again.json").read_text()) == OUTCOMES

    def test_soft_labels_to_the_last_bit(self, tmp_path: Path) -> None:
        gold = [[1 / 3, 2 / 3], [0.1, 0.9]]
        content = {
            "h0": {
                **block(gold, gold, targs=gold, idxs=[3, 4]),
                "h1": {"h1": block(gold[::-1], targs=gold, idxs=[3, 4])},
            }
        }
        store = Store(tmp_path / "s")
        import_outcomes(store, written(tmp_path, content))
        assert write_outcomes(store, tmp_path / "again.json") == (0, 1)
        assert json.loads((tmp_path / "again.json").read_text()) == content

    def test_text_becomes_numbers(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        store.add("h0", run=0, predictions=["y", "z"], gold=["x", "y"], ids=["q1", "q2"], baseline=True)
        assert write_outcomes(store, tmp_path / "o.json") == ("x", "y", "z")
        lists = json.loads((tmp_path / "o.json").read_text())["h0"]
        assert (lists["preds"], lists["targs"], lists["idxs"]) == ([[[1], [2]]], [[[0], [1]]], [[[0], [1]]])

    def test_hard_labels_beside_soft_ones_become_rows(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        store.add("h0", run=0, predictions=["y", "x"], gold=["x", "y"], baseline=True, epochs=3)
        store.add("h0", run=1, predictions=[[0.5, 0.5], [1, 0]], reading=Reading(classes=["x", "y"]))
        assert write_outcomes(store, tmp_path / "o.json") == ("x", "y")
        lists = json.loads((tmp_path / "o.json").read_text())["h0"]
        assert lists["preds"] == [[[0, 1], [1, 0]], [[0.5, 0.5], [1, 0]]]
        assert lists["targs"] == [[[1, 0], [0, 1]]] * 2
        assert lists["epochs"] == []  # one run has none

    def test_hard_conditions_beside_soft_ones_become_rows_too(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        store.add("h0", run=0, predictions=["y", "x"], gold=["x", "y"], baseline=True)
        store.add("h1", run=0, predictions=[[0.5, 0.5], [1, 0]], reading=Reading(classes=["x", "y"]))
        assert write_outcomes(store, tmp_path / "o.json") == ("x", "y")
        content = json.loads((tmp_path / "o.json").read_text())["h0"]
        assert content["preds"] == [[[0, 1], [1, 0]]]
        assert content["targs"] == content["h1"]["h1"]["targs"] == [[[1, 0], [0, 1]]]
        assert len(import_outcomes(Store(tmp_path / "t"), tmp_path / "o.json")) == 2

    def test_a_treatment_without_a_baseline(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        store.add("h1", run=0, predictions=[1, 0], gold=[1, 1])
        with pytest.raises(DesignError, match="'h1' has no baseline in the study"):
            write_outcomes(store, tmp_path / "o.json")
        store.remove("h1", 0)
        with pytest.raises(InvalidInputError, match="has no runs to write"):
            write_outcomes(store, tmp_path / "o.json")

    def test_where_it_cannot_be_written(self, tmp_path: Path) -> None:
        store = Store(tmp_path / "s")
        store.add("h0", run=0, predictions=[1, 0], gold=[1, 1], baseline=True)
        with pytest.raises(StudyError, match=r"cannot write .*o\.json: No such file"):
            write_outcomes(store, tmp_path / "nothing" / "o.json")


class TestBooStSaItself:
    """Runs where boostsa is installed (``pip install --no-deps boostsa tqdm``)."""

    def test_it_loads_what_we_write(self, tmp_path: Path) -> None:
        boostsa = pytest.importorskip("boostsa")
        store = Store(tmp_path / "s")
        import_outcomes(store, written(tmp_path, OUTCOMES))
        write_outcomes(store, tmp_path / "ours.json")
        boot = boostsa.Bootstrap(save_results=False, save_outcomes=False)
        boot.loadjson(str(tmp_path / "ours.json"))
        assert np.asarray(boot.data["h0"]["h1"]["h1"]["preds"]).tolist() == [[[1], [0], [0]], [[1], [0], [1]]]
        assert np.asarray(boot.data["h0"]["idxs"]).tolist() == [rows([7, 5, 6])] * 2
        assert list(boot.data["h0"]["epochs"]) == [10, 12]

    def test_we_read_what_it_writes(self, tmp_path: Path) -> None:
        boostsa = pytest.importorskip("boostsa")
        boot = boostsa.Bootstrap(save_results=False, save_outcomes=False)
        boot.feed(h0="h0", exp_idx="h0.0", preds=[1, 1, 1], targs=[1, 0, 1], idxs=[7, 5, 6], epochs=[10])
        boot.feed(h0="h0", h1="h1", exp_idx="h1.0", preds=[1, 0, 0], targs=[1, 0, 1], idxs=[7, 5, 6])
        boot.data2json(str(tmp_path / "theirs.json"))
        store = Store(tmp_path / "s")
        import_outcomes(store, tmp_path / "theirs.json")
        assert store.load("h0", "h0.0").epochs == 10
        assert store.load("h1", "h1.0").predictions.tolist() == [1, 0, 0]


class TestLabels:
    @pytest.mark.parametrize(
        ("name", "data", "found"),
        [
            ("a.txt", "1\n0\n-2\n", [1, 0, -2]),
            ("a.txt", "1\r\n0", [1, 0]),
            ("a.txt", "\ufeffx\nz z\n", ["x", "z z"]),
            ("a.txt", "01\n1\n", ["01", "1"]),
            ("a.txt", "1.0\n0.5\n", [1.0, 0.5]),
            ("a.txt", "0.2,0.8\n1,0\n", [[0.2, 0.8], [1.0, 0.0]]),
            ("a.csv", "0.2, 0.8\n1e-3,0.999\n", [[0.2, 0.8], [0.001, 0.999]]),
            ("a.tsv", "0.2\t0.8\n1\t0\n\n", [[0.2, 0.8], [1.0, 0.0]]),
            ("a.tsv", "0.2,0.8\n1,0\n", [[0.2, 0.8], [1.0, 0.0]]),
        ],
    )
    def test_text(self, tmp_path: Path, name: str, data: str, found: list[Any]) -> None:
        (tmp_path / name).write_bytes(data.encode())
        assert read_labels(tmp_path / name).tolist() == found

    @pytest.mark.parametrize(
        "array",
        [np.array([1, 0, 2]), np.array([[1], [0]]), np.array(["a", "b"]), np.array([[0.25, 0.75]] * 3)],
    )
    def test_numpy(self, tmp_path: Path, array: Any) -> None:
        np.save(tmp_path / "a.npy", array)
        expected = array.reshape(-1) if array.shape[1:] == (1,) else array
        assert read_labels(tmp_path / "a.npy").tolist() == expected.tolist()

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"1\n\n0\n", "line 2: blank"),
            (b"", "line 1: blank"),
            (b"0.5,0.5\n1\n", "line 2: 1 values, where line 1 has 2"),
            (b"0.5,0.5\n1,\n", "line 2: a value is missing"),
            (b"no,yes\n0.5,0.5\n", "line 1: could not convert string to float: 'no'"),
            (b"0.5,0.6\n", "row 0 sums to 1.1"),
            (b"\xff\n", "cannot be read"),
            (b'"1\n0\n', "cannot be read"),
        ],
    )
    def test_what_cannot_be_read(self, tmp_path: Path, data: bytes, message: str) -> None:
        (tmp_path / "a.csv").write_bytes(data)
        with pytest.raises(InvalidInputError, match=message):
            read_labels(tmp_path / "a.csv")

    @pytest.mark.parametrize("data", [b"", b"\x93NUMPY", b"1\n"])
    def test_broken_numpy_files(self, tmp_path: Path, data: bytes) -> None:
        (tmp_path / "a.npy").write_bytes(data)
        with pytest.raises(InvalidInputError, match=r"a\.npy cannot be read"):
            read_labels(tmp_path / "a.npy")

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(InvalidInputError, match=r"^no file '.*a\.txt'\n"):
            read_labels(tmp_path / "a.txt")
