"""`cargo test` (libtest) on the console; compiler errors are `rustc`'s."""

from __future__ import annotations

import re

from bot.ci.failures.base import Reading, failure, inside
from bot.model import Failure, TestCounts
from bot.reporting.reasons import job_target

_TEST = re.compile(r"^test (?P<name>\S+)(?: - [^\n]*?)? \.\.\. ", re.MULTILINE)
_FIRST = re.compile(r"(?P<outcome>ok|FAILED|ignored)(?:,[^\n]*)?(?: <[^\n]*>)?$")
_LATER = re.compile(r"(?P<outcome>ok|FAILED)$")
"""Where a test's output is shown, it stands before its outcome."""

_TOLD = re.compile(r"^(?:failures|successes):$", re.MULTILINE)
_LISTED = re.compile(r"^failures:\n(?P<names>(?: {4}\S[^\n]*\n)+)", re.MULTILINE)
"""What failed, by name; at the end of a binary's tests, with `-q` nowhere else."""

_ACCOUNT = re.compile(r"^---- (?P<name>\S.*?) stdout ----$", re.MULTILINE)
_ACCOUNT_END = re.compile(r"^(?:---- .* ----|failures:)$", re.MULTILINE)
_PANIC = re.compile(
    r"^thread '[^'\n]*' (?:\(\d+\) )?panicked at (?:'(?P<old>.*)', )?"
    r"(?P<file>[^\s:']+):(?P<line>\d+):\d+:?$",
    re.MULTILINE,
)
_NOTE = re.compile(r"^(?:note|error|Error): (?P<why>.+?)(?: at (?P<file>\S+):(?P<line>\d+):\d+)?$")
_RESULT = re.compile(
    r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored; \d+ measured; \d+ filtered out",
    re.MULTILINE,
)


def parse(text: str) -> Reading | None:
    """Return what the test binaries of a cargo workspace said."""
    results = list(_RESULT.finditer(text))
    starts = [0, *(result.end() for result in results)]
    ends = [*(result.start() for result in results), len(text)]
    outcomes: dict[str, str] = {}
    for start, end in zip(starts, ends, strict=True):
        outcomes |= _outcomes(text[start:end])
    if not results and not outcomes:
        return None
    accounts = {match["name"].split(" - ")[0]: match for match in _ACCOUNT.finditer(text)}
    failing = [
        _failure(name, text, accounts.get(name))
        for name, outcome in outcomes.items()
        if outcome == "FAILED"
    ]
    failing += [
        failure(name, job_target.ENDED_IN_TEST) for name, outcome in outcomes.items() if not outcome
    ]
    sums = [sum(int(result[n]) for result in results) for n in (1, 2, 3)]
    return Reading(
        failing=tuple(failing),
        passed=frozenset(name for name, outcome in outcomes.items() if outcome == "ok"),
        skipped=frozenset(name for name, outcome in outcomes.items() if outcome == "ignored"),
        counts=TestCounts(sums[0], sums[1], sums[2]) if results else None,
        is_whole=bool(results),
    )


def _outcomes(text: str) -> dict[str, str]:
    """Return what became of the tests of one binary; "" of the one that it ended in."""
    lists = [each for each in _LISTED.finditer(text) if not text[each.end() :].strip()]
    names = (line.split(" - ")[0].strip() for each in lists for line in each["names"].splitlines())
    failed = dict.fromkeys(names, "FAILED")
    told = _TOLD.search(text)
    text = text[: told.start()] if told else text  # behind it is what they printed
    tests = list(_TEST.finditer(text))
    ends = [*(test.start() for test in tests[1:]), len(text)]
    found: dict[str, str] = {}
    for test, end in zip(tests, ends, strict=False):
        ended = _outcome(text[test.end() : end])
        if ended or test is tests[-1]:
            found[test["name"]] = ended
    return {**found, **failed}


def _outcome(printed: str) -> str:
    lines = printed.split("\n")
    if match := _FIRST.match(lines[0]):
        return match["outcome"]
    return next((m["outcome"] for line in reversed(lines) if (m := _LATER.search(line))), "")


def _failure(name: str, text: str, heading: re.Match[str] | None) -> Failure:
    if heading is None:
        return failure(name)
    end = _ACCOUNT_END.search(text, heading.end())
    return account_failure(
        name, text[heading.end() : end.start() if end else len(text)].strip("\n")
    )


def account_failure(name: str, account: str) -> Failure:
    """Return a failing test of libtest with the panic or the error that its output tells of."""
    panic = _PANIC.search(account)
    if panic is None:
        note = next((m for line in account.split("\n") if (m := _NOTE.match(line))), None)
        why = note["why"] if note else account
        file, line = (note["file"], int(note["line"] or 0)) if note else (None, 0)
        return failure(name, why, file=file, line=line, detail=account)
    file = panic["file"] if inside(panic["file"]) else None
    return failure(
        name,
        panic["old"] or account[panic.end() :].strip("\n"),
        file=file,
        line=int(panic["line"]) if file else 0,
        detail=account,
    )
