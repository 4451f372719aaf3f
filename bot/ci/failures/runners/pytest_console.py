"""pytest's console output: short summary, verbose lines, tracebacks, broken collection.

The ids are those of pytest's JUnit report (`tests.test_a.TestX::test_y[p]`), so that a run that
left a report and one that did not can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ci.failures.base import Reading, failure
from bot.ci.failures.runners import pytest_stacks, pytest_traceback
from bot.ci.failures.runners.pytest_stacks import address
from bot.ci.failures.runners.pytest_traceback import SourceLine
from bot.model import Failure, TestCounts
from bot.reporting.reasons import job_target

_OURS = re.compile(
    r"^=+ (?:test session starts|short test summary info|FAILURES|ERRORS) =+$"
    r"|^INTERNALERROR> |^ImportError while loading conftest",
    re.MULTILINE,
)
# What a lookahead took is not taken apart again, so that a subtest's description is read in one way.
_SUMMARY = re.compile(
    r"^(?=(?P<kind>FAILED|ERROR|SUBFAIL(?:ED)?(?:[(\[].*?[)\]])?(?= [^\s\[:]\S*::)))(?P=kind)"
    r" (?P<id>(?:[^\s\[:][^\n\[:]*\.py(?=::| - |$)|[^\s\[:])[^\s\[]*(?:\[.*?\](?= - |$))?)(?: - (?P<why>.*))?$",
    re.MULTILINE,
)
_SUMMARY_TITLE = re.compile(r"^=+ short test summary info =+$", re.MULTILINE)
_NEXT_TITLE = re.compile(r"^(?:=|-{5,}|_{5,}) ?", re.MULTILINE)
_ACCOUNTS = re.compile(
    r"^=+ (?P<title>FAILURES|ERRORS|PASSES|warnings summary|test session starts) =+$"
)
_OF_WORKER = re.compile(
    r"^\[gw\d+\] \[ *\d+%\] (?P<outcome>PASSED|SKIPPED|XFAIL) (?P<id>\S.*)$", re.MULTILINE
)
_OUTCOME = re.compile(r" (?P<outcome>PASSED|SKIPPED|XFAIL|FAILED|ERROR)(?= \(|$)")
_PERCENT = re.compile(r" *\d+%\]")
_SECTION = re.compile(
    r"^_{2,} (?:ERROR (?:at (?:setup|teardown) of|collecting) )?(?P<name>\S.*?) _{2,}$",
    re.MULTILINE,
)
_SECTION_END = re.compile(r"^(?:=+ \S.* =+|_{2,} \S.* _{2,}|!+ .* !+)$", re.MULTILINE)
_COUNTS = re.compile(
    r"^(?:=+ )?(?P<counts>\d+ \w+(?:, \d+ \w+)*) in [\d.]+s?(?: seconds)?\b.*$", re.MULTILINE
)
_CONFTEST = re.compile(r"^ImportError while loading conftest '(?P<file>[^']+)'", re.MULTILINE)
_INTERNAL = re.compile(r"^INTERNALERROR> (?P<line> *\S.*)$", re.MULTILINE)
_BROKEN = "INTERNALERROR> Traceback (most recent call last):"
_SKIPPED = frozenset({"SKIPPED", "XFAIL"})
_FAILED = frozenset({"FAILED", "ERROR"})

CRASHED = "pytest"
"""The id of a crash of pytest's own that no test can be named for."""


def parse(text: str) -> Reading | None:
    """Return what pytest said."""
    counts = _counts(text)
    if counts is None and not _OURS.search(text):
        return None
    accounts: dict[str, str] = {}
    for match in _SECTION.finditer(text):
        # A subtest is titled `TestX.test_y (i=1)` or `test_y [message]`.
        for title in (match["name"], re.split(r" [(\[]", match["name"])[0]):
            accounts.setdefault(title, _account(text, match))
    failing: dict[str, Failure] = {}
    outcomes = [(address(test), outcome) for test, outcome in _progress(text)]
    for found in (
        *_summarised(text, accounts),
        *_broken_early(text, outcomes, ended=counts is not None),
    ):
        failing.setdefault(found.test, found)
    if not failing:
        failing = {found.test: found for found in _unsummarised(accounts)}
    passed = frozenset(name for name, outcome in outcomes if outcome == "PASSED") - failing.keys()
    skipped = frozenset(name for name, outcome in outcomes if outcome in _SKIPPED)
    tolerated = frozenset(name for name, outcome in outcomes if outcome == "XFAIL")
    return Reading(tuple(failing.values()), passed, skipped, counts, tolerated=tolerated)


def _summarised(text: str, accounts: dict[str, str]) -> Iterator[Failure]:
    places: dict[str, SourceLine | None] = {}
    for match in _SUMMARY.finditer(_summaries(text)):
        node, why = _divided(match, accounts)
        heading = _heading(node)
        account = accounts.get(heading, "")
        if heading not in places:
            places[heading] = pytest_traceback.place(account)
        place = places[heading]
        yield failure(
            address(node),
            pytest_traceback.reason(why, account),
            file=place.file if place else node.partition("::")[0],
            line=place.line if place else 0,
            detail=account,
        )


def _summaries(text: str) -> str:
    """Return the short summaries of a text, or all of it where it has none."""
    found: list[str] = []
    for title in _SUMMARY_TITLE.finditer(text):
        end = _NEXT_TITLE.search(text, title.end())
        found.append(text[title.end() : end.start() if end else len(text)])
    return "\n".join(found) if found else text


def _divided(match: re.Match[str], accounts: dict[str, str]) -> tuple[str, str]:
    """Return the id and the reason of a line of the summary; an id may have ` - ` in it, too."""
    node, parts = match["id"], (match["why"] or "").split(" - ")
    for n in range(len(parts), 0, -1) if node.endswith("]") else ():
        longer = " - ".join([node, *parts[:n]])
        if _heading(longer) in accounts:
            return longer, " - ".join(parts[n:])
    return node, match["why"] or ""


def _progress(text: str) -> Iterator[tuple[str, str]]:
    """Yield the tests that verbose lines name, with what became of them."""
    printed = False
    for line in text.split("\n"):
        if title := _ACCOUNTS.match(line):
            printed = title["title"] != "test session starts"
        if printed:
            continue  # what tests printed is shown among the accounts
        if worker := _OF_WORKER.match(line):
            told = (worker["id"].rstrip(" "), worker["outcome"])
        elif (found := _with_outcome(line)) is not None:
            told = found
        else:
            continue
        file, _, name = told[0].partition(".py::")
        if file and name and " " not in file:
            yield told


def _with_outcome(line: str) -> tuple[str, str] | None:
    """Return the id and outcome of `a.py::test PASSED (why) [ 10%]`."""
    said = line.rstrip(" ")
    before, _, behind = said.rpartition("[")
    if _PERCENT.fullmatch(behind):
        said = before.rstrip(" ")
    for match in _OUTCOME.finditer(said):
        if match.end() == len(said) or said.endswith(")"):
            return said[: match.start()], match["outcome"]
    return None


def _unsummarised(accounts: dict[str, str]) -> Iterator[Failure]:
    """Yield failures from tracebacks alone (`-r N`, old versions); the outermost file names them."""
    for name, account in accounts.items():
        place = pytest_traceback.place(account)
        first = pytest_traceback.first_file(account)
        if place is None or first is None:
            continue
        node = name if name.endswith(".py") else f"{first}::{name.replace('.', '::')}"
        yield failure(
            address(node),
            pytest_traceback.reason("", account),
            file=place.file,
            line=place.line,
            detail=account,
        )


_BEHIND = re.compile(
    r"INTERNALERROR> |make(?:\[\d+\])?: \*\*\* |npm (?:error|ERR!) |error: Recipe "
)
"""What comes in the same line where pytest ends without a word: its own, and that of what started it."""


def _begun(text: str) -> str:
    """Return the id of the test that verbose lines name last, "" unless it has no outcome there."""
    last = ""
    for line in text.split("\n"):
        said = _BEHIND.split(line, maxsplit=1)[0].rstrip(" ")
        file, found, _ = said.partition(".py::")
        if found and " " not in file:
            last = said
    return "" if not last or _with_outcome(last) else address(last)


def _broken_early(text: str, outcomes: list[tuple[str, str]], *, ended: bool) -> Iterator[Failure]:
    """Yield what stops pytest before its summary: a conftest that can't be imported, its own crash.

    Of a crash, that is the test which it came from, and what verbose lines say to have failed before.
    """
    conftest = _CONFTEST.search(text)
    if conftest:
        account = text[conftest.start() :]
        place = pytest_traceback.place(account)
        yield failure(
            "conftest",
            pytest_traceback.reason("", account),
            file=place.file if place else conftest["file"],
            line=place.line if place else 0,
            detail=account,
        )
    begun = "" if ended else _begun(text)
    internal = [match["line"] for match in _INTERNAL.finditer(text)] if _BROKEN in text else []
    if begun and not internal:
        stopped = pytest_stacks.STOPPED in text
        yield failure(begun, job_target.TEST_DID_NOT_END if stopped else job_target.ENDED_IN_TEST)
    if internal or begun:
        yield from (failure(test, "") for test, outcome in outcomes if outcome in _FAILED)
    if internal:
        said = job_target.pytest_failed(internal[-1])
        account = "\n".join(internal)
        place = pytest_traceback.place(account)
        yield pytest_stacks.running(account, said) or failure(
            begun or CRASHED,
            said,
            file=place.file if place else None,
            line=place.line if place else 0,
            detail=account,
        )


def _account(text: str, heading: re.Match[str]) -> str:
    end = _SECTION_END.search(text, heading.end())
    return text[heading.end() : end.start() if end else len(text)].strip("\n")


def _heading(node: str) -> str:
    """Return how the traceback section of a node id is titled."""
    file, _, rest = node.partition("::")
    path, bracket, parameters = rest.partition("[")
    return path.replace("::", ".") + bracket + parameters if rest else file


def _counts(text: str) -> TestCounts | None:
    matches = list(_COUNTS.finditer(text))
    if not matches:
        return None
    numbers: dict[str, int] = {}
    for part in matches[-1]["counts"].split(", "):
        number, word = part.split(" ")
        numbers[word.removesuffix("s")] = int(number)
    if not numbers.keys() & {"passed", "failed", "error", "skipped", "xfailed", "xpassed"}:
        return None
    return TestCounts(
        passed=numbers.get("passed", 0) + numbers.get("xpassed", 0),
        failed=numbers.get("failed", 0) + numbers.get("error", 0),
        skipped=numbers.get("skipped", 0) + numbers.get("xfailed", 0),
    )
