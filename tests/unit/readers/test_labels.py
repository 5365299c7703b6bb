"""Files with a label per line, and what is said to a path where values are due."""

from __future__ import annotations

import numpy as np
import pytest

import bestby as bb


def test_hard_and_soft_labels(tmp_path):
    (tmp_path / "hard.txt").write_text("yes\nno\n01\n")
    (tmp_path / "soft.tsv").write_text("0.2\t0.8\n1\t0\n")
    np.save(tmp_path / "hard.npy", np.array([1, 0, 1]))
    assert bb.read_labels(tmp_path / "hard.txt").tolist() == ["yes", "no", "01"]
    assert bb.read_labels(tmp_path / "soft.tsv").tolist() == [[0.2, 0.8], [1.0, 0.0]]
    assert bb.read_labels(tmp_path / "hard.npy").tolist() == [1, 0, 1]


def test_a_line_with_another_number_of_values_is_refused(tmp_path):
    (tmp_path / "soft.csv").write_text("0.2,0.8\n1\n")
    with pytest.raises(bb.errors.InvalidInputError, match="line 2: 1 values, where line 1 has 2"):
        bb.read_labels(tmp_path / "soft.csv")


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_path_in_place_of_values_is_told_how_to_read_it(tmp_path, kind):
    file = tmp_path / "predictions.txt"
    file.write_text("1\n0\n")
    told = r"got the path .*predictions.txt.*bestby.read_labels\(path\)"
    with pytest.raises(bb.errors.InvalidInputError, match=f"(?s){told}"):
        bb.compare({"a": kind(file), "b": kind(file)}, gold=[1, 0])
    with pytest.raises(bb.errors.InvalidInputError, match=f"(?s){told}"):
        bb.Study(tmp_path / "study").add("h0", run="1", predictions=kind(file), gold=[1, 0])


def test_a_gold_that_is_the_path_of_a_file_is_told_how_to_read_it(tmp_path):
    file = tmp_path / "gold.txt"
    file.write_text("1\n0\n")
    with pytest.raises(bb.errors.InvalidInputError, match=r"(?s)named as gold.*bestby.read_labels"):
        bb.compare({"a": [1, 0], "b": [0, 0]}, gold=str(file))
