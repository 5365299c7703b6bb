"""Small files of every layout that a command reads, and what `bestby check` must propose for them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

N = 60
LOGS = Path(__file__).parents[2] / "examples" / "logs"


class Layout(NamedTuple):
    """Files by name, the words after the command, and the commands that must be among those proposed."""

    files: dict[str, str]
    words: tuple[str, ...]
    commands: frozenset[str]


def csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV; None is an empty cell."""
    lines = [",".join(rows[0])]
    lines += [",".join("" if value is None else str(value) for value in row.values()) for row in rows]
    return "\n".join(lines) + "\n"


def jsonl(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def labels(seed: int = 1) -> Iterator[tuple[int, str, dict[str, str]]]:
    """Yield the items: a number, the label, and what two systems predict."""
    chance = random.Random(seed)
    for item in range(N):
        gold = chance.choice(("neg", "pos"))
        other = {"neg": "pos", "pos": "neg"}[gold]
        shares = {"bert": 0.85, "roberta": 0.7}
        yield item, gold, {name: gold if chance.random() < p else other for name, p in shares.items()}


ITEMS = [*labels()]
TEXT = "some words on topic {}"
SYSTEMS = ("bert", "roberta")
COMPARED = frozenset({"compare", "gate", "plan", "advise"})


def scores() -> dict[str, list[float]]:
    """Return a score of each system on each item."""
    chance = random.Random(2)
    return {name: [round(chance.random(), 3) for _ in range(N)] for name in SYSTEMS}


def long(item: str, value: str, system: str = "model", **more: Any) -> list[dict[str, Any]]:
    """Return right and wrong answers as a long table, whose columns have these names."""
    return [
        {
            system: name,
            item: f"q{i}" if item != "input" else TEXT.format(i),
            value: int(answers[name] == gold),
        }
        | {key: make(i) for key, make in more.items()}
        for name in SYSTEMS
        for i, gold, answers in ITEMS
    ]


def one_per_system(**more: Any) -> dict[str, str]:
    """Return a JSON Lines file per system, with the label beside the prediction."""
    return {
        f"preds_{name}.jsonl": jsonl(
            [
                {"id": i, "text": TEXT.format(i), "label": gold, "prediction": answers[name]}
                | {key: make(i) for key, make in more.items()}
                for i, gold, answers in ITEMS
            ]
        )
        for name in SYSTEMS
    }


def lines(values: Sequence[Any]) -> str:
    """Return values, one on a line."""
    return "".join(f"{value}\n" for value in values)


def runs(dataset: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return the scores of five runs of three systems, perhaps on several datasets."""
    chance = random.Random(3)
    return [
        {
            **({"dataset": one} if one else {}),
            "system": name,
            "seed": seed,
            "acc": round(chance.gauss(mean, 0.01), 4),
        }
        for one in dataset or ("",)
        for name, mean in (("base", 0.8), ("ours", 0.85), ("other", 0.8))
        for seed in range(5)
    ]


def judged() -> list[dict[str, Any]]:
    """Return the scores of a judge, with human labels of some items."""
    chance = random.Random(4)
    return [
        {
            "item": i,
            "system": name,
            "judge": chance.randint(0, 1),
            "human": chance.randint(0, 1) if i < 30 else None,
        }
        for i in range(N)
        for name in SYSTEMS
    ]


def judgements() -> list[dict[str, Any]]:
    """Return which of two answers was better, in both orders."""
    chance = random.Random(5)
    rows = []
    for i in range(N):
        a, b = chance.sample(("bert", "roberta", "gpt"), 2)
        rows.append({"question_id": i, "model_a": a, "model_b": b, "winner": chance.choice((a, b, "tie"))})
    return rows


def wide(**more: Any) -> list[dict[str, Any]]:
    """Return predictions side by side, with the gold."""
    return [
        {"id": i, "label": gold, **answers, **{key: make(i) for key, make in more.items()}}
        for i, gold, answers in ITEMS
    ]


def folds(repetition: str = "") -> list[dict[str, Any]]:
    """Return scores of five folds, perhaps of two repetitions, whose column is called so."""
    chance = random.Random(6)
    return [
        {
            **({repetition: again} if repetition else {}),
            "fold": fold,
            "a": round(chance.random(), 3),
            "b": round(chance.random(), 3),
        }
        for again in range(1 + bool(repetition))
        for fold in range(5)
    ]


GOLD_LINES = lines([gold for _, gold, _ in ITEMS])
PER_LINE = {f"{name}.txt": lines([answers[name] for *_, answers in ITEMS]) for name in SYSTEMS}

LAYOUTS = {
    "wide, gold called label": Layout({"p.csv": csv(wide())}, ("p.csv",), COMPARED),
    "wide, texts and groups beside": Layout(
        {"p.csv": csv(wide(text=TEXT.format, topic=lambda i: "abc"[i % 3]))},
        ("p.csv",),
        COMPARED | {"slices"},
    ),
    "wide, gold called gold": Layout(
        {"p.csv": csv([{"item": i, "gold": gold, **answers} for i, gold, answers in ITEMS])},
        ("p.csv",),
        COMPARED,
    ),
    "wide, gold called ground_truth": Layout(
        {"p.csv": csv([{"ground_truth": gold, **answers} for _, gold, answers in ITEMS])},
        ("p.csv",),
        COMPARED,
    ),
    "wide, ids called example_id": Layout(
        {"p.csv": csv([{"example_id": f"e{i}", "label": gold, **answers} for i, gold, answers in ITEMS])},
        ("p.csv",),
        COMPARED,
    ),
    "a file per system, gold inside": Layout(
        one_per_system(), ("preds_bert.jsonl", "preds_roberta.jsonl"), COMPARED
    ),
    "a file per system, gold a file of lines": Layout(
        {**PER_LINE, "gold.txt": GOLD_LINES}, ("bert.txt", "roberta.txt", "gold.txt"), COMPARED
    ),
    "a file per system, named, gold a file of lines": Layout(
        {**PER_LINE, "gold.txt": GOLD_LINES}, ("a=bert.txt", "b=roberta.txt", "gold.txt"), COMPARED
    ),
    "a file per system, gold a table": Layout(
        {
            **{
                f"{name}.csv": csv([{"id": i, "prediction": answers[name]} for i, _, answers in ITEMS])
                for name in SYSTEMS
            },
            "gold.csv": csv([{"id": i, "label": gold} for i, gold, _ in ITEMS]),
        },
        ("bert.csv", "roberta.csv", "gold.csv"),
        COMPARED,
    ),
    "a wide table, gold a file": Layout(
        {
            "systems.csv": csv([{"id": i, **answers} for i, _, answers in ITEMS]),
            "gold.csv": csv([{"id": i, "label": gold} for i, gold, _ in ITEMS]),
        },
        ("systems.csv", "gold.csv"),
        COMPARED,
    ),
    "one system, gold a file": Layout(
        {"bert.txt": PER_LINE["bert.txt"], "gold.txt": GOLD_LINES},
        ("bert.txt", "gold.txt"),
        frozenset({"evaluate"}),
    ),
    "scores per item, wide": Layout(
        {"s.csv": csv([{"item": i, **{n: x[i] for n, x in scores().items()}} for i in range(N)])},
        ("s.csv",),
        COMPARED,
    ),
    "scores per item, wide, a group beside": Layout(
        {
            "s.csv": csv(
                [
                    {"item": i, "category": "xyz"[i % 3], **{n: x[i] for n, x in scores().items()}}
                    for i in range(N)
                ]
            )
        },
        ("s.csv",),
        COMPARED | {"slices"},
    ),
    "scores per item, a file per system": Layout(
        {f"{n}.txt": lines(x) for n, x in scores().items()}, ("bert.txt", "roberta.txt"), COMPARED
    ),
    "long, example_id": Layout({"l.csv": csv(long("example_id", "correct"))}, ("l.csv",), COMPARED),
    "long, question_id": Layout({"l.csv": csv(long("question_id", "correct"))}, ("l.csv",), COMPARED),
    "long, input": Layout({"l.csv": csv(long("input", "score"))}, ("l.csv",), COMPARED),
    "long, item, a group beside": Layout(
        {"l.csv": csv(long("item", "score", "system", topic=lambda i: "abc"[i % 3]))},
        ("l.csv",),
        COMPARED | {"slices"},
    ),
    "long, predictions and label": Layout(
        {
            "l.csv": csv(
                [
                    {"system": name, "item": i, "label": gold, "prediction": answers[name]}
                    for name in SYSTEMS
                    for i, gold, answers in ITEMS
                ]
            )
        },
        ("l.csv",),
        COMPARED,
    ),
    "runs, long": Layout({"r.csv": csv(runs())}, ("r.csv",), frozenset({"runs"})),
    "runs, wide": Layout(
        {"r.csv": csv([{"seed": s, "a": 0.8 + s / 99, "b": 0.79 + s / 77} for s in range(5)])},
        ("r.csv",),
        frozenset({"runs"}),
    ),
    "runs on datasets": Layout(
        {"r.csv": csv(runs(("sst", "mrpc", "rte")))}, ("r.csv",), frozenset({"datasets"})
    ),
    "runs on benchmarks": Layout(
        {"r.csv": csv(runs(("sst", "mrpc", "rte"))).replace("dataset", "benchmark")},
        ("r.csv",),
        frozenset({"datasets"}),
    ),
    "datasets, wide": Layout(
        {
            "d.csv": csv(
                [
                    {"dataset": f"d{i}", "a": round(0.5 + i / 30, 3), "b": round(0.52 + i / 40, 3)}
                    for i in range(8)
                ]
            )
        },
        ("d.csv",),
        frozenset({"datasets"}),
    ),
    "folds": Layout({"f.csv": csv(folds())}, ("f.csv",), frozenset({"folds"})),
    "folds, repeated": Layout({"f.csv": csv(folds("repetition"))}, ("f.csv",), frozenset({"folds"})),
    "folds, in repeats": Layout({"f.csv": csv(folds("repeat"))}, ("f.csv",), frozenset({"folds"})),
    "folds, long, in repeats": Layout(
        {
            "f.csv": csv(
                [
                    {"repeat": row["repeat"], "fold": row["fold"], "model": name, "accuracy": row[name]}
                    for row in folds("repeat")
                    for name in "ab"
                ]
            )
        },
        ("f.csv",),
        frozenset({"folds"}),
    ),
    "a file per run": Layout(
        {
            f"{name}_seed{seed}.csv": csv(
                [{"id": i, "gold": gold, "prediction": answers[name]} for i, gold, answers in ITEMS]
            )
            for name in SYSTEMS
            for seed in range(3)
        },
        tuple(f"{name}_seed{seed}.csv" for name in SYSTEMS for seed in range(3)),
        frozenset({"runs"}),
    ),
    "annotators side by side": Layout(
        {"p.csv": csv([{"item": i, "ann1": gold, "ann2": answers["bert"]} for i, gold, answers in ITEMS])},
        ("p.csv",),
        frozenset({"agreement"}),
    ),
    "preferences, systems in columns of another name": Layout(
        {
            "p.csv": csv(
                [
                    {"prompt": TEXT.format(row["question_id"]), "response_a": row["model_a"]}
                    | {"response_b": row["model_b"], "preference": row["winner"]}
                    for row in judgements()
                ]
            )
        },
        ("p.csv",),
        frozenset({"preferences"}),
    ),
    "splits that only repetitions number": Layout(
        {"f.csv": csv([{"rep": i, "a": row["a"], "b": row["b"]} for i, row in enumerate(folds("rep"))])},
        ("f.csv",),
        frozenset({"folds"}),
    ),
    "a folder per system": Layout(
        {
            f"runs/{name}/predictions.csv": csv(
                [{"id": i, "label": gold, "prediction": answers[name]} for i, gold, answers in ITEMS]
            )
            for name in SYSTEMS
        },
        ("runs/bert", "runs/roberta"),
        COMPARED,
    ),
    "wide, with the index of a data frame": Layout(
        {"p.csv": csv([{"": i, "label": gold, **answers} for i, gold, answers in ITEMS])},
        ("p.csv",),
        COMPARED,
    ),
    "wide, sources and texts": Layout(
        {
            "p.jsonl": jsonl(
                [
                    {"id": i, "source": TEXT.format(i), "reference": f"the answer to {i}"}
                    | {
                        name: f"the answer {'to' if i % n else 'about'} {i}"
                        for n, name in enumerate(SYSTEMS, 2)
                    }
                    for i, _, _ in ITEMS
                ]
            )
        },
        ("p.jsonl",),
        COMPARED - {"plan"},
    ),
    "judged": Layout({"j.csv": csv(judged())}, ("j.csv",), frozenset({"judged"})),
    "preferences": Layout({"p.csv": csv(judgements())}, ("p.csv",), frozenset({"preferences"})),
    "lm-evaluation-harness": Layout(
        {}, (str(LOGS / "harness" / "nb_13"), str(LOGS / "harness" / "svm_14")), COMPARED
    ),
    "HELM": Layout({}, (str(LOGS / "helm"),), COMPARED),
    "Inspect": Layout({}, (str(LOGS / "nb_13.eval"), str(LOGS / "svm_14.eval")), COMPARED),
    "OpenAI evals": Layout(
        {},
        (str(LOGS / "openai_evals" / "nb_13.jsonl"), str(LOGS / "openai_evals" / "svm_14.jsonl")),
        COMPARED,
    ),
    "MLflow": Layout({}, (str(LOGS / "mlflow.csv"),), frozenset({"runs"})),
}
"""Every layout, by its name."""
