"""The one table that must hold something, such as all runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bestby._core.errors import InvalidInputError
from bestby._core.paths import is_directory, readable_file
from bestby.data.roles import Soft
from bestby.data.table import Table
from bestby.readers.archives import unpacking
from bestby.readers.files import read_table
from bestby.readers.paths import missing_texts


@unpacking
def one_table(
    paths: str | Path | Sequence[str | Path] | Mapping[str, str | Path],
    what: str,
    missing: str | Iterable[str],
    soft: Soft = Soft(),  # noqa: B008 - frozen
) -> Table:
    """Read the one table that must hold something."""
    files = [paths] if isinstance(paths, str | Path) else paths
    files = [*files.values()] if isinstance(files, Mapping) else files
    if len(files) != 1:
        raise InvalidInputError(f"{what} must be in one table, got {len(files)} files")
    if is_directory(files[0]):
        raise InvalidInputError(f"{what} must be in one table, and {files[0]} holds files", "name a file")
    return read_table(readable_file(files[0]), missing_texts(missing), blank=soft.blank)
