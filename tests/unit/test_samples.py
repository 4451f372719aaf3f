"""What reads the output of tools is made from samples of it, which the tests keep."""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from bot.ci.failures.console import plain
from tests.unit.package_patterns import ROOT, patterns_in

_READ_OUTPUT = (
    "bot/ci/failures/",
    "bot/ci/joblog/",
    "bot/ecosystems/*/missing",
    "bot/ecosystems/missing",
)
"""Where what one more tool or project prints is a regular expression."""

_ECOSYSTEMS = ROOT / "bot" / "ecosystems"


def test_every_expression_has_a_sample() -> None:
    """One that matches nothing in the tests could be wrong or needless, and no test would tell."""
    texts = {form for text in samples() for form in (text, plain(text))}
    lines = {part for text in texts for line in text.split("\n") for part in (line, line.strip())}
    whole = "\n".join(texts)
    expressions = list(_expressions())
    assert len(expressions) > 300
    without = [
        place
        for place, pattern in expressions
        if not pattern.search(whole) and not any(map(pattern.search, lines))
    ]
    assert without == []


_NO_OUTPUT = frozenset(
    {
        "go.missing._STATED",
        "python.missing.setup._CYTHON",
        "python.missing.versions._NAMED_VERSION",
    }
)
"""What is read from files of projects and names of packages."""

_UNRECORDED = frozenset(
    {
        "missing.machine._VARIABLE",
        "node.missing.packages._REFUSED",
        "python.missing.pytest_plugins._SAID",
        "python.missing.stub_packages._SOURCE",
        "python.missing.stub_packages._BROKEN",
        "python.missing.stub_packages._BY_UV",
        "python.missing.versions._REFUSED",
    }
)
"""Words of projects themselves, and forms of tools that could neither be run nor found as quoted."""


def test_what_is_missing_is_read_in_words_that_tools_have_printed() -> None:
    """As recorded, or as people quoted it; a rule of which neither is known is on a list."""
    texts = [text for text in _payloads() for text in (text, plain(text))]
    places = {
        place.removeprefix("bot.ecosystems.")
        for place, pattern in _expressions()
        if "missing" in place and not any(map(pattern.search, texts))
    }
    assert places == _NO_OUTPUT | _UNRECORDED


def _expressions() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the expressions of these rooms, with the module and name of each."""
    for start in _READ_OUTPUT:
        for path in sorted({*ROOT.glob(f"{start}*.py"), *ROOT.glob(f"{start}/**/*.py")}):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            for variable, value in vars(import_module(name)).items():
                for pattern in patterns_in(value):
                    if isinstance(pattern.pattern, str):
                        yield f"{name}.{variable}", pattern
    for path in sorted(_ECOSYSTEMS.glob("*.py")):
        module = import_module(f"bot.ecosystems.{path.stem}")
        for variable in _used_on_symptoms(ast.parse(path.read_text("utf-8"))):
            for pattern in patterns_in(getattr(module, variable, None)):
                yield f"{module.__name__}.missing.{variable}", pattern


def _used_on_symptoms(tree: ast.Module) -> set[str]:
    """Return what the functions that are given `Symptoms` name, and what they call names."""
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    names = {
        function.name
        for function in functions.values()
        if any(
            isinstance(argument.annotation, ast.Name) and argument.annotation.id == "Symptoms"
            for argument in function.args.args
        )
    }
    reached: set[str] = set()
    while names - reached:
        name = min(names - reached)
        reached.add(name)
        if name in functions:
            nodes = ast.walk(functions[name])
            names |= {node.id for node in nodes if isinstance(node, ast.Name)}
    return reached


def samples() -> Iterator[str]:
    """Yield the texts that stand in tests and in their files of outputs."""
    for path in sorted(Path(ROOT / "tests").rglob("*.py")):
        yield from _literals(ast.parse(path.read_text("utf-8")))
    yield from _payloads()


def _payloads() -> Iterator[str]:
    """Yield what tools have printed."""
    for path in sorted((ROOT / "tests/payloads").rglob("*.*")):
        text = path.read_text("utf-8", "replace")
        if path.suffix == ".jsonl":
            yield from _texts([json.loads(line) for line in text.splitlines()])
        elif path.suffix == ".xml":
            yield from map(html.unescape, re.findall(r'"([^"]*)"', text))
        else:
            yield text


def _literals(tree: ast.Module) -> Iterator[str]:
    """Yield what stands in quotes; a value in it is any word."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "x" for part in node.values
            )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)
