"""Compare systems on a cluster of dask: its workers count the rows and make the resamples.

    python examples/cluster/compare.py                        two worker processes on this machine
    python examples/cluster/compare.py tcp://scheduler:8786   the cluster that this scheduler runs

The files must be where the workers can read them. Needs bestby[dask], here and on the workers.
"""

from __future__ import annotations

import sys
from pathlib import Path

import dask.dataframe as dd
from dask.distributed import Client, LocalCluster

import bestby as bb

PREDICTIONS = Path(__file__).resolve().parents[1] / "langid" / "predictions.csv"
SYSTEMS = ["nb_12", "nb_13", "logreg_14", "svm_14", "knn_3"]


def compared(client: Client) -> bb.results.Comparison:
    """Compare five systems; nothing but ``executor`` and the kind of frame is said of the cluster."""
    frame = dd.read_csv(PREDICTIONS, blocksize="16KiB")
    return bb.compare(
        frame[["gold", *SYSTEMS]],
        gold="gold",
        metric="f1_macro",
        n_resamples=20_000,
        resampling=bb.Resampling(executor=client.get_executor()),
    )


def main(address: str | None = None) -> None:
    """Print the comparison made on the cluster at an address, or on one of this machine's own."""
    cluster = address or LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with Client(cluster) as client:
        print(compared(client))
    if not isinstance(cluster, str):
        cluster.close()


if __name__ == "__main__":  # worker processes import this file again
    main(*sys.argv[1:2])
