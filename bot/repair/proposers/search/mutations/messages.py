"""Edits that an error's own message asks for: unknown names, missing imports, wrong keywords."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Iterator
from difflib import get_close_matches

from bot.repair.proposers.search.evidence import Error, Evidence
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope, scope_of
from bot.repair.proposers.search.mutations.source import Definition, Source

_UNKNOWN = re.compile(
    r"name '(?P<name>\w+)' is not defined|(?:local|free) variable '(?P<local>\w+)'"
)
_ATTRIBUTE = re.compile(r"has no attribute '(?P<name>\w+)'(?:\. Did you mean: '(?P<meant>\w+)')?")
_KEYWORD = re.compile(r"unexpected keyword argument '(?P<name>\w+)'")
_IMPORT = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
# Names that are known by the module that has them.
_FAMOUS = {
    "defaultdict": "collections", "Counter": "collections", "OrderedDict": "collections",
    "deque": "collections", "namedtuple": "collections", "ChainMap": "collections",
    "partial": "functools", "reduce": "functools", "wraps": "functools", "lru_cache": "functools",
    "cached_property": "functools", "cache": "functools", "total_ordering": "functools",
    "chain": "itertools", "product": "itertools", "permutations": "itertools",
    "combinations": "itertools", "groupby": "itertools", "accumulate": "itertools",
    "islice": "itertools", "zip_longest": "itertools", "count": "itertools", "cycle": "itertools",
    "Path": "pathlib", "dataclass": "dataclasses", "field": "dataclasses", "replace": "dataclasses",
    "Decimal": "decimal", "Fraction": "fractions", "Enum": "enum", "IntEnum": "enum",
    "datetime": "datetime", "timedelta": "datetime", "date": "datetime", "timezone": "datetime",
    "heappush": "heapq", "heappop": "heapq", "heapify": "heapq", "bisect_left": "bisect",
    "bisect_right": "bisect", "insort": "bisect", "sqrt": "math", "floor": "math", "ceil": "math",
    "gcd": "math", "pi": "math", "inf": "math", "log": "math", "prod": "math", "isclose": "math",
    "itemgetter": "operator", "attrgetter": "operator", "contextmanager": "contextlib",
    "suppress": "contextlib", "deepcopy": "copy", "Any": "typing", "Optional": "typing",
    "List": "typing", "Dict": "typing", "Iterator": "collections.abc", "StringIO": "io",
    "BytesIO": "io", "dedent": "textwrap", "quote": "urllib.parse", "urlparse": "urllib.parse",
    "mean": "statistics", "median": "statistics", "uuid4": "uuid", "perf_counter": "time",
}  # fmt: skip


_BUILTINS = tuple(name for name in dir(builtins) if not name.startswith("_"))


def from_messages(source: Source, evidence: Evidence) -> Iterator[Change]:
    """Yield what the messages of errors raised in this file ask for."""
    for error in dict.fromkeys(evidence.errors):
        lines = [frame.line for frame in error.frames if frame.file == source.file]
        if lines:
            yield from _unknown_names(source, evidence, error, lines[-1])
            yield from _unknown_attributes(source, error, lines[-1])
            yield from _unknown_imports(source, evidence, error, lines[-1])
        yield from _unknown_keywords(source, error)


def _unknown_names(source: Source, evidence: Evidence, error: Error, line: int) -> Iterator[Change]:
    match = _UNKNOWN.search(error.message)
    if match is None or error.type not in {"NameError", "UnboundLocalError"}:
        return
    name = match["name"] or match["local"]
    nodes = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Name) and node.id == name and node.lineno == line
    ]
    for node in nodes:
        for other, weight in _meant(source, evidence, node).items():
            says = f"uses `{other}` instead of the unknown `{name}`"
            yield Change("unknown name", line, weight, (source.replace(node, other),), says)
    if error.type == "UnboundLocalError" or not nodes:
        yield from _not_bound(source, name, line)
    for statement in _imports_of(source, evidence, name):
        yield _import(source, statement)


def _meant(source: Source, evidence: Evidence, node: ast.Name) -> dict[str, float]:
    """Return the names that an unknown one may stand for."""
    scope = scope_of(source, source.definition(node), evidence)
    known = {*scope.variables, *_top_level(source), *_BUILTINS} - {node.id}
    found = dict.fromkeys(get_close_matches(node.id, sorted(known), n=4, cutoff=0.5), 1.0)
    for place in scope.self_attributes:
        if place.rpartition(".")[2].strip("_") == node.id.strip("_"):
            found[place] = 0.9
    if node.id in _methods(source, scope):
        found[f"self.{node.id}"] = 0.9
    return found


def _imports_of(source: Source, evidence: Evidence, name: str) -> Iterator[str]:
    """Yield import statements that would bind a name."""
    if name in _FAMOUS:
        yield f"from {_FAMOUS[name]} import {name}"
    if name in sys.stdlib_module_names:
        yield f"import {name}"
    defined = re.compile(rf"^(?:def|class) {name}\b|^{name} =", re.MULTILINE)
    for file, text in evidence.sources.items():
        if file != source.file and defined.search(text):
            module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            yield f"from {module.removeprefix('src.')} import {name}"


def _not_bound(source: Source, name: str, line: int) -> Iterator[Change]:
    """Give a variable a first value where its function begins."""
    definition = next(
        (
            node
            for node in ast.walk(source.tree)
            if isinstance(node, Definition) and node.lineno <= line <= (node.end_lineno or line)
        ),
        None,
    )
    if definition is None:
        return
    if name in _top_level(source):
        start = definition.body[0]
        change = (source.insert_before(start, f"global {name}"),)
        yield Change("unknown name", line, 0.7, change, f"means the module's own `{name}`")
    for value in ("0", "None", "[]", "{}", "1", "False", "''"):
        change = (source.insert_before(definition.body[0], f"{name} = {value}"),)
        yield Change("unknown name", line, 0.5, change, f"starts `{name}` with `{value}`")


def _unknown_attributes(source: Source, error: Error, line: int) -> Iterator[Change]:
    match = _ATTRIBUTE.search(error.message)
    if match is None:
        return
    nodes = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
        and node.attr == match["name"]
        and node.lineno <= line <= (node.end_lineno or line)
    ]
    every = {node.attr for node in ast.walk(source.tree) if isinstance(node, ast.Attribute)}
    every |= {node.name for node in ast.walk(source.tree) if isinstance(node, Definition)}
    near = get_close_matches(match["name"], sorted(every - {match["name"]}), n=5, cutoff=0.4)
    for node in nodes:
        start, end = source.span(node)
        at = end - len(node.attr)
        for name in dict.fromkeys([*([match["meant"]] if match["meant"] else []), *near]):
            says = f"uses `.{name}` instead of the unknown `.{node.attr}`"
            change = (Replacement(at, end, name),)
            yield Change("unknown attribute", line, 0.9, change, says)
        del start


def _unknown_keywords(source: Source, error: Error) -> Iterator[Change]:
    match = _KEYWORD.search(error.message)
    if match is None:
        return
    parameters = {
        one.arg
        for node in ast.walk(source.tree)
        if isinstance(node, Definition)
        for one in (*node.args.args, *node.args.kwonlyargs)
    }
    lines = {frame.line for frame in error.frames if frame.file == source.file}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.keyword) and node.arg == match["name"] and node.lineno in lines:
            start = source.span(node)[0]
            near = get_close_matches(match["name"], sorted(parameters), n=4, cutoff=0.3)
            for name in near:
                change = (Replacement(start, start + len(match["name"]), name),)
                yield Change("unknown keyword", node.lineno, 0.9, change, f"calls it `{name}`")


def _unknown_imports(
    source: Source, evidence: Evidence, error: Error, line: int
) -> Iterator[Change]:
    match = _IMPORT.search(error.message)
    if match is None:
        return
    name, module = match["name"], match["module"]
    text = next(
        (
            t
            for f, t in evidence.sources.items()
            if f.removesuffix(".py").replace("/", ".").endswith(module)
        ),
        "",
    )
    known = re.findall(r"^(?:def|class) (\w+)|^(\w+) =", text, re.MULTILINE)
    flat = [one for pair in known for one in pair if one]
    start, end = source.line_span(line)
    for other in get_close_matches(name, flat, n=4, cutoff=0.4):
        changed = re.sub(rf"\b{name}\b", f"{other} as {name}", source.text[start:end])
        change = (Replacement(start, end, changed),)
        yield Change("import", line, 0.9, change, f"imports `{other}` instead of `{name}`")


def _import(source: Source, statement: str) -> Change:
    """Add an import behind the last one at the top."""
    imports = [
        node
        for node in source.tree.body
        if isinstance(node, ast.Import | ast.ImportFrom) and source.own_line(node)
    ]
    says = f"adds `{statement}`"
    if imports:
        return Change(
            "import", imports[-1].lineno, 1.0, (source.insert_after(imports[-1], statement),), says
        )
    body = source.tree.body
    text = body[0] if body and isinstance(body[0], ast.Expr) else None
    first = body[1] if text is not None and len(body) > 1 else body[0]
    change = source.insert_before(first, statement, "", "")
    return Change("import", first.lineno, 1.0, (change,), says)


def _top_level(source: Source) -> list[str]:
    names: list[str] = []
    for node in source.tree.body:
        if isinstance(node, Definition | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names += [(one.asname or one.name).split(".")[0] for one in node.names]
    return names


def _methods(source: Source, scope: Scope) -> list[str]:
    owner = source.owner(scope.definition) if scope.definition is not None else None
    return [node.name for node in owner.body if isinstance(node, Definition)] if owner else []
