"""Write a program for the newer version of a package, from one difference of what both offer. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bot.code.imported_names import Named, named_of
from bot.code.source import SourceText
from bot.model.culprit import ApiChange, ApiChangeKind
from bot.repair.proposers.adapt.script_edits import adapted_script

Edit = tuple[int, int, str]
"""From an offset to another one, what stands there then."""


class _Program(SourceText):
    def __init__(self, text: str) -> None:
        self.text = text


@dataclass(frozen=True, slots=True)
class Adaptation:
    """A way to adapt to what became of one name.

    Attributes:
        changes: Of that name.
        instead: What takes its place, where several may: the dotted name.
    """

    changes: tuple[ApiChange, ...]
    instead: str = ""

    @property
    def followed(self) -> tuple[str, str]:
        """The name that changed, and what takes its place, or an empty one."""
        return self.changes[0].name, self.instead

    @property
    def files(self) -> tuple[str, ...]:
        """Where the name is used."""
        return tuple(dict.fromkeys(file for change in self.changes for file, _ in change.uses))


def adaptations(
    changes: Sequence[ApiChange], most: int, followed: Sequence[tuple[str, str]] = ()
) -> tuple[Adaptation, ...]:
    """Return the ways to adapt, what the failure goes through first; extras are none.

    Args:
        changes: What the release changed for the code.
        most: Ways that are returned.
        followed: Those by which other code was adapted, as `Adaptation.followed` says: they come first.
    """
    names = dict.fromkeys(change.name for change in changes)
    found = []
    for name in names:
        these = tuple(change for change in changes if change.name == name)
        if these[0].kind is ApiChangeKind.EXTRA:
            continue
        if these[0].kind is ApiChangeKind.REMOVED:
            found += [Adaptation(these, instead) for instead in these[0].instead]
        else:
            found.append(Adaptation(these))
    return tuple(sorted(found, key=lambda way: way.followed not in followed)[:most])


def adapted(path: str, text: str, way: Adaptation, package: str) -> str | None:
    """Return a program written for the newer version of a package; None where it stays or can't be read."""
    if not path.endswith(".py"):
        return adapted_script(path, text, way.changes, way.instead, package)
    modules = {change.name.partition(".")[0] for change in way.changes}
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    source = _Program(text)
    member = f".{way.changes[0].name.rpartition('.')[2]}"
    wanted = member if way.changes[0].is_member else way.changes[0].name
    places = [named for named in named_of(tree, modules) if named.name == wanted]
    edits = list(_edits(source, tree, places, way))
    written = _written(text, edits)
    try:
        ast.parse(written)
    except (SyntaxError, ValueError):
        return None
    return written if written != text else None


def also_caught(path: str, text: str, exception: str) -> str | None:
    """Return a program that catches an exception of a package wherever it handles others around its calls.

    None where it stays or can't be read.

    Args:
        path: Of the program.
        text: Of it.
        exception: Dotted, from where the package offers it: `typeguard.TypeCheckError`.
    """
    try:
        tree = ast.parse(text) if path.endswith(".py") else ast.Module([], [])
    except (SyntaxError, ValueError, RecursionError):
        return None
    source = _Program(text)
    module, _, name = exception.rpartition(".")
    named = list(named_of(tree, {module.partition(".")[0]}))
    calls = {
        id(each.call) for each in named if each.call is not None and not each.name.startswith(".")
    }
    written, imports = _named_here(named, module, name)
    edits: list[Edit] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Try) and any(
            id(inner) in calls for statement in node.body for inner in ast.walk(statement)
        ):
            edits += _handled(source, node, written)
    if edits and imports is not None and name not in {alias.name for alias in imports.names}:
        end = source.span(imports.names[-1])[1]
        edits.append((end, end, f", {name}"))
    return _written(text, edits) if edits else None


def _named_here(
    named: Sequence[Named], module: str, name: str
) -> tuple[str, ast.ImportFrom | None]:
    """Return how a program writes a name of a module, and the import that has to bring it.

    The name is "" where the program imports neither the module nor something from it.
    """
    for each in named:
        if isinstance(each.node, ast.alias) and each.name == module:
            return f"{each.node.asname or module}.{name}", None
    for each in named:
        if isinstance(each.statement, ast.ImportFrom) and each.statement.module == module:
            return name, each.statement
    return "", None


def _handled(source: _Program, node: ast.Try, exception: str) -> Iterator[Edit]:
    """Let the first handler of some exceptions handle another one, too."""
    handler = next((each for each in node.handlers if each.type is not None), None)
    if handler is None or handler.type is None or not exception:
        return
    start, end = source.span(handler.type)
    if isinstance(handler.type, ast.Tuple):
        last = source.span(handler.type.elts[-1])[1]
        yield last, last, f", {exception}"
    else:
        yield start, end, f"({source.text[start:end]}, {exception})"


def _written(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with changes made from its end on; of two that overlap, the first is made."""
    before = len(text) + 1
    for start, end, new in sorted(set(edits), reverse=True):
        if end <= before:
            text = text[:start] + new + text[end:]
            before = start
    return text


def _edits(
    source: _Program, tree: ast.Module, places: Sequence[Named], way: Adaptation
) -> Iterator[Edit]:
    first = way.changes[0]
    match first.kind:
        case ApiChangeKind.REMOVED:
            yield from _renamed(source, tree, places, first, way.instead)
        case ApiChangeKind.RETURNS:
            yield from _used_directly(source, tree, places, first.parameter)
        case ApiChangeKind.BECAME_METHOD | ApiChangeKind.BECAME_ATTRIBUTE:
            yield from _called_or_not(source, places, first.kind)
        case _:
            for named in places:
                if named.call is not None:
                    yield from _arguments(source, named.call, way.changes)


def _called_or_not(
    source: _Program, places: Sequence[Named], kind: ApiChangeKind
) -> Iterator[Edit]:
    """Call what is a method now, and read what is none any more."""
    for named in places:
        call, node = named.call, named.node
        if isinstance(node, ast.alias):
            continue
        end = source.span(node)[1]
        if call is None and kind is ApiChangeKind.BECAME_METHOD:
            yield end, end, "()"
        elif (
            kind is ApiChangeKind.BECAME_ATTRIBUTE
            and call is not None
            and not (call.args or call.keywords)
        ):
            yield end, source.span(call)[1], ""


def _used_directly(
    source: _Program, tree: ast.Module, places: Sequence[Named], method: str
) -> Iterator[Edit]:
    """Leave out a call of a method on what a call returns: it has that already, or has no such method."""
    calls = {id(named.call) for named in places if named.call is not None}
    for outer in ast.walk(tree):
        if (
            isinstance(outer, ast.Call)
            and isinstance(outer.func, ast.Attribute)
            and outer.func.attr == method
            and id(outer.func.value) in calls
        ):
            yield source.span(outer.func.value)[1], source.span(outer)[1], ""


def _renamed(
    source: _Program, tree: ast.Module, places: Sequence[Named], change: ApiChange, instead: str
) -> Iterator[Edit]:
    """Import what takes a name's place, and use it."""
    parent, _, last = instead.rpartition(".")
    renamed = change.name.rpartition(".")[2]
    beside = next((node for node in tree.body if isinstance(node, ast.Import)), None)
    for named in places:
        node, statement = named.node, named.statement
        if isinstance(node, ast.alias):
            if isinstance(statement, ast.ImportFrom) and parent:
                yield from _imported_instead(source, statement, node, parent, last)
        elif isinstance(node, ast.Name):
            if node.id == renamed:
                yield *source.span(node), last
        elif change.is_member or not parent or parent == change.name.rpartition(".")[0]:
            end = source.span(node)[1]
            yield end - len(node.attr), end, last
        elif beside is not None:
            yield *source.span(node), instead
            end = source.span(beside)[1]
            yield end, end, f"{source.newline}import {parent}"


def _imported_instead(
    source: _Program, statement: ast.ImportFrom, alias: ast.alias, parent: str, last: str
) -> Iterator[Edit]:
    written = last + (f" as {alias.asname}" if alias.asname else "")
    if statement.module == parent:
        yield *source.span(alias), written
        return
    start, end = source.span(statement)
    new = f"from {parent} import {written}"
    others = [other for other in statement.names if other is not alias]
    if not others:
        yield start, end, new
        return
    at = statement.names.index(alias)
    if at:
        yield source.span(statement.names[at - 1])[1], source.span(alias)[1], ""
    else:
        yield source.span(alias)[0], source.span(statement.names[1])[0], ""
    yield end, end, f"{source.newline}{source.indent(statement.lineno)}{new}"


def _arguments(source: _Program, call: ast.Call, changes: Sequence[ApiChange]) -> Iterator[Edit]:
    """Give a call's arguments as the newer version takes them."""
    given: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return
    texts: list[str | None] = [source.part(argument) for argument in given]
    before = list(texts)
    for change in changes:
        at = _position(call, change)
        if at is not None:
            texts[at] = _argument(source, call, change, at, texts[at])
        elif change.kind in _LEFT_OUT and _is_literal(change.before):
            texts.append(f"{change.parameter}={change.before}")
    if texts != before:
        yield from _list_of(source, call, given, texts)


_LEFT_OUT = frozenset({ApiChangeKind.DEFAULT, ApiChangeKind.REQUIRED})


def _argument(
    source: _Program, call: ast.Call, change: ApiChange, at: int, text: str | None
) -> str | None:
    """Return an argument as the newer version takes it; None where it takes none."""
    if change.kind is ApiChangeKind.PARAMETER_REMOVED:
        return None
    if change.kind is ApiChangeKind.PARAMETER_RENAMED and at >= len(call.args):
        return f"{change.instead[0]}={source.part(call.keywords[at - len(call.args)].value)}"
    if change.kind is ApiChangeKind.KEYWORD_ONLY and at < len(call.args):
        return f"{change.parameter}={text}"
    return text


def _list_of(
    source: _Program,
    call: ast.Call,
    given: Sequence[ast.expr | ast.keyword],
    texts: Sequence[str | None],
) -> Iterator[Edit]:
    """Write a call's arguments; what stands between those that stay is kept."""
    kept = [text for text in texts if text is not None]
    if not given:
        opened = source.text.index("(", source.span(call.func)[1])
        yield opened + 1, source.span(call)[1] - 1, ", ".join(kept)
        return
    spans = [source.span(argument) for argument in given]
    between = source.text[spans[0][1] : spans[1][0]] if len(spans) > 1 else ", "
    separator = between if "#" not in between else ", "
    if None in texts:
        yield spans[0][0], spans[-1][1], separator.join(kept)
        return
    kept[len(given) - 1] += "".join(f"{separator}{text}" for text in kept[len(given) :])
    yield from ((*span, text) for span, text in zip(spans, kept, strict=False))


def _position(call: ast.Call, change: ApiChange) -> int | None:
    """Return which argument of a call gives a parameter, keywords counted after the others."""
    names = [keyword.arg for keyword in call.keywords]
    if change.parameter in names:
        return len(call.args) + names.index(change.parameter)
    return change.position if 0 <= change.position < len(call.args) else None


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return False
    return True
