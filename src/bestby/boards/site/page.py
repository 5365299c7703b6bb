"""Files of a site: each is known by a key, and made only when it is needed, from a template or by a function.

Templates are filled with plain data, every text is escaped, and no page fetches anything.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import resources
from typing import TYPE_CHECKING, Any

from bestby._core.text import unbroken, visible
from bestby._version import __version__
from bestby.boards.content import BoardContent

if TYPE_CHECKING:
    from jinja2 import Environment

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
    return Page(path, page_key(template, model), lambda: render_template(template, model).encode())


def page_from_bytes(path: str, data: bytes) -> Page:
    """Return a file that is made already."""
    return Page(path, hashlib.sha256(data).hexdigest(), lambda: data)


def page_from_function(path: str, known_by: Any, make: Callable[..., bytes], *arguments: Any) -> Page:
    """Return a file that a function makes; its key is that of what the file shows."""
    return Page(path, page_key(path, known_by), partial(make, *arguments))


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


def render_template(template: str, model: dict[str, Any]) -> str:
    """Return a template filled with a model."""
    return environment().get_template(f"{template}.j2").render(model)


def page_key(template: str, model: Any) -> str:
    """Return what a page is known by: it changes with the model, the templates and the version."""
    text = json.dumps([template, model], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(f"{drawn_by()}\0{text}".encode()).hexdigest()


@cache
def drawn_by() -> str:
    """Return the hash of all that draws pages: the version, the templates, styles and scripts."""
    parts = [__version__, _joined(_STYLES), _joined(_SCRIPTS)]
    parts += [text for pair in sorted(_templates().items()) for text in pair]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


@cache
def environment() -> Environment:
    """Return the templates of the site."""
    from jinja2 import DictLoader, Environment, StrictUndefined

    made = Environment(
        autoescape=True,
        loader=DictLoader(_templates()),
        undefined=StrictUndefined,
        finalize=_visible_text,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style, script = _joined(_STYLES), _joined(_SCRIPTS)
    made.globals |= {
        "version": __version__,
        "style": style,
        "script": script,
        "policy": _policy(style, script),
    }
    return made


def _visible_text(value: Any) -> Any:
    """Return text with its hidden characters escaped and percentages on one line; what is markup stays."""
    return unbroken(visible(value)) if type(value) is str else value


def _policy(style: str, script: str) -> str:
    """Return the policy of a page: its own style and script run, known by their hashes, and nothing else."""
    allowed = {"style-src": style, "script-src": script}
    parts = [f"{name} 'sha256-{_hash(text)}'" for name, text in allowed.items()]
    return "; ".join(["default-src 'none'", *parts, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


_STYLES = (
    *(("bestby.report", f"{name}.css") for name in ("tables", "page", "search")),
    (__package__, "board.css"),
)

_SCRIPTS = (("bestby.report", "sort.js"), (__package__, "board.js"))


def _joined(assets: tuple[tuple[str, str], ...]) -> str:
    texts = (resources.files(room).joinpath("assets", name).read_text("utf-8") for room, name in assets)
    return "\n" + "".join(texts)


@cache
def _templates() -> dict[str, str]:
    folder = resources.files(__package__).joinpath("templates")
    return {one.name: one.read_text("utf-8") for one in folder.iterdir() if one.name.endswith(".j2")}
