"""Train five small classifiers to tell the language of a place name, and write what they said.

Run it from anywhere: ``python examples/langid/make_data.py [FOLDER]``. It writes four CSV files into the
folder (this one, if none is given) and is deterministic: the same Babel and scikit-learn give the same
files, byte for byte.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from babel import Locale
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

LANGUAGES = ("de", "en", "es", "fi", "fr", "it", "nl", "pl", "pt", "sv")
# Not places: groups of countries, test locales and the unknown. Numeric codes (continents) go as well.
NOT_PLACES = {"EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"}
N_TEST = 100
N_RUNS = 5
JUDGED = ("nb_13", "logreg_14", "svm_14", "knn_3")
TRAIN_SHARE = 0.8
SEED = 2026


class Item(NamedTuple):
    """One name of one territory in one language."""

    item: str
    territory: str
    name: str
    gold: str


def read_items() -> list[Item]:
    """Return the names of all territories that have one in every language, sorted."""
    names = {language: Locale(language).territories for language in LANGUAGES}
    shared = set.intersection(*(set(table) for table in names.values()))
    places = sorted(code for code in shared if code.isalpha() and code not in NOT_PLACES)
    return [
        Item(f"{code}-{language}", code, names[language][code], language)
        for code in places
        for language in LANGUAGES
    ]


def split(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Split by territory, so that no territory of the test set was seen in training."""
    places = sorted({item.territory for item in items})
    chosen = np.random.default_rng(SEED).permutation(len(places))[:N_TEST]
    test = {places[i] for i in chosen}
    return (
        [item for item in items if item.territory not in test],
        [item for item in items if item.territory in test],
    )


def counts(longest: int) -> CountVectorizer:
    """Return counts of the character n-grams of 1 to `longest`, within words."""
    return CountVectorizer(analyzer="char_wb", ngram_range=(1, longest), lowercase=False)


def tfidf(longest: int) -> TfidfVectorizer:
    """Return the same n-grams, weighted."""
    return TfidfVectorizer(analyzer="char_wb", ngram_range=(1, longest), lowercase=False, sublinear_tf=True)


SYSTEMS = ("nb_12", "nb_13", "logreg_14", "svm_14", "knn_3")


def build(system: str, run: int) -> Pipeline:
    """Return a system, not yet trained. The digits of a name are its n-gram lengths, or its k."""
    match system:
        case "nb_12":
            return make_pipeline(counts(2), MultinomialNB(alpha=0.3))
        case "nb_13":
            return make_pipeline(counts(3), MultinomialNB(alpha=0.3))
        case "logreg_14":
            return make_pipeline(tfidf(4), LogisticRegression(C=10.0, max_iter=2000))
        case "svm_14":
            return make_pipeline(tfidf(4), LinearSVC(C=1.0, random_state=run))
        case "knn_3":
            return make_pipeline(tfidf(3), KNeighborsClassifier(3, metric="cosine", algorithm="brute"))
    raise ValueError(f"system must be one of {', '.join(SYSTEMS)}; got {system!r}")


def sample_of_run(train: Sequence[Item], run: int) -> list[Item]:
    """Draw the training data of one run: 80 % of the territories, in a random order.

    All systems of a run see the same sample.
    """
    rng = np.random.default_rng([SEED, run])
    places = sorted({item.territory for item in train})
    n_kept = round(TRAIN_SHARE * len(places))
    kept = {places[i] for i in rng.permutation(len(places))[:n_kept]}
    sample = [item for item in train if item.territory in kept]
    return [sample[i] for i in rng.permutation(len(sample))]


def predict(system: str, run: int, train: Sequence[Item], test: Sequence[Item]) -> list[str]:
    """Train one system on the sample of one run and return its predictions for the test items."""
    sample = sample_of_run(train, run)
    model = build(system, run)
    model.fit([item.name for item in sample], [item.gold for item in sample])
    return [str(label) for label in model.predict([item.name for item in test])]


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a CSV file in UTF-8 with plain newlines, whatever the platform."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def judgements(test: Sequence[Item], answers: Mapping[str, Sequence[str]]) -> Iterable[tuple[str, ...]]:
    """Judge every name once for every two systems: right beats wrong, otherwise it is a tie."""
    for i, item in enumerate(test):
        for a, b in combinations(answers, 2):
            right = [system for system in (a, b) if answers[system][i] == item.gold]
            yield item.item, item.territory, a, b, right[0] if len(right) == 1 else "tie"


def main(folder: Path) -> None:
    """Make the four files."""
    train, test = split(read_items())
    gold = [item.gold for item in test]
    predictions = {
        (system, run): predict(system, run, train, test) for system in SYSTEMS for run in range(N_RUNS)
    }
    write(
        folder / "predictions.csv",
        [*Item._fields, *SYSTEMS],
        ([*item, *(predictions[s, 0][i] for s in SYSTEMS)] for i, item in enumerate(test)),
    )
    write(
        folder / "predictions_all_runs.csv",
        ["item", "territory", "gold", "run", *SYSTEMS],
        (
            [item.item, item.territory, item.gold, run, *(predictions[s, run][i] for s in SYSTEMS)]
            for run in range(N_RUNS)
            for i, item in enumerate(test)
        ),
    )
    write(
        folder / "judgements.csv",
        ["item", "territory", "a", "b", "winner"],
        judgements(test, {system: predictions[system, 0] for system in JUDGED}),
    )
    write(
        folder / "runs.csv",
        ["system", "run", "accuracy", "f1_macro"],
        (
            [
                system,
                run,
                sum(g == p for g, p in zip(gold, predicted, strict=True)) / len(gold),
                float(f1_score(gold, predicted, average="macro")),
            ]
            for (system, run), predicted in predictions.items()
        ),
    )
    print(f"{len(train)} training names, {len(test)} test names, {len(SYSTEMS)} systems, {N_RUNS} runs each")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
