"""Find the names of a place in other languages with three small search engines, as TREC runs.

Run it from anywhere: ``python examples/retrieval/make_data.py [FOLDER]``. It is deterministic: the same
Babel and scikit-learn give the same files, byte for byte.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from babel import Locale
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

LANGUAGES = ("de", "en", "es", "fi", "fr", "it", "nl", "pl", "pt", "sv")
NOT_PLACES = {"EU", "EZ", "QO", "UN", "XA", "XB", "ZZ"}
N_TOPICS = 80
DEPTH = 10
SEED = 2026

SYSTEMS = {
    "fourgrams": CountVectorizer(analyzer="char_wb", ngram_range=(4, 4), binary=True),
    "tfidf_13": TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 3), sublinear_tf=True),
    "tfidf_25": TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True),
}


def read_names() -> dict[str, str]:
    """Return all names by document id: the code of the place and the language."""
    tables = {language: Locale(language).territories for language in LANGUAGES}
    shared = sorted(set.intersection(*(set(table) for table in tables.values())))
    places = [code for code in shared if code.isalpha() and code not in NOT_PLACES]
    return {f"{code}-{language}": tables[language][code] for code in places for language in LANGUAGES}


def write(path: Path, lines: list[str]) -> None:
    """Write lines in UTF-8 with plain newlines, whatever the platform."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def main(folder: Path) -> None:
    """Make the judgements and the runs.

    A topic is a name; relevant are the names of the same place in other languages, more so (2) if they are
    written otherwise. Names that have nothing in common with the topic are not found.
    """
    names = read_names()
    ids = list(names)
    topics = [ids[i] for i in sorted(np.random.default_rng(SEED).permutation(len(ids))[:N_TOPICS])]
    qrels = []
    for topic in topics:
        place = topic.partition("-")[0]
        same = [item for item in ids if item.startswith(f"{place}-") and item != topic]
        qrels += [f"{topic} 0 {item} {1 + (names[item] != names[topic])}" for item in same]
    write(folder / "qrels.txt", qrels)
    for name, vectors in SYSTEMS.items():
        documents = vectors.fit_transform(names.values())
        norms = np.sqrt(np.asarray(documents.multiply(documents).sum(axis=1)).ravel())
        similar = (vectors.transform([names[topic] for topic in topics]) @ documents.T).toarray() / norms
        run = []
        for topic, row in zip(topics, similar.round(6), strict=True):
            row[ids.index(topic)] = -1.0
            best = sorted(range(len(ids)), key=lambda i: (-row[i], ids[i]))[:DEPTH]
            found = [i for i in best if row[i] > 0.0]
            run += [f"{topic} Q0 {ids[i]} {rank} {row[i]:.6f} {name}" for rank, i in enumerate(found, 1)]
        write(folder / f"{name}.run", run)
    print(f"{len(topics)} topics, {len(ids)} documents")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
