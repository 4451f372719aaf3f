"""`go test`, as text and as `-json` (https://pkg.go.dev/cmd/test2json); ids are `package.TestX/sub`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.ci.failures.base import Reading, failure, inside, own_lines
from bot.model import Failure, TestCounts
from bot.reporting.reasons import job_target

_RESULT = re.compile(r"^(?P<indent> *)--- (?P<outcome>PASS|FAIL|SKIP): (?P<test>\S+) \([\d.]+s\)$")
_PACKAGE = re.compile(r"^(?P<outcome>FAIL|ok|\?) *\t(?P<package>\S+)(?:\t| (?P<built>\[))")
_BUILD = re.compile(r"^(?:vet: )?(?P<file>[^\s:]+\.go):(?P<line>\d+):(?:\d+:)? (?P<why>.+)$")
_HEADING = re.compile(r"^# (?P<vet>\[)?\S+")
"""`# example.com/a` of a package, and `# [example.com/a]` of what vet says of it (since Go 1.22)."""

# Before Go 1.22 vet's findings stand below the compiler's heading, and only its words tell. They are
# a closed list: golang.org/x/tools/go/analysis/passes as vet ran them up to Go 1.21.
_VET_SAYS = re.compile(
    r"self-assignment of |(?:redundant|suspect) (?:or|and): |direct assignment to atomic value$"
    r"|(?:malformed|misplaced|unexpected extra|possible malformed) (?://go:build|\+build) "
    r"|\+build lines do not match |invalid (?:double negative|non-alphanumeric) .{0,3}build constraint"
    r"|possible misuse of |comparison of function |impossible type assertion: no type can implement"
    r"|second argument to errors\.As |using \S+ before checking for errors$|unreachable code$"
    r"|(?:the|this) [^\n]{0,80}(?:cancel function|possible context leak|may be reached without using)"
    r"|loop variable \S+ captured by func|struct field (?:tag `|\S+ (?:has|repeats) \S+ tag)"
    r"|misuse of unbuffered os\.Signal |method \S+ should have signature |call to \(\*\w+\)\."
    r"|call of \S+ (?:passes non-pointer|copies lock)|result of [^\n]{1,200} call not used$"
    r"|conversion from \S+ to \S+ yields a string of one rune|fuzz(?: target must |ing arguments can )"
    r"|\S+ (?:should (?:be niladic|return nothing)|refers to unknown |has malformed (?:name|example))"
    r"|[^\n]{1,200}(?: copies lock(?: value)?\b| passes lock by value: |composite literal uses unkeyed "
    r"|\) too small for shift of| format %\S* (?:has|reads|with|uses|arg|is) | format has invalid arg"
    r"| call (?:has|needs) | arg \S+ (?:is a func value|causes recursive)| arg list ends with redundant"
    r"| does not (?:support error-wrapping|take io\.Writer))"
)
_PLACE = re.compile(r"^\s+(?P<file>[^\s:]+\.go):(?P<line>\d+): (?P<why>.*)$")
_PANIC = re.compile(r"^(?P<why>(?:panic|fatal error): .+)$")
_FRAME = re.compile(r"^\t(?P<file>/\S+\.go):(?P<line>\d+)")
_IN_TEST = re.compile(r"^(?:created by )?\S*?\.(?P<test>(?:Test|Fuzz|Example)[^\s(.]*)")
_RUNNING = re.compile(r"^\t{1,2}(?P<test>(?:Test|Fuzz|Example)\S*) \([\dhms.]+\)$")
_RUN = re.compile(r"^=== (?:RUN|CONT|NAME|PAUSE) +(?P<test>\S+)?$")
_ENDS = {"pass": "PASS", "fail": "FAIL", "skip": "SKIP"}
_OURS = re.compile(
    r"^(?:FAIL|ok  )\t\S+|^--- FAIL: |^vet: \S+\.go:|^# \S+(?: \[\S+\])?\n\S+\.go:\d+:",
    re.MULTILINE,
)
_LINE = re.compile(
    r"--- (?:PASS|FAIL|SKIP): (?:Test|Fuzz|Example|Benchmark)\S* \(\d+\.\d\ds\)$"
    r"|FAIL$|(?:FAIL|ok  )\t\S+\t\d|=== (?:RUN|CONT|NAME|PAUSE) +(?:Test|Fuzz|Example)\S*$",
    re.MULTILINE,
)
_LOGGED = re.compile(r"^\s+\S+\.go:\d+: ")
# Hosts where a module's path is host/owner/name, so that the rest is a folder of the repository.
_FORGES = ("github.com/", "gitlab.com/", "bitbucket.org/", "codeberg.org/")


@dataclass(slots=True)
class _Test:
    outcome: str = ""
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Package:
    """What was said of a package: its tests in the order of their lines, and what belongs to none."""

    name: str = ""
    outcome: str = ""
    is_built: bool = True
    tests: dict[str, _Test] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    def test(self, name: str) -> _Test:
        return self.tests.setdefault(name, _Test())


def parse(text: str) -> Reading | None:
    """Return what `go test`, `go build` or `go vet` said."""
    events, others = _events(text.split("\n"))
    if not events and not _OURS.search(text):
        return None
    whole = "\n".join(others)
    lines = own_lines(whole, _LINE, unless=_LOGGED).split("\n")
    builds = list(_findings(lines))
    packages = [*_of_events(events), *_of_text(lines)]
    failing = list({each.test: each for each in builds}.values())
    passed: set[str] = set()
    skipped: set[str] = set()
    for package in packages:
        failing += _failing(package)
        passed |= {f"{package.name}.{n}" for n, t in package.tests.items() if t.outcome == "PASS"}
        skipped |= {f"{package.name}.{n}" for n, t in package.tests.items() if t.outcome == "SKIP"}
    named = bool(passed) or bool(skipped)
    counts = TestCounts(len(passed), len(failing), len(skipped)) if named else None
    return Reading(tuple(failing), frozenset(passed), frozenset(skipped), counts)


def _events(lines: list[str]) -> tuple[list[dict[str, object]], list[str]]:
    """Return the events of `-json`, and the lines that are none, with those of a build in events."""
    events: list[dict[str, object]] = []
    others: list[str] = []
    for line in lines:
        event = _event(line)
        if event is None:
            others.append(line)
        elif "Package" in event:
            events.append(event)
        else:
            others.append(str(event.get("Output", "")).rstrip("\n"))
    return events, others


def _event(line: str) -> dict[str, object] | None:
    start = line.find('{"')
    if start < 0 or '"Action":"' not in line:
        return None
    try:
        event = json.loads(line[start:])
    except ValueError:
        return None
    return event if isinstance(event, dict) and isinstance(event.get("Action"), str) else None


def _of_events(events: list[dict[str, object]]) -> list[_Package]:
    packages: dict[str, _Package] = {}
    output: dict[tuple[str, str], list[str]] = {}
    for event in events:
        name, test, action = str(event["Package"]), str(event.get("Test", "")), event["Action"]
        package = packages.setdefault(name, _Package(name))
        output.setdefault((name, test), []).append(str(event.get("Output", "")))
        if test:
            package.test(test).outcome = _ENDS.get(str(action), package.test(test).outcome)
        elif action in _ENDS:
            package.outcome = _ENDS[str(action)]
            package.is_built = "FailedBuild" not in event
    for (name, test), pieces in output.items():
        said = "".join(pieces).split("\n")
        told = [line for line in said if not (_RUN.match(line) or _RESULT.match(line))]
        package = packages[name]
        (package.test(test) if test else package).lines = told
        if any(match["built"] for line in said if (match := _PACKAGE.match(line))):
            package.is_built = False
    return list(packages.values())


def _of_text(lines: list[str]) -> Iterator[_Package]:
    """Yield each package with its tests; the package's name comes after its tests' output."""
    package = _Package()
    current = package.lines
    for line in lines:
        if result := _RESULT.match(line):
            package.test(result["test"]).outcome = result["outcome"]
            current = package.test(result["test"]).lines
        elif run := _RUN.match(line):
            current = package.test(run["test"]).lines if run["test"] else package.lines
        elif ended := _PACKAGE.match(line):
            package.name, package.is_built = ended["package"], not ended["built"]
            package.outcome = "FAIL" if ended["outcome"] == "FAIL" else "PASS"
            yield package
            package = _Package()
            current = package.lines
        else:
            current.append(line)


def _failing(package: _Package) -> list[Failure]:
    """Return the tests of a package that fail, the one that ended it among them."""
    failed = [name for name, test in package.tests.items() if test.outcome == "FAIL"]
    accounts = {name: package.tests[name].lines for name in _leaves(failed)}
    if package.outcome == "FAIL":
        everything = [*package.lines, *(line for t in package.tests.values() for line in t.lines)]
        for name in _ended_by(package, everything, [*accounts]):
            own = package.tests[name].lines if name in package.tests else []
            crash = _crash(own) or _crash(everything)
            accounts[name] = own if crash == _crash(own) else [*own, *crash]
            if not any(line.strip() for line in accounts[name]):
                accounts[name] = [job_target.ENDED_IN_TEST]
    found = [
        _test_failure(f"{package.name}.{name}", package.name, lines)
        for name, lines in accounts.items()
    ]
    if not found and package.outcome == "FAIL" and package.is_built:
        said = [line for line in package.lines if line.strip() and line != "FAIL"]
        why = next((line for line in said if _PANIC.match(line)), said[-1] if said else "")
        found = [failure(package.name, why, detail="\n".join(said))]
    return found


def _ended_by(package: _Package, lines: list[str], failed: list[str]) -> list[str]:
    """Return the tests that were running when their program ended, as far as it tells."""
    told = [match["test"] for line in lines if (match := _RUNNING.match(line))]
    running = _leaves([name for name, test in package.tests.items() if not test.outcome])
    stack = (match["test"] for line in _crash(lines) if (match := _IN_TEST.match(line)))
    running, owner = _leaves(told) or running, next(stack, None)
    if owner is None:
        return running
    inside = [name for name in (*running, *failed) if name.partition("/")[0] == owner]
    return inside[:1] if running else inside[-1:] or [owner]


def _leaves(names: list[str]) -> list[str]:
    """Return the tests in none of which another one of them is."""
    parents = {name[:n] for name in names for n, letter in enumerate(name) if letter == "/"}
    return [name for name in names if name not in parents]


def _crash(lines: list[str]) -> list[str]:
    """Return a panic with its stacks, or nothing."""
    start = next((n for n, line in enumerate(lines) if _PANIC.match(line)), len(lines))
    return lines[start:]


def _test_failure(name: str, package: str, lines: list[str]) -> Failure:
    detail = "\n".join(lines)
    panic = next((match for line in lines if (match := _PANIC.match(line))), None)
    if panic:
        frames = [match for line in lines if (match := _FRAME.match(line))]
        frame = next((m for m in frames if m["file"].startswith("/workspace/")), None)
        place = (frame["file"], int(frame["line"])) if frame else (None, 0)
        why = panic["why"].partition(" [recovered")[0]
        return failure(name, why, file=place[0], line=place[1], detail=detail)
    said = next((match for line in lines if (match := _PLACE.match(line))), None)
    if said is None:
        return failure(name, next((line for line in lines if line.strip()), ""), detail=detail)
    file = _folder(package) + said["file"] if inside(said["file"]) else None
    return failure(name, said["why"], file=file, line=int(said["line"]), detail=detail)


def _folder(package: str) -> str:
    """Return a package's folder, as far as its path tells; go prints file names without it."""
    if not package.startswith(_FORGES):
        return ""
    parts = [part for part in package.split("/")[3:] if not re.fullmatch(r"v\d+", part)]
    return "".join(f"{part}/" for part in parts)


def _findings(lines: list[str]) -> Iterator[Failure]:
    """Yield what the compiler and vet report, each as that tool's."""
    tool = "build"
    for line in lines:
        if heading := _HEADING.match(line):
            tool = "vet" if heading["vet"] else "build"
        elif match := _BUILD.match(line):
            is_vets = line.startswith("vet: ") or _VET_SAYS.match(match["why"])
            yield _build_failure(match, "vet" if is_vets else tool)


def _build_failure(match: re.Match[str], tool: str) -> Failure:
    return failure(
        f"{match['file'].removeprefix('./')}:{match['line']}: {tool}",
        match["why"],
        file=match["file"],
        line=int(match["line"]),
    )
