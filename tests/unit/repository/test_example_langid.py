"""The shipped example: its files have the shape the README gives, and can be made again."""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "examples" / "langid"
SYSTEMS = ["nb_12", "nb_13", "logreg_14", "svm_14", "knn_3"]
LANGUAGES = {"de", "en", "es", "fi", "fr", "it", "nl", "pl", "pt", "sv"}
BABEL = "2.18.0"

pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="examples/ is not beside the tests (they run against a wheel)"
)


def rows_of(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def make_data() -> ModuleType:
    """Return the script as a module, if what it needs is installed."""
    babel = pytest.importorskip("babel", reason="remaking the example needs Babel")
    pytest.importorskip("sklearn", reason="remaking the example needs scikit-learn")
    if babel.__version__ != BABEL:
        pytest.skip(f"the files were made with Babel {BABEL}; {babel.__version__} may know other names")
    spec = importlib.util.spec_from_file_location("langid_make_data", FOLDER / "make_data.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_predictions_are_1000_names_of_100_territories() -> None:
    rows = rows_of("predictions.csv")
    assert list(rows[0]) == ["item", "territory", "name", "gold", *SYSTEMS]
    assert len({row["item"] for row in rows}) == len(rows) == 1000
    assert set(Counter(row["territory"] for row in rows).values()) == {10}
    assert set(Counter(row["gold"] for row in rows)) == LANGUAGES
    assert all(row["item"] == f"{row['territory']}-{row['gold']}" for row in rows)
    assert all(row["name"] for row in rows)
    assert {row[system] for row in rows for system in SYSTEMS} <= LANGUAGES


def test_run_0_is_the_table_of_predictions() -> None:
    first = [row for row in rows_of("predictions_all_runs.csv") if row["run"] == "0"]
    for row, other in zip(rows_of("predictions.csv"), first, strict=True):
        assert {key: row[key] for key in ("item", "territory", "gold", *SYSTEMS)}.items() <= other.items()


def test_scores_of_the_runs_are_those_of_their_predictions_unrounded() -> None:
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn scores the predictions")
    rows = rows_of("predictions_all_runs.csv")
    scores = rows_of("runs.csv")
    assert [(row["system"], row["run"]) for row in scores] == [(s, str(r)) for s in SYSTEMS for r in range(5)]
    for score in scores:
        of_run = [row for row in rows if row["run"] == score["run"]]
        gold = [row["gold"] for row in of_run]
        predicted = [row[score["system"]] for row in of_run]
        assert len(gold) == 1000
        assert float(score["accuracy"]) == metrics.accuracy_score(gold, predicted)
        assert float(score["f1_macro"]) == pytest.approx(
            metrics.f1_score(gold, predicted, average="macro"), rel=1e-12
        )


def test_every_run_of_a_system_differs() -> None:
    rows = rows_of("predictions_all_runs.csv")
    for system in SYSTEMS:
        runs = {tuple(row[system] for row in rows if row["run"] == str(run)) for run in range(5)}
        assert len(runs) == 5


def test_best_two_differ_little_and_the_worst_clearly() -> None:
    accuracy = sorted(float(row["accuracy"]) for row in rows_of("runs.csv") if row["run"] == "0")
    assert accuracy[-1] - accuracy[-2] < 0.01
    assert accuracy[1] - accuracy[0] > 0.05


def test_no_test_territory_was_seen_in_training(make_data: ModuleType) -> None:
    train, test = make_data.split(make_data.read_items())
    assert [item.item for item in test] == [row["item"] for row in rows_of("predictions.csv")]
    assert not {item.territory for item in train} & {item.territory for item in test}


@pytest.mark.parametrize("run", [0, 4])
def test_predictions_can_be_made_again(make_data: ModuleType, run: int) -> None:
    train, test = make_data.split(make_data.read_items())
    committed = [row["nb_13"] for row in rows_of("predictions_all_runs.csv") if row["run"] == str(run)]
    assert make_data.predict("nb_13", run, train, test) == committed


def test_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.csv")) < 400_000


def test_readme_gives_the_numbers_of_the_files() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for row in rows_of("runs.csv"):
        if row["run"] == "0":
            line = next(line for line in readme.splitlines() if line.startswith(f"| `{row['system']}` "))
            assert line.split("|")[-2].strip() == f"{float(row['accuracy']):.3f}"
    names = Counter((row["territory"], row["name"]) for row in rows_of("predictions.csv"))
    shared = sum(count for count in names.values() if count > 1)
    assert f"{shared} of the 1000 test names" in readme
    assert f"only {len(names) / 10:.1f} % of the time" in readme
