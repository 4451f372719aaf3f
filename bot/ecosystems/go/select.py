"""How `go test` is told to run some tests alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.commands.task_runners import Read

GO_TEST = re.compile(r"\.(?P<name>(?:Test|Example|Fuzz)\w*)(?:/.*)?$", re.DOTALL)


def go_test(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://pkg.go.dev/cmd/go#hdr-Testing_flags."""
    matches = [GO_TEST.search(test) for test in tests]
    names = dict.fromkeys(match["name"] for match in matches if match)
    if not all(matches) or any(word.startswith(("-run", "--run")) for word in arguments):
        return None
    kept = (word for word in arguments if word.lstrip("-") != "failfast")
    return (*kept, "-run", f"^({'|'.join(names)})$")
