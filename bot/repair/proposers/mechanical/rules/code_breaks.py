"""Ways to break a line of Python that is too long; each returns the file's text, or None."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterator

from bot.repair.proposers.mechanical.rules.layout import fixed
from bot.repair.proposers.mechanical.rules.source import RuleSource, TextLiteral


def broken_import(source: RuleSource, line: int, limit: int) -> str | None:
    """Put the names of an import into parentheses, one on each line."""
    del limit
    for node in source.tree.body if source.tree is not None else []:
        if (
            isinstance(node, ast.ImportFrom)
            and node.lineno == line == node.end_lineno
            and not source.part(node).endswith(")")
        ):
            first = source.start(node.names[0])
            head, comment = source.text[source.at(line) : first], source.line(line)
            comment = comment[source.end(node) - source.at(line) :].rstrip()
            names = [f"    {source.part(name)}," for name in node.names]
            return source.with_line(line, source.newline.join([f"{head}({comment}", *names, ")"]))
    return None


def at_brackets(source: RuleSource, line: int, limit: int) -> str | None:
    """Break a line of code at its brackets, as autopep8 does."""
    return fixed(source, "E501", line, line, columns=limit)


def between_texts(source: RuleSource, line: int, limit: int) -> str | None:
    """Split the line between two texts inside brackets, else within the text that leaves it."""
    text = source.line(line)
    own = [literal for literal in source.literals if literal.start[0] == line == literal.end[0]]
    for n, item in enumerate(own):
        start, end = item.start[1], item.end[1]
        if end <= limit or not _in_brackets(source, item):
            continue
        indent = " " * (own[0].start[1] if n else start)
        if n and not text[own[n - 1].end[1] : start].strip():
            split = f"{text[:start].rstrip()}{source.newline}{indent}{text[start:]}"
            return source.with_line(line, split)
        parts = _halves(item.text, limit - start)
        if parts is not None:
            split = f"{text[:start]}{parts[0]}{source.newline}{indent}{parts[1]}{text[end:]}"
            return source.with_line(line, split)
    return None


def _halves(literal: str, room: int) -> tuple[str, str] | None:
    """Return a literal as two, the first of at most `room` characters, split behind a space."""
    match = re.match(r"(?P<prefix>[A-Za-z]*)(?P<quote>\"|')(?!\2\2)", literal)
    if match is None:
        return None
    prefix, quote = match["prefix"], match["quote"]
    at = literal.rfind(" ", match.end(), room - 1) + 1
    while at > match.end() and not _is_even(literal[match.end() : at]):
        at = literal.rfind(" ", match.end(), at - 1) + 1
    if at <= match.end():
        return None
    return f"{literal[:at]}{quote}", f"{prefix}{quote}{literal[at:]}"


def _is_even(text: str) -> bool:
    """Whether no field of a formatted text is open at the end of this part."""
    return text.count("{") == text.count("}")


def _in_brackets(source: RuleSource, literal: TextLiteral) -> bool:
    """Whether a text stands inside brackets, so that a line may end behind it."""
    depth = 0
    for other in source.tokens:
        if other.start >= literal.start:
            break
        if other.type == tokenize.OP:
            depth += (other.string in "([{") - (other.string in ")]}")
    return depth > 0


def before_operator(source: RuleSource, line: int, limit: int) -> str | None:
    """Break a line that a backslash continues once more, before an operator."""
    text = source.line(line)
    if not text.endswith("\\"):
        return None
    places = [
        token.start[1]
        for token in source.tokens
        if token.start[0] == line and token.string in _OPERATORS and token.start[1] <= limit - 2
    ]
    for place in reversed(places):
        head = text[:place].rstrip()
        if head.strip():
            split = f"{head} \\{source.newline}{source.indent(line + 1)}{text[place:]}"
            return source.with_line(line, split)
    return None


_OPERATORS = frozenset({"if", "else", "and", "or", "in", "not", "is", "+", "-", "*", "/", "|", "&"})
"""What a line may begin with, best of all keywords."""


def one_by_one(source: RuleSource, line: int, limit: int) -> str | None:
    """Put what a bracket holds on a line of its own, each item on one if they don't fit together."""
    text, indent = source.line(line), source.indent(line)
    inner = f"{indent}    "
    for opened, closed in reversed(list(_pairs(source, line))):
        items = _items(source, line, opened, closed)
        together = [f"{inner}{text[opened + 1 : closed].strip()}"]
        apart = [f"{inner}{item}," for item in items]
        for middle in (together, apart):
            lines = [text[: opened + 1], *middle, f"{indent}{text[closed:]}"]
            whole = source.with_line(line, source.newline.join(lines))
            if all(len(each) <= limit for each in lines) and source.means_the_same(whole):
                return whole
    return None


def in_parentheses(source: RuleSource, line: int, limit: int) -> str | None:
    """Put the value of an assignment or a return into parentheses, its operands or parts on lines."""
    value = _value(source, line)
    if value is None:
        return None
    text, indent = source.line(line), source.indent(line)
    inner = f"{indent}    "
    start, end = (place - source.at(line) for place in (source.start(value), source.end(value)))
    if text[:start].rstrip().endswith("("):
        return None
    is_text = isinstance(value, ast.Constant | ast.JoinedStr)
    parts = _pieces(text[start:end], limit - len(inner)) if is_text else []
    places = [] if is_text else _operators(source, line, start, end)
    for first, behind in zip([start, *places], [*places, end], strict=True) if places else ():
        parts.append(text[first:behind].strip())
    lines = [f"{text[:start]}(", *(f"{inner}{part}" for part in parts), f"{indent}){text[end:]}"]
    return source.with_line(line, source.newline.join(lines)) if len(parts) > 1 else None


def _value(source: RuleSource, line: int) -> ast.expr | None:
    """Return the value that a statement of one line assigns or returns, if it can be taken apart."""
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return):
            apart = isinstance(node.value, ast.BinOp | ast.BoolOp | ast.Constant | ast.JoinedStr)
            if apart and node.lineno == line == node.end_lineno:
                return node.value
    return None


def _pieces(literal: str, room: int) -> list[str]:
    """Return a literal as several of at most `room` characters each, where it has spaces for that."""
    pieces = []
    while len(literal) > room and (halves := _halves(literal, room)) is not None:
        pieces.append(halves[0])
        literal = halves[1]
    return [*pieces, literal]


def _operators(source: RuleSource, line: int, start: int, end: int) -> list[int]:
    """Return the columns of the operators that bind a value's largest parts."""
    depth, found = 0, dict[str, list[int]]()
    operand = False
    for token in source.tokens:
        column = token.start[1]
        if token.start[0] != line or not start <= column < end:
            continue
        if token.string in _BRACKETS:
            depth += 1 if _BRACKETS[token.string] else -1
        elif depth == 0 and operand:  # else it is a sign
            found.setdefault(token.string, []).append(column)
        operand = (
            token.type in _OPERANDS and token.string not in _BINARY
        ) or token.string in _CLOSING
    for group in _GROUPS:
        if columns := sorted(column for name in group for column in found.get(name, ())):
            return columns
    return []


_GROUPS = (("or",), ("and",), ("|",), ("&",), ("+", "-"), ("*", "/", "//", "%", "@"))
"""Operators, the loosest first: https://docs.python.org/3/reference/expressions.html#operator-precedence."""

_BINARY = frozenset(name for group in _GROUPS for name in group)
_CLOSING = frozenset(")]}")
_OPERANDS = frozenset({tokenize.NAME, tokenize.NUMBER, tokenize.STRING})


def _pairs(source: RuleSource, line: int) -> Iterator[tuple[int, int]]:
    """Yield the columns of the outermost brackets that a line opens and closes around something."""
    opened: list[int] = []
    for token in source.tokens:
        if token.start[0] != line or token.string not in _BRACKETS:
            continue
        if _BRACKETS[token.string]:
            opened.append(token.start[1])
        elif opened:
            start = opened.pop()
            if not opened and token.start[1] > start + 1:
                yield start, token.start[1]


_BRACKETS = {"(": True, "[": True, "{": True, ")": False, "]": False, "}": False}
"""Whether each bracket opens."""


def _items(source: RuleSource, line: int, opened: int, closed: int) -> list[str]:
    """Return what stands between the commas of a bracket, those inside inner ones aside."""
    text, depth, start = source.line(line), 0, opened + 1
    items = []
    for token in source.tokens:
        column = token.start[1]
        if token.start[0] != line or not opened < column < closed:
            continue
        if token.string in _BRACKETS:
            depth += 1 if _BRACKETS[token.string] else -1
        elif token.string == "," and depth == 0:
            items.append(text[start:column].strip())
            start = column + 1
    return [item for item in (*items, text[start:closed].strip()) if item]
