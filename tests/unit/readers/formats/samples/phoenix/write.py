"""Write experiments of Phoenix: its server runs here, and its download gives the JSON of each experiment."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx
from phoenix.client import Client

FOLDER = Path(__file__).parent
sys.path.insert(0, str(FOLDER.parent))
from capitals import CAPITALS, SYSTEMS, answer, continent, keep  # noqa: E402

ADDRESS = "http://127.0.0.1:6106"


def right(output: str, expected: dict[str, str]) -> bool:
    """Score an answer."""
    return output == expected["capital"]


def share(output: str, expected: dict[str, str]) -> float:
    """Score how much of the capital is there."""
    return len(output) / len(expected["capital"])


def _write() -> None:
    client = Client(base_url=ADDRESS)
    dataset = client.datasets.create_dataset(
        name="capitals",
        inputs=[{"country": country} for country in CAPITALS],
        outputs=[{"capital": capital} for capital in CAPITALS.values()],
        metadata=[{"topic": continent(country)} for country in CAPITALS],
    )
    reported: dict[str, dict[str, float]] = {}
    for system in SYSTEMS:
        asked: Counter[str] = Counter()

        def ask(input: dict[str, str], system: str = system, asked: Counter[str] = asked) -> str:  # noqa: A002
            asked[input["country"]] += 1
            return answer(system, input["country"], asked[input["country"]] - 1)

        ran = client.experiments.run_experiment(
            dataset=dataset,
            task=ask,
            evaluators=[right, share],
            experiment_name=system,
            repetitions=2,
            print_summary=False,
        )
        text = httpx.get(f"{ADDRESS}/v1/experiments/{ran['experiment_id']}/json").text
        (FOLDER / f"{system}.json").write_text(text + "\n", encoding="utf-8")
        summaries = "annotationSummaries {annotationName meanScore}"
        query = f"query ($id: ID!) {{node(id: $id) {{... on Experiment {{{summaries}}}}}}}"
        asked_for = {"query": query, "variables": {"id": ran["experiment_id"]}}
        found = httpx.post(f"{ADDRESS}/graphql", json=asked_for).json()["data"]["node"]["annotationSummaries"]
        reported[system] = {one["annotationName"]: one["meanScore"] for one in found}
    keep(FOLDER, reported)


def main() -> None:
    """Run the server, and the experiments of both systems."""
    with tempfile.TemporaryDirectory() as root:
        environment = {**os.environ, "PHOENIX_WORKING_DIR": root, "PHOENIX_PORT": "6106"}
        environment |= {"PHOENIX_HOST": "127.0.0.1", "PHOENIX_GRPC_PORT": "6107"}
        command = [str(Path(sys.executable).with_name("phoenix")), "serve"]
        server = subprocess.Popen(command, env=environment)
        try:
            for _ in range(120):
                time.sleep(1)
                try:
                    httpx.get(ADDRESS)
                    break
                except httpx.HTTPError:
                    continue
            _write()
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
