"""Write judged.csv: two language identifiers, a stronger one as judge, and gold for 100 names at random."""

from __future__ import annotations

import csv
import random
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
PREDICTIONS = FOLDER.parent / "langid" / "predictions.csv"
SYSTEMS = ("nb_12", "knn_3")
JUDGE, SECOND = "logreg_14", "svm_14"
N_LABELS, SEED = 100, 0
COLUMNS = ("item", "territory", "length", "system", "judge", "human")


def names() -> list[dict[str, str]]:
    """Return the place names with the gold and the predictions of all systems."""
    with PREDICTIONS.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def main() -> None:
    """Write a row per name and system; the human score is there for the names drawn."""
    items = names()
    drawn = set(random.Random(SEED).sample(range(len(items)), N_LABELS))
    with (FOLDER / "judged.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(COLUMNS)
        for place, item in enumerate(items):
            for system in SYSTEMS:
                judge = int(item[system] == item[JUDGE])
                human = int(item[system] == item["gold"]) if place in drawn else ""
                writer.writerow([item["item"], item["territory"], len(item["name"]), system, judge, human])


if __name__ == "__main__":
    main()
