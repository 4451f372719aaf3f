"""Have a test fail once more as it failed before: with that type, message and line. Pure."""

from __future__ import annotations

import ast
import builtins
import re
import textwrap
from collections.abc import Iterator

from bot.ci.failures.runners.pytest_traceback import frames
from bot.model import Failure
from bot.repair.verification.source_edits import PythonProgram, SourceEdit, insertion, instead_of

Function = ast.FunctionDef | ast.AsyncFunctionDef

PLAIN = "AssertionError()"
"""What is raised where nothing is known of the failure."""

_MOST_CHARACTERS = 4000
_TYPE = re.compile(r"(?P<type>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:: (?P<said>.*))?", re.DOTALL)
_PYTEST_LINES = re.compile(r"(?:^E   .*\n?)+", re.MULTILINE)
_SIMPLE = (ast.Assert, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Delete)


def exception_of(failure: Failure | None) -> str:
    """Return an expression for the exception that a test failed with."""
    if failure is None:
        return PLAIN
    account = _account(failure)[:_MOST_CHARACTERS]
    match = _TYPE.fullmatch(account)
    if match is None:  # as pytest's `assert 3 == 6`
        return f"AssertionError({account!r})" if account else PLAIN
    return _raised(match["type"], match["said"])


def place_of(failure: Failure | None, path: str, function: Function) -> ast.stmt | None:
    """Return the statement of a test at which it failed, or None where that isn't known.

    Args:
        failure: With its traceback.
        path: Of the test's file.
        function: The test.
    """
    for line in reversed(_lines_in(path, failure, function) if failure is not None else []):
        around = [
            node
            for node in ast.walk(function)
            if isinstance(node, ast.stmt) and node is not function and _covers(node, line)
        ]
        if around:
            return max(around, key=lambda item: (item.lineno, -(item.end_lineno or 0)))
    return None


def raises(
    function: Function, program: PythonProgram, failure: Failure | None, path: str
) -> list[SourceEdit]:
    """Return edits by which a test fails for sure: where it failed before, or at its end."""
    exception = exception_of(failure)
    place = place_of(failure, path, function)
    if place is not None and place in always_reached(function):
        return raise_at(place, exception)
    return _raise_at_the_end(function, program, exception)


def raise_at(place: ast.stmt, exception: str) -> list[SourceEdit]:
    """Return edits by which a statement raises; nothing for what has a body of its own."""
    if isinstance(place, _SIMPLE):
        return [instead_of(place, f"raise ({exception})")]
    if isinstance(place, ast.With | ast.AsyncWith):
        return [instead_of(place.items[0].context_expr, f"(_ for _ in ()).throw({exception})")]
    return []


def always_reached(function: Function) -> list[ast.stmt]:
    """Return the statements that have run when a test has passed, whatever it has seen."""
    reached: list[ast.stmt] = []
    for statement in function.body:
        if isinstance(statement, (*_SIMPLE, ast.With, ast.AsyncWith)):
            reached.append(statement)
        if any(isinstance(inner, ast.Return) for inner in ast.walk(statement)):
            break
    return reached


def _raise_at_the_end(
    function: Function, program: PythonProgram, exception: str
) -> list[SourceEdit]:
    """Return edits by which a test raises at its end, by whatever way it comes there."""
    documented = ast.get_docstring(function, clean=False) is not None
    body = function.body[1 if documented else 0 :]
    if not body:
        said = function.body[0]
        return [insertion(said.end_lineno or 0, said.end_col_offset or 0, f"; raise {exception}")]
    first, last = body[0], body[-1]
    start = min([first.lineno, *(item.lineno for item in getattr(first, "decorator_list", ()))])
    end_line, end_column = last.end_lineno or last.lineno, last.end_col_offset or 0
    indentation = program.indent(start)
    if len(indentation.encode()) != first.col_offset:  # beside `def`, or behind a docstring
        before = program.indent(function.lineno) + " "
        return [
            insertion(start, first.col_offset, f"\n{before}try: "),
            insertion(end_line, end_column, f"\n{before}finally: raise {exception}"),
        ]
    kept = set(_inside_texts(function))
    return [
        insertion(start, 0, f"{indentation}try:\n"),
        *(
            insertion(line, len(program.indent(line).encode()), " ")
            for line in range(start, end_line + 1)
            if line not in kept and not program.is_blank(line)
        ),
        insertion(end_line, end_column, f"\n{indentation}finally: raise {exception}"),
    ]


def _inside_texts(function: Function) -> Iterator[int]:
    """Yield the lines that begin inside of a text."""
    for node in ast.walk(function):
        if isinstance(node, ast.Constant | ast.JoinedStr):
            yield from range(node.lineno + 1, (node.end_lineno or node.lineno) + 1)


def _account(failure: Failure) -> str:
    """Return what the exception said, from its type on."""
    blocks = _PYTEST_LINES.findall(failure.detail)
    if blocks:
        lines = blocks[-1].rstrip("\n").split("\n")
        return textwrap.dedent("\n".join(line[4:] for line in lines)).strip()
    at = failure.detail.rfind(f"\n{failure.message}") if failure.message else -1
    return failure.detail[at + 1 :].strip() if at >= 0 else failure.message.strip()


def _raised(name: str, said: str | None) -> str:
    """Return an expression for an exception of this type and message."""
    given = "" if said is None else repr(said)
    if name == "Failed":  # pytest.fail, and what was expected to raise and did not
        return f"__import__('pytest').fail.Exception({given})"
    module, _, last = name.rpartition(".")
    if module:
        foreign = f"getattr(__import__({module!r}, fromlist=['']), {last!r})"
        return f"(lambda kind: kind.__new__(kind, {given}))({foreign})"
    kind = getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        argument = _argument(kind, said)
        return PLAIN if argument is None else f"{name}({argument})"
    return f"AssertionError({name if said is None else f'{name}: {said}'!r})"


def _argument(kind: type[Exception], said: str | None) -> str | None:
    """Return with which argument an exception says this, or None."""
    if said is None:
        given: tuple[object, ...] = ()
    else:
        given = (ast.literal_eval(said),) if kind is KeyError and _is_literal(said) else (said,)
    try:
        right = str(kind(*given)) == (said or "")
    except TypeError:  # as UnicodeDecodeError, which has five
        return None
    return ", ".join(map(repr, given)) if right else None


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return False
    return True


def _lines_in(path: str, failure: Failure, function: Function) -> list[int]:
    name = path.rpartition("/")[2]
    return [
        frame.line
        for frame in frames(failure.detail)
        if frame.file.rpartition("/")[2] == name and _covers(function, frame.line)
    ]


def _covers(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)
