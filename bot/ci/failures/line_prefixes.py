"""Take off what is put before each line of an output: time stamps of CI, names of packages or containers.

Runners of workspaces start one test command for each package and mix what these print. What is read
from a failing test is on lines of its own, whose beginnings parsers know: `not ok 1 - adds`, and not
`@w/a:test: not ok 1 - adds`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.ci.failures.console import WORKFLOW_COMMAND


@dataclass(frozen=True, slots=True)
class _Form:
    """How a runner marks the lines of a package.

    Attributes:
        shown: What it prints by which it is known.
        line: A line of a package: `who`, and the `rest`.
    """

    shown: re.Pattern[str]
    line: re.Pattern[str]


def _form(shown: str, line: str) -> _Form:
    return _Form(re.compile(shown, re.MULTILINE), re.compile(line))


_STAMP = re.compile(
    r"^\ufeff?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6,9}Z (?:\d\d[EO][ +])?", re.MULTILINE
)
"""Of GitHub's and GitLab's logs, and of `docker logs --timestamps`."""

_MARK = re.compile(
    r"^##\[(?:command|debug|endgroup|error|group|notice|section|warning)\]", re.MULTILINE
)
"""As a log of GitHub shows commands to its runner."""

_FORMS = (
    _form(  # docker build, --progress=plain
        r"^#\d+ (?:\[[^\]\n]{1,200}\] |DONE \d|ERROR: )",
        r"^(?P<who>#\d+) \d+\.\d+ ?(?P<rest>.*)",
    ),
    _form(  # docker compose
        r"^Attaching to |^[\w.-]{1,150} exited with code \d+$",
        r"^(?P<who>[\w.-]{1,150}) +\| ?(?P<rest>.*)",
    ),
    _form(  # turbo
        r"^ *• Packages in scope: |^ *Tasks: +\d+ successful, \d+ total$",
        r"^(?P<who>@?[\w./-]{1,150}:[A-Za-z][\w:.-]{0,99}): ?(?P<rest>.*)",
    ),
    _form(  # pnpm --recursive
        r"^Scope: (?:all )?\d+ (?:of \d+ )?(?:workspace )?projects?$",
        r"^(?P<who>[\w.@/-]{1,150} [\w:.-]{1,100})(?::|\$) ?(?P<rest>.*)",
    ),
    _form(  # lerna run --stream
        r"^ *Lerna \(powered by Nx\) |^lerna notice cli v",
        r"^(?P<who>@?[\w./-]{1,150}): (?P<rest>.*)",
    ),
    _form(  # yarn workspaces foreach --verbose
        r"^(?:➤ YN0000: )?\[[^\]\n]{1,200}\]: Process (?:started|exited)",
        r"^(?:➤ YN\d{1,5}: )?(?P<who>\[[^\]\n]{1,200}\]): ?(?P<rest>.*)",
    ),
    _form(  # concurrently
        r"^\[[^\]\n]{1,200}\] .{1,1000} exited with code \d+$",
        r"^(?P<who>\[[^\]\n]{1,200}\]) ?(?P<rest>.*)",
    ),
)


def apart(text: str) -> str:
    """Return the text with each package's lines together, and without its name in front of them.

    Args:
        text: Plain (see `console.plain`).
    """
    text = _MARK.sub("", _STAMP.sub("", text))
    for form in _FORMS:
        if form.shown.search(text):
            text = _without(form, text)
    return WORKFLOW_COMMAND.sub("", text)


def _without(form: _Form, text: str) -> str:
    others: list[str] = []
    packages: dict[str, list[str]] = {}
    for line in text.split("\n"):
        if match := form.line.fullmatch(line):
            packages.setdefault(match["who"], []).append(match["rest"])
        else:
            others.append(line)
    return "\n".join(["\n".join(lines) for lines in (*packages.values(), others)])
