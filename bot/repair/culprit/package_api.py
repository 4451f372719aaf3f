"""What a version of a package offers, read from its sources and stubs; nothing of it runs.

griffe reads them, and follows re-exports: https://mkdocstrings.github.io/griffe/.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import griffe

Item = griffe.Object
"""A module, a class, a function or an attribute."""

METADATA = "METADATA"
CHANGELOG = "CHANGELOG"
"""Under which the files of a distribution have these."""

OF_SCRIPTS = "fixpoint"
"""What is known of what no program of Python defines: its own name, and its `body`."""

OPEN = "open"
"""Label of what may be more than was read."""

_OWN = frozenset({"self", "cls"})
_UNREADABLE = (ImportError, SyntaxError, griffe.GriffeError, RecursionError, ValueError)


@dataclass(frozen=True, slots=True)
class CallParameter:
    """One that callers give.

    Attributes:
        name: Of it.
        default: As it is written; None where there is none.
        is_keyword: By keyword only.
        position: Among them, from 0.
    """

    name: str
    default: str | None
    is_keyword: bool
    position: int


class PackageApi:
    """One version's modules."""

    def __init__(self, folder: Path, files: Mapping[str, str], modules: Iterable[str]) -> None:
        """Read top modules from files, which are put into a folder."""
        for path, text in files.items():
            parts = PurePosixPath(path).parts
            if is_program(path) and ".." not in parts and not path.startswith("/"):
                file = folder.joinpath(*parts)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(text.encode("utf-8", "replace"))
        loader = griffe.GriffeLoader(search_paths=[folder], allow_inspection=False)
        self._loaded: dict[str, Item] = {}
        for module in modules:
            with suppress(*_UNREADABLE):
                loaded = loader.load(module, try_relative_path=False)
                if not isinstance(loaded, griffe.Alias):
                    self._loaded[module] = loaded
        loader.resolve_aliases(implicit=False, external=False)

    def object(self, dotted: str) -> Item | None:
        """Return what a dotted name means; None where nothing is known."""
        first, *rest = dotted.split(".")
        at = self._loaded.get(first)
        for name in rest:
            at = None if at is None else member(at, name)
        return at

    def may_have(self, dotted: str) -> bool:
        """Whether a name may be there although it was not read."""
        del dotted
        return False

    def names_for(self, dotted: str, item: Item) -> tuple[str, ...]:
        """Return what may stand for something elsewhere."""
        del item
        return (dotted.rpartition(".")[2],)

    def classes(self) -> Iterator[Item]:
        """Return each public class that the version defines."""
        for at in self._holders():
            for name, item in at.members.items():
                if not name.startswith("_") and isinstance(item, griffe.Class):
                    yield item

    def functions(self, parent: str) -> dict[str, griffe.Function]:
        """Return the functions that a module or a class defines itself."""
        at = self.object(parent)
        there = {} if at is None else at.members
        return {name: item for name, item in there.items() if isinstance(item, griffe.Function)}

    def named(self, last: str) -> tuple[str, ...]:
        """Return the public dotted names that end so, the shortest first."""
        found = [f"{at.path}.{last}" for at in self._holders() if last in at.members]
        return tuple(sorted(found, key=lambda path: (path.count("."), path)))

    def _holders(self) -> Iterator[Item]:
        """Return the public modules and classes."""
        left = list({id(at): at for at in self._loaded.values()}.values())
        while left:
            at = left.pop()
            yield at
            left += [
                item
                for name, item in at.members.items()
                if not name.startswith("_") and isinstance(item, griffe.Class | griffe.Module)
            ]


def is_program(path: str) -> bool:
    """Whether a file is read."""
    return path.endswith((".py", ".pyi"))


def member(at: Item, name: str) -> Item | None:
    """Return a member, inherited ones too; of a module also what it takes from an object of its own.

    `encode = _one.encode`, where `_one = Codec()`, is the method of that class.
    """
    with suppress(*_UNREADABLE, KeyError, AttributeError):
        found = at.all_members.get(name)
        if found is None:
            return None
        target = found.final_target if isinstance(found, griffe.Alias) else found
        return _bound(target) or target
    return None


def _bound(found: Item) -> Item | None:
    if not isinstance(found, griffe.Attribute) or found.value is None or found.parent is None:
        return None
    owner, _, last = str(found.value).partition(".")
    made = found.parent.members.get(owner)
    if not last or not isinstance(made, griffe.Attribute) or made.value is None:
        return None
    called, _, arguments = str(made.value).partition("(")
    kind = found.parent.members.get(called) if arguments else None
    if isinstance(kind, griffe.Alias):
        kind = kind.final_target
    return member(kind, last) if isinstance(kind, griffe.Class) else None


def parameters(item: griffe.Function) -> dict[str, CallParameter]:
    """Return the parameters that callers give a function, by name."""
    found: dict[str, CallParameter] = {}
    for each in item.parameters:
        kind = each.kind.value if each.kind is not None else ""
        if "variadic" in kind or (not found and each.name in _OWN):
            continue
        default = None if each.default is None else str(each.default)
        found[each.name] = CallParameter(each.name, default, kind == "keyword-only", len(found))
    return found


def signature(item: Item) -> str:
    """Return how a function is called; "" for what is none."""
    if not isinstance(item, griffe.Function):
        return ""
    shown = [
        f"{each.name}={each.default}" if each.default is not None else each.name
        for each in item.parameters
    ]
    return f"({', '.join(shown)})"


def body_of(item: Item) -> str:
    """Return what a function does, without its name; "" where that is not known."""
    known = item.extra[OF_SCRIPTS]
    body: str = known["body"] if known else item.source.partition("\n")[2]
    return body


def words(item: Item) -> str:
    """Return what an object says of itself: its docstring, and what it warns of."""
    texts = [item.docstring.value] if item.docstring else []
    calls: list[ast.Call] = []
    if not item.is_module and not item.extra[OF_SCRIPTS]:
        with suppress(SyntaxError, ValueError, RecursionError):
            tree = ast.parse(textwrap.dedent(item.source))
            calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    for call in calls:
        called = ast.unparse(call.func).lower()
        if "warn" in called or "deprecat" in called:
            inside = (node for argument in call.args for node in ast.walk(argument))
            texts += [
                node.value
                for node in inside
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
    return "\n\n".join(texts)
