"""Run a suite's tests in random order where the project has a plugin for it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.reporting.reasons import verification
from sandbox.base import Sandbox

_SECONDS = 30.0
_PYTEST = re.compile(r"\b(?:pytest|py\.test|tox|nox|make)\b")
_PROBE = (
    'python -c "import importlib.metadata as m; '
    "print(*sorted({(d.metadata['Name'] or '').lower().replace('_', '-') "
    'for d in m.distributions()}))" 2>/dev/null'
)


@dataclass(frozen=True, slots=True)
class Ordering:
    """The order in which a suite's tests run.

    Attributes:
        said: One sentence for the person.
        pytest_options: To be added to pytest's own.
    """

    said: str
    pytest_options: str = ""


async def ordering_in(sandbox: Sandbox, command: str) -> Ordering:
    """Return the order that a suite can be run in, by what is installed in the sandbox."""
    if not _PYTEST.search(command):
        return Ordering(verification.NO_ORDERING_PLUGIN_KNOWN)
    listed = await sandbox.run(_PROBE, timeout=_SECONDS)
    return ordering(frozenset(listed.output.split()), command)


def ordering(installed: frozenset[str], command: str) -> Ordering:
    """Return the order of a suite under pytest, by the names of the installed distributions."""
    if "pytest-randomly" in installed and "no:randomly" not in command:
        return Ordering(verification.shuffled("pytest-randomly"))
    if "pytest-random-order" in installed:
        return Ordering(verification.shuffled("pytest-random-order"), "--random-order")
    return Ordering(verification.NO_ORDERING_PLUGIN)
