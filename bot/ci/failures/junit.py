"""JUnit XML reports, the precise source: https://github.com/testmoapp/junitxml.

pytest writes them in two families; only `xunit1` has the attributes `file` and `line` (0-based).
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import ParseError

import junitparser

from bot.ci.failures import pytest_traceback
from bot.ci.failures.reading import Reading, failure
from bot.model import Failure, TestCounts


class JUnitCase(junitparser.TestCase):
    """A test case with the attributes that pytest adds in the family `xunit1`."""

    file = junitparser.Attr()
    line = junitparser.IntAttr()


def parse(report: bytes) -> Reading | None:
    """Return what a report says, or None when it is no JUnit XML (a run that was cut short)."""
    try:
        xml = junitparser.JUnitXml.fromstring(report)
    except (junitparser.JUnitXmlError, ParseError, ValueError):
        return None
    failing: dict[str, Failure] = {}
    passed: set[str] = set()
    skipped: set[str] = set()
    for case in _cases(xml):
        problems = [
            r for r in case.result if isinstance(r, junitparser.Failure | junitparser.Error)
        ]
        name = _id(case)
        if problems:
            failing.setdefault(name, _failure(name, case, problems[0]))
        elif case.result:
            skipped.add(name)
        else:
            passed.add(name)
    passed -= failing.keys()
    counts = TestCounts(passed=len(passed), failed=len(failing), skipped=len(skipped))
    return Reading(tuple(failing.values()), frozenset(passed), frozenset(skipped), counts)


def _cases(suites: junitparser.JUnitXml | junitparser.TestSuite) -> Iterator[JUnitCase]:
    """Yield the cases of nested suites, in the report's order."""
    for item in suites:
        if isinstance(item, junitparser.TestCase):
            yield JUnitCase.fromelem(item)  # type: ignore[no-untyped-call]  # junitparser leaves it bare
        else:
            yield from _cases(item)


def _id(case: JUnitCase) -> str:
    """Return `classname::name`; a module that can't be collected has only a name."""
    return f"{case.classname}::{case.name}" if case.classname else str(case.name)


def _failure(
    name: str, case: JUnitCase, problem: junitparser.Failure | junitparser.Error
) -> Failure:
    text = problem.text or ""
    place = pytest_traceback.place(text)
    own_line = 0 if case.line is None else case.line + 1
    return failure(
        name,
        pytest_traceback.reason(problem.message or "", text),
        file=place.file if place else case.file,
        line=place.line if place else own_line,
        detail=text,
    )
