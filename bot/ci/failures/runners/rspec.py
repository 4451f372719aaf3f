"""RSpec's progress and documentation formats on the console; ids are an example's full description."""

from __future__ import annotations

import re

from bot.ci.failures.base import ACCOUNT_LINES, Reading, failure, inside
from bot.model import Failure, TestCounts

_COUNTS = re.compile(
    r"^(?P<all>\d+) examples?, (?P<failed>\d+) failures?(?:, (?P<pending>\d+) pending)?"
    r"(?:, (?P<outside>\d+) errors? occurred outside of examples)?$",
    re.MULTILINE,
)
_FAILURES = re.compile(r"^Failures:$", re.MULTILINE)
_EXAMPLE = re.compile(r"^ {2,}\d+\) (?P<name>\S.*)$")
_OUTSIDE = re.compile(r"^An error occurred while loading (?P<file>\S+?)\.(?: - .*)?$")
_END = re.compile(r"^(?:Finished in |Failed examples:|No examples found|\S.*\bexamples?, )")
_PLACE = re.compile(r"^ *# (?P<file>[^\s:][^:\n]*):(?P<line>\d+)(?::in .*)?$", re.MULTILINE)
_ERROR = re.compile(r"^ *Failure/Error:.*$", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return what RSpec said."""
    counted = _COUNTS.search(text)
    if counted is None:
        return None
    failed, pending = int(counted["failed"]), int(counted["pending"] or 0)
    outside = int(counted["outside"] or 0)
    counts = TestCounts(int(counted["all"]) - failed - pending, failed + outside, pending)
    before = text[: counted.start()].split("\n")
    heading = _FAILURES.search(text)
    after = text[heading.end() : counted.start()].split("\n") if heading else []
    found = [*_read(before, _OUTSIDE, "file"), *_read(after, _EXAMPLE, "name")]
    return Reading(failing=tuple(found), counts=counts)


def _read(lines: list[str], heading: re.Pattern[str], name: str) -> list[Failure]:
    """Return the failures whose accounts stand behind headings."""
    found: list[Failure] = []
    for n, line in enumerate(lines):
        match = heading.match(line)
        if match is None:
            continue
        account: list[str] = []
        for following in lines[n + 1 : n + 1 + ACCOUNT_LINES]:
            if heading.match(following) or _END.match(following):
                break
            account.append(following)
        found.append(_failure(match[name].removeprefix("./"), "\n".join(account)))
    return found


def _failure(name: str, account: str) -> Failure:
    places = (match for match in _PLACE.finditer(account) if inside(match["file"]))
    place = next(places, None)
    file, line = (place["file"], int(place["line"])) if place else (None, 0)
    return failure(name, _message(account), file=file, line=line, detail=account)


def _message(account: str) -> str:
    """Return the paragraph behind the failing line as one line: what it is, or what was expected."""
    error = _ERROR.search(account)
    said = account[error.end() :] if error else account
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", said) if part.strip()]
    if error and len(paragraphs) > 1 and not said.startswith("\n\n"):
        paragraphs = paragraphs[1:]  # the failing statement itself goes on over several lines
    lines = (line.strip() for line in "".join(paragraphs[:1]).split("\n"))
    return " ".join(line for line in lines if line and not line.startswith("#"))
