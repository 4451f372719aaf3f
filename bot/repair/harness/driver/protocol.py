"""What the verifier asks the driver, as frozen values, and what both of them have to know.

It lies here because it travels with the driver, and the host reads the same module.
"""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from typing import Any, Union

PATIENCE = 60.0
"""Seconds of wall time that may pass for one of processor time where a machine is overloaded."""

RAISES = "raises"
"""Front of an output that is an exception, and no answer."""

_ENDING = re.compile(r"\.py(?=::|$)")


def dotted(test: str) -> str:
    """Return a test's id in one form, as pytest has it and as its JUnit report does."""
    name, bracket, parameters = test.partition("[")
    return _ENDING.sub("", name).replace("::", ".").replace("/", ".") + bracket + parameters


@dataclass(frozen=True)
class Collection:
    """How the tests are collected.

    Attributes:
        harness: `pytest` or `unittest`.
        start: The words with which the runner was started.
        arguments: Those of pytest.
        folder: Where it was started.
        path: What the runner puts in front of `sys.path`, or None.
        root: Of the work tree.
    """

    harness: str
    start: tuple[str, ...]
    arguments: tuple[str, ...]
    folder: str
    path: str | None
    root: str


@dataclass(frozen=True)
class Perturb:
    """Vary what stands in tests, and run them.

    Attributes:
        tests: Which.
        seed: Of the variants.
        seconds: Processor time for all of them.
    """

    tests: list[str]
    seed: int
    seconds: float


@dataclass(frozen=True)
class Notice:
    """Run the tests on mutants.

    Attributes:
        seconds: For all of them.
        sources: The patched texts, by path.
        mutants: Number, file, and which letters are replaced by what.
        first: Tests that look at the patch.
        lines: By path, lines of which it is told whether tests run them.
    """

    seconds: float
    sources: dict[str, str]
    mutants: list[tuple[int, str, int, int, str]]
    first: list[str]
    lines: dict[str, list[int]]


@dataclass(frozen=True)
class Compare:
    """Make the calls of all tests, and inputs grown from them, on both sides of a change.

    Attributes:
        proving: The tests that the change turns green.
        seconds: For everything after the tests are loaded.
        before: The changed files without it, base64, by path; None: it is not there.
        after: The same with it.
        targets: The functions: `file`, `name`, `kind`, and the first line of its code `before` and
            `after`.
        lines: The changed lines, by side and file.
    """

    proving: list[str]
    seconds: float
    before: dict[str, str | None]
    after: dict[str, str | None]
    targets: list[dict[str, Any]]
    lines: dict[str, dict[str, list[int]]]


@dataclass(frozen=True)
class Depend:
    """Find out on which other tests, and on what they leave behind, the outcome of tests depends.

    Attributes:
        tests: Which; empty for all.
        runs: Of each test alone, each with another seed of the random numbers.
        orders: How many of the whole suite: its own, the reverse, then random ones; 0: what a test
            depends on is not looked for.
        seconds: For everything after the tests are loaded.
        first: A program that the process runs before they are.
        outside: Folders outside of the work tree that tests write to, and that are put back as well.
    """

    tests: list[str]
    runs: int
    orders: int
    seconds: float
    first: str = ""
    outside: tuple[str, ...] = ()


Request = Union[Perturb, Notice, Compare, Depend]

ACTS: dict[str, type[Any]] = {
    "perturb": Perturb, "notice": Notice, "compare": Compare, "depend": Depend,
}  # fmt: skip
"""By the word that stands for them in a request's file."""


def written(suite: Collection, request: Request) -> bytes:
    """Return a request as its file has it."""
    act = next(word for word, kind in ACTS.items() if isinstance(request, kind))
    return json.dumps({**asdict(suite), "act": act, **asdict(request)}).encode()


def collection_in(data: dict[str, Any]) -> Collection:
    """Return how the tests of a request are collected."""
    return Collection(**{field.name: data[field.name] for field in fields(Collection)})


def request_in(data: dict[str, Any]) -> Request | None:
    """Return what a request of the verifier's asks; None for one of the search's."""
    kind = ACTS.get(data["act"])
    if kind is None:
        return None
    given = {field.name: data[field.name] for field in fields(kind) if field.name in data}
    asked: Request = kind(**given)
    return asked
