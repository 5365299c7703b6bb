"""Scores in batches: what is drawn belongs to the ids, whatever the files, their order and their kind."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from tests.unit.item_keys import item_keys

from bestby import Blocks, Resampling, compare
from bestby._core.errors import DesignError, InvalidInputError, MissingExtraError
from bestby.data.evaluation import Evaluation, Streamed
from bestby.engine import poisson
from bestby.metrics import resolve
from bestby.readers import large_tables, read

pytestmark = pytest.mark.long

N = 700
RNG = np.random.default_rng(0)
IDS = [f"q{i}" for i in range(N)]
GOLD = RNG.normal(size=N).round(6)
A = (GOLD + RNG.normal(size=N) * 0.5).round(6)
B = (GOLD + 0.1 + RNG.normal(size=N) * 0.6).round(6)
TABLE = list(zip(IDS, GOLD.tolist(), A.tolist(), B.tolist(), strict=True))
NAMES = ("id", "target", "a", "b")


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a few hundred items be many, and let batches be small."""
    monkeypatch.setattr(large_tables, "MOST_CELLS", 100)
    monkeypatch.setattr(large_tables, "ROWS", 128)


def write(path: Path, rows: list[tuple[Any, ...]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([NAMES, *rows])
    elif path.suffix == ".jsonl":
        records = (json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows)
        path.write_text("\n".join(records) + "\n", encoding="utf-8")
    else:
        with duckdb.connect() as database:
            database.execute("CREATE TABLE t (id VARCHAR, target DOUBLE, a DOUBLE, b DOUBLE)")
            database.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
            database.execute(f"COPY t TO '{path}' (FORMAT parquet)")
    return path


def scores(paths: Any, **arguments: Any) -> Streamed:
    found = read(paths, **({"items": "id", "systems": ["a", "b"], "stream": True} | arguments))
    assert isinstance(found, Streamed)
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("whole") / "whole.parquet", TABLE)


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write the rows in another order into several files of each kind; return the pattern of each."""
    folder = tmp_path_factory.mktemp("split")
    order = np.random.default_rng(5).permutation(N)
    for kind in ("csv", "jsonl", "parquet"):
        for part, rows in enumerate(np.array_split(order, 3)):
            write(folder / kind / f"part-{part}.{kind}", [TABLE[i] for i in rows])
    return {kind: str(folder / kind / "*") for kind in ("csv", "jsonl", "parquet")}


def totals(values: np.ndarray, n_resamples: int, seed: int) -> np.ndarray:
    """The mean of each Poisson resample, written out."""
    weights = poisson.weights(item_keys(IDS), seed, 0, n_resamples).T.astype(float)
    return (weights @ values) / weights.sum(axis=1)


def test_keys_are_the_last_eight_bytes_of_the_digests(tmp_path: Path) -> None:
    """Pinned: every Poisson weight follows from them. Digests as given by md5sum."""
    table = write(tmp_path / "t.csv", [*TABLE, ("é", 0.5, 1.0, 2.0), (7, 0.5, 1.0, 2.0)])
    keys = {key for batch in scores(table).batches() for key in batch.keys.tolist()}
    of_q1_and_q2 = {13426102490104382658, 9749761389079030798}
    assert of_q1_and_q2 | {8054489590243458038, 4838530986245240410} <= keys


def test_estimates_and_errors_are_those_in_memory(whole: Path) -> None:
    streamed = scores(whole)
    assert streamed.n_items == N
    result = compare(streamed, n_resamples=400, interval="normal")
    expected = compare({"a": A, "b": B}, n_resamples=400, interval="normal", test="t")
    for one, other in zip(result.differences, expected.differences, strict=True):
        assert one.estimate == pytest.approx(other.estimate, rel=1e-12)
        assert one.interval.low == pytest.approx(other.interval.low, rel=1e-7)
        assert one.interval.high == pytest.approx(other.interval.high, rel=1e-7)
        assert (one.n_items, one.n_differing) == (other.n_items, other.n_differing)
    assert "poisson_resamples" in [note.code for note in result.notes]


def test_replicates_are_poisson_means_divided_by_their_own_size(whole: Path) -> None:
    result = compare(scores(whole), n_resamples=400, interval="percentile", rng=3)
    drawn = totals(A - B, 400, 3)
    sign = 1.0 if result.differences[0].a == "a" else -1.0
    interval = result.differences[0].interval
    from bestby.inference.distributions import replicates
    from bestby.inference.intervals import percentile

    low, high = percentile(replicates(sign * drawn, 1.0), 0.95)
    assert (interval.low, interval.high) == (pytest.approx(low, rel=1e-10), pytest.approx(high, rel=1e-10))


def test_the_permutation_test_is_that_of_the_swaps(whole: Path) -> None:
    result = compare(scores(whole), n_resamples=500, rng=1)
    bits = poisson.swap_bits(item_keys(IDS), 1, 0, 500).T.astype(float)
    drawn = (1.0 - 2.0 * bits) @ (A - B) / N
    hits = int((np.abs(drawn) >= abs((A - B).mean()) * (1 - 1e-9)).sum())
    assert result.differences[0].p_value == (1 + hits) / 501


@pytest.mark.parametrize("metric", ["mean", "mse", "mae", ["mse", "mae"]], ids=str)
@pytest.mark.parametrize("interval", ["auto", "basic"])
def test_files_their_order_and_their_kind_change_nothing(
    split: dict[str, str], whole: Path, metric: Any, interval: str
) -> None:
    asked: dict[str, Any] = {"metric": metric, "n_resamples": 300, "interval": interval}
    gold = {} if metric == "mean" else {"gold": "target"}
    one = compare(scores(whole, **gold), **asked)
    for paths in split.values():
        other = compare(scores(paths, **gold), **asked)
        assert other.signature == one.signature
        for first, second in zip(one.differences, other.differences, strict=True):
            assert first.estimate == pytest.approx(second.estimate, rel=1e-12)
            assert first.interval.low == pytest.approx(second.interval.low, rel=1e-11)
            assert first.interval.high == pytest.approx(second.interval.high, rel=1e-11)
            assert first.p_value == second.p_value
            assert first.n_differing == second.n_differing


def test_threads_and_passes_change_no_bit(whole: Path) -> None:
    data = scores(whole)
    one = compare(data, n_resamples=600)
    other = compare(data, n_resamples=600, resampling=Resampling(n_jobs=2))
    assert list(one.differences) == list(other.differences)
    assert one.systems == other.systems


def test_measures_of_gold_are_those_in_memory(whole: Path) -> None:
    data = scores(whole, gold="target")
    streamed = compare(data, metric=["mse", "mae"], n_resamples=200, interval="normal")
    expected = compare({"a": A, "b": B}, GOLD, metric=["mse", "mae"], n_resamples=200, interval="normal")
    for one, other in zip(streamed.systems, expected.systems, strict=True):
        assert (one.metric, one.system) == (other.metric, other.system)
        assert one.score == pytest.approx(other.score, rel=1e-12)
        assert one.interval.low == pytest.approx(other.interval.low, rel=1e-6)


def test_other_values_have_another_hash(tmp_path: Path, whole: Path) -> None:
    base = scores(whole).data_hash()
    moved = [(*TABLE[0][:2], TABLE[0][2] + 1e-6, TABLE[0][3]), *TABLE[1:]]
    renamed = [("other", *TABLE[0][1:]), *TABLE[1:]]
    exchanged = [(i, g, b, a) for i, g, a, b in TABLE]
    hashes = [
        scores(write(tmp_path / f"{k}.parquet", rows)).data_hash()
        for k, rows in enumerate((moved, renamed, exchanged, TABLE[1:], TABLE[::-1]))
    ]
    assert len({base, *hashes[:4]}) == 5
    assert hashes[4] == base
    assert len(base) == 16


def missing_table(path: Path) -> Path:
    rows = [(i, g, "" if k % 10 == 0 else a, "NA" if k == 5 else b) for k, (i, g, a, b) in enumerate(TABLE)]
    return write(path, rows)


def test_missing_scores(tmp_path: Path) -> None:
    path = missing_table(tmp_path / "m.csv")
    with pytest.raises(InvalidInputError, match="system 'a' has no value for 70 of 700 items"):
        scores(path)
    kept = np.array([k % 10 != 0 and k != 5 for k in range(N)])
    streamed = compare(scores(path, on_missing="drop"), n_resamples=100, interval="normal")
    assert streamed.n_items == kept.sum() == 629
    assert [n.message for n in streamed.notes if n.code == "items_dropped"] == [
        "71 of 700 items were dropped because not all systems (and the gold) have them"
    ]
    assert streamed.score("a").score == pytest.approx(A[kept].mean(), rel=1e-12)
    with pytest.raises(DesignError, match="needs all scores at once"):
        scores(path, on_missing="worst")


@pytest.mark.parametrize("metric", ["pearson", "spearman", "accuracy", "roc_auc"])
def test_what_needs_all_items_says_so(whole: Path, metric: str) -> None:
    with pytest.raises(DesignError) as caught:
        compare(scores(whole, gold="target"), metric=metric)
    assert caught.value.message == (
        f"metric {resolve(metric).name} needs all items at once, but the table is read in batches"
    )


@pytest.mark.parametrize(
    "asked",
    [
        {"resampling": Resampling(resample_size=0.5)},
        {"clusters": Blocks(3)},
        {"test": "wilcoxon"},
        {"metric": "mse"},
        {"interval": "tango"},
    ],
    ids=str,
)
def test_other_designs_say_so(whole: Path, asked: dict[str, Any]) -> None:
    with pytest.raises(DesignError) as caught:
        compare(scores(whole), n_resamples=50, **asked)
    assert caught.value.hint


@pytest.mark.parametrize("text", ["much", "1_000", "01", "0x10", "nan!"])
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_score_that_is_no_number_is_named_with_its_column(tmp_path: Path, kind: str, text: str) -> None:
    path = write(tmp_path / f"t.{kind}", [*TABLE, ("last", "0", text, "1")])
    with pytest.raises(InvalidInputError) as caught:
        scores(path)
    assert caught.value.message == f"{path}: column 'a' holds text that is not a number: {text!r}"
    assert caught.value.hint == "correct this value; if it stands for a missing one, say so: missing=..."
    told = f"'a' holds text: {text!r} at position 700"
    with pytest.raises(InvalidInputError, match=re.escape(told)):  # read whole
        read(path, items="id", systems=["a", "b"], stream=False)


@pytest.mark.parametrize("written", ["+5", "5.", " 5 ", "5e0"])
def test_numbers_are_read_as_in_a_whole_table(tmp_path: Path, written: str) -> None:
    plain = scores(write(tmp_path / "plain.csv", [*TABLE, ("last", "0", "5", "1")]))
    other = scores(write(tmp_path / "other.csv", [*TABLE, (" last ", "0", written, "1")]))
    assert plain.data_hash() == other.data_hash()


@pytest.mark.parametrize("text", ["inf", "-Infinity", "1e400"])
def test_a_score_that_is_infinite_is_named_with_its_system(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "t.csv", [*TABLE[:249], ("last", "0", "1", text), *TABLE[249:]])
    with pytest.raises(InvalidInputError) as caught:
        scores(path)
    assert caught.value.message.startswith(f"system 'b' must be finite, got {float(text)} at position 249 ")
    with pytest.raises(InvalidInputError, match="gold must be finite, got inf at position 700 "):
        scores(write(tmp_path / "g.csv", [*TABLE, ("last", "inf", "0", "1")]), gold="target")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("word", [None, "", " NA"])
def test_an_item_without_an_id_is_refused(tmp_path: Path, kind: str, word: str | None) -> None:
    rows = [(word if k == 300 else i, g, a, b) for k, (i, g, a, b) in enumerate(TABLE)]
    path = write(tmp_path / f"t.{kind}", rows)
    told = "item column 'id' has no value in 1 of 700 rows"
    for stream in (True, False):
        with pytest.raises(InvalidInputError, match=told):
            read(path, items="id", systems=["a", "b"], stream=stream)
    if word == " NA":
        assert scores(path, missing="").n_items == N


def test_a_batch_of_which_no_item_is_kept_is_left_out(tmp_path: Path) -> None:
    rows = [(i, g, "" if 128 <= k < 256 else a, b) for k, (i, g, a, b) in enumerate(TABLE)]
    data = scores(write(tmp_path / "t.csv", rows), on_missing="drop")
    sizes = [batch.keys.size for batch in data.batches()]
    assert sum(sizes) == data.n_items == N - 128
    assert all(sizes)


def test_pyarrow_is_asked_for(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError) as caught:
        scores(whole)
    assert caught.value.hint == "pip install 'bestby[arrow]'"


def test_only_large_tables_are_read_in_batches(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_tables, "COUNTED_FROM", 10)
    assert type(read(whole, items="id", systems=["a", "b"])) is Evaluation
    monkeypatch.setattr(large_tables, "BATCHED_FROM", 10)
    assert type(read(whole, items="id", systems=["a", "b"])) is Streamed
    assert type(read(whole, systems=["a", "b"])) is Evaluation  # no ids: read whole


def test_coverage_of_the_poisson_bootstrap() -> None:
    """Percentile intervals of a mean of skewed scores: 300 samples of 200 items.

    With coverage 0.94, fewer than 0.89 or more than 0.985 happens once in a thousand seeds.
    """
    rng, hits = np.random.default_rng(2), 0
    keys = item_keys(range(200))
    for seed in range(300):
        x = rng.exponential(size=200)
        weights = poisson.weights(keys, seed, 0, 400).T.astype(float)
        low, high = np.quantile((weights @ x) / weights.sum(axis=1), [0.025, 0.975])
        hits += int(low <= 1.0 <= high)
    assert 0.89 < hits / 300 < 0.985


def test_rows_without_a_value_at_the_end_are_no_items(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", TABLE)
    expected = scores(path)
    path.write_text(path.read_text(encoding="utf-8") + ",,,\n , ,  ,\n" * 3, encoding="utf-8")
    found = scores(path)
    assert (found.n, found.digest) == (expected.n, expected.digest)
    path.write_text(path.read_text(encoding="utf-8") + "q,1,2,3\n,,,\n", encoding="utf-8")
    with pytest.raises(InvalidInputError, match=f"'id' has no value in 6 of {expected.n + 7} rows"):
        scores(path)
