"""Mark a test of pytest's or unittest's, or only those of its parameters that are meant. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.code.syntax import compact, content, field, parents, parse, text_of, walk
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
    plain,
)
from bot.reporting.reasons import quarantine as reasons

_HAS_MARK = re.compile(r"\b(?:xfail|skip\w*|skipIf|expectedFailure)\b")
_PLAIN = re.compile(r"[\x20-\x7e]*")


def mark_python(root: Node, data: bytes, test: str, reason: str) -> MarkedTest:
    """Return a program in which a test has a mark; raises `NoMark`."""
    name, bracket, parameter = test.partition("[")
    by_pytest = "::" in name
    function = _python_test(root, name)
    whole = function.parent
    decorated = whole is not None and whole.type == "decorated_definition"
    top = whole if decorated and whole is not None else function
    decorators = [child for child in top.named_children if child.type == "decorator"]
    if any(_HAS_MARK.search(text_of(each)) for each in decorators):
        raise NoMark(reasons.HAS_A_MARK)
    kind = MarkKind.XFAIL if by_pytest else MarkKind.SKIP_METHOD
    lines = top.start_point.row + 1, top.end_point.row + 1
    edits: list[Edit] = []
    marks_all = bool(bracket)
    call = f'{kind.value}(reason="{reason}", strict=False)'
    if bracket:
        edits = list(_on_parameter(decorators, parameter.removesuffix("]"), call))
        marks_all = not edits
    if not edits:
        indent, newline = indent_of(data, top.start_byte), newline_of(data)
        line = call if by_pytest else f'unittest.skip("{reason}")'
        edits = [(top.start_byte, top.start_byte, f"@{line}{newline}{indent}")]
    edits += _importing(root, data, kind.value.partition(".")[0])
    return MarkedTest(edited(data, edits), kind, *lines, whole=marks_all)


def _python_test(root: Node, name: str) -> Node:
    """Return the function of a test by the last parts of its id."""
    wanted = [part for part in re.split(r"::|\.", name.replace("/", ".")) if part]
    found = []
    for node in walk(root, into=lambda node: node.type != "lambda"):
        if node.type != "function_definition" or text_of(field(node, "name")) != wanted[-1]:
            continue
        owners = [
            text_of(field(each, "name"))
            for each in parents(node)
            if each.type == "class_definition"
        ]
        if owners != _owners(wanted, len(owners)):
            continue
        found.append((len(owners), node))
    # A class may be part of the id or only of a function with the same name elsewhere.
    most = max((owners for owners, _ in found), default=0)
    named = [node for owners, node in found if owners == most]
    if len(named) != 1 or any(each.type == "function_definition" for each in parents(named[0])):
        raise NoMark(reasons.NOT_FOUND if not named else reasons.NOT_SURE)
    return named[0]


def _owners(wanted: list[str], count: int) -> list[str]:
    """Return as many parts before a test's name, the innermost first."""
    return wanted[-1 - count : -1][::-1] if count < len(wanted) else [""]


def _on_parameter(decorators: list[Node], parameter: str, call: str) -> Iterator[Edit]:
    """Yield the edit that marks one parameter; nothing where it is not sure which that is."""
    sets = [each for each in decorators if "parametrize" in text_of(each)]
    if len(sets) != 1:
        return
    given = given_to(next((each for each in walk(sets[0]) if each.type == "call"), None))
    if len(given) < 2 or given[1].type not in {"list", "tuple"}:  # noqa: PLR2004 - names and values
        return
    names = content(given[0])
    if given[0].type != "string" or any(each.type == "keyword_argument" for each in given[:2]):
        return
    many = "," in names
    ids = _given_ids(given[2:])
    if ids is None:
        return
    values = plain(given[1].named_children)
    known = [
        (ids[n] if n < len(ids) else None) or _id_of(each, many=many)
        for n, each in enumerate(values)
    ]
    if known.count(parameter) != 1:
        return
    value = values[known.index(parameter)]
    text = text_of(value)
    if compact(value).startswith("pytest.param("):
        if "marks=" not in compact(value):
            end = value.end_byte - 1
            yield end, end, f", marks={call}"
        return
    inner = text[1:-1].rstrip().removesuffix(",") if many else text
    yield value.start_byte, value.end_byte, f"pytest.param({inner}, marks={call})"


def _given_ids(more: list[Node]) -> list[str | None] | None:
    """Return the ids that `parametrize` is given; None where they are made otherwise."""
    if not more:
        return []
    if len(more) != 1 or text_of(field(more[0], "name")) != "ids":
        return None
    try:
        given = ast.literal_eval(text_of(field(more[0], "value")))
    except (SyntaxError, ValueError):
        return None
    if not isinstance(given, list | tuple):
        return None
    return [each if isinstance(each, str) else None for each in given]


def _id_of(value: Node, *, many: bool) -> str | None:
    """Return the id that pytest makes of a value; None where that takes more than its text.

    https://docs.pytest.org/en/stable/example/parametrize.html#different-options-for-test-ids
    """
    if compact(value).startswith("pytest.param("):
        parts = given_to(value)
        named = {text_of(field(each, "name")): field(each, "value") for each in parts
                 if each.type == "keyword_argument"}  # fmt: skip
        if "id" in named:
            given = named["id"]
            return content(given) if given is not None and given.type == "string" else None
        texts = [text_of(each) for each in parts if each.type != "keyword_argument"]
    elif many:
        if value.type not in {"tuple", "list"}:
            return None
        texts = [text_of(each) for each in plain(value.named_children)]
    else:
        texts = [text_of(value)]
    ids = []
    for text in texts:
        try:
            known = ast.literal_eval(text)
        except (SyntaxError, ValueError):
            return None
        if not isinstance(known, str | int | float | bool | None) or not _PLAIN.fullmatch(
            str(known)
        ):
            return None
        ids.append(str(known))
    return "-".join(ids)


def _importing(root: Node, data: bytes, module: str) -> list[Edit]:
    """Return the edit that imports a module, if need be, in front of the first other import."""
    top = [each for each in root.named_children if each.type in _IMPORTS]
    if any(each.type == "import_statement" and _imports(each, module) for each in top):
        return []
    newline = newline_of(data)
    others = [each for each in top if each.type != "future_import_statement"]
    whole = [each for each in others if each.type == "import_statement"]
    before = [each for each in whole if text_of(each).removeprefix("import ").strip() < module]
    if before or others:
        at = line_end(data, before[-1].end_byte) if before else others[0].start_byte
        indent_of(data, others[0].start_byte)
        # The last line of a file may have no end.
        front = newline if before and not data[:at].endswith(b"\n") else ""
        return [(at, at, f"{front}import {module}{newline}")]
    behind = [each for each in root.named_children[:1] if _is_text(each)] + top
    if behind:
        at = line_end(data, behind[-1].end_byte)
        return [(at, at, f"{newline}import {module}{newline}")]
    first = next((each for each in root.named_children if each.type != "comment"), None)
    at = first.start_byte if first is not None else 0
    return [(at, at, f"import {module}{newline}{newline}")]


_IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})


def _is_text(node: Node) -> bool:
    return node.type == "expression_statement" and [each.type for each in node.named_children] == [
        "string"
    ]


def _imports(statement: Node, module: str) -> bool:
    return any(
        each.type == "dotted_name" and text_of(each) == module for each in statement.named_children
    )


def unmark_python(root: Node, data: bytes, ours: re.Pattern[str]) -> Iterator[Edit]:
    """Yield the edits that take away a mark with such a reason."""
    for node in walk(root):
        text = text_of(node)
        if node.type == "decorator" and ours.search(text) and "parametrize" not in text:
            yield line_start(data, node.start_byte), line_end(data, node.end_byte), ""
        elif node.type == "keyword_argument" and text_of(field(node, "name")) == "marks":
            call = node.parent.parent if node.parent is not None else None
            if ours.search(text) and call is not None and compact(call).startswith("pytest.param("):
                yield _without_marks(call, node)


def _without_marks(call: Node, marks: Node) -> Edit:
    """Return the edit that makes a parameter what it was."""
    rest = [each for each in given_to(call) if each != marks]
    texts = ", ".join(text_of(each) for each in rest)
    if any(each.type == "keyword_argument" for each in rest):
        return call.start_byte, call.end_byte, f"pytest.param({texts})"
    return call.start_byte, call.end_byte, texts if len(rest) == 1 else f"({texts})"


def without_import(path: str, data: bytes) -> bytes:
    """Return a program without the import that a mark needed, where nothing else needs it."""
    syntax = parse(path, data)
    if syntax is None:
        return data
    for module in ("pytest", "unittest"):
        used = [
            each for each in walk(syntax.root)
            if each.type == "identifier" and text_of(each) == module
            and not any(above.type in _IMPORTS for above in parents(each))
        ]  # fmt: skip
        own = [
            each for each in syntax.root.named_children
            if each.type == "import_statement" and text_of(each) == f"import {module}"
        ]  # fmt: skip
        if own and not used:
            start, end = own[0].start_byte, line_end(data, own[0].end_byte)
            after = line_end(data, end)
            alone = not data[end:after].strip() and (
                start == 0 or not data[:start].split(b"\n")[-2].strip()
            )
            return data[:start] + data[after if alone else end :]
    return data
