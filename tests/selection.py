"""Which tests run and when: one part where `--part` names it, stories first; what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

EXHAUSTIVE = "exhaustive"
STORIES = Path(__file__).parent / "flows"
LEFT_OUT = pytest.StashKey[int]()


def part(text: str) -> tuple[int, int]:
    """Return which part of how many `1/4` means."""
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise ValueError(text)
    return int(number), int(parts)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--part`."""
    parser.addoption("--part", type=part, help="run one part of the tests, such as 1/4")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deal the tests out to the parts like cards: each has its share of every file."""
    chosen = config.getoption("--part")
    if chosen is not None:
        number, parts = chosen
        dealt = [item for n, item in enumerate(items) if n % parts != number - 1]
        items[:] = items[number - 1 :: parts]
        config.hook.pytest_deselected(items=dealt)
    told: dict[str, Any] | None = getattr(config, "workerinput", None)
    if told is not None:
        items[:] = stories_first(items, told["workercount"])


def stories_first(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """Return the tests in an order in which every worker begins with its share of the stories.

    A story mostly waits, and a small test mostly computes: what is short and needs nobody else is
    best kept for the end. xdist's `worksteal` gives each worker one stretch of the order.
    """
    stories = [item for item in items if STORIES in item.path.parents]
    others = [item for item in items if STORIES not in item.path.parents]
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        size = (len(items) - len(ordered)) // (workers - worker)
        share = slice(len(stories) * worker // workers, len(stories) * (worker + 1) // workers)
        own = stories[share]
        rest = max(0, size - len(own))
        ordered += [*own, *others[:rest]]
        del others[:rest]
    return [*ordered, *others]


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count what repeats with other data."""
    for item in items:
        if item.get_closest_marker(EXHAUSTIVE) and not item.config.getoption("--part"):
            item.config.stash[LEFT_OUT] = item.config.stash.get(LEFT_OUT, 0) + 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Have a worker tell its controller."""
    told: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if told is not None:
        told[EXHAUSTIVE] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear it from a worker: each of them collects all tests."""
    told = getattr(node, "workeroutput", {})
    node.config.stash[LEFT_OUT] = told.get(EXHAUSTIVE, 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say it at the end."""
    left_out = config.stash.get(LEFT_OUT, 0)
    if left_out:
        terminalreporter.write_line(
            f"{left_out} tests that repeat others with other data were left out: "
            "`make test-rest` runs them."
        )
