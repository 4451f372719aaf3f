"""Read what the driver tells of tests and orders: it was written where the project's code runs. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.model.culprit import RunCounts
from bot.model.flaky import FlakyCause, FlakyClass, LeftState
from bot.reporting.reasons.flaky_changes import EARLIER_RUN

_CLASSES = {
    "victim": FlakyClass.VICTIM,
    "brittle": FlakyClass.BRITTLE,
    "non-idempotent": FlakyClass.NON_IDEMPOTENT,
    "seed": FlakyClass.SEED,
    "rerun": FlakyClass.NON_IDEMPOTENT,
}


@dataclass(frozen=True, slots=True)
class OrderedTest:
    """What was seen of a test.

    Attributes:
        node: Its id, with its file relative to the work tree.
        alone: Runs of it alone.
        orders: How it ended in each order of the suite: `passed`, `failed`, `skipped` or `died`.
        found: What it depends on, without commands yet.
        seeds: Of the random numbers, one with which it fails and one with which it passes, for a cause
            that is one.
        message: Type and message of a failure of it alone.
        file: Where that was raised, relative to the work tree; empty if unknown.
        line: Of it; 0 if unknown.
    """

    node: str
    alone: RunCounts
    orders: Mapping[str, str]
    found: tuple[FlakyCause, ...]
    seeds: tuple[int, int] | None
    message: str
    file: str
    line: int

    @property
    def outcomes(self) -> frozenset[bool]:
        """Whether it failed, in each run so far."""
        seen = {self.alone.failed > 0, self.alone.passed == 0} if _runs(self.alone) else set()
        return frozenset(
            seen | {how != "passed" for how in self.orders.values() if how != "skipped"}
        )


def _runs(counts: RunCounts) -> int:
    return counts.failed + counts.passed


@dataclass(frozen=True, slots=True)
class OrderAnswer:
    """What the driver saw.

    Attributes:
        tests: That it was asked about.
        suite: Tests that there are.
        errors: Ids of what could not be collected, each with what was raised.
        options: That the runner needs so that plugins don't interfere.
        executions: Tests that were run.
        cut: Whether the time was up before everything was tried.
    """

    tests: tuple[OrderedTest, ...]
    suite: int
    errors: tuple[str, ...]
    options: tuple[str, ...]
    executions: int
    cut: bool


def read_answer(answer: Mapping[str, Any]) -> OrderAnswer:
    """Return an answer as values.

    Raises:
        KeyError, TypeError, ValueError: When it is not what the driver writes.
    """
    return OrderAnswer(
        tuple(_test(each) for each in answer["tests"]),
        int(answer["size"]),
        tuple(f"{error['id']}: {error['error']['message']}" for error in answer["errors"]),
        tuple(map(str, answer["options"])),
        int(answer["executions"]),
        bool(answer["cut"]),
    )


def node_of(test: str, file: str) -> str:
    """Return a test's id with its file relative to the work tree, whatever pytest's root is."""
    _, dots, name = test.partition("::")
    return f"{file}{dots}{name}" if dots else test


def _test(each: Mapping[str, Any]) -> OrderedTest:
    failed, runs = map(int, each["alone"])
    seeds = next((found["seeds"] for found in each["found"] if found.get("seeds")), None)
    skipped = bool(each["skipped"])
    return OrderedTest(
        node_of(str(each["id"]), str(each["file"])),
        RunCounts() if skipped else RunCounts(failed, runs - failed),
        {str(name): str(how) for name, how in each["orders"].items()},
        tuple(_cause(found, each) for found in each["found"]),
        (int(seeds[0]), int(seeds[1])) if seeds else None,
        *_raised(each["failure"] or {}),
    )


def _raised(failure: Mapping[str, Any]) -> tuple[str, str, int]:
    """Return type and message of a failure, and its file and line."""
    file, line, _ = (failure.get("frames") or [["", 0, ""]])[-1]
    message = f"{failure.get('type', '')}: {failure.get('message', '')}".strip(": ")
    return message, str(file), int(line)


def _cause(found: Mapping[str, Any], test: Mapping[str, Any]) -> FlakyCause:
    kind = _CLASSES[found["kind"]]
    failure = (test["failure"] if kind is FlakyClass.BRITTLE else found["failure"]) or {}
    message, file, line = _raised(failure)
    files = found.get("files", [])
    others = [
        node_of(str(name), str(file)) for name, file in zip(found["others"], files, strict=False)
    ]
    return FlakyCause(
        kind,
        tuple(others),
        also=tuple(node_of(str(name), str(file)) for name, file in found.get("also", ())),
        changed=EARLIER_RUN if found["kind"] == "rerun" else "",
        state=tuple(map(_state, found["state"])),
        seen=tuple(map(_state, found["seen"])),
        message=message,
        file=file,
        line=line,
    )


def _state(each: Mapping[str, Any]) -> LeftState:
    return LeftState(
        str(each["kind"]),
        str(each["name"]),
        str(each["before"]),
        str(each["after"]),
        str(each.get("file", "")),
        int(each.get("line", 0)),
    )
