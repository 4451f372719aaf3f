"""Which tests run: one part where `--part` names it; how many were left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

TARGETS = {
    "exhaustive": "{} tests that repeat others with other data were left out: `make test-rest` runs them.",
    "slow": "{} slow tests were left out: `make test-slow` runs them, and so does `.ci/run`.",
}
"""What is said of the tests with a mark that were left out."""

LEFT_OUT = pytest.StashKey[Counter[str]]()


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


def pytest_deselected(items: Sequence[pytest.Item]) -> None:
    """Count what is left out by its mark, the first of `TARGETS` that it has."""
    for item in items:
        if item.config.getoption("--part"):
            continue
        left_out = item.config.stash.setdefault(LEFT_OUT, Counter())
        left_out.update([mark for mark in TARGETS if item.get_closest_marker(mark)][:1])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say it at the end."""
    for mark, count in config.stash.get(LEFT_OUT, Counter()).items():
        terminalreporter.write_line(TARGETS[mark].format(count))
