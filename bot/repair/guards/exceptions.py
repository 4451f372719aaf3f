"""Find exceptions that new code swallows. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.languages import Language
from bot.code.syntax import LITERALS, compact, line_of, statements, text_of, walk
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_code

_BROAD = re.compile(r"\b(?:Exception|BaseException|AssertionError)\b")
_QUIET = frozenset({"pass_statement", "continue_statement", "break_statement", "empty_statement"})
_LEAVES = frozenset({"return_statement", "return_expression"})
_SUPPRESS = re.compile(r"^(?:contextlib\.)?suppress$")


def removed_code(changes: Iterable[FileDiff]) -> str:
    """Return what files had that the patch removes, without any space: it may stand elsewhere now."""
    gone = [change.before or b"" for change in changes if change.is_gone]
    return "".join(b"\n".join(gone).decode("utf-8", "replace").split())


def swallowed(change: FileDiff, moved: str = "") -> Iterator[GuardFinding]:
    """Yield a finding for each added handler that catches any exception and ignores it.

    Args:
        change: A readable file.
        moved: Code of files that the patch removes, without any space.
    """
    syntax = change.new
    if syntax is None:
        return
    match syntax.language:
        case Language.PYTHON:
            handlers = syntax.touched(change.added, "except_clause")
            places = [
                handler for handler in handlers if _new(change, handler, moved) and _drops(handler)
            ]
            calls = syntax.added(change.added, "call")
            places += [call for call in calls if _suppresses(call)]
        case Language.JAVASCRIPT:
            handlers = syntax.touched(change.added, "catch_clause")
            places = [
                handler
                for handler in handlers
                if _new(change, handler, moved) and _quiet(_body(handler))
            ]
            places += [
                node for node in syntax.added(change.added, "call_expression") if _caught(node)
            ]
        case Language.GO:
            calls = syntax.added(change.added, "call_expression")
            places = [call for call in calls if compact(call) == "recover()" and not _used(call)]
        case Language.RUST:
            calls = syntax.added(change.added, "call_expression")
            places = [call for call in calls if "catch_unwind" in text_of(call)[:80]]
    for place in places:
        shown = text_of(place).split("\n", 1)[0].strip()
        said = guards_code.exception_swallowed(shown[:80])
        yield found("broad-except", said, change.path, line_of(place))


def _new(change: FileDiff, handler: Node, moved: str) -> bool:
    """Whether what is caught, or what is done then, is new: moving a handler is not.

    In a file of its own it must come with what it guards, and not alone.
    """
    before = "".join((change.before or b"").decode("utf-8", "replace").split())
    whole = compact(handler.parent)
    return compact(handler) not in before and (not moved or whole not in moved)


def _drops(handler: Node) -> bool:
    body = _body(handler)
    caught = [child for child in handler.named_children if child.type not in {"block", "comment"}]
    broad = not caught or any(_BROAD.search(text_of(node)) for node in caught)
    return broad and _quiet(body)


def _body(handler: Node) -> Node | None:
    blocks = [
        child for child in handler.named_children if child.type in {"block", "statement_block"}
    ]
    return blocks[0] if blocks else None


def _quiet(body: Node | None) -> bool:
    """Whether a handler only goes on, or leaves with a value that is written there."""
    return all(
        statement.type in _QUIET
        or (statement.type in _LEAVES and not any(part.type == "call" for part in walk(statement)))
        or _assigns_literal(statement)
        or compact(statement) == "..."
        for statement in statements(body)
    )


def _assigns_literal(statement: Node) -> bool:
    if statement.type != "expression_statement" or not statement.named_children:
        return False
    only = statement.named_children[0]
    right = only.child_by_field_name("right")
    return only.type == "assignment" and right is not None and right.type in LITERALS


def _suppresses(call: Node) -> bool:
    return bool(
        _SUPPRESS.match(compact(call.child_by_field_name("function")))
        and _BROAD.search(text_of(call.child_by_field_name("arguments")))
    )


def _caught(call: Node) -> bool:
    """Whether a promise's failure is dropped: `.catch(() => {})`."""
    return re.search(r"\.catch\((?:\(\w*\)|\w+|function\(\w*\))(?:=>)?(?:\{\}|null|undefined)\)$",
                     compact(call)) is not None  # fmt: skip


def _used(call: Node) -> bool:
    parent = call.parent
    return parent is not None and parent.type not in {"expression_statement", "defer_statement"}
