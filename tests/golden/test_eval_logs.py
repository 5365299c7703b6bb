"""Published numbers of evaluation logs, through the readers: they must come out as the tools printed them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bestby import compare, compare_datasets, compare_runs, read
from bestby.readers.formats import deepeval, helm, inspect_logs, lm_eval, openai_evals, promptfoo, tau_bench
from bestby.readers.formats.base import format_in

Shared = Callable[[str], Path]


def _sample(shared_data: Shared, name: str) -> Path:
    path = shared_data("eval_log_formats") / name
    if not path.is_file():
        pytest.skip(f"{name} is not among the published logs")
    return path


def test_accuracies_of_inspect_are_those_in_its_logs(shared_data: Shared) -> None:
    folder = shared_data("eval_log_formats")
    paths = {name: folder / f"data_arc_{name}.json" for name in ("qwen", "sonnet")}
    assert all(format_in(path) is inspect_logs for path in paths.values())
    found = inspect_logs.read(paths, on_missing="drop")
    for (name, path), values in zip(paths.items(), found.evaluation.systems.values(), strict=True):
        log = json.loads(path.read_text())
        printed = log["results"]["scores"][0]["metrics"]["accuracy"]["value"]
        # qwen has 3 samples and sonnet 5, all of them right, so that dropping two changes no mean.
        assert values.mean() == pytest.approx(printed, abs=1e-12), name


def test_epochs_of_an_inspect_archive(shared_data: Shared) -> None:
    pytest.importorskip("zstandard")
    (path,) = (shared_data("eval_log_formats") / "generated_here").glob("*.eval")
    found = inspect_logs.read({"a": path, "b": path})
    # accuracy .75 and the reductions 1, .5, .5, 1 are what inspect_ai 0.3.285 wrote into the log
    assert found.evaluation.systems["a"].tolist() == [1.0, 0.5, 0.5, 1.0]
    assert found.runs["a"].mean() == 0.75
    assert found.clusters["passage"].tolist() == ["p0", "p0", "p1", "p1"]
    result = compare_runs(found.runs, metric=found.metric)
    assert [one.score for one in result.systems] == [0.75, 0.75]


def test_helm_means_are_those_of_its_statistics(shared_data: Shared) -> None:
    folder = shared_data("eval_log_formats")
    path = folder / "helm_mmlu_philosophy_gpt2_per_instance_stats.json.gz"
    stats = json.loads(gzip.decompress((folder / "helm_mmlu_philosophy_gpt2_stats.json.gz").read_bytes()))
    printed = next(one for one in stats if one["name"] == {"name": "exact_match", "split": "test"})
    found = helm.read({"a": path, "b": path})
    assert found.evaluation.n_items == 9
    assert found.evaluation.systems["a"].mean() == pytest.approx(printed["mean"], abs=1e-12)


def test_lm_eval_results_and_filters(shared_data: Shared) -> None:
    folder = shared_data("eval_log_formats")
    (path,) = folder.glob("samples_*.jsonl")
    found = lm_eval.read({"mine": path, path.name.split(".")[0] + ".458309": path})
    assert found.evaluation.names == (
        "mine",
        "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1",
    )
    assert found.evaluation.systems["mine"].mean() == 0.0  # exact_match,none of the results file
    (toy,) = (folder / "generated_here").glob("samples_toy_gen*")
    assert "filter: strict of strict, flex" in lm_eval.read({"a": toy, "b": toy}).description
    pairs = lm_eval.read({"a": toy, "b": toy}, value_column="bleu")
    assert pairs.evaluation.gold.tolist() == ["4", "2", "6"]
    assert pairs.metric == "bleu"


def test_gsm8k_accuracies(shared_data: Shared) -> None:
    path = shared_data("gsm8k2021") / "gsm8k_4systems.csv"
    names = ["6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification"]
    evaluation = read(path, items="item", systems=[f"{name}_correct" for name in names])
    result = compare(evaluation)
    scores = {one.system: round(one.score, 6) for one in result.systems}
    # The flags of openai/grade-school-math, 1319 items.
    assert [scores[f"{name}_correct"] for name in names] == [0.216831, 0.390447, 0.347233, 0.562547]


def test_bbh_accuracies_of_27_tasks(shared_data: Shared) -> None:
    folder = shared_data("bbh_codex")
    published = json.loads((folder / "published_eval_metrics.json").read_text())
    evaluation = read(
        folder / "bbh_direct_vs_cot.csv", strata="task", systems=["direct_correct", "cot_correct"]
    )
    result = compare_datasets(evaluation, n_resamples=100)
    assert sorted(result.datasets) == sorted(published)
    for row, task in enumerate(result.datasets):
        for name, entry in zip(("direct_correct", "cot_correct"), published[task], strict=True):
            score = result.scores[row][result.systems.index(name)]
            assert 100.0 * score == pytest.approx(entry["accuracy"], abs=1e-9), (task, name)


def test_rewards_of_tau_bench(shared_data: Shared) -> None:
    path = _sample(shared_data, "tau_bench_gpt-4o-airline.json")
    assert format_in(path) is tau_bench
    found = tau_bench.read({"a": path, "b": path})
    trajectories = json.loads(path.read_text())
    assert found.runs["a"].shape == (4, 4)
    assert found.runs["a"].sum() == sum(one["reward"] for one in trajectories)


def test_scores_of_promptfoo_add_up_to_those_of_its_prompts(shared_data: Shared) -> None:
    path = _sample(shared_data, "promptfoo_sample-export.json")
    assert format_in(path) is promptfoo
    found = promptfoo.read({path.stem: path}, value_column="score")
    prompts = json.loads(path.read_text())["results"]["prompts"]
    printed = {one["provider"]: one["metrics"]["score"] for one in prompts}
    assert {name: values.sum() for name, values in found.evaluation.systems.items()} == pytest.approx(printed)
    assert promptfoo.read({path.stem: path}).evaluation.systems["openai:gpt-5"].tolist() == [0.0, 0.0]


def test_accuracy_of_openai_evals_is_that_of_its_report(shared_data: Shared) -> None:
    path = _sample(shared_data, "openai_evals_test-match.jsonl")
    assert format_in(path) is openai_evals
    found = openai_evals.read({"a": path, "b": path})
    assert found.evaluation.systems["a"].mean() == pytest.approx(1 / 3)


def test_deepeval_knows_its_own_sample(shared_data: Shared, tmp_path: Path) -> None:
    path = _sample(shared_data, "deepeval_test_run_sample.json")
    assert format_in(path) is deepeval
    run = json.loads(path.read_text())
    (case,) = run["testCases"]  # one case is no comparison: the same one again
    run["testCases"].append({**case, "name": "another", "order": 1})
    two = tmp_path / "two.json"
    two.write_text(json.dumps(run))
    for metric in run["metricsScores"]:
        found = deepeval.read({"a": two, "b": two}, value_column=metric["metric"])
        assert found.evaluation.systems["a"].tolist() == metric["scores"][:1] * 2  # then those of its trace
