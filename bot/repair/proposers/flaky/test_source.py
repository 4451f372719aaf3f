"""A Python test in its file, and the places in it that a repair edits. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef

_UNITTEST = re.compile(r"TestCase$")
_ASSERTS = re.compile(r"\bself\.assert[A-Z]\w*\(")
SETS_UP = frozenset({"setUp", "setUpClass"})
_HOOKS = SETS_UP | {"tearDown", "tearDownClass"}


@dataclass(frozen=True, slots=True)
class TestFunction:
    """A function of a test file: a test, a fixture, or what sets a class up.

    Attributes:
        path: Of the file.
        text: Of it.
        node: The function.
        owner: The class that it stands in, or None.
    """

    __test__ = False  # not a pytest class

    path: str
    text: str
    node: Function
    owner: ast.ClassDef | None = None

    @property
    def is_unittest(self) -> bool:
        """Whether its class is one of unittest's, by its bases, its hooks, or what it asserts."""
        if self.owner is None:
            return False
        named = any(_UNITTEST.search(ast.unparse(base)) for base in self.owner.bases)
        hooks = any(isinstance(item, Function) and item.name in _HOOKS for item in self.owner.body)
        body = ast.get_source_segment(self.text, self.owner) or ""
        return named or hooks or _ASSERTS.search(body) is not None

    @property
    def is_fixture(self) -> bool:
        """Whether it is a fixture of pytest's."""
        return any("fixture" in ast.unparse(each) for each in self.node.decorator_list)


def function_of(test: str, texts: dict[str, str]) -> TestFunction | None:
    """Return the function of a test by its id, pytest's or unittest's; None where it is not found."""
    path, dots, rest = test.partition("::")
    if dots:
        names = rest.partition("[")[0].split("::")
    else:
        split = _by_module(test, texts)
        if split is None:
            return None
        path, names = split
    if path not in texts:
        return None
    named = [each for each in functions(path, texts[path]) if each.node.name == names[-1]]
    owner = names[-2] if names[1:] else None
    exact = [each for each in named if (each.owner.name if each.owner else None) == owner]
    inherited = [each for each in named if each.owner is not None] if owner else []
    return next(iter([*exact, *inherited]), None)


def function_at(path: str, line: int, texts: dict[str, str]) -> TestFunction | None:
    """Return the function in which a line of a file stands; None for one outside of all."""
    if path not in texts:
        return None
    around = [
        each
        for each in functions(path, texts[path])
        if each.node.lineno <= line <= (each.node.end_lineno or 0)
    ]
    return max(around, key=lambda each: each.node.lineno, default=None)


def functions(path: str, text: str) -> Iterator[TestFunction]:
    """Yield the functions of a file, and the methods of its classes."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in tree.body:
        if isinstance(node, Function):
            yield TestFunction(path, text, node)
        elif isinstance(node, ast.ClassDef):
            for item in node.body:
                if isinstance(item, Function):
                    yield TestFunction(path, text, item, node)


def module_file(name: str, paths: Iterable[str]) -> tuple[str, str, list[str]] | None:
    """Return the longest front of a dotted name that is a module of the project, its file, and the rest."""
    known = set(paths)
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        front = "/".join(parts[:length])
        for ending in (f"{front}.py", f"{front}/__init__.py"):
            fitting = [path for path in known if path == ending or path.endswith(f"/{ending}")]
            if fitting:
                return ".".join(parts[:length]), min(fitting, key=len), parts[length:]
    return None


def _by_module(test: str, texts: dict[str, str]) -> tuple[str, list[str]] | None:
    found = module_file(test, texts)
    return (found[1], found[2]) if found is not None and found[2] else None


class LineEdits:
    """Edits of one text, by lines; they are made from the last to the first."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._edits: list[tuple[int, int, int, list[str]]] = []

    def insert(self, before: int, lines: Sequence[str]) -> None:
        """Put lines before one, counted from 1."""
        self._edits.append((before, before, len(self._edits), list(lines)))

    def replace(self, first: int, last: int, lines: Sequence[str]) -> None:
        """Put lines in the place of some, counted from 1, the last included."""
        self._edits.append((first, last + 1, len(self._edits), list(lines)))

    def line(self, number: int) -> str:
        """Return a line, counted from 1."""
        return self._lines[number - 1]

    def indent(self, number: int) -> str:
        """Return the white space before a line's text."""
        line = self.line(number)
        return line[: len(line) - len(line.lstrip())]

    def text(self) -> str:
        """Return the text with all edits."""
        lines = list(self._lines)
        for first, end, _, new in sorted(self._edits, reverse=True):
            lines[first - 1 : end - 1] = new
        return "\n".join(lines)


def with_imports(text: str, imports: Iterable[str]) -> str:
    """Return a program with those of some imports that it lacks, behind its last import at the top."""
    tree = ast.parse(text)
    top = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    known = {
        alias.name for node in top if isinstance(node, ast.Import)
        for alias in node.names if alias.asname is None
    }  # fmt: skip
    wanted = sorted({*imports} - known)
    if not wanted:
        return text
    edits = LineEdits(text)
    others = [node for node in top if not _is_future(node)]
    block = [node for n, node in enumerate(others) if node.lineno == others[0].lineno + n]
    for name in wanted:
        before = [
            node for node in block if isinstance(node, ast.Import) and node.names[0].name < name
        ]
        if before:
            edits.insert(before[-1].lineno + 1, [f"import {name}"])
        elif block:
            edits.insert(block[0].lineno, [f"import {name}"])
        else:
            edits.insert(_behind_words(tree, top), [f"import {name}", ""])
    return edits.text()


def _behind_words(tree: ast.Module, top: Sequence[ast.stmt]) -> int:
    """Return the line behind a program's docstring, and what it takes from the future."""
    first = tree.body[:1] if ast.get_docstring(tree) is not None else []
    return max((node.end_lineno or 0 for node in [*first, *top]), default=0) + 1


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def with_first_statements(function: TestFunction, statements: Sequence[str]) -> str | None:
    """Return the file with statements at the beginning of a function; None for one on a single line."""
    node = function.node
    body = node.body
    first = body[1] if ast.get_docstring(node, clean=False) is not None and body[1:] else body[0]
    if first.lineno == node.lineno or body[0].col_offset == node.col_offset:
        return None
    edits = LineEdits(function.text)
    indent = edits.indent(first.lineno)
    edits.insert(start_of(first), [f"{indent}{line}" if line else "" for line in statements])
    return edits.text()


def start_of(node: ast.stmt) -> int:
    """Return the first line of a statement, its decorators included."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min(node.lineno, *(each.lineno for each in decorators), node.lineno)


def with_parameter(function: TestFunction, name: str) -> TestFunction | None:
    """Return a function that takes one more parameter; None where that is not plainly possible."""
    node = function.node
    arguments = node.args
    if name in {each.arg for each in arguments.args}:
        return function
    if arguments.defaults or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
        return None
    edits = LineEdits(function.text)
    if arguments.args:
        last = arguments.args[-1]
        line, column = last.end_lineno or 0, last.end_col_offset or 0
        added = f", {name}"
    else:
        line = node.lineno
        head = edits.line(line)
        place = re.search(rf"def\s+{re.escape(node.name)}\s*\(", head)
        if place is None:
            return None
        column, added = len(head[: place.end()].encode()), name
    data = edits.line(line).encode()
    edits.replace(line, line, [(data[:column] + added.encode() + data[column:]).decode()])
    return again(function, edits.text())


def again(function: TestFunction, text: str) -> TestFunction | None:
    """Return the same function in a text that was edited."""
    owner = function.owner.name if function.owner is not None else None
    for each in functions(function.path, text):
        if each.node.name == function.node.name and (each.owner and each.owner.name) == owner:
            return each
    return None


def sets_up(function: TestFunction) -> bool:
    """Whether a function sets tests up: a fixture, or what a class of unittest's has for that."""
    return function.is_fixture or (function.is_unittest and function.node.name in SETS_UP)
