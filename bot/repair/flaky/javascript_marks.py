"""Mark a test of node:test's, and of runners with its functions: Jest, Vitest, Mocha, Playwright. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.code.syntax import compact, content, field, parents, text_of, walk
from bot.model.quarantine import MarkKind
from bot.repair.flaky.mark_edits import (
    Edit,
    MarkedTest,
    NoMark,
    edited,
    given_to,
    indent_of,
    line_end,
    line_start,
    newline_of,
)
from bot.reporting.reasons import quarantine as reasons

_TEST_CALLS = frozenset({"test", "it"})
_BLOCKS = frozenset({"describe", "suite", "context"})
_NODE_TEST = re.compile(r"""["']node:test["']""")
_PLAYWRIGHT = re.compile(r"""["']@playwright/test["']""")
_BETWEEN = r"(?: > | \u203a | |/|::|\.)"
"""Between the titles of blocks in an id."""

_SKIPS = frozenset({MarkKind.SKIP.value, MarkKind.FIXME.value})


def mark_javascript(root: Node, data: bytes, test: str, reason: str) -> MarkedTest:
    """Return a program in which a test has a mark; raises `NoMark`."""
    call = _js_test(root, test)
    callee = field(call, "function")
    assert callee is not None  # noqa: S101 - every call has it
    lines = call.start_point.row + 1, call.end_point.row + 1
    if callee.type != "identifier":
        raise NoMark(reasons.HAS_A_MARK)
    if _NODE_TEST.search(data.decode("utf-8", "replace")):
        given = given_to(call)
        if len(given) < 2:  # noqa: PLR2004 - its title and its function
            raise NoMark(reasons.NOT_SURE)
        if given[1].type == "object":
            if re.search(r"\b(?:todo|skip|only)\b", text_of(given[1])):
                raise NoMark(reasons.HAS_A_MARK)
            at, rest = given[1].start_byte + 1, bool(given[1].named_children)
            edit = (at, at, f' todo: "{reason}"{"," if rest else " "}')
        else:
            at = given[1].start_byte
            edit = (at, at, f'{{ todo: "{reason}" }}, ')
        return MarkedTest(edited(data, [edit]), MarkKind.TODO, *lines)
    kind = MarkKind.FIXME if _PLAYWRIGHT.search(data.decode("utf-8", "replace")) else MarkKind.SKIP
    start = call.start_byte
    indent = indent_of(data, start)
    edits = [
        (start, start, f"// {reason}{newline_of(data)}{indent}"),
        (callee.end_byte, callee.end_byte, f".{kind.value}"),
    ]
    return MarkedTest(edited(data, edits), kind, *lines)


def _js_test(root: Node, test: str) -> Node:
    """Return the call that makes a test, by the end of its id: its title, behind those of its blocks."""
    found = []
    for node in walk(root):
        if node.type != "call_expression" or _base(node) not in _TEST_CALLS:
            continue
        titles = [_title(node)]
        titles += [_title(each) for each in parents(node)
                   if each.type == "call_expression" and _base(each) in _BLOCKS]  # fmt: skip
        pattern = _BETWEEN.join(map(re.escape, reversed(titles)))
        if titles[0] and re.search(rf"(?:^|> |\u203a |::|/| ){pattern}\Z", test):
            found.append((len(titles), node))
    most = max((titles for titles, _ in found), default=0)
    named = [node for titles, node in found if titles == most]
    if len(named) != 1:
        raise NoMark(reasons.NOT_FOUND if not named else reasons.NOT_SURE)
    return named[0]


def _base(call: Node) -> str:
    return compact(field(call, "function")).partition(".")[0]


def _title(call: Node) -> str:
    given = given_to(call)
    return content(given[0]) if given and given[0].type == "string" else ""


def unmark_javascript(root: Node, data: bytes, ours: re.Pattern[str]) -> Iterator[Edit]:
    """Yield the edits that take away a mark with such a reason."""
    for node in walk(root):
        if (
            node.type == "pair"
            and text_of(field(node, "key")) == "todo"
            and ours.search(text_of(node))
        ):
            whole = node.parent
            assert whole is not None  # noqa: S101 - a pair stands in an object
            following = node.next_sibling
            if len(whole.named_children) == 1:
                behind = whole.next_named_sibling
                yield whole.start_byte, behind.start_byte if behind else whole.end_byte, ""
            elif following is not None and following.type == ",":
                yield len(data[: node.start_byte].rstrip(b" ")), following.end_byte, ""
        elif node.type == "comment" and ours.search(text_of(node)):
            behind = node.next_named_sibling
            calls = (
                (each for each in walk(behind) if each.type == "call_expression") if behind else ()
            )
            call = next(iter(calls), None)
            callee = field(call, "function") if call is not None else None
            member = field(callee, "property") if callee is not None else None
            if callee is not None and text_of(member) in _SKIPS:
                yield line_start(data, node.start_byte), line_end(data, node.end_byte), ""
                target = field(callee, "object")
                assert target is not None  # noqa: S101 - it has a property
                yield target.end_byte, callee.end_byte, ""
