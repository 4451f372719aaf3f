"""Functions are heard as they begin, and nothing else about them changes."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bot.repair.harness.driver.entries import heard

PROGRAM = '''\
import functools

def plain(a, b=2, *rest, c=3):
    """What it says."""
    total = a + b
    return total + c

def counting(most):
    yield from range(most)

class Thing:
    size = 1
    def __init__(self, name):
        super().__init__()
        self.name = name
    @property
    def shown(self):
        return self.name.upper()

def kept(function):
    @functools.wraps(function)
    def inner(*given):
        return function(*given)
    return inner

@kept
def wrapped(x):
    return [x + n for n in range(2)]

double = lambda x: x * 2
same, other = (lambda x: x), (lambda x: -x)
'''


@pytest.fixture
def program(tmp_path: Path) -> Iterator[ModuleType]:
    file = tmp_path / "heard_program.py"
    file.write_text(PROGRAM, "utf-8")
    spec = importlib.util.spec_from_file_location("heard_program", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.settrace(None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "call", "answer", "values"),
    [
        ("plain", lambda it: it.plain(1), 6, {"a": 1, "b": 2, "c": 3, "rest": ()}),
        ("counting", lambda it: list(it.counting(2)), [0, 1], {"most": 2}),
        ("__init__", lambda it: it.Thing("a").name, "a", {"name": "a"}),
        ("shown", lambda it: it.Thing("a").shown, "A", {}),
        ("wrapped", lambda it: it.wrapped(1), [1, 2], {"x": 1}),
        ("inner", lambda it: it.wrapped(1), [1, 2], {"given": (1,)}),
        ("<lambda>", lambda it: it.double(4), 8, {"x": 4}),
    ],
)
def test_a_function_is_heard_with_what_it_is_given(
    program: ModuleType, name: str, call: Any, answer: object, values: dict[str, object]
) -> None:
    told: list[dict[str, object]] = []
    line = {"<lambda>": program.double.__code__.co_firstlineno}.get(name)

    def trace(frame: Any, event: str, _: object) -> Any:
        if event == "call" and frame.f_code.co_name == name:
            told.append(dict(frame.f_locals))
        return None

    def wanted(code: Any) -> bool:
        return code.co_name == name and line in {None, code.co_firstlineno}

    assert heard(str(program.__file__), wanted, trace)
    assert call(program) == answer
    assert told
    assert values.items() <= told[0].items()


def test_what_can_be_seen_of_it_stays(program: ModuleType) -> None:
    before = [
        (inspect.signature(item), inspect.getdoc(item), inspect.isgeneratorfunction(item))
        for item in (program.plain, program.counting, program.wrapped)
    ]
    assert heard(str(program.__file__), lambda code: code.co_name != "<lambda>", lambda *_: None)
    assert before == [
        (inspect.signature(item), inspect.getdoc(item), inspect.isgeneratorfunction(item))
        for item in (program.plain, program.counting, program.wrapped)
    ]


def test_what_is_not_loaded_or_not_told_apart_is_not_heard(
    program: ModuleType, tmp_path: Path
) -> None:
    other = tmp_path / "other.py"
    other.write_text("def f():\n    return 1\n", "utf-8")
    assert not heard(str(other), lambda _: True, lambda *_: None)
    assert not heard(str(program.__file__), lambda _: True, lambda *_: None)
    assert program.same(1) == 1


def test_lines_that_run_are_told_from_the_first_one_on(program: ModuleType) -> None:
    lines: list[int] = []

    def trace(frame: Any, event: str, _: object) -> Any:
        if event == "line":
            lines.append(frame.f_lineno)
        return trace

    assert heard(str(program.__file__), lambda code: code.co_name == "plain", trace)
    program.plain(1)
    sys.settrace(None)
    assert [line for line in lines if line in {5, 6}] == [5, 6]
