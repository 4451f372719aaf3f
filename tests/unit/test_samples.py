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


def test_every_expression_has_a_sample() -> None:
    """One that matches nothing in the tests could be wrong or needless, and no test would tell."""
    texts = {form for text in _samples() for form in (text, plain(text))}
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


def _expressions() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Yield the expressions of these rooms, with the module and name of each."""
    for start in _READ_OUTPUT:
        for path in sorted({*ROOT.glob(f"{start}*.py"), *ROOT.glob(f"{start}/**/*.py")}):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            for variable, value in vars(import_module(name)).items():
                for pattern in patterns_in(value):
                    if isinstance(pattern.pattern, str):
                        yield f"{name}.{variable}", pattern


def _samples() -> Iterator[str]:
    """Yield the texts that stand in tests and in their files of outputs."""
    for path in sorted(Path(ROOT / "tests").rglob("*.py")):
        yield from _literals(ast.parse(path.read_text("utf-8")))
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
