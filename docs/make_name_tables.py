"""Put the tables of names into the pages, between markers; `--check` only says if they are there."""

from __future__ import annotations

from pathlib import Path

from bestby.vocabulary import KINDS, NOTES_BY_SUBJECT, Term

DOCS = Path(__file__).resolve().parent
NOTES = "notes"
PAGES = {
    "guides/choosing-a-test.md": ("test", "correction", "alternative"),
    "guides/choosing-an-interval.md": ("interval", "standard error"),
    "guides/comparing-runs.md": ("statistic",),
    "reference/notes.md": (NOTES,),
}
BEGIN = "<!-- {}: docs/make_name_tables.py writes this from bestby/vocabulary/. -->\n"
END = "<!-- Up to here. -->\n"
ARGUMENTS = {
    "items.{}": "compare",
    "runs.{}": "compare_runs",
    "datasets.{}": "compare_datasets",
    "datasets.across": "compare_datasets(across=)",
    "facets.{}": "compare_facets",
    "folds.{}": "compare_folds",
    "folds.inside": "compare_folds(inside=)",
    "preferences.{}": "compare_preferences",
    "study.{}": "Study.compare",
    "pilot.{}": "Pilot",
    "proportions.{}": "PairedProportions",
    "lifted.{}": "LiftedScores",
}


def table(kind: str) -> str:
    """Return the terms of a kind as a Markdown table."""
    rows = ["| name | in reports | taken by | |", "|---|---|---|---|"]
    rows += [
        f"| `{term.name}` | {term.long_name} | {taken_by(kind, term)} | {term.help} |" for term in KINDS[kind]
    ]
    return "\n".join(rows) + "\n"


def tables_of_notes() -> str:
    """Return the codes of notes as Markdown tables, one under the heading of each subject."""
    parts = []
    for subject, notes in NOTES_BY_SUBJECT.items():
        rows = "".join(f"| `{code}` | {meaning} |\n" for code, meaning in notes.items())
        parts.append(f"## {subject}\n\n| code | meaning |\n|---|---|\n{rows}")
    return "\n".join(parts)


def taken_by(kind: str, term: Term) -> str:
    """Return the functions of which an argument takes the term."""
    if kind in term.arguments:
        return "all"
    functions = (name for path, name in ARGUMENTS.items() if path.format(kind) in term.arguments)
    return ", ".join(f"`{name}`" for name in functions) or "only in results"


def renewed(page: str, text: str) -> str:
    """Return a page with its tables made anew."""
    for kind in PAGES[page]:
        begin = BEGIN.format(kind)
        head, _, rest = text.partition(begin)
        tables = tables_of_notes() if kind == NOTES else table(kind)
        text = f"{head}{begin}\n{tables}\n{END}{rest.partition(END)[2]}"
    return text


if __name__ == "__main__":
    from generated_pages import write_or_check

    for name in PAGES:
        write_or_check(DOCS / name, renewed(name, (DOCS / name).read_text(encoding="utf-8")))
