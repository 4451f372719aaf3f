"""Turn assertions of a test round, so that each fails if it held before. Pure.

What is left out: anything whose change might hold too. `mock.ANY` equals everything, a tolerance
may be wide, and in a `try` or below `pytest.raises` a failure may be what is asked for.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.repair.verification.forgery.repeated_failure import Function
from bot.repair.verification.source_edits import SourceEdit, instead_of, wrapped

Change = tuple[str, str]
"""What stands before and behind an argument in its changed form."""

_NEVER_RAISED = "type('Error', (Exception,), {})"
_NOT: Change = ("not (", ")")


def _as(value: str) -> Change:
    """Have an argument evaluated and another value in its place."""
    return ("(", f", {value})[1]")


_BROKEN: Mapping[str, Sequence[Change]] = {
    "assertTrue": (_NOT,),
    "assertFalse": (_NOT,),
    "assertIsNone": (_as("0"),),
    "assertIsNotNone": (_as("None"),),
    "assertIs": (_as("0"), _as("None")),
    "assertIsNot": (_as("None"), _as("None")),
    "assertNotEqual": (_as("0"), _as("0")),
    "assertIn": (_as("0"), _as("()")),
    "assertNotIn": (_as("0"), _as("(0,)")),
    "assertIsInstance": (_as("None"), _as("int")),
    "assertNotIsInstance": (_as("0"), _as("int")),
    "assertGreater": (_as("0"), _as("1")),
    "assertGreaterEqual": (_as("0"), _as("1")),
    "assertLess": (_as("1"), _as("0")),
    "assertLessEqual": (_as("1"), _as("0")),
    "assertRegex": (_as("''"), _as("'(?!)'")),
    "assertNotRegex": (_as("''"), _as("''")),
    "assertEqual": (_as("0"), _as("1")),
    "assertListEqual": (_as("[0]"), _as("[1]")),
    "assertTupleEqual": (_as("(0,)"), _as("(1,)")),
    "assertSequenceEqual": (_as("[0]"), _as("[1]")),
    "assertSetEqual": (_as("{0}"), _as("{1}")),
    "assertDictEqual": (_as("{0: 0}"), _as("{0: 1}")),
    "assertCountEqual": (_as("[0]"), _as("[1]")),
    "assertMultiLineEqual": (_as("'0'"), _as("'1'")),
}
"""How the arguments of unittest's methods are changed, so that each fails whatever they were."""

_EQUALITIES = {
    "assertEqual", "assertListEqual", "assertTupleEqual", "assertSequenceEqual", "assertSetEqual",
    "assertDictEqual", "assertMultiLineEqual",
}  # fmt: skip
_RAISES = {"assertRaises", "assertRaisesRegex", "raises"}


@dataclass(frozen=True, slots=True)
class InvertibleAssertion:
    """An assertion that can be turned round.

    Attributes:
        place: Its statement.
        form: What asserts: `assert`, or the method's name.
        broken: Edits by which it fails whatever its values are.
        other_value: Edits by which another value is expected; empty where there is none.
    """

    place: ast.stmt
    form: str
    broken: tuple[SourceEdit, ...]
    other_value: tuple[SourceEdit, ...] = ()

    def covers(self, line: int) -> bool:
        """Whether a line is one of the assertion's, or of what must raise."""
        return self.place.lineno <= line <= (self.place.end_lineno or self.place.lineno)


def assertions_in(function: Function) -> list[InvertibleAssertion]:
    """Return the assertions of a test that can be turned round, in its order."""
    found = (_assertion(statement) for statement in _statements(function.body))
    return [assertion for assertion in found if assertion is not None]


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements where a failure ends the test, as far as syntax tells."""
    for statement in body:
        yield statement
        match statement:
            case ast.With() | ast.AsyncWith():
                if not any(_raised_type(item.context_expr) for item in statement.items):
                    yield from _statements(statement.body)
            case ast.For() | ast.AsyncFor() | ast.While() | ast.If():
                yield from _statements((*statement.body, *statement.orelse))
            case ast.Try(handlers=[]):
                yield from _statements((*statement.body, *statement.orelse, *statement.finalbody))
            case _:
                pass


def _assertion(statement: ast.stmt) -> InvertibleAssertion | None:
    match statement:
        case ast.Assert(test=test):
            return InvertibleAssertion(statement, "assert", _negated(test), _compared(test))
        case ast.With(items=[ast.withitem(context_expr=call)]):
            return _turned_round(statement, call)
        case ast.Expr(value=ast.Call(args=[_, _, *_]) as call) if _raised_type(call):
            return _turned_round(statement, call)
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) as call
        ) if name in _BROKEN:
            return _method(statement, call, name)
        case _:
            return None


def _negated(test: ast.expr) -> tuple[SourceEdit, ...]:
    if isinstance(test, ast.GeneratorExp):
        return ()
    return wrapped(test, " not (", ")")


def _compared(test: ast.expr) -> tuple[SourceEdit, ...]:
    match test:
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return _expecting_another(left, right)
        case _:
            return ()


def _method(statement: ast.stmt, call: ast.Call, name: str) -> InvertibleAssertion | None:
    """Return a call of one of unittest's methods, if its values stand where they usually do."""
    changes = _BROKEN[name]
    values = call.args[: len(changes)]
    if len(values) < len(changes) or any(
        isinstance(value, ast.Starred | ast.GeneratorExp) for value in values
    ):
        return None
    broken = tuple(
        edit
        for value, change in zip(values, changes, strict=True)
        for edit in wrapped(value, *change)
    )
    other = _expecting_another(*values) if name in _EQUALITIES else ()
    return InvertibleAssertion(statement, name, broken, other)


def _turned_round(statement: ast.stmt, call: ast.expr) -> InvertibleAssertion | None:
    """Have an exception expected that nothing raises: what is raised comes through then."""
    kind = _raised_type(call)
    return (
        InvertibleAssertion(statement, "raises", (instead_of(kind, f"({_NEVER_RAISED})"),))
        if kind
        else None
    )


def _raised_type(call: ast.expr) -> ast.expr | None:
    """Return which exception a call expects, None where it expects none."""
    match call:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name), args=[kind, *_]) if (
            name in _RAISES and not isinstance(kind, ast.Starred | ast.GeneratorExp)
        ):
            return kind
        case _:
            return None


def _expecting_another(left: ast.expr, right: ast.expr) -> tuple[SourceEdit, ...]:
    """Return edits by which a value is compared with another one than it equals."""
    if _names_anything(left) or _names_anything(right):
        return ()
    for side in (right, left):
        literal = _literal_in(side)
        if literal is not None:
            return (instead_of(literal, f"({_another(literal.value)!r})"),)
    if isinstance(right, ast.GeneratorExp):
        return ()
    return wrapped(right, "(", ", object())[1]")


def _names_anything(value: ast.expr) -> bool:
    """Whether something stands there that is made to equal many values."""
    names = (
        node.id if isinstance(node, ast.Name) else node.attr
        for node in ast.walk(value)
        if isinstance(node, ast.Name | ast.Attribute)
    )
    return any(name.casefold().startswith(("any", "is", "approx")) for name in names)


def _literal_in(value: ast.expr) -> ast.Constant | None:
    """Return the first literal of a value that is written down, or None."""
    match value:
        case ast.Constant(value=bool() | int() | float() | str() | bytes()):
            return value
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            pass
        case ast.Dict(values=parts):
            pass
        case _:
            return None
    return next((found for part in parts if (found := _literal_in(part)) is not None), None)


def _another(value: object) -> object:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return 0.0 if value else 1.0
        case str():
            return f"{value}~"
        case bytes():
            return value + b"~"
        case _:
            raise TypeError(value)
