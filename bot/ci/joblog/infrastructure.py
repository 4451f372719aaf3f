"""Tell failures of runner, network and registries from failures of the code, by the log's words.

Nothing here looks at what tests print: a log in which a test runner or a linter names a failure is
asked only for what the runner itself says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bot.ci.joblog.signs import OUTPUT_SIGNS, RUNNER_SIGNS


@dataclass(frozen=True, slots=True)
class OutsideCause:
    """Why a job failed that the code did not make fail.

    Attributes:
        meaning: As a sentence.
        rerun: Whether the same job may well pass when it runs again.
    """

    meaning: str
    rerun: bool = False


def recognise(runner: Iterable[str], output: str, *, named: bool) -> OutsideCause | None:
    """Return what outside of the code made a job fail, or None.

    Args:
        runner: What the runner itself said: its errors and annotations.
        output: What the failing step printed.
        named: Whether a test runner or tool names a failure in that output; then only the runner's
            own words count.
    """
    said = "\n".join(runner)
    searched = [(sign, said) for sign in RUNNER_SIGNS]
    if not named:
        searched += [(sign, f"{said}\n{output}") for sign in OUTPUT_SIGNS]
    for sign, text in searched:
        if found := sign.words.search(text):
            caught = [value for value in found.groupdict().values() if value]
            meaning = sign.meaning if isinstance(sign.meaning, str) else sign.meaning(*caught)
            return OutsideCause(meaning, sign.rerun)
    return None


FLAKY_SIGNS = re.compile(
    r"\bflak(?:y|iness)\b|\bTimed? ?out\b|\btimeout\b|Connection (?:refused|reset)|ECONNREFUSED"
    r"|Address already in use|EADDRINUSE|\bdeadlock\b|\brace condition\b|WARNING: DATA RACE"
    r"|database is locked",
    re.IGNORECASE,
)
"""Words of failures that often come and go: time, ports, connections, races."""


def may_be_flaky(text: str) -> bool:
    """Whether a failure's account has words that flaky failures have."""
    return FLAKY_SIGNS.search(text) is not None
