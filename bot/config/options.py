"""Read the options behind `/fix`."""
# ruff: noqa: RUF001 - phones write these characters

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from types import MappingProxyType
from typing import Any

from bot.model.request import Effort, Options
from bot.reporting.reasons import fix_commands

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
            "attempts", partial(fix_commands.whole_number, most=MAX_ATTEMPTS), _whole_number
        ),
        "budget-usd": _Option(
            "budget_usd", partial(fix_commands.dollars, most=MAX_BUDGET_USD), _money
        ),
        "model": _Option("model", fix_commands.model_name, _text),
        "test": _Option("test", fix_commands.command, _text),
        "effort": _Option("effort", fix_commands.effort, lambda text: Effort(text.lower())),
        "timeout": _Option("timeout", fix_commands.duration, seconds),
    }
)
_FLAGS: Mapping[str, bool] = MappingProxyType({"draft": True, "no-draft": False})

_NAMES = (*_VALUED, *_FLAGS)
_EMPTY_LINES = re.compile(r"\n{3,}")
_NUMBER = re.compile(r"[\"'“‘]?\$?\d")
_DASHES = "‐‑‒–—―−"
"""What phones and word processors make of hyphens."""
_CODE = r"(?P<code>`[^`]*`)"
_FLAG = rf"(?P<flag>(?i:{'|'.join(_FLAGS).replace('-', f'[-{_DASHES}]')}))(?![\w={_DASHES}-])"
_NAME = rf"(?P<name>[A-Za-z][\w{_DASHES}-]*)"
_VALUE = (
    r"""(?P<value>"[^"]*"|'[^']*'|`[^`]*`|“[^“”]*”|”[^”]*”|„[^„“”]*[“”]|‘[^‘’]*’|«[^«»]*»"""
    r"""|[^\s"'`“”„‘«]\S*)"""
)
_APART = (
    rf"[^\S\n]+(?=(?i:(?:{'|'.join(_VALUED)}|budget)=|budget[-{_DASHES}]usd\b"
    rf"|(?:{'|'.join(_FLAGS)}|(?:attempts|budget|timeout|effort)[^\S\n]+"
    rf"(?:[$\"'“‘]?\d\S*|{'|'.join(Effort)}))[,;.]?[^\S\n]*(?:[-{_DASHES}]|$)))"
)
"""A blank behind the dash, where what follows can be nothing but an option."""
_OPTION = re.compile(
    rf"{_CODE}|(?<!\S)(?P<dash>[-{_DASHES}]{{1,2}})(?:{_APART})?"
    rf"(?:{_FLAG}|{_NAME}(?:(?:=|[^\S\n]+(?!--|[{_DASHES}])){_VALUE})?)[,;]?",
    re.MULTILINE,
)
_HYPHENS = str.maketrans(dict.fromkeys(_DASHES, "-"))
_QUOTES = MappingProxyType(
    {'"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“”", "‘": "’", "«": "»"}
)
_SHORTEST = 3
_NEAR, _NEARER = 0.5, 0.8
"""How alike an unknown option is to the one that is meant; the second where it may be a word."""


def split_options(texts: Sequence[str]) -> tuple[list[str], Options]:
    """Return texts without their options, and the options.

    A value follows behind a blank or `=`, in quotes when it has blanks. Options inside `code` are
    text. Another dash than `--`, one hyphen, or a dash and a blank begin only options that exist.

    Raises:
        BadOption: When one is unknown, given twice or has a bad value.
    """
    found: dict[str, Any] = {}
    return [_without_options(text, found) for text in texts], Options(**found)


def _without_options(text: str, found: dict[str, Any]) -> str:
    """Return a text without its options, which are added to `found`."""
    kept: list[str] = []
    position = 0
    for match in _OPTION.finditer(text):
        if match["code"] is not None or _is_a_word(match):
            continue
        field, value = _read(match)
        if field in found:
            raise BadOption(fix_commands.set_twice(_name(match)))
        found[field] = value
        kept.append(text[position : match.start()])
        position = match.end()
    kept.append(text[position:])
    return _tidy(kept)


def _name(match: re.Match[str]) -> str:
    return (match["flag"] or match["name"]).translate(_HYPHENS).strip("-").lower()


def _is_a_word(match: re.Match[str]) -> bool:
    """Whether a dash stands before a word of the sentence: none like an option's, and no number."""
    dash, name = match["dash"], _name(match)
    if dash == "--" or (dash != "-" and _NUMBER.match(match["value"] or "")):
        return False
    begins_one = len(name) >= _SHORTEST and any(known.startswith(name) for known in _NAMES)
    return not begins_one and not _nearest(name, _NEARER)


def _read(match: re.Match[str]) -> tuple[str, Any]:
    """Return the field of `Options` that a match sets, and its value."""
    name = _name(match)
    if match["flag"] is not None:
        return "draft", _FLAGS[name]
    if name in _FLAGS:
        raise BadOption(fix_commands.takes_no_value(name))
    option = _VALUED.get(name)
    if option is None:
        raise BadOption(_unknown(name))
    try:
        return option.field, option.read(_bare(match["value"] or ""))
    except ValueError as error:
        raise BadOption(option.wanted(name)) from error


def _bare(value: str) -> str:
    """Return a value without its quotes, or without the punctuation of the sentence around it."""
    if len(value) > 1 and value[-1] in _QUOTES.get(value[0], ""):
        return value[1:-1]
    return value.rstrip(",;.")


def _unknown(name: str) -> str:
    nearest = _nearest(name, _NEAR)
    if nearest:
        return fix_commands.misspelt(name[:40], nearest[0])
    return fix_commands.unknown(name[:40], _NAMES)


def _nearest(name: str, likeness: float) -> list[str]:
    return difflib.get_close_matches(name[:40], _NAMES, n=1, cutoff=likeness)


def _tidy(parts: list[str]) -> str:
    """Join what the options leave, without the gaps, and without the comma before them at the end."""
    text = ""
    for part in parts:
        text = text.rstrip(" ")
        gap = " " if text and not text.endswith("\n") else ""
        text = f"{text}{gap}{part.lstrip(' ')}"
    lines = text.strip().split("\n")
    text = "\n".join(line.rstrip() for line in lines)
    if len(parts) > 1:
        text = text.rstrip(",;").rstrip()
    return _EMPTY_LINES.sub("\n\n", text)
