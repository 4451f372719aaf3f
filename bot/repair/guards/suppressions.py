"""Find suppressions that a patch adds: for linters, type checkers, coverage. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from bot.code.change import FileDiff
from bot.code.syntax import parse, text_of, walk
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_code

_COMMENT = re.compile(
    r"""
      \#\s*(?:noqa|type:\s*ignore|pyright:\s*(?:ignore|basic)|pylint:\s*disable|mypy:\s*\S*ignore
           |nosec|fmt:\s*(?:off|skip)|isort:\s*(?:skip|off)|ruff:\s*noqa|flake8:\s*noqa
           |pragma:\s*no\s*(?:cover|branch)|pytype:\s*disable|rubocop:\s*disable)
    | (?://|/\*|\#|<!--)\s*(?:eslint-disable|tslint:disable|@ts-ignore|@ts-expect-error|@ts-nocheck
           |prettier-ignore|biome-ignore|istanbul\s+ignore|c8\s+ignore|v8\s+ignore
           |nolint|\#nosec|stylelint-disable|deno-lint-ignore|oxlint-disable)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NAMED = re.compile(
    r"""
      \#\s*(?:(?:type|pyright):\s*ignore\s*\[ | noqa:\s*[A-Z] | pylint:\s*disable= | nosec\s+B\d
           | pragma:\s*no\s*(?:cover|branch) | fmt:\s*skip | isort:\s*skip\b)
    | (?://|/\*)\s*(?:eslint-disable-(?:next-)?line\s+[\w@] | nolint:\w | @ts-expect-error\s+\S
           | (?:istanbul|c8|v8)\s+ignore\s+(?:next|if|else)\b | prettier-ignore)
    | \#\[\s*(?:allow|expect)
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""For one place, and says what it ignores."""

_RUST = re.compile(r"#!?\[\s*(?:cfg_attr\([^)]{0,200},\s*)?(?:allow|expect)\s*\(([^)\]]*)")
_JAVA = re.compile(r"@Suppress(?:Warnings|Lint)?\b")
_COMMENTS = frozenset({"comment", "line_comment", "block_comment"})


def suppressions(
    change: FileDiff, failing_files: frozenset[str], *, by_tests: bool = False
) -> Iterator[GuardFinding]:
    """Yield a finding for each suppression that was not there before.

    Args:
        change: A readable file.
        failing_files: Files that a failing linter or type checker names.
        by_tests: Whether tests failed and nothing else: none of them passes by such an ignore, so
            one that names what it ignores is no more than a note.
    """
    if change.after is None:
        return
    had = Counter(mark for _, mark in _marks(change.path, change.before or b""))
    for line, mark in _marks(change.path, change.after):
        if had[mark]:
            had[mark] -= 1
            continue
        if change.path in failing_files:
            rule = "failure-suppressed"
        else:
            rule = "suppression-named" if by_tests and _NAMED.match(mark) else "suppression-added"
        yield found(rule, guards_code.suppression_added(mark), change.path, line)


def _marks(path: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the suppressions of a file with their lines: those in comments, where its language is known."""
    syntax = parse(path, data) if _might(data) else None
    if syntax is None:
        yield from _in_lines(data.decode("utf-8", "replace").split("\n"))
        return
    for node in walk(syntax.root):
        kind = node.type
        if kind in _COMMENTS:
            pattern = _COMMENT
        elif kind in {"attribute_item", "inner_attribute_item"}:
            pattern = _RUST
        else:
            continue
        for offset, line in enumerate(text_of(node).split("\n")):
            if pattern.search(line):
                yield node.start_point.row + 1 + offset, _shown(line)


def _might(data: bytes) -> bool:
    return any(pattern.search(data.decode("utf-8", "replace")) for pattern in (_COMMENT, _RUST))


def _in_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        if _COMMENT.search(line) or _JAVA.search(line):
            yield number, _shown(line)


def _shown(line: str) -> str:
    """Return the suppression without the code before it, so that a moved line is the same."""
    match = _COMMENT.search(line) or _RUST.search(line) or _JAVA.search(line)
    return " ".join(line[match.start() if match else 0 :].split())[:120]
