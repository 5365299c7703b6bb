"""The parts of a page in which readers search: many systems and their pairs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from bestby._core.text import safe_json, visible
from bestby.report.document import BEST_GROUP, Search
from bestby.report.tables import Table
from bestby.report.writers.markup import escape, paragraph, subheading, table

_NO_SCRIPT = (
    "A script looks up the pairs, and scripts do not run here. The pairs are in the JSON and the CSV."
)
_PUBLISHED = (
    "This part shows the gold and the predictions of single items, as it was asked for (items=True, --items)."
    " Leave it out of a page whose readers must not see the gold. An effect is what an item adds to the"
    " difference of the two systems, first minus second: half of what the difference changes by if the two"
    " exchange what they gave on that item."
)


def searched(index: int, search: Search, pairs: dict[str, Any] | None, headed: bool) -> str:
    """Return the table of all systems with a field to search it, and fields to look up a pair."""
    systems = search.systems()
    grouped = systems.columns[-1].header == BEST_GROUP
    parts = [
        f'<div class="bb-search bb-systems" id="search-{index}">',
        '<p class="bb-fields">',
        '<label>Find systems <input type="search" class="bb-find" placeholder="part of a name"></label>',
        '<label class="bb-check"><input type="checkbox" class="bb-best"> only the best group</label>'
        * grouped,
        '<output class="bb-found"></output></p>',
        table(systems, sortable=True, kind="bb-tall"),
    ]
    if pairs is not None:
        pairs = {**pairs, "systems": [visible(name) for name in pairs["systems"]]}  # as they are searched for
        parts += _lookup(index, pairs, headed)
    return "\n".join([*filter(None, parts), "</div>"])


def _lookup(index: int, pairs: dict[str, Any], headed: bool) -> list[str]:
    options = "".join(f'<option value="{escape(name)}"></option>' for name in pairs["systems"])
    heading = "Look up a pair"
    if len(pairs["systems"]) < pairs["all"]:
        heading += f" of the {len(pairs['systems'])} best systems"
    return [
        subheading(heading, headed, "bb-lookup"),
        '<p class="bb-fields">',
        f'<label>First system <input type="text" class="bb-a" list="names-{index}"></label>',
        f'<label>Second system <input type="text" class="bb-b" list="names-{index}"',
        'placeholder="its neighbours"></label>',
        '<label class="bb-check"><input type="checkbox" class="bb-told"> only those told apart</label>',
        "</p>",
        f'<datalist id="names-{index}">{options}</datalist>',
        '<div class="bb-answer" aria-live="polite"></div>',
        f"<noscript>{paragraph(_NO_SCRIPT)}</noscript>",
        f'<script type="application/json" class="bb-pairs">{script_data(pairs)}</script>',
    ]


def script_data(values: Any) -> str:
    """Return JSON that can stand in a page as the content of a script."""
    return safe_json(json.dumps(values, ensure_ascii=False, separators=(",", ":"))).replace("<", "\\u003c")


def listed(index: int, items: Sequence[Table], headed: bool) -> list[str]:
    """Return the tables of the items on which systems differ, with fields to choose and to search."""
    if not items:
        return []
    pairs = "".join(
        f'<option value="{place}">{escape(one.caption.partition(" differ on ")[0])}</option>'
        for place, one in enumerate(items)
    )
    return [
        f'<div class="bb-search bb-items" id="items-{index}">',
        subheading("Items on which they differ", headed),
        paragraph(_PUBLISHED, "bb-small"),
        '<p class="bb-fields" hidden>',
        f'<label>Pair <select class="bb-pair">{pairs}</select></label>',
        '<label>Show <select class="bb-winner">',
        "<option>all</option><option>won by the first</option><option>won by the second</option>",
        "</select></label>",
        '<label>Find items <input type="search" class="bb-find" placeholder="part of any cell"></label>',
        '<output class="bb-found"></output></p>',
        *(table(one, sortable=True, kind="bb-tall") for one in items),
        "</div>",
    ]
