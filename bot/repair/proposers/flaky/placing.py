"""Put what keeps a test apart into its file: parameters, fixtures, clean-ups, fresh defaults. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.repair.proposers.flaky.restorations import Namespace, Restoration
from bot.repair.proposers.flaky.test_source import (
    LineEdits,
    TestFunction,
    again,
    functions,
    module_file,
    start_of,
    with_first_statements,
    with_imports,
    with_parameter,
)

_CLASS_HOOKS = frozenset({"setUpClass", "setup_class"})
_SCOPE = re.compile(r"\bscope ?= ?(?:\"[a-z]+\"|'[a-z]+')(?:, )?")


@dataclass(frozen=True, slots=True)
class NamespaceIn:
    """Tells how a test file writes what a dotted name stands for.

    Attributes:
        place: A function of the file.
        paths: Of the work tree.
    """

    place: TestFunction
    paths: frozenset[str]

    def __call__(self, name: str) -> Namespace:
        """Return it."""
        found = module_file(name, self.paths)
        if found is None:
            return Namespace(name, (name,))
        module, file, rest = found
        if file == self.place.path:
            return Namespace(".".join(rest))
        known = _imported(self.place.text, module)
        if rest and rest[0] in known:
            return Namespace(".".join([known[rest[0]], *rest[1:]]))
        return Namespace(name, (module,))


def _imported(text: str, module: str) -> dict[str, str]:
    """Return the names that a program takes from a module, with what it calls them."""
    return {
        alias.name: alias.asname or alias.name
        for node in ast.parse(text).body
        if isinstance(node, ast.ImportFrom) and node.module == module and not node.level
        for alias in node.names
    }


def placed(
    function: TestFunction, restored: Sequence[Restoration], *, by_monkeypatch: bool
) -> str | None:
    """Return the file of a function that keeps something from staying behind; None where it can't be.

    Args:
        function: A test, a fixture, or what sets tests of unittest up.
        restored: What is kept.
        by_monkeypatch: Whether with pytest's `monkeypatch`.
    """
    lines: list[str] = []
    if function.is_unittest:
        owner = function.node.args.args[:1]
        if by_monkeypatch or not owner:
            return None
        of_class = function.node.name in _CLASS_HOOKS
        add = f"{owner[0].arg}.{'addClassCleanup' if of_class else 'addCleanup'}"
        lines = [line for each in restored for line in each.cleanups(add)]
        text = with_first_statements(function, lines)
    elif by_monkeypatch:
        wider = with_parameter(function, "monkeypatch")
        if wider is None or not all(each.monkeypatch for each in restored):
            return None
        lines = [each.monkeypatch for each in restored]
        text = with_first_statements(wider, lines)
    elif function.is_fixture or len(restored) > 1:
        return None
    else:
        lines = ["pytest.", *restored[0].fixture]
        text = _with_fixture(function, "isolated", restored[0].fixture)
    if text is None:
        return None
    helper = [line for each in restored for line in each.helper]
    if helper and helper[0] not in text:
        here = again(function, text)
        if here is None:
            return None
        edits = LineEdits(text)
        edits.insert(start_of(here.owner or here.node), [*helper, "", ""])
        text = edits.text()
    used = "\n".join([*lines, *helper])
    imports = ["pytest", *(module for each in restored for module in each.imports)]
    return with_imports(text, (module for module in imports if f"{module}." in used))


def _with_fixture(function: TestFunction, name: str, lines: Sequence[str]) -> str:
    """Return the file with a fixture before a test, or its class, that the test uses."""
    taken = {each.node.name for each in functions(function.path, function.text)}
    body = "\n".join(lines)
    known = f"def {name}():\n{body}\n" in function.text
    while name in taken and not known:
        name = f"{name}_too"
        known = f"def {name}():\n{body}\n" in function.text
    edits = LineEdits(function.text)
    node, top = function.node, function.owner or function.node
    if not known:
        edits.insert(start_of(top), ["@pytest.fixture", f"def {name}():", *lines, "", ""])
    indent = edits.indent(node.lineno)
    edits.insert(node.lineno, [f'{indent}@pytest.mark.usefixtures("{name}")'])
    return edits.text()


def made_for_each(function: TestFunction) -> str | None:
    """Return the file in which a fixture, or what sets a class up, is run for each test; None for others."""
    if function.owner is not None and function.node.name == "setUpClass":
        return _as_set_up(function)
    edits = LineEdits(function.text)
    for decorator in function.node.decorator_list:
        if decorator.lineno != decorator.end_lineno or "fixture" not in ast.unparse(decorator):
            continue
        was = edits.line(decorator.lineno)
        now = _SCOPE.sub("", was).replace(", )", ")").removesuffix("()")
        if now != was:
            edits.replace(decorator.lineno, decorator.lineno, [now])
            return edits.text()
    return None


_OF_CLASS = {"setUpClass": "setUp", "tearDownClass": "tearDown"}


def _as_set_up(function: TestFunction) -> str | None:
    """Return the file in which a class of unittest's is set up, and torn down, for each test."""
    owner = function.owner
    if owner is None:
        return None
    methods = {node.name: node for node in owner.body if isinstance(node, ast.FunctionDef)}
    if methods.keys() & {*_OF_CLASS.values()}:
        return None
    edits = LineEdits(function.text)
    for name, instead in _OF_CLASS.items():
        node = methods.get(name)
        if node is None:
            continue
        for decorator in node.decorator_list:
            if ast.unparse(decorator) == "classmethod":
                edits.replace(decorator.lineno, decorator.lineno, [])
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
            line = re.sub(rf"\b{name}\b", instead, edits.line(number))
            edits.replace(number, number, [re.sub(r"\bcls\b", "self", line)])
    return edits.text()


def cleaned_first(function: TestFunction) -> Iterator[str]:
    """Yield the file in which a fixture does before its test, too, what it does behind it.

    First at its beginning, then right before the test.
    """
    body = function.node.body
    at = next((n for n, item in enumerate(body) if _yields(item)), None)
    if at is None or not body[at + 1 :]:
        return
    last = body[-1].end_lineno or body[-1].lineno
    for place in (body[0], body[at]):
        edits = LineEdits(function.text)
        lines = [edits.line(number) for number in range(start_of(body[at + 1]), last + 1)]
        edits.insert(start_of(place), lines)
        yield edits.text()


def _yields(item: ast.stmt) -> bool:
    return isinstance(item, ast.Expr) and isinstance(item.value, ast.Yield)


_COPIES = {ast.Dict: "dict", ast.List: "list", ast.Set: "set"}


def made_anew(text: str, place: Sequence[str], parameter: str) -> str | None:
    """Return a program in which a default is made in each call, and not once; None where it can't be.

    A function for which None means something works with a copy of what it is given.

    Args:
        text: The program.
        place: Names of the class, if there is one, and the function.
        parameter: Whose default it is.
    """
    owner = place[-2] if place[1:] else None
    for each in functions("", text):
        if each.node.name != place[-1] or (each.owner.name if each.owner else None) != owner:
            continue
        arguments = each.node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs: list[tuple[ast.arg, ast.expr | None]] = [
            *zip(reversed(positional), reversed(arguments.defaults), strict=False),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        default = next((value for name, value in pairs if name.arg == parameter), None)
        if default is None or default.lineno != default.end_lineno:
            return None
        made = ast.get_source_segment(text, default) or ""
        body = ast.get_source_segment(text, each.node) or ""
        known = f"{parameter} is None" in body
        if known and not re.search(rf"\b{parameter} = ", body):
            return _behind_check(each, parameter, _COPIES.get(type(default), ""))
        lines = [f"if {parameter} is None:", f"    {parameter} = {made}"]
        edited = text if known else with_first_statements(each, lines)
        if edited is None:
            return None
        edits = LineEdits(edited)
        data = edits.line(default.lineno).encode()
        data = data[: default.col_offset] + b"None" + data[default.end_col_offset :]
        edits.replace(default.lineno, default.lineno, [data.decode()])
        return edits.text()
    return None


def _behind_check(function: TestFunction, parameter: str, copies: str) -> str | None:
    """Return a program in which a function copies an argument, behind the check whether it is None."""
    checks = [
        item
        for item in function.node.body
        if isinstance(item, ast.If) and ast.unparse(item.test) == f"{parameter} is None"
    ]
    if not copies or not checks:
        return None
    edits = LineEdits(function.text)
    end = checks[0].end_lineno or checks[0].lineno
    indent = edits.indent(checks[0].lineno)
    edits.insert(end + 1, [f"{indent}{parameter} = {copies}({parameter})"])
    return edits.text()


def returns_always(function: TestFunction) -> str | None:
    """Return a program in which a function goes back to the working directory whatever is raised.

    None for one that does not go back at all: that may be what it is for.
    """
    body = function.node.body
    moves = [n for n, item in enumerate(body) if ast.unparse(item).startswith("os.chdir(")]
    if len(moves) < 2 or moves[-1] - moves[0] < 2:  # noqa: PLR2004 - there, back, and something between
        return None
    first, last = body[moves[0] + 1], body[moves[-1]]
    edits = LineEdits(function.text)
    indent = edits.indent(last.lineno)
    inner = [edits.line(number) for number in range(start_of(first), last.lineno)]
    back = [edits.line(number) for number in range(last.lineno, (last.end_lineno or 0) + 1)]
    deeper = [f"    {line}" if line else "" for line in inner]
    lines = [f"{indent}try:", *deeper, f"{indent}finally:", *(f"    {line}" for line in back)]
    edits.replace(start_of(first), last.end_lineno or last.lineno, lines)
    return edits.text()


def without_refusal(function: TestFunction) -> str | None:
    """Return the file in which a test deletes items of mappings whether they are there or not."""
    edits, found = LineEdits(function.text), False
    for node in ast.walk(function.node):
        if not isinstance(node, ast.Delete) or node.lineno != node.end_lineno:
            continue
        if all(isinstance(target, ast.Subscript) for target in node.targets):
            calls = [
                f"{edits.indent(node.lineno)}{_source(function, target.value)}"
                f".pop({_source(function, target.slice)}, None)"
                for target in node.targets
                if isinstance(target, ast.Subscript)
            ]
            edits.replace(node.lineno, node.lineno, calls)
            found = True
    return edits.text() if found else None


def _source(function: TestFunction, node: ast.expr) -> str:
    return ast.get_source_segment(function.text, node) or ast.unparse(node)
