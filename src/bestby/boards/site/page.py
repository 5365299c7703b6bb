"""Files of a site: each is known by a key, and made only when it is needed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from bestby.boards.content import BoardContent
from bestby.boards.site import rendering

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Page:
    """A file of a site: its path, the key that changes with what it shows, and the function that makes it."""

    path: str
    key: str
    make: Callable[[], bytes]


def page_from_template(path: str, template: str, model: dict[str, Any]) -> Page:
    """Return a page that a template makes of plain data when it is needed."""
    model = {"root": "../" * path.count("/"), "path": path, "embedded": False, **model}
    return Page(path, rendering.key(template, model), lambda: rendering.page(template, model).encode())


def page_from_bytes(path: str, data: bytes) -> Page:
    """Return a file that is made already."""
    return Page(path, hashlib.sha256(data).hexdigest(), lambda: data)


def page_from_function(path: str, known_by: Any, make: Callable[..., bytes], *arguments: Any) -> Page:
    """Return a file that a function makes; its key is that of what the file shows."""
    return Page(path, rendering.key(path, known_by), partial(make, *arguments))


def manifest(content: BoardContent, files: Iterable[tuple[Page, str]]) -> bytes:
    """Return the list of the files of a site, with their keys and the SHA-256 of their bytes."""
    listed = {page.path: {"key": page.key, "sha256": digest} for page, digest in files}
    document = {
        "format": 1,
        "board": content.title,
        "as_of": content.as_of,
        "record": content.record_head,
        "files": dict(sorted(listed.items())),
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()
