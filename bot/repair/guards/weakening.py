"""Compare tests without and with a patch: do they demand less? Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.code.asserted_cases import Assertion, AssertionStrength, TestCase, cases
from bot.code.change import FileDiff
from bot.code.files import is_snapshot, is_test_file
from bot.code.syntax import compact, field, line_of
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_code

_GREATER = re.compile(
    r"(?:^|[^A-Za-z])(?:abs|rel|a?tol|rtol|tolerance|delta|epsilon|eps|timeout|deadline|retries|reruns)"
    r"(?:_\w+)?[=:](?P<number>[\d.]+(?:e-?\d+)?)"
)
_SMALLER = re.compile(
    r"(?:places|decimals?|precision)[=:](?P<number>\d+)|toBeCloseTo\(.{0,300},(?P<js>\d+)\)"
)
_SHOWN = 80
"""Characters of an assertion that a finding shows."""

_ANY_EXCEPTION = re.compile(r"[rR]aises(?:Regex)?\((?:Base)?Exception\b")
_MODULE = re.compile(r"^(?:pytestmark|__test__|collect_ignore(?:_glob)?)$")


@dataclass(frozen=True)
class _Compared:
    """A test without and with a patch."""

    path: str
    before: TestCase
    after: TestCase


def weakened(changes: Sequence[FileDiff], *, asked_for: bool = False) -> Iterator[GuardFinding]:
    """Yield findings on tests that were removed or demand less.

    Args:
        changes: All of the patch, since a test may move from file to file.
        asked_for: Whether a check may ask for more tests: then each new one must demand something.
    """
    tests = [change for change in changes if is_test_file(change.path)]
    everywhere = {name for change in tests for name in _cases_after(change)}
    for change in tests:
        if is_snapshot(change.path) and not change.is_new:
            yield found("snapshot-changed", guards_code.snapshot_changed(change.path), change.path)
        elif change.old is None and change.new is None and not change.is_new:
            said = guards_code.data_changed(change.path)
            yield found("test-data-changed", said, change.path)
        yield from _of_file(change, everywhere, asked_for=asked_for)


def _cases_after(change: FileDiff) -> dict[str, TestCase]:
    return cases(change.new) if change.new is not None else {}


def _of_file(change: FileDiff, everywhere: set[str], *, asked_for: bool) -> Iterator[GuardFinding]:
    before = cases(change.old) if change.old is not None else {}
    after = _cases_after(change)
    for name, case in before.items():
        if name not in after and name not in everywhere:
            yield found("test-removed", guards_code.test_removed(name), change.path, case.line)
    for name, case in after.items():
        if name in before:
            yield from _of_case(_Compared(change.path, before[name], case))
        else:
            yield from _of_new_case(change.path, case, asked_for=asked_for)
    yield from _of_module(change)


def _of_new_case(path: str, case: TestCase, *, asked_for: bool) -> Iterator[GuardFinding]:
    if (case.assertions or asked_for) and all(
        assertion.strength is AssertionStrength.NOTHING for assertion in case.assertions
    ):
        yield found("assertion-vacuous", guards_code.asserts_nothing(case.name), path, case.line)


def _of_module(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield findings on marks that apply to a whole file of tests."""
    syntax = change.new
    if syntax is None:
        return
    for node in syntax.added(change.added, "assignment"):
        if _MODULE.match(compact(field(node, "left"))):
            said = guards_code.file_marked(compact(node)[:80])
            yield found("test-skipped", said, change.path, line_of(node))
    for node in syntax.added(change.added, "call"):
        if "allow_module_level" in compact(node):
            said = guards_code.file_skipped(compact(node)[:80])
            yield found("test-skipped", said, change.path, line_of(node))


def _of_case(pair: _Compared) -> Iterator[GuardFinding]:
    before, after, path = pair.before, pair.after, pair.path
    if before == after:
        return
    for skip in (Counter(after.skips) - Counter(before.skips)).elements():
        said = guards_code.skipped(after.name, skip[:80])
        yield found("test-skipped", said, path, after.line)
    if len(after.returns) > len(before.returns):
        said = guards_code.cut_short(after.name)
        yield found("test-cut-short", said, path, after.returns[0])
    findings = [*_of_assertions(pair)]
    same = [assertion.text for assertion in before.assertions] == [
        assertion.text for assertion in after.assertions
    ]
    if not findings and same and before.shape == after.shape and before.values != after.values:
        findings = [*_of_values(pair)]
    yield from findings


def _of_values(pair: _Compared) -> Iterator[GuardFinding]:
    for (_, old), (line, new) in zip(pair.before.values, pair.after.values, strict=False):
        if old != new:
            said = guards_code.value_changed(pair.after.name, _short(old), _short(new))
            yield found("expected-changed", said, pair.path, line)
            return


def _of_assertions(pair: _Compared) -> Iterator[GuardFinding]:
    before, after = pair.before.assertions, pair.after.assertions
    if not before:
        before, after = pair.before.calls, pair.after.calls
    gone, come = _without(before, after), _without(after, before)
    for item in come:
        if item.strength is AssertionStrength.NOTHING:
            said = guards_code.asserts_nothing_here(pair.after.name, _short(item.shown))
            yield found("assertion-vacuous", said, pair.path, item.line)
    for old in tuple(gone):
        new = next((assertion for assertion in come if assertion.shape == old.shape), None)
        if new is not None:
            gone.remove(old)
            come.remove(new)
            yield from _other_value(pair, old, new)
    yield from _replaced(pair, gone, come)
    if len(gone) > len(come):
        said = guards_code.assertion_removed(pair.after.name, _short(gone[len(come)].shown))
        yield found("assertion-removed", said, pair.path, pair.after.line)


def _replaced(
    pair: _Compared, gone: Sequence[Assertion], come: Sequence[Assertion]
) -> Iterator[GuardFinding]:
    """Yield findings on assertions that replaced others."""
    for old, new in zip(gone, come, strict=False):
        weaker = new.strength < old.strength and new.strength is not AssertionStrength.NOTHING
        if weaker or _catches_more(old.text, new.text):
            said = guards_code.assertion_weakened(_short(old.shown), _short(new.shown))
            yield found("assertion-weakened", said, pair.path, new.line)
        elif looser(old.text, new.text):
            yield _looser(pair, old, new)
        elif _same_subject(old.text, new.text):
            yield from _other_value(pair, old, new)


def _same_subject(old: str, new: str) -> bool:
    """Whether two assertions check the same thing, and the second is not just stricter."""
    one, other = (re.split(r"==|\)\.to|,", text, maxsplit=1)[0] for text in (old, new))
    return one == other and not new.startswith(old.rstrip(");"))


def _catches_more(old: str, new: str) -> bool:
    """Whether a test accepts more exceptions than before, or any message."""
    wider = _ANY_EXCEPTION.search(new) is not None and _ANY_EXCEPTION.search(old) is None
    return wider or ("match=" in old and "raises" in new and "match=" not in new)


def _other_value(pair: _Compared, old: Assertion, new: Assertion) -> Iterator[GuardFinding]:
    if looser(old.text, new.text):
        yield _looser(pair, old, new)
    elif _without_limits(old.text) != _without_limits(new.text):
        said = guards_code.expectation_changed(_short(old.shown), _short(new.shown))
        yield found("expected-changed", said, pair.path, new.line)


def _without_limits(text: str) -> str:
    return _SMALLER.sub("", _GREATER.sub("", text))


def _looser(pair: _Compared, old: Assertion, new: Assertion) -> GuardFinding:
    said = guards_code.tolerance_relaxed(_short(old.shown), _short(new.shown))
    return found("tolerance-relaxed", said, pair.path, new.line)


def looser(old: str, new: str) -> bool:
    """Whether a tolerance or time limit lets more pass than before, in code without any space."""
    return _more(_GREATER, old, new, 1) or _more(_SMALLER, old, new, -1)


def _more(pattern: re.Pattern[str], old: str, new: str, sign: int) -> bool:
    was, now = (_numbers(pattern, text) for text in (old, new))
    if now and not was:
        return sign > 0
    return any(sign * after > sign * before for before, after in zip(was, now, strict=False))


def _numbers(pattern: re.Pattern[str], text: str) -> list[float]:
    numbers = []
    for match in pattern.finditer(text):
        written = next(filter(None, match.groups()), "")
        try:
            numbers.append(float(written))
        except ValueError:
            continue
    return numbers


def _without(these: Sequence[Assertion], those: Sequence[Assertion]) -> list[Assertion]:
    """Return the assertions of `these` that are not, word for word, among `those`."""
    left = Counter(assertion.text for assertion in those)
    found_here = []
    for assertion in these:
        if left[assertion.text]:
            left[assertion.text] -= 1
        else:
            found_here.append(assertion)
    return found_here


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
