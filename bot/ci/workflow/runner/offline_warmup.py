"""Prepare the failing step: earlier steps, and a rehearsal of the step itself."""

from __future__ import annotations

import shlex

from bot.ci.network import UNREACHABLE
from bot.ci.workflow.inside import source

REHEARSAL_SECONDS = 600
"""Longest time of a rehearsal; what it has fetched until then is there."""

_SAID = "fixpoint: "
"""Front of the lines by which the shell's functions tell people something."""


def said_by(command: str, output: str) -> tuple[str, ...]:
    """Return which of its own sentences a setup's command printed: which step before the failing one failed.

    Args:
        command: Shell text that has these sentences, see `ci_earlier`.
        output: What it printed; it may print such lines of its own.
    """
    lines = (line for line in output.splitlines() if line.startswith(_SAID))
    said = dict.fromkeys(line.removeprefix(_SAID).rstrip() for line in lines)
    return tuple(text for text in said if text and shlex.quote(text) in command)


def functions() -> str:
    """Return what is defined in every step."""
    seconds = str(REHEARSAL_SECONDS)
    quoted = shlex.quote(UNREACHABLE)
    return source("offline.sh", UNREACHABLE=quoted, REHEARSAL_SECONDS=seconds)


BEGIN = '[ -n "${HTTPS_PROXY:-}" ] || [ ! -f ~/.ci/offline ] || . ~/.ci/offline'
"""What every step begins with."""
