"""Why a test failed, in a line: what its runner says, with the values that it compared."""

from __future__ import annotations

import re

from bot.model import Failure

_VALUE = re.compile(
    r"^[ \t]*+(?P<name>expected|actual|received|left|right)\s*:[ \t]*(?P<value>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""As jest, node:test (TAP), testify and Rust's `assert_eq!` print what was compared."""

_LONGEST = 80


def reason(failure: Failure) -> str:
    """Return a failure's message; where it leaves out what was compared, with that."""
    message = " ".join(failure.message.split())
    found: dict[str, str] = {}
    for each in _VALUE.finditer(failure.detail):
        found.setdefault(each["name"].lower(), _short(each["value"]))
    left, right = found.get("left"), found.get("right")
    wanted, got = found.get("expected"), found.get("received") or found.get("actual")
    if wanted and got and not (wanted in message and got in message):
        said = f"expected {wanted}, got {got}"
    elif left and right and not (left in message and right in message):
        said = f"left is {left}, right is {right}"
    else:
        return message
    front = message.partition(" // ")[0].rstrip(": ")
    return f"{front}: {said}" if front else said


def _short(value: str) -> str:
    value = value.strip()
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
