"""TREC: relevance judgements (qrels) and runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby.data.roles import listed
from bestby.metrics.retrieval import ranked_by_score
from bestby.readers.files import rows_of
from bestby.readers.formats.base import Items, head_of, need_gold, of_items
from bestby.readers.text import as_number, first_lines, number_of
from bestby.results.base import Note

_RUN = "TOPIC Q0 DOCUMENT RANK SCORE TAG"
_QRELS = "TOPIC 0 DOCUMENT RELEVANCE"
_GRADE = r"-?\d+"
_SEPARATOR = re.compile(r"\s*,\s*|\s+")
_COLUMNS = (
    f"write all columns, parted by blanks or tabs: {_RUN} (any tag; where there is no score, the rank with a"
    f" minus), and of judgements {_QRELS}"
)
_COUNTING = {"first": "the first line", "last": "the last line", "max": "the highest number"}
"""What counts of lines that repeat a document of a topic, unless they are an error."""


def recognises(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Tell whether a file is a run: lines of topic, Q0, document, rank, score and tag.

    trec_eval skips the second column; where it is not Q0, it and the tag must be the same in all lines.
    """
    rows = [line.split() for line in first_lines(head) if line.strip()]
    if not rows or any(len(row) != 6 for row in rows):
        return False
    is_one_run = len({(row[1], row[5]) for row in rows}) == 1
    return all(
        (row[1].upper() == "Q0" or is_one_run)
        and re.fullmatch(r"-?\d+", row[3])
        and as_number(row[4]) is not None
        for row in rows
    )


def check_columns(paths: Iterable[Path], golds: Sequence[Path]) -> None:
    """Refuse lines that are rankings of documents or judgements of them, but have not the columns of these.

    Nothing else would read them as what they are: to a table the first line is a header, and to texts a line
    is a label.
    """
    runs = {path: rows for path in paths if (rows := _rows(path))}
    for path, rows in runs.items():
        if _ranks(rows):
            raise InvalidInputError(
                f"{path} looks like a ranking of documents, but its lines, of {len(rows[0])} columns, are not"
                f" those of a run: {_RUN}",
                hint=f'{_COLUMNS}; then pass format="trec" and the judgements: gold=...',
            )
    for path in golds:
        if (rows := _rows(path)) and _judges(rows, runs.values()):
            raise InvalidInputError(
                f"{path} looks like judgements of documents ({_QRELS}), but the other files are no runs:"
                f" {_RUN}",
                hint=f'{_COLUMNS}; then pass format="trec"',
            )


def _rows(path: Path) -> list[list[str]]:
    """Return the columns of the first lines of a file, if all have as many."""
    rows = [_SEPARATOR.split(line.strip()) for line in first_lines(head_of(path)) if line.strip()]
    return rows if len({len(row) for row in rows}) == 1 else []


def _judges(rows: Sequence[Sequence[str]], runs: Iterable[Sequence[Sequence[str]]]) -> bool:
    """Tell whether lines judge documents of topics: by their form if they have four columns.

    Three columns could be a table of clusters, items and labels: some run must have a document of a topic in
    common with them, and a number in its first line, where a table has a header.
    """
    header, *others = rows
    body = rows if re.fullmatch(_GRADE, header[-1]) else others
    pairs = {(row[0], row[-2]) for row in body if len(row) in (3, 4)}
    is_list = len(pairs) == len(body) > len({row[0] for row in body})
    is_matrix = all(document in ("0", "1") for _, document in pairs)  # of labels that items have or have not
    if not is_list or is_matrix or not all(re.fullmatch(_GRADE, row[-1]) for row in body):
        return False
    if len(header) == 4:
        return body is rows and len({row[1] for row in body}) == 1
    return any(
        len(run[0]) > 2
        and any(as_number(cell) is not None for cell in run[0][2:])
        and any(pair in pairs for row in run for pair in ((row[0], row[1]), (row[0], row[2])))
        for run in runs
    )


def _ranks(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the third or fourth column counts the documents of each topic, up to 3 or more."""
    for place in (2, 3):
        if place >= len(rows[0]) or len(rows[0]) > 6 or not all(row[place].isdecimal() for row in rows):
            continue
        topics = [[*group] for _, group in groupby(rows, key=itemgetter(0))]
        most = max(map(len, topics))
        if most >= 3 and all(
            [int(row[place]) for row in topic] == [*range(first, first + len(topic))]
            and len({row[place - 1] for row in topic}) == len(topic)
            for topic in topics
            for first in (int(topic[0][place]) if topic[0][place] in ("0", "1") else -1,)
        ):
            return True
    return False


@of_items
def read(paths: Mapping[str, Path], *, gold: Path | None = None, duplicates: str = "error") -> Items:
    """Read the runs of several systems and the relevance judgements of the documents.

    As in trec_eval the order is that of the scores, whatever the ranks say, and topics without judgements are
    left out. trec_eval averages over the topics of each run; here all systems are compared on the judged
    topics. `duplicates` says what to do with a document that occurs more than once for a topic.
    """
    choices = ("error", *_COUNTING)
    if duplicates not in choices:
        raise InvalidInputError(
            f"duplicates must be one of {', '.join(choices)}, got {duplicates!r}",
            hint="duplicates=max",
            argument="duplicates",
        )
    judged, _, doubled = _topics(need_gold(gold, "runs"), 4, (2, 3), "relevance", _QRELS, duplicates)
    systems: dict[str, dict[str, dict[str, float]]] = {}
    notes = [_repeated(doubled, str(gold), duplicates)] if doubled else []
    for name, path in paths.items():
        topics, ranks, doubled = _topics(path, 6, (2, 4), "score", _RUN, duplicates)
        if doubled:
            notes.append(_repeated(doubled, str(path), duplicates, name))
        systems[name] = {topic: topics[topic] for topic in judged if topic in topics}
        unjudged = [topic for topic in topics if topic not in judged]
        if unjudged:
            message = (
                f"{len(unjudged)} of {len(topics)} topics of {name!r} were left out because nobody judged"
            )
            notes.append(Note("topics_not_judged", f"{message} them: {listed(unjudged, 3)}", (name,)))
        if not systems[name]:
            raise InvalidInputError(
                f"{path} and {gold} have no topic in common; their first ones are {next(iter(topics))!r} and"
                f" {next(iter(judged))!r}",
                hint="give the judgements of the topics of the runs",
            )
        notes += _about_order(name, systems[name], ranks)
    description = f"TREC runs: {listed(list(paths))}; judgements of {len(judged)} topics: {gold}"
    return Items(description, systems, judged, {}, "ndcg@10", tuple(notes))


def _repeated(n: int, source: str, duplicates: str, *systems: str) -> Note:
    message = f"{n} lines of {source} repeat a document of the same topic; of each, {_COUNTING[duplicates]}"
    return Note("repeated_documents", f"{message} counts", systems)


def _about_order(
    name: str, topics: Mapping[str, Mapping[str, float]], ranks: Mapping[str, Mapping[str, float]]
) -> list[Note]:
    """Return notes on topics whose ranks contradict the scores, and on others with many equal scores.

    A few equal scores, which every run has, contradict no ranks, and neither do ranks that are all the same.
    """
    inverted = by_ties = tied = 0
    for topic, scores in topics.items():
        rank = ranks[topic]
        ranked = ranked_by_score(scores)
        by_rank = sorted(ranked, key=lambda document: (-scores[document], rank[document]))
        many = 2 * sum(n for n in Counter(scores.values()).values() if n > 1) >= len(scores) > 1
        if _descends(by_rank, rank):
            inverted += 1
        elif many and _descends(ranked, rank):
            by_ties += 1
        else:
            tied += many
    notes = []
    if inverted or by_ties:
        ties = f" (on {by_ties} topics half of the scores or more are equal)" if by_ties else ""
        message = (
            f"the rank column of {name!r} contradicts the scores on {inverted + by_ties} of"
            f" {len(topics)} topics; the scores count, equal ones by document id, as in trec_eval{ties}"
            + (": negate scores that are distances" if inverted else "")
        )
        notes.append(Note("ranks_contradict_scores", message, (name,)))
    if tied:
        message = (
            f"half of the documents of {name!r} or more have equal scores on {tied} of {len(topics)} topics;"
            " these stand in the order of their ids, as in trec_eval"
        )
        notes.append(Note("equal_scores", message, (name,)))
    return notes


def _descends(documents: Sequence[str], rank: Mapping[str, float]) -> bool:
    return any(rank[below] < rank[above] for above, below in pairwise(documents))


def _topics(
    path: Path, n_columns: int, columns: tuple[int, int], what: str, form: str, duplicates: str
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]], int]:
    """Return a number per topic and document, in the order of the lines that count, and how many repeat.

    The number before it, which is the rank in a run, is returned between the two.
    """
    doubled = 0
    topics: dict[str, dict[str, float]] = {}
    ranks: dict[str, dict[str, float]] = {}
    for where, row in rows_of(path, [n_columns], form, hint=f"{_COLUMNS}; or the file is cut off"):
        topic, document = topics.setdefault(row[0], {}), row[columns[0]]
        value = number_of(row[columns[1]], where, f"the {what}")
        if document in topic:
            if duplicates == "error":
                raise InvalidInputError(
                    f"{where}: document {document!r} occurs twice for topic {row[0]!r}",
                    hint="keep one line per topic and document, or say which one counts (first, last or max):"
                    ' duplicates="max"',
                )
            doubled += 1
            if duplicates == "first" or (duplicates == "max" and value <= topic[document]):
                continue
            del topic[document]
        topic[document] = value
        ranks.setdefault(row[0], {})[document] = as_number(row[columns[1] - 1]) or 0.0
    return topics, ranks, doubled
