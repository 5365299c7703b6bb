"""Statistics of texts are the same wherever they are counted, and whether they come from a cache or not."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bestby as bb
from bestby.engine import text_statistics
from bestby.engine.text_statistics import Counting, statistics
from bestby.metrics import texts as metrics_texts
from bestby.metrics.summarisation import Meteor, MeteorSettings, Rouge
from bestby.metrics.translation import Bleu, Chrf, SegmentMean, Ter

REFERENCES = np.array([f"the cat {i} sat on the mat, {i % 3} times" for i in range(12)], dtype=object)
SYSTEMS = {
    "a": [text.replace("cat", "dog") if i % 3 else text for i, text in enumerate(REFERENCES)],
    "b": [text.replace("mat", "rug") if i % 2 else text for i, text in enumerate(REFERENCES)],
}


class Own(Bleu):
    """A metric that bestby does not bring."""

    def statistics(self, gold: Any, predictions: Any) -> Any:
        return super().statistics(gold, [text.upper() for text in predictions])


def evaluated(cache: Any = None, **settings: Any) -> bb.results.Comparison:
    given = {"metric": "bleu", "n_resamples": 20, **settings}
    return bb.evaluate(
        given.pop("systems", SYSTEMS), REFERENCES, resampling=bb.Resampling(cache=cache), **given
    )


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the numbers of texts that are counted from now on."""
    numbers: list[int] = []
    original = Bleu._rows

    def counting(metric: Bleu, references: Any, segments: Any, texts: list[str]) -> Any:
        numbers.append(len(texts))
        return original(metric, references, segments, texts)

    monkeypatch.setattr(Bleu, "_rows", counting)
    return numbers


def test_equal_texts_of_an_item_are_counted_once(counted: list[int]) -> None:
    evaluated()
    assert counted == [sum(len({a, b}) for a, b in zip(*SYSTEMS.values(), strict=True))]
    assert counted[0] < 24


def test_a_second_evaluation_counts_nothing_and_gives_the_same(tmp_path: Path, counted: list[int]) -> None:
    plain = evaluated()
    first = evaluated(tmp_path / "new" / "cache")
    counted.clear()
    second = evaluated(tmp_path / "new" / "cache")
    assert counted == []
    assert plain == first == second
    assert plain.signature == second.signature


def test_only_a_system_that_changed_is_counted_again(tmp_path: Path, counted: list[int]) -> None:
    evaluated(tmp_path)
    counted.clear()
    changed = {**SYSTEMS, "b": [*SYSTEMS["b"][:-1], "something else"]}
    assert evaluated(tmp_path, systems=changed) == evaluated(systems=changed)
    assert counted[0] == 12
    assert evaluated(tmp_path, metric="bleu@none") == evaluated(metric="bleu@none")


def test_a_damaged_file_is_counted_again_and_mended(tmp_path: Path, counted: list[int]) -> None:
    expected = evaluated(tmp_path)
    stored = {file: file.read_bytes() for file in tmp_path.glob("*.cache")}
    for file, data in stored.items():
        file.write_bytes(data[:-1] + b"x")
    counted.clear()
    assert evaluated(tmp_path) == expected
    assert len(counted) == 1
    assert {file: file.read_bytes() for file in tmp_path.glob("*.cache")} == stored


def test_methods_of_a_class_of_the_users_own_are_called(tmp_path: Path) -> None:
    upper = {name: [text.upper() for text in texts] for name, texts in SYSTEMS.items()}
    own, expected = evaluated(tmp_path, metric=Own()), evaluated(systems=upper)
    assert [score.score for score in own.systems] == [score.score for score in expected.systems]
    assert not list(tmp_path.glob("*.cache"))


@pytest.mark.long
def test_two_processes_at_once_fill_one_cache(tmp_path: Path) -> None:
    code = (
        "import sys; from tests.unit.engine.test_text_statistics import evaluated;"
        "print(evaluated(sys.argv[1]).to_json())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "cache")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
    answers = [process.communicate()[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert answers[0] == answers[1]
    assert [json.loads(answer) for answer in answers] == [json.loads(evaluated().to_json())] * 2
    assert len(list((tmp_path / "cache").glob("*.cache"))) == 2


def parts(metric: Any = None, gold: Any = ("ab", "c"), texts: Any = ("ab", "c")) -> Any:
    return metrics_texts.cache_parts(metric or Bleu(), gold, [texts])


def test_a_key_tells_whatever_changes_the_statistics(monkeypatch: pytest.MonkeyPatch) -> None:
    different = [
        parts(),
        parts(Bleu(lowercase=True)),
        parts(Bleu("bleu@none", "none")),
        parts(Chrf()),
        parts(Chrf(beta=1)),
        parts(Ter()),
        parts(SegmentMean("bleu_segment_mean", Bleu())),
        parts(Rouge("rouge1")),
        parts(Rouge("rouge1", stem=True)),
        parts(gold=("a", "bc")),
        parts(gold=(("ab", "c"), "c")),
        parts(gold=("ab", ("c", "ab"))),
        parts(texts=("a", "bc")),
        parts(texts=("abc", "")),
    ]
    monkeypatch.setattr(metrics_texts, "versions", lambda _: {"sacrebleu": "another"})
    different.append(parts())
    found = {json.dumps(one) for one in different if one is not None}
    assert len(found) == len(different)
    assert parts(gold=(["ab"], ("c",))) == parts()


@pytest.mark.parametrize("metric", [Own(), Meteor(settings=MeteorSettings(tokenise=str.split))])
def test_what_may_depend_on_anything_is_not_kept(metric: Any) -> None:
    assert parts(metric) is None


def test_a_cache_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert evaluated(tmp_path) == evaluated()
    assert not list(tmp_path.glob("*.cache"))


# -- processes -------------------------------------------------------------------------------------


def rows(metric: Any, counting: Counting) -> list[np.ndarray]:
    return statistics(metric, REFERENCES, list(SYSTEMS.values()), counting)


def check_equal(found: list[np.ndarray], metric: Any) -> None:
    for made, texts in zip(found, SYSTEMS.values(), strict=True):
        np.testing.assert_array_equal(made, metric.statistics(REFERENCES, texts))


@pytest.mark.parametrize(
    "metric", [Bleu(), Chrf(word_order=2), Ter(), Rouge("rougeL"), SegmentMean("ter_segment_mean", Ter())]
)
def test_parts_give_the_statistics_of_all(metric: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    check_equal(rows(metric, Counting()), metric)
    monkeypatch.setattr(text_statistics, "WORTH_PROCESSES", 0.0)
    with ThreadPoolExecutor(3) as executor:
        check_equal(rows(metric, Counting(executor=executor)), metric)


@pytest.mark.parametrize("works", [True, False])
def test_processes_give_the_same_and_where_there_is_none_it_is_done_here(
    works: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_statistics, "WORTH_PROCESSES", 0.0)
    status: list[int] = []
    original = subprocess.run

    def run(command: list[str], **given: Any) -> Any:
        done = original(
            command if works else [command[0], "-c", "raise OSError"], **{**given, "check": False}
        )
        status.append(done.returncode)
        done.check_returncode()
        return done

    monkeypatch.setattr(subprocess, "run", run)
    check_equal(rows(Ter(), Counting(n_jobs=2)), Ter())
    assert status == ([0, 0] if works else [1, 1])
