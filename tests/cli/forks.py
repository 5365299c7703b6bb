"""A process that has imported the package and forks for each command: a new interpreter costs a second each.

The child has its own folder, environment, standard streams and exit status, as a command has. What the start
of an interpreter decides (options, encoding, what is imported first) is tested by processes of their own.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import subprocess
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

LIBRARIES = (
    "duckdb", "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg", "matplotlib.pyplot",
    "pandas", "PIL.Image", "pyarrow.parquet", "rich.console", "rich.table", "scipy.special", "scipy.stats",
    "typer",
)  # fmt: skip
"""What commands import of others, imported once; pydantic is imported by typer, where it is installed."""


class Server:
    """The process that forks; started when first needed, in an environment that no command asked for."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

    def run(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run the command line with these arguments and return what became of it."""
        if self._process is None or self._process.poll() is not None:
            path = os.pathsep.join(filter(None, sys.path))
            self._process = subprocess.Popen(
                [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                encoding="utf-8", env={**self._environment, "PYTHONPATH": path},
            )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        order = {"arguments": list(arguments), "folder": str(folder), "environment": dict(environment)}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        return subprocess.CompletedProcess(
            list(arguments), answer["status"], answer["stdout"], answer["stderr"]
        )


def _serve() -> None:
    """Answer each order on the standard input by a line on the standard output."""
    import bestby

    for name in LIBRARIES:
        importlib.import_module(name)
    with contextlib.suppress(ImportError):
        importlib.import_module("pydantic.type_adapter").TypeAdapter(int)
    for module in pkgutil.walk_packages(bestby.__path__, "bestby."):
        importlib.import_module(module.name)
    importlib.import_module("PIL.Image").init()
    _rehearse()
    gc.collect()
    gc.freeze()  # a child that collects garbage would copy all memory that it looks at
    for line in sys.stdin:
        print(json.dumps(_answer(json.loads(line))), flush=True)
    gc.unfreeze()  # or DuckDB reports whatever it cannot free


def _rehearse() -> None:
    """Read the options of a command once, so that what is kept of types is there in every child."""
    from bestby.cli import main

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        main(["compare"])


def _answer(order: Mapping[str, Any]) -> dict[str, object]:
    """Fork, let the child run the command, and return its status and what it wrote."""
    with _scratch() as out, _scratch() as err:
        child = os.fork()
        if child == 0:
            _command(order, out.fileno(), err.fileno())
        _, status = os.waitpid(child, 0)
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8").replace("\r\n", "\n"))
    return {"status": os.waitstatus_to_exitcode(status), "stdout": texts[0], "stderr": texts[1]}


def _scratch() -> Any:
    import tempfile

    return tempfile.TemporaryFile()


def _command(order: Mapping[str, Any], out: int, err: int) -> NoReturn:
    """Run the command in the child, which ends here."""
    status = 70
    try:
        os.setpgid(0, 0)
        os.chdir(order["folder"])
        os.environ.clear()
        os.environ.update(order["environment"])
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, target in ((nothing, 0), (out, 1), (err, 2)):
            os.dup2(number, target)
        sys.argv = ["bestby", *order["arguments"]]
        from bestby.cli import main

        try:
            status = main(order["arguments"])
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else 1
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                status = status or 120
        os._exit(status)


if __name__ == "__main__":
    _serve()
