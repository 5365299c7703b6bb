"""A gate as JUnit XML, which pipelines show as tests: one test case per check."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from bestby._core.text import visible
from bestby.questions.gate.report import check_sentences

if TYPE_CHECKING:
    from bestby.questions.gate.result import Gate

_TAGS = {"fail": "failure", "inconclusive": "skipped"}


def to_junit(g: Gate) -> str:
    """Return the XML: a check that fails is a failure, an inconclusive one is skipped; the notes end it."""
    outcomes = [check.outcome for check in g.checks]
    counts = {"tests": str(len(outcomes)), "failures": str(outcomes.count("fail")), "errors": "0"}
    counts["skipped"] = str(outcomes.count("inconclusive"))
    root = ET.Element("testsuites", {"name": "bestby gate", **counts})
    suite = ET.SubElement(root, "testsuite", {"name": "bestby gate", **counts})
    properties = ET.SubElement(suite, "properties")
    for name, value in (
        ("outcome", g.outcome),
        ("baseline", g.baseline),
        ("candidate", g.candidate),
        ("signature", g.signature),
    ):
        ET.SubElement(properties, "property", {"name": name, "value": visible(value)})
    for check, sentence in zip(g.checks, check_sentences(g), strict=True):
        case = {"classname": "bestby.gate", "name": visible(check.name)}
        element = ET.SubElement(suite, "testcase", case)
        tag = _TAGS.get(check.outcome)
        if tag is not None:
            ET.SubElement(element, tag, {"message": sentence})
        else:
            ET.SubElement(element, "system-out").text = sentence
    if g.notes:
        ET.SubElement(suite, "system-out").text = "\n".join(visible(note.message) for note in g.notes)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'
