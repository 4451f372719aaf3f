"""The test that was running when pytest came to no end: it hung, or took the process with it.

Stacks are those of `faulthandler`, which pytest turns on, and of pytest's own internal errors:
https://docs.pytest.org/en/stable/how-to/failures.html#fault-handler.
"""

from __future__ import annotations

import re

from bot.ci.failures.base import failure, inside
from bot.ci.failures.work_tree import relative_path
from bot.model import Failure
from bot.reporting.reasons import job_target

_DUMP = re.compile(
    r"(?:(?P<late>Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!)|(?P<fatal>Fatal Python error: [^\n]{1,500}))\n"
)
_FRAME = re.compile(
    r'^ *File "(?P<file>[^"\n]+\.py)", line (?P<line>\d{1,9}),? in (?P<name>\S+)', re.MULTILINE
)
_LONGEST = 50_000
"""Characters of a stack that are read."""

STOPPED = "KeyboardInterrupt"


def unfinished(text: str) -> Failure | None:
    """Return the test that a crash or an interruption ended, as the last stack in an output tells."""
    dumps = list(_DUMP.finditer(text))
    if not dumps:
        return None
    last = dumps[-1]
    if last["late"] and STOPPED not in text[last.end() :]:
        return None  # it took long, and went on
    stack = text[last.end() : last.end() + _LONGEST]
    return running(stack, last["fatal"] or job_target.TEST_DID_NOT_END)


def running(stack: str, message: str) -> Failure | None:
    """Return the test whose function is in a stack, with `message`, if it is one of the work tree."""
    for match in _FRAME.finditer(stack):
        name = match["name"].rpartition(".")[2]
        if name.startswith("test") and inside(match["file"]):
            return failure(
                address(f"{relative_path(match['file'])}::{name}"),
                message,
                file=match["file"],
                line=int(match["line"]),
                detail=stack,
            )
    return None


def address(node: str) -> str:
    """Return a pytest node id in the words of the JUnit report (`mangle_test_address` in pytest)."""
    path, bracket, parameters = node.partition("[")
    file, *names = path.split("::")
    module = file.removesuffix(".py").replace("/", ".")
    if not names:
        return module
    return f"{'.'.join([module, *names[:-1]])}::{names[-1]}{bracket}{parameters}"
