"""`cargo test` (libtest) on the console; compiler errors are `rustc`'s."""

from __future__ import annotations

import re

from bot.ci.failures.reading import Reading, failure, inside
from bot.model import Failure, TestCounts

_TEST = re.compile(
    r"^test (?P<name>\S+)(?: - [^\n]*?)? \.\.\. (?P<outcome>ok|FAILED|ignored)\b", re.MULTILINE
)
_ACCOUNT = re.compile(r"^---- (?P<name>\S.*?) stdout ----$", re.MULTILINE)
_ACCOUNT_END = re.compile(r"^(?:---- .* ----|failures:)$", re.MULTILINE)
_PANIC = re.compile(
    r"^thread '[^'\n]*' (?:\(\d+\) )?panicked at (?:'(?P<old>.*)', )?"
    r"(?P<file>[^\s:']+):(?P<line>\d+):\d+:?$",
    re.MULTILINE,
)
_NOTE = re.compile(r"^(?:note|error|Error): (?P<why>.+?)(?: at (?P<file>\S+):(?P<line>\d+):\d+)?$")
_RESULT = re.compile(
    r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;", re.MULTILINE
)


def parse(text: str) -> Reading | None:
    """Return what the test binaries of a cargo workspace said."""
    results = _RESULT.findall(text)
    tests = list(_TEST.finditer(text))
    if not results and not tests:
        return None
    accounts = {match["name"].split(" - ")[0]: match for match in _ACCOUNT.finditer(text)}
    outcomes = {test["name"]: test["outcome"] for test in tests}
    failing = tuple(
        _failure(name, text, accounts.get(name))
        for name, outcome in outcomes.items()
        if outcome == "FAILED"
    )
    sums = [sum(int(result[n]) for result in results) for n in range(3)]
    return Reading(
        failing=failing,
        passed=frozenset(name for name, outcome in outcomes.items() if outcome == "ok"),
        skipped=frozenset(name for name, outcome in outcomes.items() if outcome == "ignored"),
        counts=TestCounts(sums[0], sums[1], sums[2]) if results else None,
    )


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
