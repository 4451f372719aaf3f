"""Give a test a clock of its own, as the project's modules ask for the time. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from bot.repair.proposers.flaky.restorations import Restoration
from bot.repair.proposers.flaky.test_source import TestFunction
from bot.reporting.reasons import flaky_edits as reasons

_DATE = """\
class FixedDate({base}):
    @classmethod
    def today(cls):
        return cls({year}, {month}, {day})"""

_DATETIME = """\
class FixedDatetime({base}):
    @classmethod
    def now(cls, tz=None):
        return cls({year}, {month}, {day}, {hour}, {minute}, tzinfo=tz)

    @classmethod
    def utcnow(cls):
        return cls.now()

    today = utcnow"""

_SECONDS = "lambda: {seconds}.0"
_TUPLE = "lambda *at, plain=time.{name}: plain(*(at or ({seconds},)))"
_TEXT = "lambda form, *at, plain=time.strftime: plain(form, *(at or (time.gmtime({seconds}),)))"

_ASKED = {
    "date.today": ("datetime", "date"),
    "datetime.now": ("datetime", "datetime"),
    "datetime.utcnow": ("datetime", "datetime"),
    "datetime.today": ("datetime", "datetime"),
    "time.time": ("time", "time"),
    "time.localtime": ("time", "localtime"),
    "time.gmtime": ("time", "gmtime"),
    "time.strftime": ("time", "strftime"),
}
"""By the last two names of a call: module and attribute that are replaced."""


def clocks(test: TestFunction, texts: Mapping[str, str], moment: datetime) -> Iterator[Restoration]:
    """Yield what gives a test a clock that stands still, for one kind of call after another.

    Args:
        test: It.
        texts: Its file, and those of the project's modules that may ask for the time, by path.
        moment: What time it is then.
    """
    places = dict.fromkeys(place for path, text in texts.items() for place in _asking(path, text))
    kinds = dict.fromkeys(name for _, name in places)
    for kind in kinds:
        owners = [owner for owner, name in places if name == kind]
        for owner in dict.fromkeys(owners):
            yield _stopped(owner, kind, moment, _imported(ast.parse(test.text)))


def _asking(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield the module whose attribute a file asks for the time, and that attribute."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    imported = _imported(tree)
    own = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".").removeprefix("src.")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        names = ast.unparse(node.func).split(".")
        if len(names) == 1 and imported.get(names[0]) == "time":
            names = ["time", *names]
            found = _ASKED.get(".".join(names))
            if found is not None:
                yield own, found[1]
            continue
        found = _ASKED.get(".".join(names[-2:]))
        if found is not None:
            by_name = len(names) == 2 and names[0] in imported  # noqa: PLR2004 - class and method
            yield (own if by_name else found[0]), found[1]


def _imported(tree: ast.Module) -> dict[str, str]:
    """Return what a program takes from modules of the clock, by the names that it has there."""
    return {
        alias.asname or alias.name: node.module
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module in {"datetime", "time"}
        for alias in node.names
    }


def _stopped(owner: str, name: str, moment: datetime, known: Mapping[str, str]) -> Restoration:
    """Return what replaces an attribute of a module by one that always says the same."""
    seconds = int(moment.replace(tzinfo=UTC).timestamp())
    parts = {
        "year": moment.year, "month": moment.month, "day": moment.day, "hour": moment.hour,
        "minute": moment.minute, "seconds": seconds, "name": name,
    }  # fmt: skip
    said = reasons.stops_clock(f"{owner}.{name}", f"{moment:%Y-%m-%d %H:%M}")
    classes = {"date": ("FixedDate", _DATE), "datetime": ("FixedDatetime", _DATETIME)}
    if name in classes:
        made, text = classes[name]
        base = name if known.get(name) == "datetime" else f"datetime.{name}"
        helper = tuple(text.format(**parts, base=base).split("\n"))
        patcher = f'unittest.mock.patch("{owner}.{name}", {made})'
        return Restoration(said, ("datetime", "unittest.mock"), patcher=patcher, helper=helper)
    form = {"time": _SECONDS, "strftime": _TEXT}.get(name, _TUPLE)
    patcher = f'unittest.mock.patch("{owner}.{name}", {form.format(**parts)})'
    return Restoration(said, ("time", "unittest.mock"), patcher=patcher)
