"""PHPUnit, and Pest, which is PHPUnit with another way to write tests."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.base import Runner
from bot.ecosystems.commands.task_runners import Read

_ID = re.compile(r"(?P<case>[A-Za-z_\\][\w\\.]*)::(?P<method>\w+)(?: with data set .*)?", re.DOTALL)
_STOPS = tuple(
    f"--stop-on-{event}"
    for event in (
        *("failure", "error", "defect", "risky", "warning", "notice", "deprecation"),
        *("skipped", "incomplete"),
    )
)
"""https://docs.phpunit.de/en/11.5/textui.html"""


def filtered(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: all data sets of a method, since their names may hold anything."""
    named = [_ID.fullmatch(test) for test in tests]
    if not all(named) or any(word.startswith("--filter") for word in arguments):
        return None
    names = dict.fromkeys(
        rf"{re.escape(match['case'].replace('.', chr(92)))}::{match['method']}"
        for match in named
        if match
    )
    kept = (word for word in arguments if word not in _STOPS)
    return (*kept, "--filter", f"/^(?:{'|'.join(names)})(?: with data set .*)?$/s")


RUNNERS = (
    Runner("phpunit", select=filtered, stops_early=_STOPS, start="vendor/bin/phpunit"),
    Runner("pest", stops_early=("--bail", *_STOPS), start="vendor/bin/pest"),
)
