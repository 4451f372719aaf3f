"""Names that a tool does not know, where a known one is near: a slip of the pen, or a renaming."""

from __future__ import annotations

import ast
import re
from functools import partial

from bot.code.syntax import parse, text_of, walk
from bot.repair.proposers.mechanical.rules.functions import FUNCTIONS, takes
from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.scopes import closest, distance_between, is_slip, visible
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.reporting.reasons import mechanical

UNKNOWN = re.compile(
    r"[Uu]ndefined (?:name|variable) [`'\"](?P<undefined>\w+)"
    r"|(?:^|\b[Nn]ame )[`'\"](?P<name>\w+)[`'\"] is not defined"
)
"""pyflakes, flake8 and ruff: `undefined name 'x'`; pylint: `Undefined variable 'x'`; mypy and Python
itself: `Name "x" is not defined`; pyright: `"x" is not defined`."""

_SUGGESTED = re.compile(
    r"(?i:did you mean(?: to write)?|maybe|perhaps you meant|do you mean):? "
    r"(?:the (?:instance|static|class) member )?[`'\"](?:\w+\.)*(?P<other>\w+)[`'\"]"
)
_QUOTED = re.compile(r"[`'\"](?P<name>[\w.]+)[`'\"]")
_SCRIPT_NAME = re.compile(r"^(?:Cannot find name )?'(?P<name>\w+)'(?: is not defined)?\.?$")
"""eslint: `'x' is not defined`; tsc: `Cannot find name 'x'.`"""

_RUST_NAME = re.compile(
    r"cannot find [\w ,]{1,80} `(?P<name>\w+)`|no (?:method|field|variant)[\w ]{0,80} `(?P<name2>\w+)`"
)
_RUST_HELP = re.compile(
    r"help: (?:a|an|there is a) [\w ]{0,80}with a similar name(?: exists)?(?:[,\w ]{0,80})?:? `(?P<other>\w+)`"
)
_RUST_DIFF = re.compile(
    r"help: (?:a|an|there is a) [\w ]{0,80}similar name[^\n]{0,200}\n[ |\n]*"
    r"\d+ +- (?P<before>[^\n]*)\n\d+ +\+ (?P<after>[^\n]*)"
)

CODES = frozenset({
    "F821", "E0602", "pyflakes", "name-defined", "reportUndefinedVariable", "undefined-variable",
    "",
})  # fmt: skip


UNTYPED = frozenset({"F821", "E0602", "pyflakes", "undefined-variable", "no-undef"})
"""Codes of tools that accept any name which is defined, whatever it is."""


def unknown_name(message: str) -> str:
    """Return the name that a message says is not known, or ""."""
    match = UNKNOWN.search(message)
    return (match["undefined"] or match["name"]) if match else ""


def _similar(reported: Reported) -> Repair | None:
    """Replace a name by the one in scope that is nearest to it, unless the project has the name."""
    source, said = reported.source, reported.diagnostic
    name = unknown_name(said.message)
    if reported.project.defining(name):
        return None  # it is right, and lacks an import
    known = visible(source.tree, said.line) if source.tree is not None else frozenset()
    other = closest(name, known) if name not in known else None
    if other is None:
        return None
    if said.code:
        return _replaced(reported, name, other)
    return _replaced_everywhere(source, name, other)


def _replaced_everywhere(source: RuleSource, name: str, other: str) -> Repair | None:
    """Replace every use of a name: a program that ran stopped at the first."""
    nodes = ast.walk(source.tree) if source.tree is not None else ()
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    if not uses or any(isinstance(use.ctx, ast.Store) for use in uses):
        return None
    text = source.text
    for at in sorted((source.start(use) for use in uses), reverse=True):
        text = f"{text[:at]}{other}{text[at + len(name) :]}"
    return Repair(text, mechanical.similar_name(name, other))


def _suggested(reported: Reported) -> Repair | None:
    """Replace a name by the one that the tool itself suggests."""
    message = reported.diagnostic.message
    match = _SUGGESTED.search(message)
    if match is None:
        return None
    other = match["other"]
    quoted = [found_match["name"] for found_match in _QUOTED.finditer(message[: match.start()])]
    if not quoted:
        return None
    unknown = min(
        (name.rpartition(".")[2] for name in quoted), key=partial(distance_between, other)
    )
    if not reported.diagnostic.code and unknown == unknown_name(message):
        return _replaced_everywhere(reported.source, unknown, other)
    return _replaced(reported, unknown, other)


def _in_script(reported: Reported) -> Repair | None:
    """Replace a name of JavaScript or TypeScript by the one in its file that is nearest to it."""
    match = _SCRIPT_NAME.search(reported.diagnostic.message)
    syntax = parse(reported.source.path, reported.source.text.encode())
    if match is None or syntax is None:
        return None
    names = (text_of(node) for node in walk(syntax.root) if node.type == "identifier")
    other = closest(match["name"], frozenset(names))
    return _replaced(reported, match["name"], other) if other else None


def _of_rustc(reported: Reported) -> Repair | None:
    """Replace a name by the similar one that rustc's help names."""
    said = reported.diagnostic
    name = _RUST_NAME.search(said.message)
    if name is None:
        return None
    unknown = name["name"] or name["name2"]
    inline = _RUST_HELP.search(said.detail)
    if inline is not None:
        return _replaced(reported, unknown, inline["other"])
    diff = _RUST_DIFF.search(said.detail)
    if diff is None or reported.source.line(said.line).strip() != diff["before"].strip():
        return None
    text = reported.source.line(said.line).replace(diff["before"].strip(), diff["after"].strip())
    return Repair(
        reported.source.with_line(said.line, text),
        mechanical.suggested_line(diff["after"].strip()),
    )


def _replaced(reported: Reported, name: str, other: str) -> Repair | None:
    source = reported.source
    at = _place(source, reported.diagnostic.line, reported.diagnostic.column, name)
    if at is None or name == other:
        return None
    guess = None if _is_supported(reported, name, other) else (name, other)
    text = source.replaced(at, at + len(name), other)
    return Repair(text, mechanical.similar_name(name, other), guess)


def _is_supported(reported: Reported, name: str, other: str) -> bool:
    """Whether more than their spelling says that a name means another one.

    A type checker, a compiler and a program that runs look at the place again. Else it has to be a
    slip, of a name that takes what is passed to it.
    """
    if reported.diagnostic.code not in UNTYPED:
        return True
    if not is_slip(name, other):
        return False
    tree = reported.source.tree
    if tree is None:
        return re.search(rf"\b{name}\s*\(", reported.source.text) is None
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]
    if calls:
        return all(takes(tree, other, call) for call in calls)
    return not any(isinstance(node, FUNCTIONS) and node.name == other for node in ast.walk(tree))


def _place(source: RuleSource, line: int, column: int | None, name: str) -> int | None:
    """Return where a name stands: on the line, or on those that the statement continues on."""
    for number in range(line, line + 5):
        at = source.word_at(number, column if number == line else None, name)
        if at is not None:
            return at
    return None


RULES = (
    Rule(
        "name that the tool suggests",
        frozenset(),
        _SUGGESTED,
        _suggested,
        Example(
            "class Song:\n    title = ''\n\n\nprint(Song().titel)\n",
            5,
            "attr-defined",
            '"Song" has no attribute "titel"; maybe "title"?',
            "class Song:\n    title = ''\n\n\nprint(Song().title)\n",
        ),
        suffixes=(),
    ),
    Rule(
        "name that rustc suggests",
        frozenset(),
        _RUST_NAME,
        _of_rustc,
        Example(
            "fn main() {\n    let total = 1;\n    dbg!(totl);\n}\n",
            3,
            "E0425",
            "cannot find value `totl` in this scope",
            "fn main() {\n    let total = 1;\n    dbg!(total);\n}\n",
            path="src/main.rs",
            column=10,
            detail="help: a local variable with a similar name exists: `total`",
        ),
        suffixes=(".rs",),
    ),
    Rule(
        "name of a script similar to a known one",
        frozenset({"no-undef", "TS2304"}),
        _SCRIPT_NAME,
        _in_script,
        Example(
            "const height = 1;\nconsole.log(heigth);\n",
            2,
            "no-undef",
            "'heigth' is not defined",
            "const height = 1;\nconsole.log(height);\n",
            path="src/area.js",
            column=13,
        ),
        suffixes=(".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"),
    ),
    Rule(
        "name similar to a known one",
        CODES,
        UNKNOWN,
        _similar,
        Example(
            "def area(width, height):\n    return width * heigth\n",
            2,
            "F821",
            "undefined name 'heigth'",
            "def area(width, height):\n    return width * height\n",
        ),
    ),
)
