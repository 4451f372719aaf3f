"""Find programs that newly depend on how they are compiled. Go and Rust. Pure.

Tests see one build. What is compiled for debugging, under a custom setting, or on one platform alone,
may be the whole of what they see.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import compact, line_of, text_of
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_code

_CONFIGURED = re.compile(r"^#!?\[cfg(?:_attr)?\(|^cfg!\(")
_SETTING = re.compile(r"(?<![\w\"])([A-Za-z_]\w*+)(?![(!])")
_USUAL = re.compile(
    r"^(?:test|doctest|doc|docsrs|feature|unix|windows|wasm|miri|loom|fuzzing|target_\w+|cfg|cfg_attr)$"
)
_TESTED = re.compile(r"not\(test\b|^cfg!\([^)]*\btest\b")
"""Of a program, as opposed to a module of tests or a helper of theirs."""

_TEXT = re.compile(r'"[^"]{0,200}"')
_CONSTRAINT = re.compile(r"^//(?:go:build|\s*\+build)\s(.*)")
_PLATFORMS = (
    r"aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1"
    r"|windows|386|amd64|arm|arm64|loong64|mips|mips64|mips64le|mipsle|ppc64|ppc64le|riscv64|s390x|wasm"
)
_FOR_PLATFORM = re.compile(rf"_(?:{_PLATFORMS})\.go$")


def built_for(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield a finding for each new condition on the build of a program."""
    if change.new is None or is_test_file(change.path):
        return
    if change.new.language is Language.RUST:
        yield from _configured(change)
    elif change.new.language is Language.GO:
        yield from _constrained(change)


def _configured(change: FileDiff) -> Iterator[GuardFinding]:
    syntax, before = change.new, (change.before or b"").decode("utf-8", "replace")
    if syntax is None:
        return
    for node in syntax.added(
        change.added, "attribute_item", "inner_attribute_item", "macro_invocation"
    ):
        said = compact(node)
        if not _CONFIGURED.match(said):
            continue
        predicate = _TEXT.sub("", said.partition(",")[0] if "cfg_attr" in said else said)
        settings = (item for item in _SETTING.findall(predicate) if not _USUAL.match(item))
        is_new = any(not re.search(rf"\b{re.escape(name)}\b", before) for name in settings)
        if is_new or (_TESTED.search(said) and text_of(node) not in before):
            shown = guards_code.decided_without_input(text_of(node)[:100])
            yield found("decides-without-input", shown, change.path, line_of(node))


def _constrained(change: FileDiff) -> Iterator[GuardFinding]:
    known = {item.strip() for item in change.lines_before}
    for number, line in enumerate(change.lines_after, 1):
        if _CONSTRAINT.match(line) and line.strip() not in known:
            shown = guards_code.decided_without_input(line.strip()[:100])
            yield found("decides-without-input", shown, change.path, number)
            return
    if change.is_new and _FOR_PLATFORM.search(change.path):
        shown = guards_code.decided_without_input(change.path.rpartition("/")[2])
        yield found("decides-without-input", shown, change.path, 1)
