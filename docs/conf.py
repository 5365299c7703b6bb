"""How Sphinx builds these pages into site/; `make docs` runs it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from numpydoc.xref import DEFAULT_LINKS
from sphinx.domains.python import PyXRefRole

import bestby
from bestby import errors, planning, results

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ROOMS = (errors, planning, results, bestby)
NAMES = {name: f"{room.__name__}.{name}" for room in ROOMS for name in room.__all__}
CITATION = re.compile(r"\[R[0-9a-f]{12}-(\w+)\]")
RESULTS = "reference/results"
PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = "bestby"
release = bestby.__version__
html_title = f"bestby {release}"
extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_sitemap",
]

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
smartquotes = False  # options such as --gold keep their two hyphens
nitpicky = True

python_maximum_signature_line_length = 60  # a longer signature has a parameter a line
autodoc_typehints = "none"  # the docstrings give the types in words
autodoc_member_order = "bysource"
highlight_language = "none"
default_role = "py:name"
nitpick_ignore_regex = [("py:name", ".*")]
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_validation_checks = {"GL06", "GL07", "PR02"}  # unknown sections, their order, unknown parameters
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
# Types outside bestby are no links: the lists of what other sites document would have to be fetched.
numpydoc_xref_aliases = {name: name for name in DEFAULT_LINKS} | NAMES

html_theme = "furo"
html_baseurl = PROJECT["urls"]["Documentation"]
sitemap_url_scheme = "{link}"
sitemap_excludes = ["_modules/*", "genindex.html", "search.html"]
html_static_path = ["static"]
html_extra_path = ["llms.txt", "try.html"]
html_css_files = ["bestby.css"]
html_copy_source = False
html_show_copyright = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_copy_empty_lines = False
copybutton_line_continuation_character = "\\"


def hide_constructor(app: Sphinx, what: str, *_: Any) -> tuple[str, None] | None:
    """Show no constructor for the records that users receive but never make."""
    return ("", None) if what == "class" and app.env.docname == RESULTS else None


def name_attributes(app: Sphinx, what: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Call the fields of these records attributes: a dataclass documents them as parameters."""
    if what == "class" and app.env.docname == RESULTS and "Parameters" in lines:
        lines[lines.index("Parameters")] = "Attributes"


def strip_blocks(_app: Sphinx, doctree: nodes.document) -> None:
    """Leave out the blank line that ends an example: the doctest needs it, the reader does not."""
    for block in doctree.findall(nodes.literal_block):
        block.rawsource = block.rawsource.rstrip()
        block[:] = [nodes.Text(block.rawsource)]


def number_citations(_app: Sphinx, doctree: nodes.document) -> None:
    """Show citations by number; numpydoc makes labels unique, and shortens them in reST pages only."""
    for text in list(doctree.findall(nodes.Text)):
        if label := CITATION.fullmatch(text):
            text.parent.replace(text, nodes.Text(f"[{label[1]}]"))


class NameRole(PyXRefRole):
    """Single backticks in a docstring: a link if they hold a public name, but not if that of a parameter."""

    def process_link(self, *arguments: Any) -> tuple[str, str]:
        """Return the title as it is, and the full name."""
        *others, target = arguments
        return super().process_link(*others, NAMES.get(target, target))


def setup(app: Sphinx) -> None:
    """Tell Sphinx about the functions and the role above."""
    app.add_role_to_domain("py", "name", NameRole())
    app.connect("doctree-read", strip_blocks)
    app.connect("doctree-read", number_citations)
    app.connect("autodoc-process-signature", hide_constructor)
    app.connect("autodoc-process-docstring", name_attributes, priority=400)  # before numpydoc, at 500
