"""Statements and marks that do nothing, which pylint and flake8 report and no fix mode of theirs removes."""

from __future__ import annotations

import ast
import re

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.repair.proposers.mechanical.rules.unused import without_statement
from bot.reporting.reasons import mechanical

_ANY = re.compile("")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _pass(reported: Reported) -> Repair | None:
    """Remove a `pass` beside other statements."""
    source = reported.source
    for node in ast.walk(source.tree) if source.tree is not None else ():
        block = getattr(node, "body", None)
        for item in block if isinstance(block, list) and len(block) > 1 else ():
            if isinstance(item, ast.Pass) and item.lineno == reported.line:
                text = without_statement(source, item)
                return (
                    Repair(text, mechanical.needless_removed("pass")) if text is not None else None
                )
    return None


def _delegation(reported: Reported) -> Repair | None:
    """Remove a method that only calls the one it overrides."""
    source = reported.source
    for owner in ast.walk(source.tree) if source.tree is not None else ():
        if not isinstance(owner, ast.ClassDef):
            continue
        for method in owner.body:
            if isinstance(method, _FUNCTIONS) and method.lineno == reported.line:
                text = _without_block(source, method, alone=len(owner.body) == 1)
                return Repair(text, mechanical.needless_removed(f"def {method.name}"))
    return None


def _without_block(
    source: RuleSource, node: ast.FunctionDef | ast.AsyncFunctionDef, *, alone: bool
) -> str:
    """Return the text without a function, the blank lines above it included."""
    first = min(
        node.lineno, *(expression.lineno for expression in node.decorator_list), node.lineno
    )
    last = node.end_lineno or node.lineno
    if alone:
        return source.replaced(source.at(first), source.end(node), f"{source.indent(first)}pass")
    while first > 1 and not source.line(first - 1).strip():
        first -= 1
    return source.without_lines(first, last)


def _formatted(reported: Reported) -> Repair | None:
    """Remove the `f` of a text without fields."""
    source = reported.source
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if isinstance(node, ast.JoinedStr) and node.lineno <= reported.line <= (
            node.end_lineno or 0
        ):
            part = source.part(node)
            if (
                any(isinstance(child, ast.FormattedValue) for child in ast.walk(node))
                or "{" in part
            ):
                continue
            text = re.sub(r"(?<![\w\"'])([rR]?)[fF]([rR]?)(?=[\"'])", r"\1\2", part)
            return Repair(
                source.replaced(source.start(node), source.end(node), text),
                mechanical.needless_removed("f"),
            )
    return None


def _parentheses(reported: Reported) -> Repair | None:
    """Remove parentheses behind a keyword, around all that follows it on the line."""
    line = reported.source.line(reported.line)
    match = re.match(
        r"^(\s*(?:el)?if|\s*while|\s*return|\s*not|\s*assert|\s*del) ?\((.*)\)(:?)$", line
    )
    if match is None:
        return None
    text = reported.source.with_line(reported.line, f"{match[1]} {match[2]}{match[3]}")
    if not reported.source.means_the_same(text):
        return None
    return Repair(text, mechanical.needless_removed("()"))


def _object(reported: Reported) -> Repair | None:
    """Remove the base `object`."""
    line = reported.source.line(reported.line)
    text = re.sub(r"^(\s*class \w+)\(object\):", r"\1:", line)
    return Repair(
        reported.source.with_line(reported.line, text), mechanical.needless_removed("(object)")
    )


def _else(reported: Reported) -> Repair | None:
    """Dedent what stands in an `else` behind a branch that always leaves."""
    source = reported.source
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if isinstance(node, ast.If) and node.lineno == reported.line and node.orelse:
            return _dedented(source, node)
    return None


def _dedented(source: RuleSource, node: ast.If) -> Repair | None:
    first, last = node.orelse[0], node.orelse[-1]
    begin = (node.body[-1].end_lineno or 0) + 1
    word = next((n for n in range(begin, first.lineno + 1) if source.line(n).strip()), 0)
    indent = source.indent(node.lineno)
    if isinstance(first, ast.If) and source.line(first.lineno).lstrip().startswith("elif"):
        line = source.line(first.lineno).replace("elif", "if", 1)
        return Repair(source.with_line(first.lineno, line), mechanical.needless_removed("el"))
    if source.line(word).strip() != "else:":
        return None
    end = last.end_lineno or last.lineno
    inside = _texts(source)
    step = len(source.indent(first.lineno)) - len(indent)
    lines = [
        source.line(n) if n in inside else source.line(n)[step:] if source.line(n).strip() else ""
        for n in range(word + 1, end + 1)
    ]
    block = "".join(line + source.newline for line in lines)
    text = source.replaced(source.at(word), source.at(end + 1), block)
    return Repair(text, mechanical.needless_removed("else:"))


def _texts(source: RuleSource) -> frozenset[int]:
    """Return the lines that begin inside a text."""
    return frozenset(
        line
        for literal in source.literals
        for line in range(literal.start[0] + 1, literal.end[0] + 1)
    )


RULES = (
    Rule(
        "needless pass",
        frozenset({"W0107", "unnecessary-pass"}),
        _ANY,
        _pass,
        Example(
            'class Broken(Exception):\n    """It broke."""\n    pass\n',
            3,
            "W0107",
            "Unnecessary pass statement",
            'class Broken(Exception):\n    """It broke."""\n',
        ),
    ),
    Rule(
        "method that only delegates",
        frozenset({"W0235", "W0246", "useless-parent-delegation"}),
        _ANY,
        _delegation,
        Example(
            "class Song(Track):\n    name = 'song'\n\n    def __init__(self):\n        super().__init__()\n",
            4,
            "W0235",
            "Useless super delegation in method '__init__'",
            "class Song(Track):\n    name = 'song'\n",
        ),
    ),
    Rule(
        "f-string without fields",
        frozenset({"F541", "W1309", "pyflakes"}),
        re.compile(r"f-string"),
        _formatted,
        Example(
            "print(f'done')\n",
            1,
            "F541",
            "f-string is missing placeholders",
            "print('done')\n",
        ),
    ),
    Rule(
        "needless parentheses",
        frozenset({"C0325", "superfluous-parens"}),
        _ANY,
        _parentheses,
        Example(
            "if (not ready):\n    wait()\n",
            1,
            "C0325",
            "Unnecessary parens after 'if' keyword",
            "if not ready:\n    wait()\n",
        ),
    ),
    Rule(
        "needless base class",
        frozenset({"R0205", "useless-object-inheritance"}),
        _ANY,
        _object,
        Example(
            "class Song(object):\n    name = ''\n",
            1,
            "R0205",
            "Class 'Song' inherits from object, can be safely removed from bases in python3",
            "class Song:\n    name = ''\n",
        ),
    ),
    Rule(
        "needless else",
        frozenset({"R1705", "R1720", "R1723", "R1724"}),
        _ANY,
        _else,
        Example(
            "def sign(n):\n    if n < 0:\n        return -1\n    else:\n        return 1\n",
            2,
            "R1705",
            'Unnecessary "else" after "return", remove the "else" and de-indent the code inside it',
            "def sign(n):\n    if n < 0:\n        return -1\n    return 1\n",
        ),
    ),
)
