"""Read the options behind `/fix`."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from types import MappingProxyType
from typing import Any

from bot.model.request import Effort, Options
from bot.reporting.reasons import fix_options

MAX_ATTEMPTS = 10
MAX_BUDGET_USD = 100
MAX_TIMEOUT = 6 * 3600
MAX_TEXT = 1000


class BadOption(Exception):
    """An option is unknown or has a bad value; the text is a sentence for its author."""


@dataclass(frozen=True, slots=True)
class _Option:
    """How an option is read: `read` raises `ValueError`, then `wanted` says what it takes."""

    field: str
    wanted: Callable[[str], str]
    read: Callable[[str], Any]


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,4}", text) or not 1 <= int(text) <= MAX_ATTEMPTS:
        raise ValueError(text)
    return int(text)


def _money(text: str) -> Decimal:
    try:
        amount = Decimal(text.removeprefix("$"))
    except InvalidOperation as error:
        raise ValueError(text) from error
    if not amount.is_finite() or not 0 < amount <= MAX_BUDGET_USD:
        raise ValueError(text)
    return amount


_UNITS = MappingProxyType({"": 1, "s": 1, "m": 60, "h": 3600})


def seconds(text: str) -> int:
    """Return a duration such as `900`, `900s`, `15m` or `1h` in seconds.

    Raises:
        ValueError: When it is invalid, or not from 1 s to 6 h.
    """
    match = re.fullmatch(r"([0-9]{1,6})([smh]?)", text.strip().lower())
    if match is None:
        raise ValueError(text)
    value = int(match[1]) * _UNITS[match[2]]
    if not 1 <= value <= MAX_TIMEOUT:
        raise ValueError(text)
    return value


def _text(text: str) -> str:
    if not text.strip() or len(text) > MAX_TEXT:
        raise ValueError(text)
    return text.strip()


_VALUED: Mapping[str, _Option] = MappingProxyType(
    {
        "attempts": _Option(
            "attempts", partial(fix_options.whole_number, most=MAX_ATTEMPTS), _whole_number
        ),
        "budget-usd": _Option(
            "budget_usd", partial(fix_options.dollars, most=MAX_BUDGET_USD), _money
        ),
        "model": _Option("model", fix_options.model_name, _text),
        "test": _Option("test", fix_options.command, _text),
        "effort": _Option("effort", fix_options.effort, lambda text: Effort(text.lower())),
        "timeout": _Option("timeout", fix_options.duration, seconds),
    }
)
_FLAGS: Mapping[str, bool] = MappingProxyType({"draft": True, "no-draft": False})

_CODE = r"(?P<code>`[^`]*`)"
_FLAG = rf"(?<!\S)--(?P<flag>(?i:{'|'.join(_FLAGS)}))(?![\w=-])"
_NAME = r"(?<!\S)--(?P<name>[A-Za-z][\w-]*)"
_VALUE = r"""(?P<value>"[^"]*"|'[^']*'|`[^`]*`|“[^“”]*”|[^\s"'`“]\S*)"""
_OPTION = re.compile(rf"{_CODE}|(?:{_FLAG}|{_NAME}(?:(?:=|[^\S\n]+(?!--)){_VALUE})?)[,;]?")
_QUOTES = MappingProxyType({'"': '"', "'": "'", "`": "`", "“": "”"})


def split_options(text: str) -> tuple[str, Options]:
    """Return the text without its options, and the options.

    A value follows behind a blank or `=`, in quotes when it has blanks. Options inside `code` are
    text.

    Raises:
        BadOption: When one is unknown, given twice or has a bad value.
    """
    found: dict[str, Any] = {}
    kept: list[str] = []
    position = 0
    for match in _OPTION.finditer(text):
        if match["code"] is not None:
            continue
        field, value = _read(match)
        if field in found:
            raise BadOption(fix_options.set_twice(match["flag"] or match["name"]))
        found[field] = value
        kept.append(text[position : match.start()])
        position = match.end()
    kept.append(text[position:])
    return _tidy(kept), Options(**found)


def _read(match: re.Match[str]) -> tuple[str, Any]:
    """Return the field of `Options` that a match sets, and its value."""
    if match["flag"] is not None:
        return "draft", _FLAGS[match["flag"].lower()]
    name = match["name"].lower()
    if name in _FLAGS:
        raise BadOption(fix_options.takes_no_value(name))
    option = _VALUED.get(name)
    if option is None:
        raise BadOption(_unknown(name))
    try:
        return option.field, option.read(_bare(match["value"] or ""))
    except ValueError as error:
        raise BadOption(option.wanted(name)) from error


def _bare(value: str) -> str:
    """Return a value without its quotes, or without the punctuation of the sentence around it."""
    if len(value) > 1 and _QUOTES.get(value[0]) == value[-1]:
        return value[1:-1]
    return value.rstrip(",;.")


def _unknown(name: str) -> str:
    shown = name[:40]
    known = [*_VALUED, *_FLAGS]
    nearest = difflib.get_close_matches(shown, known, n=1, cutoff=0.5)
    if nearest:
        return fix_options.misspelt(shown, nearest[0])
    return fix_options.unknown(shown, known)


def _tidy(parts: list[str]) -> str:
    """Join what the options leave, without the gaps, and without a comma at the end."""
    lines = " ".join(part.strip(" ") for part in parts).split("\n")
    return "\n".join(line.strip() for line in lines).strip().rstrip(",;").rstrip()
