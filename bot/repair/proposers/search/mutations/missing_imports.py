"""Imports that the message of an error asks for."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator

from bot.repair.proposers.search.evidence import Evidence
from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.source import Source
from bot.repair.proposers.search.mutations.weights import weight_of

_UNKNOWN = re.compile(r"name '(?P<name>\w+)' is not defined")
_MODULES = """
collections: defaultdict Counter OrderedDict deque namedtuple ChainMap
functools: partial reduce wraps lru_cache cached_property cache total_ordering
itertools: chain product permutations combinations groupby accumulate islice zip_longest count cycle
dataclasses: dataclass field replace | pathlib: Path | decimal: Decimal | fractions: Fraction
enum: Enum IntEnum | datetime: datetime timedelta date timezone | heapq: heappush heappop heapify
bisect: bisect_left bisect_right insort | math: sqrt floor ceil gcd pi inf log prod isclose
operator: itemgetter attrgetter | contextlib: contextmanager suppress | copy: deepcopy
typing: Any Optional List Dict | collections.abc: Iterator Iterable Mapping | io: StringIO BytesIO
textwrap: dedent | urllib.parse: quote urlparse | statistics: mean median | uuid: uuid4
"""
_HOMES = {
    name: module.strip()
    for module, _, names in (line.partition(": ") for line in re.split(r"[\n|]", _MODULES))
    for name in names.split()
}
"""By name, the module that it is known from."""


def missing_imports(source: Source, evidence: Evidence) -> Iterator[Change]:
    """Yield the imports that a `NameError` in this file asks for."""
    for error in dict.fromkeys(evidence.errors):
        match = _UNKNOWN.search(error.message)
        if match and any(frame.file == source.file for frame in error.frames):
            for statement in _imports_of(source, evidence, match["name"]):
                yield _import(source, statement)


def _imports_of(source: Source, evidence: Evidence, name: str) -> Iterator[str]:
    """Yield import statements that would bind a name."""
    if name in _HOMES:
        yield f"from {_HOMES[name]} import {name}"
    if name in sys.stdlib_module_names:
        yield f"import {name}"
    defined = re.compile(rf"^(?:def|class) {name}\b|^{name} =", re.MULTILINE)
    for file, text in evidence.sources.items():
        if file != source.file and defined.search(text):
            module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            yield f"from {module.removeprefix('src.')} import {name}"


def _import(source: Source, statement: str) -> Change:
    """Add an import behind the last one at the top."""
    body = source.tree.body
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    last = imports[-1] if imports else body[0]
    behind = imports or isinstance(last, ast.Expr)
    place = (source.insert_after if behind else source.insert_before)(last, statement)
    weight = weight_of("missing import")
    return Change("missing import", last.lineno, weight, (place,), f"adds `{statement}`")
