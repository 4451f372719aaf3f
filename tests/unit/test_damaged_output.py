"""No output ends a run, however much of it is missing, twice there, or another tool's."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from bot.ci.failures import line_prefixes, registry
from bot.ci.failures.base import Parser
from bot.ci.failures.console import plain
from tests.unit.test_samples import samples

PARSERS = (*registry.RUNNERS, *registry.TOOLS, *registry.UNKNOWN_TOOLS)
_PLACES = 2
_LONGEST = 8_000


@pytest.fixture(scope="module")
def outputs() -> list[str]:
    """Every sample of an output of several lines, and two places of each at which it is damaged."""
    texts = {line_prefixes.apart(plain(text)) for text in samples() if text.count("\n") > 2}
    chance = random.Random(36)
    return [
        damaged
        for text in sorted(texts)
        if len(text) < _LONGEST
        for damaged in _damaged(text.split("\n"), chance)
    ]


def _damaged(lines: list[str], chance: random.Random) -> Iterator[str]:
    yield "\n".join(lines)
    for place in chance.sample(range(len(lines)), min(_PLACES, len(lines))):
        yield "\n".join(lines[:place] + lines[place + 1 :])
        yield "\n".join(lines[:place])
        yield "\n".join(lines[place:])
        yield "\n".join(lines[: place + 1] + lines[place:])


@pytest.mark.slow
@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.__module__.split(".")[-1])
def test_no_output_is_too_odd(parser: Parser, outputs: list[str]) -> None:
    """A parser says what it found, or that it is another tool's output."""
    assert len(outputs) > 5_000
    for text in outputs:
        parser(text)


def test_a_runner_whose_tests_all_pass_names_none() -> None:
    """Here uvu, which prints only its totals."""
    text = "  Total:     4\n  Passed:    3\n  Skipped:   1\n  Duration:  12.58ms\n\n"
    reading = registry.read(text, failed=False)
    assert reading.failing == ()
    assert reading.counts is not None
    assert (reading.counts.passed, reading.counts.skipped) == (3, 1)
