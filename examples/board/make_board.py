"""Make a board of the five systems of examples/langid, with a public and a private phase, and publish it.

    python examples/board/make_board.py [FOLDER]

The board is made in FOLDER/board and its site in FOLDER/site; FOLDER is the folder of this script by default.
What was made there before is removed.
"""

from __future__ import annotations

import csv
import shutil
import sys
import tempfile
from pathlib import Path

import bestby as bb

HERE = Path(__file__).resolve().parent
PREDICTIONS = HERE.parent / "langid" / "predictions.csv"
ABOUT = (
    "Five small classifiers tell which of ten languages a place name is from. The items are the names of 100"
    " territories in these languages; half of the territories were kept for the private phase."
)
SUBMITTED = (
    ("organisers", "knn_3"),
    ("bayes", "nb_12"),
    ("bayes", "nb_13"),
    ("linear", "svm_14"),
    ("linear", "logreg_14"),
)
"""Who submits which system, in the order in which they come."""


def main() -> None:
    """Make the board of two phases: submit to the first, submit to the second, end both, publish."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    for old in (folder / "board", folder / "site"):
        shutil.rmtree(old, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        gold, predicted = write_tables(Path(scratch))
        board = bb.Board.create(
            folder / "board",
            gold,
            title="Which language is this place name?",
            metrics=["accuracy", "f1_macro"],
            clusters="territory",
            slices="words",
            public_columns="name",
            margin=0.02,
            baseline="organisers/knn_3",
            private_share=0.5,
            rng=22,
        )
        change(board, 'title = "Which', f'about = "{ABOUT}"\ntitle = "Which')
        change(board, 'part = "public"', 'part = "public"\nper_day = 5')
        for phase in ("public", "private"):
            for team, system in SUBMITTED:
                board.submit(predicted[system], team=team, system=system, phase=phase)
    for phase in ("public", "private"):
        board.end(phase)
    site = board.publish(folder / "site").site
    print(f"the board: {board.path}\nits pages: {site / 'index.html'}")


def write_tables(folder: Path) -> tuple[Path, dict[str, Path]]:
    """Write the gold, and what each system submits: the ids of the items and its predictions."""
    with PREDICTIONS.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["words"] = "one word" if len(row["name"].split()) == 1 else "several words"
    gold = folder / "gold.csv"
    write(gold, ["item", "gold", "territory", "words", "name"], rows)
    predicted = {}
    for _, system in SUBMITTED:
        predicted[system] = folder / f"{system}.csv"
        write(
            predicted[system],
            ["id", "prediction"],
            [{"id": row["item"], "prediction": row[system]} for row in rows],
        )
    return gold, predicted


def write(path: Path, columns: list[str], rows: list[dict[str, str]]) -> None:
    """Write some columns of a table as CSV."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def change(board: bb.Board, old: str, new: str) -> None:
    """Edit board.toml, as organisers do by hand; the record keeps every version of it."""
    settings = board.path / "board.toml"
    text = settings.read_text(encoding="utf-8")
    assert old in text
    settings.write_text(text.replace(old, new), encoding="utf-8")


if __name__ == "__main__":
    main()
