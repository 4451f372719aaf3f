"""What was seen inside the sandbox, as values: tests, errors, lines, types."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bot.ci.failure_identity import stable_name
from bot.ci.failures.runners.pytest_stacks import address

_NOT_RAISED = re.compile(
    r"DID NOT RAISE (?:<class ')?(?:[\w.]+\.)?(?P<a>\w+)|\b(?P<b>\w+) not raised\b"
)
UNPARSABLE = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError)
"""What `ast.parse` raises: of text that is nested too deep, the last three, by Python's version."""

BAD = frozenset({"failed", "hanging", "crashed"})
"""Outcomes that a repair has to change. `hanging` ran longer than any test may."""


@dataclass(frozen=True, slots=True)
class TracebackFrame:
    """One level of a traceback, inside the work tree."""

    file: str
    line: int
    function: str


@dataclass(frozen=True, slots=True)
class Error:
    """Why a test failed.

    Attributes:
        type: The exception's class name; empty when only text is known.
        message: What it says; may be cut.
        frames: Outermost first.
    """

    type: str
    message: str
    frames: tuple[TracebackFrame, ...]


@dataclass(frozen=True, slots=True)
class SeenTest:
    """How one test ended.

    Attributes:
        index: In the order of the command.
        id: The runner's.
        file: Where it is, relative to the work tree.
        outcome: `passed`, `failed`, `skipped`, `hanging` or `crashed`.
        seconds: Of processor time that it took.
        error: Why it failed.
        waited: Seconds of wall time besides.
    """

    index: int
    id: str
    file: str
    outcome: str
    seconds: float
    error: Error | None
    waited: float = 0.0

    @property
    def bad(self) -> bool:
        """Whether a repair has to change how it ends."""
        return self.outcome in BAD


@dataclass(frozen=True, slots=True)
class SearchEvidence:
    """Everything that was seen.

    Attributes:
        tests: By index.
        broken: Files of tests that could not be collected, by id.
        counted: By failing test, file and line: how often it ran.
        noted: By passing test: which of the failing tests' lines it runs.
        types: By `file:function` and variable: names of types; `return` is the returned value's.
        attributes: By type: names of its attributes.
        sources: Text of the files that failing tests run.
        encodings: Of those files; UTF-8 where nothing is said.
        stateful: Tests leave something behind in the project's modules.
        writing: Tests write into the work tree.
        tolerated: Ids of what can't be collected, and need not be.
        missed: Tests that were not run for want of time: nothing is known of them.
    """

    tests: Mapping[int, SeenTest] = field(default_factory=dict)
    broken: Mapping[str, Error] = field(default_factory=dict)
    counted: Mapping[int, Mapping[str, Mapping[int, int]]] = field(default_factory=dict)
    noted: Mapping[int, frozenset[tuple[str, int]]] = field(default_factory=dict)
    types: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    encodings: Mapping[str, str] = field(default_factory=dict)
    stateful: bool = False
    writing: bool = False
    tolerated: tuple[str, ...] = ()
    missed: int = 0

    @property
    def failing(self) -> tuple[SeenTest, ...]:
        """The tests to mend, in the command's order."""
        return tuple(test for test in self.tests.values() if test.bad)

    @property
    def passing(self) -> tuple[SeenTest, ...]:
        """The tests to keep, in the command's order."""
        return tuple(test for test in self.tests.values() if test.outcome == "passed")

    @property
    def errors(self) -> tuple[Error, ...]:
        """Why tests fail, or can't be collected."""
        failed = (test.error for test in self.failing if test.error)
        return (*failed, *self.broken.values())

    def errors_in(self, file: str) -> dict[int, tuple[Error, ...]]:
        """Return by line of a file the errors that came through it."""
        found: dict[int, list[Error]] = {}
        for error in self.errors:
            for line in dict.fromkeys(frame.line for frame in error.frames if frame.file == file):
                found.setdefault(line, []).append(error)
        return {line: tuple(errors) for line, errors in found.items()}

    @property
    def lines_run(self) -> Mapping[int, int]:
        """By failing test, how many lines of the project it ran, each as often as it did."""
        return {
            index: sum(sum(counts.values()) for counts in files.values())
            for index, files in self.counted.items()
        }

    @property
    def expected(self) -> tuple[str, ...]:
        """Errors that failing tests wait for in vain, by the words of pytest and of unittest."""
        said = (_NOT_RAISED.search(error.message) for error in self.errors)
        return tuple(dict.fromkeys(match["a"] or match["b"] for match in said if match))


def read_evidence(answer: Mapping[str, Any]) -> SearchEvidence:
    """Return what the collector's answer says."""
    types: dict[str, dict[str, frozenset[str]]] = {}
    attributes: dict[str, tuple[str, ...]] = {}
    for item in answer["counted"]:
        for place, variables in item["types"].items():
            known = types.setdefault(place, {})
            for name, names in variables.items():
                known[name] = known.get(name, frozenset()) | frozenset(names)
        attributes.update({kind: tuple(names) for kind, names in item["attributes"].items()})
    return SearchEvidence(
        tests={item["index"]: _test(item) for item in answer["tests"]},
        broken={item["id"]: _error(item["error"]) for item in answer["errors"]},
        counted={
            item["index"]: {
                file: {int(line): count for line, count in counts.items()}
                for file, counts in item["lines"].items()
            }
            for item in answer["counted"]
        },
        noted=_noted(answer),
        types=types,
        attributes=attributes,
        sources=answer["sources"],
        encodings=answer["encodings"],
        stateful=answer["stateful"],
        writing=answer["writing"],
        missed=answer["missed"],
    )


def without(evidence: SearchEvidence, others: Collection[str]) -> SearchEvidence:
    """Return the evidence without failing tests that need no repair.

    Args:
        evidence: With them.
        others: Their ids as the test runner reports them.
    """
    names = {stable_name(test) for test in others}

    def is_other(identity: str) -> bool:
        return bool({identity, address(identity)} & names)

    left = {n for n, test in evidence.tests.items() if test.bad and is_other(test.id)}
    broken = {name: error for name, error in evidence.broken.items() if not is_other(name)}
    return replace(
        evidence,
        tests={n: test for n, test in evidence.tests.items() if n not in left},
        counted={n: lines for n, lines in evidence.counted.items() if n not in left},
        broken=broken,
        tolerated=tuple(sorted(evidence.broken.keys() - broken.keys())),
    )


def files_in(evidence: SearchEvidence) -> frozenset[str]:
    """Return the files in which something could be changed: those that failing tests run."""
    run = (file for lines in evidence.counted.values() for file in lines)
    raised = (frame.file for error in evidence.errors for frame in error.frames)
    return frozenset((*evidence.sources, *run, *raised))


def without_files(evidence: SearchEvidence, files: Collection[str]) -> SearchEvidence:
    """Return the evidence as if these files were not the project's."""
    if not files:
        return evidence

    def outside(error: Error | None) -> Error | None:
        if error is None:
            return None
        return replace(
            error, frames=tuple(frame for frame in error.frames if frame.file not in files)
        )

    return replace(
        evidence,
        tests={n: replace(test, error=outside(test.error)) for n, test in evidence.tests.items()},
        broken={name: outside(error) or error for name, error in evidence.broken.items()},
        counted={
            n: {file: counts for file, counts in lines.items() if file not in files}
            for n, lines in evidence.counted.items()
        },
        noted={
            n: frozenset(place for place in places if place[0] not in files)
            for n, places in evidence.noted.items()
        },
        sources={file: text for file, text in evidence.sources.items() if file not in files},
        encodings={file: name for file, name in evidence.encodings.items() if file not in files},
    )


def read_survey(answer: Mapping[str, Any], evidence: SearchEvidence) -> SearchEvidence:
    """Return what a survey of the whole suite says, where a search has this evidence already."""
    return SearchEvidence(
        tests={item["index"]: _test(item) for item in answer["tests"]},
        noted=_noted(answer),
        sources=evidence.sources,
        stateful=answer["stateful"],
        writing=evidence.writing or answer["writing"],
    )


def _noted(answer: Mapping[str, Any]) -> dict[int, frozenset[tuple[str, int]]]:
    return {
        item["index"]: frozenset((file, line) for file, line in item["lines"])
        for item in answer["noted"]
    }


def _test(entry: Mapping[str, Any]) -> SeenTest:
    return SeenTest(
        index=entry["index"],
        id=entry["id"],
        file=entry["file"],
        outcome=entry["outcome"],
        seconds=entry["seconds"],
        error=_error(entry["error"]) if entry["error"] else None,
        waited=entry["waited"],
    )


def _error(told: Mapping[str, Any]) -> Error:
    frames = tuple(TracebackFrame(file, line, function) for file, line, function in told["frames"])
    return Error(told["type"], told["message"], frames)
