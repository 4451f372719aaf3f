"""JUnit XML reports, the precise source: https://github.com/testmoapp/junitxml.

pytest writes them in two families; only `xunit1` has the attributes `file` and `line` (0-based).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast
from xml.etree.ElementTree import Element, ParseError, XMLPullParser
from xml.parsers.expat import errors

import junitparser

from bot.ci.failures.base import DETAILED, Reading, failure
from bot.ci.failures.runners import pytest_traceback
from bot.model import Failure, TestCounts

_ROOTS = frozenset({"testsuites", "testsuite"})
_XFAIL = "pytest.xfail"
_MOST_DIGITS = 9
_NO_MEMORY = errors.codes[errors.XML_ERROR_NO_MEMORY]
_PIECE = 4 * 2**20


def parse(report: bytes) -> Reading | None:
    """Return what a report says, or None when it is no JUnit XML (a run that was cut short).

    Raises:
        MemoryError: It takes more than there is.
    """
    failing: dict[str, Failure] = {}
    passed: set[str] = set()
    skipped: set[str] = set()
    tolerated: set[str] = set()
    try:
        for element in _cases(report):
            case = junitparser.TestCase.fromelem(element)  # type: ignore[no-untyped-call]  # junitparser leaves it bare
            results = case.result
            problems = [
                each
                for each in results
                if isinstance(each, junitparser.Failure | junitparser.Error)
            ]
            left_out = [each for each in results if isinstance(each, junitparser.Skipped)]
            name = _id(case)
            if left_out:
                if problems or any(each.type == _XFAIL for each in left_out):
                    tolerated.add(name)
                problems = []  # node:test: a test that is `todo` may fail
            if problems and name not in failing:
                detailed = len(failing) < DETAILED
                failing[name] = _failure(name, element, problems[0], detailed=detailed)
            elif not problems:
                (skipped if results else passed).add(name)
    except (ParseError, ValueError, LookupError) as error:
        if isinstance(error, ParseError) and error.code == _NO_MEMORY:
            raise MemoryError from error
        return None  # cut short, or no XML; an encoding that nobody knows
    passed -= failing.keys()
    counts = TestCounts(passed=len(passed), failed=len(failing), skipped=len(skipped))
    return Reading(
        tuple(failing.values()),
        frozenset(passed),
        frozenset(skipped),
        counts,
        tolerated=frozenset(tolerated),
    )


def _cases(report: bytes) -> Iterator[Element]:
    """Yield the cases in order, from however many suites inside each other; each is gone behind it.

    Raises:
        ParseError: It is not XML.
        ValueError: Its root is no suite, or its encoding is unknown.
    """
    above: list[Element] = []
    case: Element | None = None
    # Expat itself stops entities that multiply. In small pieces, a long text takes long.
    parser: XMLPullParser[Element] = XMLPullParser(("start", "end"))
    for start in range(0, len(report), _PIECE):
        parser.feed(report[start : start + _PIECE])
        events = cast("Iterator[tuple[str, Element]]", parser.read_events())  # of these two kinds
        for event, element in events:
            if event == "start":
                if not above and element.tag not in _ROOTS:
                    raise ValueError("no JUnit XML")
                above.append(element)
                case = case if case is not None or element.tag != "testcase" else element
            else:
                above.pop()
                if element is case:
                    yield element
                    case = None
        for outer in above[: above.index(case) if case is not None else None]:
            del outer[:]
    parser.close()


def _id(case: junitparser.TestCase) -> str:
    """Return `classname::name`.

    A module that can't be collected has only a name, a class that can't be set up only that of a class.
    """
    return "::".join(part for part in (case.classname, case.name) if part) or str(case.name)


def _failure(
    name: str,
    element: Element,
    problem: junitparser.Failure | junitparser.Error,
    *,
    detailed: bool,
) -> Failure:
    text = problem.text or ""
    if not detailed:
        return failure(name, pytest_traceback.reason(problem.message or "", ""))
    place = pytest_traceback.place(text)
    return failure(
        name,
        pytest_traceback.reason(problem.message or "", text),
        file=place.file if place else element.get("file"),
        line=place.line if place else _own_line(element.get("line") or ""),
        detail=text,
    )


def _own_line(line: str) -> int:
    """Return what the attribute `line` says, counted from 1; 0 where it says nothing."""
    return int(line) + 1 if line.isdecimal() and len(line) <= _MOST_DIGITS else 0
