"""Write the results of ragas, by two metrics that need no model: the frame as CSV."""

from __future__ import annotations

import sys
from pathlib import Path

from ragas import EvaluationDataset, SingleTurnSample, evaluate
from ragas.metrics import ExactMatch, NonLLMStringSimilarity

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from capitals import CAPITALS, SYSTEMS, answer, keep  # noqa: E402

reported = {}
for system in SYSTEMS:
    samples = [
        SingleTurnSample(
            user_input=country,
            response=answer(system, country),
            reference=capital,
            retrieved_contexts=[f"The capital of {country} is {capital}."],
        )
        for country, capital in CAPITALS.items()
    ]
    result = evaluate(EvaluationDataset(samples=samples), metrics=[ExactMatch(), NonLLMStringSimilarity()])
    result.to_pandas().to_csv(FOLDER / f"{system}.csv", index=False)
    reported[system] = {name: float(score) for name, score in result._repr_dict.items()}
keep(FOLDER, reported)
