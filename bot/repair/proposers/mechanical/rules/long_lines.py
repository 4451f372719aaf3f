"""Lines that are too long for the project: wrapped at the length that the tool's message names."""

from __future__ import annotations

import ast
import re
import textwrap
import tokenize

from bot.repair.proposers.mechanical.rules.code_breaks import (
    at_brackets,
    before_operator,
    between_texts,
    broken_import,
    in_parentheses,
    one_by_one,
)
from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.reporting.reasons import mechanical

_TOO_LONG = re.compile(r"(?i:too long) \(\d+ ?[>/] ?(?P<limit>\d+)")
"""pycodestyle: `(82 > 79 characters)`; ruff: `(82 > 79)`; pylint: `(82/79)`."""

_COMMENT = re.compile(r"^(?P<front>\s*#+:? ?)(?P<text>[^\s#!].*)$")
_INSTRUCTION = re.compile(r"#\s*(?:noqa|type:|pragma|pylint|mypy|ruff|fmt|isort|pyright|nosec|!)")
_ITEM = re.compile(r"^(?P<mark>[-*+•] +|\d+[.)] +)?(?P<field>:\w[^:\n]*: |\w+(?: \([^)]*\))?: )?")
_NARROWEST = 20
"""Columns: less is no room to wrap a text into."""


def _shortened(reported: Reported) -> Repair | None:
    """Wrap a comment or docstring, or break code, so that every line fits."""
    match = _TOO_LONG.search(reported.diagnostic.message)
    if match is None:
        return None
    source, line, limit = reported.source, reported.line, int(match["limit"])
    shorter = len(source.line(line)) - 1
    tries = [(way, limit) for way in (*_TEXT, *_CODE)] + [(way, shorter) for way in _STEPWISE]
    for way, most in tries:
        text = way(source, line, limit)
        if text is None or text == source.text or not _fits(source, text, line, most):
            continue
        if way is _docstring or source.means_the_same(text):
            return Repair(text, mechanical.line_wrapped(limit))
    return None


def _fits(source: RuleSource, text: str, line: int, limit: int) -> bool:
    """Whether what stands in the line's place, and only that, has no line that is too long."""
    after = RuleSource(source.path, text)
    more = len(after.lines) - len(source.lines)
    return all(len(after.line(n)) <= limit for n in range(line, line + max(more, 0) + 1))


def _comment(source: RuleSource, line: int, limit: int) -> str | None:
    """Wrap a comment that has the line for itself."""
    text = source.line(line)
    match = _COMMENT.match(text)
    if match is None or _INSTRUCTION.search(text) or _inside_string(source, line):
        return None
    front = match["front"]
    hang = " " * len(_ITEM.match(match["text"])["mark"] or "")  # type: ignore[index] # matches ""
    return _wrapped(source, line, match["text"], (front, front + hang), limit)


def _trailing_comment(source: RuleSource, line: int, limit: int) -> str | None:
    """Put the comment behind a line of code above it."""
    found = [
        token
        for token in source.tokens
        if token.type == tokenize.COMMENT and token.start[0] == line
    ]
    text = source.line(line)
    if not found or not text[: found[0].start[1]].strip() or _INSTRUCTION.search(found[0].string):
        return None
    indent = source.indent(line)
    room = limit - len(indent) - 2
    if room < _NARROWEST:
        return None
    words = found[0].string.lstrip("# ")
    comments = [f"{indent}# {part}" for part in textwrap.wrap(words, room, break_long_words=False)]
    code = text[: found[0].start[1]].rstrip()
    return source.with_line(line, source.newline.join([*comments, code]))


def _docstring(source: RuleSource, line: int, limit: int) -> str | None:
    """Wrap a line of a docstring, below the text of its item where it is one."""
    text = source.line(line)
    node = _string_statement(source, line)
    if node is None or line == (node.end_lineno or line) != node.lineno:
        return None
    indent, body = source.indent(line), text.strip()
    if body.startswith((">>>", "...", "|", "=", "..")) or "::" in source.line(line - 1):
        return None
    if line == node.lineno:
        return _summary(source, node, limit)
    item = _ITEM.match(body)
    mark, named = (item["mark"], item["field"]) if item is not None else (None, None)
    hang = " " * (len(mark) if mark else 4 if named else 0)
    return _wrapped(source, line, body, (indent, indent + hang), limit)


def _summary(source: RuleSource, node: ast.Expr, limit: int) -> str | None:
    """Move the end of a docstring of several lines' first line to the next one, as a line of its own."""
    line = node.lineno
    if node.end_lineno == line:
        return None
    indent = source.indent(line)
    following = source.line(line + 1)
    if not following.strip():
        return None  # a summary is one line: nothing to move it to
    return _wrapped(source, line, source.line(line).strip(), (indent, indent), limit)


def _wrapped(
    source: RuleSource, line: int, text: str, fronts: tuple[str, str], limit: int
) -> str | None:
    if limit - max(len(front) for front in fronts) < _NARROWEST:
        return None
    wrapped = textwrap.wrap(
        text,
        limit,
        initial_indent=fronts[0],
        subsequent_indent=fronts[1],
        break_long_words=False,
        break_on_hyphens=False,
    )
    return source.with_line(line, source.newline.join(wrapped))


def _inside_string(source: RuleSource, line: int) -> bool:
    return any(literal.start[0] <= line <= literal.end[0] for literal in source.literals)


def _string_statement(source: RuleSource, line: int) -> ast.Expr | None:
    """Return the docstring, or other text that nothing uses, that a line belongs to."""
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
            and node.lineno <= line <= (node.end_lineno or node.lineno)
        ):
            return node
    return None


_TEXT = (_comment, _trailing_comment, _docstring)
_CODE = (broken_import, before_operator, in_parentheses, at_brackets, one_by_one, between_texts)
_STEPWISE = (at_brackets, between_texts)
"""Ways that may have to be gone again for the rest of a line."""

RULES = (
    Rule(
        "line too long",
        frozenset({"E501", "W505", "C0301", "line-too-long"}),
        _TOO_LONG,
        _shortened,
        Example(
            'STYLES = ("alternate", "blurred", "material", "no_logo")\n',
            1,
            "E501",
            "line too long (57 > 50 characters)",
            'STYLES = ("alternate", "blurred",\n          "material", "no_logo")\n',
        ),
        more=(
            Example(
                "limit = 'at most ' + str(amount) + ' of each'\n",
                1,
                "E501",
                "line too long (45 > 40 characters)",
                "limit = (\n    'at most '\n    + str(amount)\n    + ' of each'\n)\n",
            ),
            Example(
                "# Prices are in cents, because floats can't hold them.\nPRICE = 120\n",
                1,
                "W505",
                "doc line too long (54 > 40 characters)",
                "# Prices are in cents, because floats\n# can't hold them.\nPRICE = 120\n",
            ),
        ),
    ),
)
