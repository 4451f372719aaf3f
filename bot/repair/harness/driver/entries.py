"""Hear of it when functions of a file begin: what else runs is not slowed down, as it is by tracing.

Until Python 3.12, `sys.settrace` makes everything slower, three to ten times. Here the functions that
live get the same code with one call before its first statement.
"""

from __future__ import annotations

import ast
import os
import sys
import types
import warnings
from typing import Any, Callable, Tuple

from .live_code import live_functions

_WORD = "fixpoint: a function begins"

_Place = Tuple[str, int]
"""Name of a function's code, and its first line."""


def heard(path: str, wanted: Callable[[Any], bool], trace: Callable[..., Any]) -> bool:
    """Turn tracing on as a wanted function of a file begins; return whether all are heard.

    False as well where nothing of the file is loaded: it may be later.

    Tracing stays on until somebody ends it.

    Args:
        path: Of the file, as it was loaded.
        wanted: Tells by its code whether a function matters.
        trace: What `sys.settrace` takes; it is told of the frame that begins as of a `call`.
    """

    def begun() -> None:
        if sys.gettrace() is None:
            frame = sys._getframe(1)  # noqa: SLF001 - there is no other way to it
            frame.f_trace = trace(frame, "call", None)
            if frame.f_trace is not None:
                sys.settrace(trace)

    live = live_functions(os.path.realpath(path))
    functions = [each for group in live.values() for each in group if wanted(each.__code__)]
    codes: dict[str, dict[_Place, list[Any]]] = {}
    for function in functions:
        name = function.__code__.co_filename
        if name not in codes:
            codes[name] = _codes(path, name, begun)
        same = codes[name].get(_place(function.__code__), [])
        if len(same) != 1 or same[0].co_freevars != function.__code__.co_freevars:
            return False
    for function in functions:
        code = function.__code__
        function.__code__ = codes[code.co_filename][_place(code)][0]
    return bool(live)


def _place(code: Any) -> _Place:
    return code.co_name, code.co_firstlineno


def _codes(path: str, name: str, begun: Callable[[], None]) -> dict[_Place, list[Any]]:
    """Return the code of each function of a file, with a call of `begun` at its beginning."""
    try:
        with open(path, "rb") as file, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.fix_missing_locations(_Beginnings().visit(ast.parse(file.read())))
            code = compile(tree, name, "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[_Place, list[Any]] = {}
    _with_calls(code, begun, found)
    return found


def _with_calls(code: Any, begun: Callable[[], None], found: dict[_Place, list[Any]]) -> Any:
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            constants.append(_with_calls(constant, begun, found))
        else:
            constants.append(begun if constant == _WORD else constant)
    new = code.replace(co_consts=tuple(constants))
    found.setdefault(_place(new), []).append(new)
    return new


class _Beginnings(ast.NodeTransformer):
    """Puts a call before the first statement of each function, on the line of its name."""

    def visit_FunctionDef(self, node: Any) -> Any:
        self.generic_visit(node)
        call = ast.copy_location(ast.Expr(_call()), node)
        call.end_lineno = call.lineno
        node.body.insert(ast.get_docstring(node, clean=False) is not None, call)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - as `ast` calls it

    def visit_Lambda(self, node: Any) -> Any:
        self.generic_visit(node)
        both = ast.Tuple([_call(), node.body], ast.Load())
        node.body = ast.copy_location(ast.Subscript(both, ast.Constant(1), ast.Load()), node.body)
        return node


def _call() -> Any:
    return ast.Call(ast.Constant(_WORD), [], [])
