"""Translate names of currencies and time zones from Spanish to English with three small systems.

Run it from anywhere: ``python examples/translation/make_data.py [FOLDER]``. It writes text files with a
segment per line into the folder (this one, if none is given) and is deterministic: the same Babel and
scikit-learn give the same files, byte for byte.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from babel import Locale
from sklearn.feature_extraction.text import TfidfVectorizer

SEED = 2026
TEST_SHARE = 0.4
ITERATIONS = 10
MOST_ORDERED = 7


class Segment(NamedTuple):
    """One name: what it is of, which one, in Spanish and in English."""

    domain: str
    document: str
    source: str
    target: str


def read_segments() -> list[Segment]:
    """Return the names that both languages have; the forms of one time zone are one document."""
    spanish, english = Locale("es"), Locale("en")
    found = [
        Segment("currency", code, spanish.currencies[code], english.currencies[code])
        for code in sorted(set(spanish.currencies) & set(english.currencies))
    ]
    for zone in sorted(set(spanish.meta_zones) & set(english.meta_zones)):
        ours, theirs = spanish.meta_zones[zone].get("long", {}), english.meta_zones[zone].get("long", {})
        forms = sorted(set(ours) & set(theirs))
        found += [Segment("time", zone, ours[form], theirs[form]) for form in forms]
    return [segment for segment in found if len(segment.source.split()) > 1]


def split(segments: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
    """Split by document, so that no currency or time zone of the test set was seen in training."""
    documents = sorted({segment.document for segment in segments})
    order = np.random.default_rng(SEED).permutation(len(documents))
    test = {documents[i] for i in order[: round(TEST_SHARE * len(documents))]}
    return (
        [segment for segment in segments if segment.document not in test],
        [segment for segment in segments if segment.document in test],
    )


class Dictionary:
    """Word translations by IBM Model 1 (Brown et al. 1993), and whether a word is translated at all."""

    def __init__(self, train: Sequence[Segment]) -> None:
        pairs = [(["", *s.source.lower().split()], s.target.split()) for s in train]
        self.table: dict[str, dict[str, float]] = defaultdict(dict)
        for source, target in pairs:
            for word in source:
                self.table[word].update(dict.fromkeys(target, 1.0))
        for _ in range(ITERATIONS):
            counts: dict[str, Counter[str]] = defaultdict(Counter)
            for source, target in pairs:
                for word in target:
                    total = sum(self.table[other][word] for other in source)
                    for other in source:
                        counts[other][word] += self.table[other][word] / total
            self.table = {
                word: {other: n / sum(row.values()) for other, n in row.items()}
                for word, row in counts.items()
            }
            seen = Counter(word for source, _ in pairs for word in source)
            self.fertility = {word: sum(row.values()) / seen[word] for word, row in counts.items()}

    def words(self, source: str) -> list[str]:
        """Return the most probable translation of each word; words never seen are copied."""
        out = []
        for word in source.split():
            row = self.table.get(word.lower())
            if row is None:
                out.append(word[0].upper() + word[1:])
            elif self.fertility[word.lower()] >= 0.5:
                out.append(min(row, key=lambda other: (-row[other], other)))
        return out


class Order:
    """The order of words that bigrams of the training targets make most probable."""

    def __init__(self, train: Sequence[Segment]) -> None:
        lines = [["<s>", *segment.target.split(), "</s>"] for segment in train]
        self.pairs = Counter(pair for line in lines for pair in itertools.pairwise(line))
        self.first = Counter(word for line in lines for word in line[:-1])
        self.size = len({word for line in lines for word in line})

    def best(self, words: Sequence[str]) -> list[str]:
        """Return the best of all orders; long segments are left as they are."""
        if not 1 < len(words) <= MOST_ORDERED:
            return list(words)
        orders = itertools.permutations(words)
        return list(max(orders, key=lambda order: (round(self._log_probability(order), 9), order)))

    def _log_probability(self, words: Sequence[str]) -> float:
        line = ["<s>", *words, "</s>"]
        return sum(
            math.log((self.pairs[pair] + 0.1) / (self.first[pair[0]] + 0.1 * self.size))
            for pair in itertools.pairwise(line)
        )


def remembered(train: Sequence[Segment], test: Sequence[Segment]) -> list[str]:
    """Return, for each segment, the target of the most similar source seen in training."""
    vectors = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4))
    known = vectors.fit_transform([segment.source for segment in train])
    similar = (vectors.transform([segment.source for segment in test]) @ known.T).toarray().round(9)
    return [train[i].target for i in similar.argmax(axis=1)]


def write(path: Path, lines: Sequence[str]) -> None:
    """Write lines in UTF-8 with plain newlines, whatever the platform."""
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")


def main(folder: Path) -> None:
    """Make the files."""
    train, test = split(read_segments())
    dictionary, order = Dictionary(train), Order(train)
    translated = [dictionary.words(segment.source) for segment in test]
    write(folder / "source.txt", [segment.source for segment in test])
    write(folder / "references.txt", [segment.target for segment in test])
    write(folder / "segments.docs", [f"{segment.domain} {segment.document}" for segment in test])
    write(folder / "memory.txt", remembered(train, test))
    write(folder / "words.txt", [" ".join(words) for words in translated])
    write(folder / "ordered.txt", [" ".join(order.best(words)) for words in translated])
    print(f"{len(train)} training segments, {len(test)} test segments")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
