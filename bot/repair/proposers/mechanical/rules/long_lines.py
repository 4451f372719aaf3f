"""Lines that are too long for the project: wrapped at the length that the tool's message names."""

from __future__ import annotations

import ast
import re
import textwrap
import tokenize
from collections.abc import Iterator

from bot.repair.proposers.mechanical.rules.layout import fixed
from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.source import RuleSource, TextLiteral
from bot.reporting.reasons import mechanical


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
