"""Recognise lines of handwritten digits with three small systems, and write transcripts in NIST's .trn.

Run it from anywhere: ``python examples/handwriting/make_data.py [FOLDER]``. It is deterministic: the same
scikit-learn gives the same files, byte for byte.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

Image = NDArray[np.float64]

NAMES = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SEED = 2026
N_TRAIN = 1000
N_PAGES, N_LINES, N_DIGITS = 20, 6, 6
INK = 4.0  # a column with less ink than this in every pixel is blank; ink goes from 0 to 16


def trimmed(image: Image) -> Image:
    """Cut blank columns off the sides."""
    inked = np.flatnonzero(image.max(axis=0) >= INK)
    return image if inked.size == 0 else image[:, inked[0] : inked[-1] + 1]


def page_of(images: Sequence[Image], rng: np.random.Generator) -> list[Image]:
    """Write digits in lines; every page has its own ink, dirt and width of gaps."""
    ink, dirt, touching = rng.uniform(0.5, 1.0), rng.uniform(0.0, 1.8), rng.uniform(0.0, 0.15)
    lines = []
    for start in range(0, len(images), N_DIGITS):
        parts: list[Image] = []
        for image in images[start : start + N_DIGITS]:
            parts += [trimmed(image) * ink, np.zeros((8, int(rng.random() >= touching)))]
        line = np.concatenate(parts[:-1], axis=1)
        lines.append(np.clip(line + rng.normal(0.0, dirt, line.shape), 0.0, 16.0))
    return lines


def cut(line: Image) -> list[Image]:
    """Cut a line at its blank columns, wide pieces in two, and put each piece into 8 x 8 pixels."""
    blank = line.max(axis=0) < INK
    pieces: list[Image] = []
    start = 0
    for column in range(line.shape[1] + 1):
        if column == line.shape[1] or blank[column]:
            width = column - start
            if width > 8:
                pieces += [line[:, start : start + width // 2], line[:, start + width // 2 : column]]
            elif width > 0:
                pieces.append(line[:, start:column])
            start = column + 1
    return [centred(piece) for piece in pieces]


def centred(piece: Image) -> Image:
    """Put a piece in the middle of 8 columns."""
    piece = piece[:, :8]
    left = (8 - piece.shape[1]) // 2
    return np.pad(piece, ((0, 0), (left, 8 - piece.shape[1] - left)))


SYSTEMS = {
    "knn": KNeighborsClassifier(3),
    "logreg": make_pipeline(StandardScaler(), LogisticRegression(C=0.05, max_iter=2000)),
    "svm": SVC(gamma=0.001),
}


def write(path: Path, texts: Sequence[str], ids: Sequence[str]) -> None:
    """Write a transcript: a line of words and its id in brackets."""
    lines = (f"{text} ({item})\n".lstrip() for text, item in zip(texts, ids, strict=True))
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def main(folder: Path) -> None:
    """Make the files."""
    digits = load_digits()
    train = np.stack([centred(trimmed(image)) for image in digits.images[:N_TRAIN]]).reshape(N_TRAIN, -1)
    rng = np.random.default_rng(SEED)
    size = N_LINES * N_DIGITS
    chosen = N_TRAIN + rng.permutation(len(digits.images) - N_TRAIN)[: N_PAGES * size]
    pages = [page_of(digits.images[chosen[p * size : (p + 1) * size]], rng) for p in range(N_PAGES)]
    ids = [f"page{p + 1:02d}-line{n + 1}" for p in range(N_PAGES) for n in range(N_LINES)]
    words = [NAMES[label] for label in digits.target[chosen]]
    spoken = [" ".join(words[start : start + N_DIGITS]) for start in range(0, len(words), N_DIGITS)]
    write(folder / "reference.trn", spoken, ids)
    for name, system in SYSTEMS.items():
        system.fit(train, digits.target[:N_TRAIN])
        texts = []
        for line in (line for page in pages for line in page):
            pieces = np.stack(cut(line)).reshape(-1, 64)
            texts.append(" ".join(NAMES[label] for label in system.predict(pieces)))
        write(folder / f"{name}.trn", texts, ids)
    print(f"{len(ids)} lines on {N_PAGES} pages, {len(words)} digits")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
