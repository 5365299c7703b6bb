"""Draw the labels of `topics.csv`: a gold, and two systems that get some of its decisions wrong."""

import csv
from pathlib import Path

import numpy as np

LABELS = ("politics", "sport", "travel", "food")
N = 60


def main() -> None:
    """Write the table."""
    rng = np.random.default_rng(3)
    gold = rng.random((N, len(LABELS))) < 0.35
    columns = {"gold": gold}
    for name, share in (("old", 0.8), ("new", 0.92)):
        columns[name] = np.where(rng.random(gold.shape) < share, gold, ~gold)
    with Path(__file__).with_name("topics.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["id", *columns])
        for item in range(N):
            cells = (
                "|".join(label for label, on in zip(LABELS, x[item], strict=True) if on)
                for x in columns.values()
            )
            rows.writerow([item + 1, *cells])


if __name__ == "__main__":
    main()
