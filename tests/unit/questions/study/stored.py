"""The gold of small studies, and what their folders hold."""

from __future__ import annotations

from bestby.questions.study.store import Store

SHORT_GOLD = ["x", "y", "x", "y"]
SHORT_IDS = ["q1", "q2", "q3", "q4"]


def tree(store: Store) -> dict[str, bytes]:
    """Every file of the study and what it holds."""
    return {
        path.relative_to(store.path).as_posix(): path.read_bytes()
        for path in store.path.rglob("*")
        if path.is_file()
    }
