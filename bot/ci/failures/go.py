"""`go test`, as text and as `-json` (https://pkg.go.dev/cmd/test2json); ids are `package.TestX/sub`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from bot.ci.failures.reading import Reading, failure, inside
from bot.model import Failure, TestCounts

_RESULT = re.compile(r"^(?P<indent> *)--- (?P<outcome>PASS|FAIL|SKIP): (?P<test>\S+) \([\d.]+s\)$")
_PACKAGE = re.compile(r"^(?P<outcome>FAIL|ok|\?) *\t(?P<package>\S+)(?:\t| \[)")
_BUILD = re.compile(r"^(?:vet: )?(?P<file>[^\s:]+\.go):(?P<line>\d+):(?:\d+:)? (?P<why>.+)$")
_PLACE = re.compile(r"^\s+(?P<file>[^\s:]+\.go):(?P<line>\d+): (?P<why>.*)$")
_PANIC = re.compile(r"^panic: (?P<why>.+)$")
_FRAME = re.compile(r"^\t(?P<file>/\S+\.go):(?P<line>\d+)")
_RUN = re.compile(r"^=== (?:RUN|CONT|NAME|PAUSE) +(?P<test>\S+)?$")
_OURS = re.compile(
    r"^(?:FAIL|ok  )\t\S+|^--- FAIL: |^vet: \S+\.go:|^# \S+(?: \[\S+\])?\n\S+\.go:\d+:",
    re.MULTILINE,
)
# Hosts where a module's path is host/owner/name, so that the rest is a folder of the repository.
_FORGES = ("github.com/", "gitlab.com/", "bitbucket.org/", "codeberg.org/")


@dataclass(slots=True)
class _Test:
    name: str
    outcome: str
    lines: list[str]


def parse(text: str) -> Reading | None:
    """Return what `go test`, `go build` or `go vet` said."""
    lines = list(_text_of_events(text)) if text.lstrip().startswith('{"') else text.split("\n")
    if not _OURS.search("\n".join(lines)):
        return None
    failing = [_build_failure(match) for line in lines if (match := _BUILD.match(line))]
    passed: set[str] = set()
    skipped: set[str] = set()
    for package, tests in _packages(lines):
        parents = {t.name.rpartition("/")[0] for t in tests if t.outcome == "FAIL"}
        for test in tests:
            name = f"{package}.{test.name}"
            if test.outcome == "PASS":
                passed.add(name)
            elif test.outcome == "SKIP":
                skipped.add(name)
            elif test.name not in parents:
                failing.append(_test_failure(name, package, test))
    named = bool(passed) or bool(skipped)
    counts = TestCounts(len(passed), len(failing), len(skipped)) if named else None
    return Reading(tuple(failing), frozenset(passed), frozenset(skipped), counts)


def _text_of_events(text: str) -> Iterator[str]:
    """Yield the lines that `-json` events carry, package after package."""
    outputs: dict[str, list[str]] = {}
    for line in text.split("\n"):
        try:
            event = json.loads(line)
        except ValueError:
            outputs.setdefault("", []).append(f"{line}\n")
            continue
        if isinstance(event, dict) and isinstance(event.get("Output"), str):
            outputs.setdefault(str(event.get("Package", "")), []).append(event["Output"])
    for pieces in outputs.values():
        yield from "".join(pieces).split("\n")


def _packages(lines: list[str]) -> Iterator[tuple[str, list[_Test]]]:
    """Yield each package with its tests; the package's name comes after its tests' output."""
    tests: list[_Test] = []
    said: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        if result := _RESULT.match(line):
            current = said.setdefault(result["test"], [])
            tests.append(_Test(result["test"], result["outcome"], current))
        elif run := _RUN.match(line):
            current = said.setdefault(run["test"] or "", [])
        elif package := _PACKAGE.match(line):
            yield package["package"], tests
            tests, said, current = [], {}, []
        else:
            current.append(line)


def _test_failure(name: str, package: str, test: _Test) -> Failure:
    detail = "\n".join(test.lines)
    panic = next((match for line in test.lines if (match := _PANIC.match(line))), None)
    if panic:
        frames = [match for line in test.lines if (match := _FRAME.match(line))]
        frame = next((m for m in frames if m["file"].startswith("/workspace/")), None)
        place = (frame["file"], int(frame["line"])) if frame else (None, 0)
        why = panic["why"].partition(" [recovered")[0]
        return failure(name, f"panic: {why}", file=place[0], line=place[1], detail=detail)
    said = next((match for line in test.lines if (match := _PLACE.match(line))), None)
    if said is None:
        return failure(name, next((line for line in test.lines if line.strip()), ""), detail=detail)
    file = _folder(package) + said["file"] if inside(said["file"]) else None
    return failure(name, said["why"], file=file, line=int(said["line"]), detail=detail)


def _folder(package: str) -> str:
    """Return a package's folder, as far as its path tells; go prints file names without it."""
    if not package.startswith(_FORGES):
        return ""
    parts = [part for part in package.split("/")[3:] if not re.fullmatch(r"v\d+", part)]
    return "".join(f"{part}/" for part in parts)


def _build_failure(match: re.Match[str]) -> Failure:
    return failure(
        f"{match['file'].removeprefix('./')}:{match['line']}: build",
        match["why"],
        file=match["file"],
        line=int(match["line"]),
    )
