"""TAP 13/14 (node:test, tape, prove, bats): https://testanything.org/tap-version-14-specification.html.

Nested tests are named `outer > inner`; a parent that only fails through its children is left out.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bot.ci.failures.base import ACCOUNT_LINES, Reading, failure, own_lines
from bot.ci.failures.runners.javascript import FILE_FAILED, of_file, with_cause
from bot.ci.failures.work_tree import relative_paths
from bot.model import Failure, TestCounts

_OURS = re.compile(r"^(?:TAP version \d+|1\.\.\d+)$", re.MULTILINE)
_POINT = re.compile(
    r"^(?P<indent> *)(?P<ok>ok|not ok)\b *(?P<number>\d+)?(?: +-)? *(?P<name>.*?)"
    r"(?:(?<! ) +# *(?:(?P<directive>SKIP|TODO|skip|todo)\b.*|time=\S+.*))?$"
)
_POINT_ANYWHERE = re.compile(r"(?:(?:not ok|(?<!not )ok) \d+ - |# Subtest: )\S.*$")
_COMMENT = re.compile(r"^ *#")
_SUBTEST = re.compile(r"^(?P<indent> *)# Subtest: (?P<name>.+)$")
_ERROR = re.compile(r"^ *(?:error|message):(?P<text>.*)$", re.MULTILINE)
_PLACE = re.compile(
    r"^ *(?:location|at):(?:.*\(| *'?)(?:file://)?(?P<file>[^\s'():]+):(?P<line>\d+)", re.MULTILINE
)


_CHANGED = re.compile(r"^ *[-+](?![-+]|\d+,).*$", re.MULTILINE)
"""A line of a difference: what node-tap says instead of a message."""

_ENDED = re.compile(r"^ *(?:exitCode|signal): [^~\s].*$", re.MULTILINE)

_COUNT = re.compile(r"^# (?P<what>pass|fail|skipped|todo) +(?P<n>\d+)$", re.MULTILINE)
_ESCAPED = re.compile(r"\\([#\\])")


@dataclass(frozen=True, slots=True)
class _Point:
    names: tuple[str, ...]
    ok: bool
    directive: str
    account: str
    printed: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return " > ".join(self.names)


def parse(text: str) -> Reading | None:
    """Return what a TAP stream says."""
    if not _OURS.search(text):
        return None
    points = list(_points(text))
    if not points:
        return None
    outer = {point.names[:-1] for point in points}
    failing = [p for p in points if not p.ok and not p.directive]
    parents = {p.names[:n] for p in failing for n in range(len(p.names))}
    leaves = {p.name: p for p in failing if p.names not in parents}
    suites = {p.names: p.account for p in failing if p.names in outer}
    leaves = {name: _with_cause(p, suites) for name, p in leaves.items()}
    tests = [p for p in points if p.names not in outer]
    skipped = frozenset(p.name for p in tests if p.directive)
    passed = frozenset(p.name for p in tests if p.ok and not p.directive) - leaves.keys()
    told = {match["what"]: int(match["n"]) for match in _COUNT.finditer(text)}
    left = told.get("skipped", 0) + told.get("todo", 0) if "skipped" in told else len(skipped)
    counts = TestCounts(told.get("pass", len(passed)), len(leaves), left)
    tolerated = frozenset(p.name for p in tests if p.directive and not p.ok)
    failures = tuple(map(_failure, leaves.values()))
    return Reading(failures, passed, skipped, counts, tolerated=tolerated)


def _with_cause(point: _Point, suites: Mapping[tuple[str, ...], str]) -> _Point:
    """Return a test that was not run, because a hook of its suite broke, with what the hook says."""
    above = (suites.get(point.names[:n], "") for n in range(len(point.names) - 1, 0, -1))
    return replace(point, account=with_cause(point.account, above))


def _points(text: str) -> Iterator[_Point]:
    """Yield the test points; a line of the YAML behind one is none, whatever it looks like."""
    outer: list[tuple[int, str]] = []
    for piece, account in _pieces(text.split("\n")):
        lines = own_lines("\n".join(piece), _POINT_ANYWHERE, unless=_COMMENT).split("\n")
        before = 0
        for n, line in enumerate(lines, 1):
            if subtest := _SUBTEST.match(line):
                depth = len(subtest["indent"])
                outer = [*(o for o in outer if o[0] < depth), (depth, _unescaped(subtest["name"]))]
            elif (point := _POINT.match(line)) and (point["number"] or point["name"]):
                depth = len(point["indent"])
                names = [name for level, name in outer if level < depth]
                names.append(_unescaped(point["name"] or point["number"]))
                yield _Point(
                    names=tuple(names),
                    ok=point["ok"] == "ok",
                    directive=(point["directive"] or "").lower(),
                    account=account if n == len(lines) else "",
                    printed=tuple(each.removeprefix("# ") for each in lines[before : n - 1]),
                )
                before = n


def _pieces(lines: list[str]) -> Iterator[tuple[list[str], str]]:
    """Yield the lines up to each block of YAML, and what is in it; one that is cut off has no end."""
    start = n = 0
    while n < len(lines):
        if lines[n].strip() == "---" and n > start:
            end_mark = lines[n].replace("---", "...")
            behind = lines[n + 1 : n + ACCOUNT_LINES]
            size = behind.index(end_mark) if end_mark in behind else len(behind)
            yield lines[start:n], textwrap.dedent("\n".join(behind[:size]))
            start = n = n + 1 + (size + 1 if size < len(behind) else 0)
        else:
            n += 1
    yield lines[start:], ""


def _unescaped(name: str) -> str:
    """Return a name as it is written; that of a file, in node:test, without the work tree's."""
    return relative_paths(_ESCAPED.sub(r"\1", name))


def _failure(point: _Point) -> Failure:
    place = _PLACE.search(point.account)
    return failure(
        point.name,
        _message(point),
        file=place["file"] if place else None,
        line=int(place["line"]) if place else 0,
        detail=point.account,
    )


def _message(point: _Point) -> str:
    """Return what the YAML says in words, else how the values differ or how the program ended."""
    account = point.account
    error = next((each for each in _ERROR.finditer(account) if each["text"].strip()), None)
    if error is None:
        changed = [*_CHANGED.finditer(account), *_ENDED.finditer(account)]
        return " ".join(each[0].strip() for each in changed) or (point.names[-1] if account else "")
    text = error["text"].strip(" '\"")
    if text in {"|-", "|", ">", ">-"}:
        text = account[error.end() :].lstrip("\n").split("\n")[0]
    why = of_file(text, point.printed)
    ended = _ENDED.search(account)
    return f"{text}, {ended[0].strip()}" if why == text == FILE_FAILED and ended else why
