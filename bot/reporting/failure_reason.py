"""Why a test failed, in a line: what its runner says, with the values that it compared."""

from __future__ import annotations

import re

from bot.model import Failure

_VALUE = re.compile(
    r"^[ \t]*+(?P<name>expected|actual|received|left|right)"
    r"(?: (?:length|value|array|set|map|object|substring|string|pattern|number of calls))?[ \t]*:[ \t]*(?P<value>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""As jest, node:test, testify and Rust's `assert_eq!` print what was compared."""

_DIFFERENCE = re.compile(
    r"^[ \t]*+(?:- Expected\b.*\n[ \t]*+\+ Received\b.*|(?P<mocha>\+ expected - actual)"
    r"|\+ actual - expected)$",
    re.MULTILINE,
)
"""What stands before the lines of two values that differ: jest's and vitest's, mocha's, and Node's."""

_SIGNED = re.compile(r"^[ \t]{0,8}([-+]) *([^\s+-].*)$", re.MULTILINE)
_OPENING = ("{", "[", "(")
_REMARK = re.compile(r" // (?:[\w. ]{1,30} equality|indexOf)$")
_LONGEST = 80


def reason(failure: Failure) -> str:
    """Return a failure's message; where it leaves out what was compared, with that."""
    message = _REMARK.sub("", " ".join(failure.message.split()))
    found: dict[str, str] = {}
    for each in _VALUE.finditer(failure.detail):
        value = each["value"].strip().removesuffix(",")
        if not value.endswith(_OPENING):
            found.setdefault(each["name"].lower(), _short(value))
    left, right = found.get("left"), found.get("right")
    wanted, got = found.get("expected"), found.get("received") or found.get("actual")
    if not (wanted and got):
        wanted, got = _differing(failure.detail) or (wanted, got)
    if wanted and got and not (wanted in message and got in message):
        said = f"expected {wanted}, got {got}"
    elif left and right and not (left in message and right in message):
        said = f"left is {left}, right is {right}"
    else:
        return message
    front = message.rstrip(": ")
    return f"{front}: {said}" if front else said


def _differing(detail: str) -> tuple[str, str] | None:
    """Return the lines that were expected and found, where they are the only ones that differ."""
    difference = _DIFFERENCE.search(detail)
    if difference is None:
        return None
    following = _DIFFERENCE.search(detail, difference.end())
    end = following.start() if following is not None else len(detail)
    signed = _SIGNED.findall(detail, difference.end(), end)
    minus = [text for sign, text in signed if sign == "-"]
    plus = [text for sign, text in signed if sign == "+"]
    if len(minus) != 1 or len(plus) != 1:
        return None
    wanted, got = (plus, minus) if difference["mocha"] else (minus, plus)
    return _short(wanted[0].strip().removesuffix(",")), _short(got[0].strip().removesuffix(","))


def _short(value: str) -> str:
    value = value.strip()
    return value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…"
