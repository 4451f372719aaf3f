"""Every regular expression of the package, with the method by which it is used."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent.parent
_METHODS = frozenset(
    {"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
)
_AT_ONE_PLACE = frozenset({"match", "fullmatch"})
_FLAGS = {"compile": 1, "search": 2, "match": 2, "fullmatch": 2, "findall": 2, "finditer": 2}


@dataclass(frozen=True, slots=True)
class Found:
    """An expression of the package.

    Attributes:
        place: Its module and name or line, to find it again.
        how: `match` or `fullmatch` where nothing else is done with it, else `search`.
    """

    place: str
    pattern: re.Pattern[Any]
    how: str

    def run(self, text: str) -> object:
        """Do with a text what the package may do with it."""
        given = text if isinstance(self.pattern.pattern, str) else text.encode()
        if self.how == "search":
            return sum(1 for _ in self.pattern.finditer(given))
        return getattr(self.pattern, self.how)(given)


def found() -> list[Found]:
    """Return the expressions of all modules that run on this machine."""
    patterns: dict[tuple[Any, int, str], Found] = {}
    for path in _modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = importlib.import_module(_name(path))
        for each in (*_compiled(module), *_written(module, tree)):
            patterns.setdefault((each.pattern.pattern, each.pattern.flags, each.how), each)
    return list(patterns.values())


def _compiled(module: ModuleType) -> Iterator[Found]:
    """Yield what a module keeps, alone or in tables."""
    for name, value in vars(module).items():
        for pattern in patterns_in(value):
            how = _how(module.__name__, name) if pattern is value else "search"
            yield Found(f"{module.__name__}.{name}", pattern, how)


def patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif depth > 4:
        return
    elif isinstance(value, Mapping):
        for inner in (*value.keys(), *value.values()):
            yield from patterns_in(inner, depth + 1)
    elif isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from patterns_in(inner, depth + 1)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from patterns_in(getattr(value, field.name, None), depth + 1)


def _how(module: str, name: str) -> str:
    """Return what is done with an expression that a module keeps under a name."""
    uses = _uses()
    used = set().union(*uses[name].values()) if not name.startswith("_") else uses[name][module]
    return next(iter(used)) if len(used) == 1 and used <= _AT_ONE_PLACE else "search"


@cache
def _uses() -> Mapping[str, Mapping[str, set[str]]]:
    """Return by name and module what is done with it: the attributes taken, or that it is passed on."""
    uses: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path in _modules():
        module = _name(path)
        owners: set[ast.expr] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                uses[node.value.id][module].add(node.attr)
                owners.add(node.value)
            elif (
                isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in owners
            ):
                uses[node.id][module].add("passed on")
    return uses


def _modules() -> list[Path]:
    """Return the modules that run on this machine, and not in a sandbox."""
    every = sorted(file for root in ("bot", "sandbox") for file in (ROOT / root).rglob("*.py"))
    return [path for path in every if "inside" not in path.parts and path.stem != "__main__"]


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _written(module: ModuleType, tree: ast.Module) -> Iterator[Found]:
    """Yield what stands in calls such as `re.search("...", text)`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[first, *_]
            ):
                if method in _METHODS | {"compile"} and (
                    pattern := _evaluated(module, node, first)
                ):
                    how = method if method in _AT_ONE_PLACE else "search"
                    if method != "compile":
                        yield Found(f"{module.__name__}:{node.lineno}", pattern, how)


def _evaluated(module: ModuleType, call: ast.Call, first: ast.expr) -> re.Pattern[Any] | None:
    """Return the expression; what a function puts into it is a plain word. None for a variable."""
    if isinstance(first, ast.JoinedStr):
        first = ast.JoinedStr([_plain(module, value) for value in first.values])
    flags = [word.value for word in call.keywords if word.arg == "flags"]
    assert isinstance(call.func, ast.Attribute)
    place = _FLAGS.get(call.func.attr)
    if place is not None and len(call.args) > place:
        flags.append(call.args[place])
    try:
        text = _value(module, first)
        return re.compile(text, *(_value(module, flag) for flag in flags))
    except (NameError, AttributeError, TypeError):
        return None


def _plain(module: ModuleType, part: ast.expr) -> ast.expr:
    try:
        _value(module, ast.JoinedStr([part]))
    except (NameError, AttributeError, TypeError):
        return ast.Constant("name")
    return part


def _value(module: ModuleType, node: ast.expr) -> Any:
    code = ast.fix_missing_locations(ast.Expression(node))
    return eval(compile(code, "<pattern>", "eval"), vars(module).copy())
