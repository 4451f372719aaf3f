"""TAP 13/14 (node:test, tape, prove, bats): https://testanything.org/tap-version-14-specification.html.

Nested tests are named `outer > inner`; a parent that only fails through its children is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.ci.failures.reading import ACCOUNT_LINES, Reading, failure
from bot.model import Failure, TestCounts

_OURS = re.compile(r"^(?:TAP version \d+|1\.\.\d+)$", re.MULTILINE)
_POINT = re.compile(
    r"^(?P<indent> *)(?P<ok>ok|not ok)\b *(?P<number>\d+)?(?: +-)? *(?P<name>.*?)"
    r"(?:(?<! ) +# *(?:(?P<directive>SKIP|TODO|skip|todo)\b.*|time=\S+.*))?$"
)
_SUBTEST = re.compile(r"^(?P<indent> *)# Subtest: (?P<name>.+)$")
_ERROR = re.compile(r"^ *(?:error|message): *(?P<text>.*)$", re.MULTILINE)
_PLACE = re.compile(
    r"^ *(?:location|at):(?:.*\(| *'?)(?:file://)?(?P<file>[^\s'():]+):(?P<line>\d+)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class _Point:
    name: str
    ok: bool
    directive: str
    account: str


def parse(text: str) -> Reading | None:
    """Return what a TAP stream says."""
    if not _OURS.search(text):
        return None
    points = list(_points(text.split("\n")))
    if not points:
        return None
    failing = {p.name: _failure(p) for p in points if not p.ok and p.directive != "todo"}
    parents = {name.rpartition(" > ")[0] for name in failing}
    leaves = {name: found for name, found in failing.items() if name not in parents}
    skipped = frozenset(p.name for p in points if p.directive)
    passed = frozenset(p.name for p in points if p.ok and not p.directive) - failing.keys()
    counts = TestCounts(len(passed), len(leaves), len(skipped))
    return Reading(tuple(leaves.values()), passed, skipped, counts)


def _points(lines: list[str]) -> Iterator[_Point]:
    outer: list[tuple[int, str]] = []
    for n, line in enumerate(lines):
        if subtest := _SUBTEST.match(line):
            depth = len(subtest["indent"])
            outer = [*(o for o in outer if o[0] < depth), (depth, subtest["name"])]
        elif (point := _POINT.match(line)) and (point["number"] or point["name"]):
            depth = len(point["indent"])
            names = [name for level, name in outer if level < depth]
            names.append(point["name"] or point["number"])
            yield _Point(
                name=" > ".join(names),
                ok=point["ok"] == "ok",
                directive=(point["directive"] or "").lower(),
                account=_account(lines[n + 1 : n + ACCOUNT_LINES], depth),
            )


def _account(rest: list[str], depth: int) -> str:
    """Return the YAML block behind a test point, without its fences."""
    if not rest or rest[0].strip() != "---":
        return ""
    end = next((n for n, line in enumerate(rest) if line.strip() == "..."), len(rest))
    return "\n".join(line[depth + 2 :] for line in rest[1:end])


def _failure(point: _Point) -> Failure:
    error, place = _ERROR.search(point.account), _PLACE.search(point.account)
    text = (error["text"] if error else "").strip("'\"")
    if error and text in {"|-", "|", ">", ">-"}:
        text = point.account[error.end() :].lstrip("\n").split("\n")[0]
    return failure(
        point.name,
        text,
        file=place["file"] if place else None,
        line=int(place["line"]) if place else 0,
        detail=point.account,
    )
