"""Set failures aside that no patch of a run has to mend. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.model import Failure, Observation
from bot.reporting.reasons import verification

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_FLEETING = re.compile(r"(?<=/tmp/)[^\s/'\":,;)\]]+|0x[0-9a-fA-F]+|\d+")
"""Names that a program makes up below the temporary folder, addresses, and numbers."""

_FAILED_TESTS = 1
"""The exit status with which most runners say that tests failed, and nothing else."""


@dataclass(frozen=True, slots=True)
class Aside:
    """The failures that a run leaves alone.

    Attributes:
        tests: Their names, see `stable_name`.
        exit_codes: With which a command may end that shows no other failure than these.
    """

    tests: frozenset[str] = frozenset()
    exit_codes: frozenset[int] = frozenset()

    def left_by(self, observation: Observation) -> Observation:
        """Return an observation whose `failing` has what is left to mend, the rest in `others`.

        A command that ends in another way than failing tests make it end, with nothing left to
        mend, has failed itself.
        """
        if observation.ok or not self.tests:
            return observation
        others = tuple(one for one in observation.failing if stable_name(one.test) in self.tests)
        if not others:
            return observation
        failing = tuple(one for one in observation.failing if one not in others)
        if not failing and observation.exit_code not in self.exit_codes:
            why = verification.exited(observation.exit_code)
            failing = (Failure(test=observation.command, message=why),)
        return replace(observation, failing=failing, others=(*observation.others, *others))


NOTHING_ASIDE = Aside()
"""Whatever fails has to be mended."""


def aside_of(tests: Iterable[str], red: Observation) -> Aside:
    """Return what sets these tests aside, as they failed in one run of the untouched tree."""
    names = frozenset(map(stable_name, tests))
    return Aside(names, frozenset({_FAILED_TESTS, red.exit_code})) if names else NOTHING_ASIDE


def stable_name(test: str) -> str:
    """Return a test's id without what differs from process to process: addresses of objects."""
    return _ADDRESS.sub("0x", test)


def same_message(one: str, other: str) -> bool:
    """Whether two messages differ in nothing but temporary names and numbers: times, addresses."""
    return _FLEETING.sub("0", one) == _FLEETING.sub("0", other)
