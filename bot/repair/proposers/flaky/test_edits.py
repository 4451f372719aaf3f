"""Edits inside a flaky test: what it compares, how long it waits, which port it takes. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bot.code.source import SourceText
from bot.repair.proposers.flaky.test_source import Function, TestFunction, with_imports
from bot.reporting.reasons import flaky_edits as reasons

PATIENCE = 30
"""Seconds that a test waits at most for what comes at once on an idle machine."""

_SHORT = 5.0
"""Seconds up to which a wait is one that a slow machine may exceed."""

_LISTS = frozenset({"list", "tuple"})
_EQUAL = frozenset({"assertEqual", "assertListEqual", "assertTupleEqual", "assertSequenceEqual"})
_READS = frozenset({
    "all", "any", "bool", "dict", "exists", "get", "is_alive", "is_dir", "is_file", "is_set", "isfile",
    "len", "list", "max", "min", "qsize", "empty", "read_text", "read_bytes", "set", "sorted", "str",
    "sum", "tuple", "keys", "values", "items", "count",
})  # fmt: skip
"""Calls that only read, by the last name: a condition that has no others may be asked again."""

_WAITS = frozenset({"wait", "join", "get", "result", "acquire", "wait_for", "settimeout", "put"})
"""Methods whose first number, or whose `timeout`, is how long they wait at most."""

_PORTS = range(1024, 65536)

_FREE_PORT = """\
def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


"""


@dataclass(frozen=True, slots=True)
class TestEdit:
    """An edit of a test's file.

    Attributes:
        says: What is different with it, as a sentence.
        text: Of the file.
    """

    __test__ = False  # not a pytest class

    says: str
    text: str


def compared_as_set(test: TestFunction) -> Iterator[TestEdit]:
    """Yield the edit by which a test compares a set as a set.

    A set equals no list, so the test passes only if what it compares is one by its type.
    """
    edits: dict[ast.expr, str] = {}
    source = _Source(test.text)
    for left, right in _compared(test.node):
        for made, other in ((left, right), (right, left)):
            listed = _listed(made)
            if listed is not None and isinstance(other, ast.List | ast.Tuple) and other.elts:
                items = ", ".join(source.part(item) for item in other.elts)
                edits |= {made: source.part(listed), other: f"{{{items}}}"}
    text = _replaced(test.text, edits).replace("assertListEqual(", "assertEqual(")
    if edits:
        yield TestEdit(reasons.compares_sets(test.node.name), text)


def _listed(node: ast.expr) -> ast.expr | None:
    """Return what is made a list or a tuple."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    return node.args[0] if ast.unparse(node.func) in _LISTS else None


def _compared(function: Function) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a test asserts to be equal."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assert):
            test = node.test
            if isinstance(test, ast.Compare) and [type(op) for op in test.ops] == [ast.Eq]:
                yield test.left, test.comparators[0]
        elif isinstance(node, ast.Call) and _name(node.func) in _EQUAL and len(node.args) > 1:
            yield node.args[0], node.args[1]


def waiting_longer(test: TestFunction) -> Iterator[TestEdit]:
    """Yield the edit by which a test has more patience for what it waits for anyway."""
    edits: dict[ast.expr, str] = {}
    for node in ast.walk(test.node):
        if not isinstance(node, ast.Call):
            continue
        named = [word.value for word in node.keywords if word.arg == "timeout"]
        first = node.args[:1] if _name(node.func) in _WAITS - {"get", "put"} else []
        edits |= {value: str(PATIENCE) for value in [*named, *first] if _is_short(value)}
    if edits:
        yield TestEdit(reasons.waits_longer(test.node.name, PATIENCE), _replaced(test.text, edits))


def _is_short(node: ast.expr) -> bool:
    value = node.value if isinstance(node, ast.Constant) else None
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _SHORT


def waiting_for_it(test: TestFunction) -> Iterator[TestEdit]:
    """Yield the edit by which a test waits until what it asserts holds, and not for a time."""
    body = test.node.body
    for n, item in enumerate(body):
        condition = _condition(item)
        if condition is None or not _only_reads(condition):
            continue
        pause = body[n - 1] if n and _is_pause(body[n - 1]) else None
        before = body[:n]
        if pause is None and not any(_starts(each) for each in before):
            continue
        source = _Source(test.text)
        indent = " " * item.col_offset
        asked = ast.get_source_segment(test.text, condition) or ast.unparse(condition)
        lines = (
            f"deadline = time.monotonic() + {PATIENCE}\n"
            f"{indent}while not ({asked}) and time.monotonic() < deadline:\n"
            f"{indent}    time.sleep(0.01)\n"
        )
        if pause is not None:
            start, end = source.span(pause)
            text = f"{test.text[:start]}{lines.rstrip()}{test.text[end:]}"
        else:
            start, _ = source.span(item)
            text = f"{test.text[:start]}{lines}{indent}{test.text[start:]}"
        said = reasons.waits_for_it(test.node.name, PATIENCE)
        yield TestEdit(said, with_imports(text, ["time"]))
        return


def _condition(item: ast.stmt) -> ast.expr | None:
    """Return what a statement asserts, as an expression; None for what asserts nothing plain."""
    if isinstance(item, ast.Assert):
        return item.test
    if not isinstance(item, ast.Expr) or not isinstance(item.value, ast.Call):
        return None
    call = item.value
    name, arguments = _name(call.func), call.args
    if name == "assertTrue" and arguments:
        return arguments[0]
    operators: dict[str, ast.cmpop] = {"assertEqual": ast.Eq(), "assertIn": ast.In()}
    if name in operators and len(arguments) > 1:
        return ast.Compare(arguments[0], [operators[name]], [arguments[1]])
    return None


def _only_reads(condition: ast.expr) -> bool:
    calls = [node for node in ast.walk(condition) if isinstance(node, ast.Call)]
    others = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    takes = [call for call in calls if _name(call.func) == "get" and not call.args]
    return (
        not takes
        and all(_name(call.func) in _READS for call in calls)
        and not any(isinstance(node, others) for node in ast.walk(condition))
    )


def _is_pause(item: ast.stmt) -> bool:
    return (
        isinstance(item, ast.Expr)
        and isinstance(item.value, ast.Call)
        and ast.unparse(item.value.func) in {"time.sleep", "sleep"}
    )


def _starts(item: ast.stmt) -> bool:
    """Whether a statement calls something: that may go on beside the test."""
    return any(isinstance(node, ast.Call) for node in ast.walk(item))


def on_free_port(test: TestFunction) -> Iterator[TestEdit]:
    """Yield the edits by which a test takes a port that is free, and not always the same one."""
    numbers = {
        node.value
        for node in ast.walk(test.node)
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value in _PORTS
    }
    tree = ast.parse(test.text)
    for number in sorted(numbers):
        texts: dict[ast.expr, str] = {}
        for node in ast.walk(test.node):
            if isinstance(node, ast.Constant) and node.value == number:
                texts[node] = "port"
            elif isinstance(node, ast.Constant) and re.search(rf":{number}\b", str(node.value)):
                quoted = ast.get_source_segment(test.text, node) or ""
                if quoted[:1] in "\"'" and not {"{", "}", "\\"} & {*quoted}:
                    texts[node] = "f" + re.sub(rf":{number}\b", ":{port}", quoted)
        edited = _replaced(test.text, texts)
        yield _with_port(test, edited, "port = free_port()")
    for item in tree.body:  # a constant of the file
        if (
            isinstance(item, ast.Assign)
            and isinstance(item.value, ast.Constant)
            and item.value.value in _PORTS
            and "PORT" in ast.unparse(item.targets[0]).upper()
        ):
            edited = _replaced(test.text, {item.value: "free_port()"})
            yield _with_port(test, edited, "")


_LISTING = frozenset(
    {"os.listdir", "glob.glob", "os.scandir", "listdir", "glob", "iterdir", "scandir"}
)
"""They give what a folder has in an order that means nothing, as their documentation says."""


def sorted_folders(text: str) -> Iterator[tuple[str, str]]:
    """Yield a call of a program that lists a folder, and the program in which that is sorted."""
    tree = ast.parse(text)
    inside = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"sorted", "set", "len"}
        for argument in node.args
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or id(node) in inside:
            continue
        called = ast.unparse(node.func)
        if (
            called in _LISTING
            or (node.args and _name(node.func) == "glob")
            or _name(node.func) == "iterdir"
        ):
            source = _Source(text)
            by_name = ", key=lambda entry: entry.name" if _name(node.func) == "scandir" else ""
            yield called, _replaced(text, {node: f"sorted({source.part(node)}{by_name})"})


def _with_port(test: TestFunction, edited: str, statement: str) -> TestEdit:
    """Return an edit with the function that finds a free port, and where the test asks for one."""
    lines = edited.split("\n")
    if statement:
        first = test.node.body[0]
        lines.insert(first.lineno - 1, " " * first.col_offset + statement)
    if "def free_port()" not in edited:
        body = ast.parse(edited).body
        imports = [
            each.end_lineno or 0 for each in body if isinstance(each, ast.Import | ast.ImportFrom)
        ]
        behind = max(imports, default=0)
        lines[behind:behind] = ["", "", *_FREE_PORT.rstrip().split("\n")]
    text = with_imports("\n".join(lines), ["socket"])
    return TestEdit(reasons.takes_free_port(test.node.name), text)


def _name(function: ast.expr) -> str:
    """Return the last part of a called name."""
    return ast.unparse(function).rpartition(".")[2]


def _replaced(text: str, edits: Mapping[ast.expr, str]) -> str:
    """Return a program in which expressions have another text."""
    source = _Source(text)
    for (start, end), new in sorted(
        ((source.span(node), new) for node, new in edits.items()), reverse=True
    ):
        text = text[:start] + new + text[end:]
    return text


class _Source(SourceText):
    """The text of a test's file."""

    def __init__(self, text: str) -> None:
        self.text = text
