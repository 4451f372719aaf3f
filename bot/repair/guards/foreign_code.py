"""Find code that replaces functions of modules that are not the project's. Python and JavaScript. Pure.

What a program does to the runner, the assertion library, builtins, its language's library or that of
somebody else, it does to its tests as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.expressions import CALLS, ITEMS, MEMBERS, arguments
from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.names import Names
from bot.code.syntax import Syntax, compact, field, line_of, text_of, walk
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.repair.guards.capability_table import table_of
from bot.reporting.reasons import guards

_LANGUAGES = frozenset({Language.PYTHON, Language.JAVASCRIPT})
_ASSIGNING = frozenset({
    "assignment", "augmented_assignment", "assignment_expression", "delete_statement",
})  # fmt: skip
_SETTERS = frozenset({
    "setattr", "delattr", "__setattr__", "__delattr__", "setitem", "defineProperty",
    "defineProperties", "assign", "set", "setPrototypeOf",
})  # fmt: skip
_SETTING = re.compile(
    r"^(?:(?:builtins\.|object\.|type\.)?(?:setattr|delattr|__(?:set|del)attr__)|operator\.setitem"
    r"|super\(\)\.__setattr__|(?:Object|Reflect)\.(?:define\w+|assign|set\w*))$"
)
_FILLING = frozenset({"update", "__setitem__", "setdefault", "pop", "clear", "__delitem__"})
_NAMESPACE = re.compile(r"(?:\.__dict__$|^vars\(|^sys\.modules$|^__builtins__$)")
_OWN_DATA = re.compile(
    r"^(?:os\.environ\b|sys\.(?:path|stdout|stderr|stdin|argv|ps[12])\b|globalThis\.process\.env\b"
    r"|globalThis\.module\b)"
)
"""What programs are meant to set; other guards look at it."""

_PROTOTYPE = re.compile(
    r"^(?:globalThis\.)?(?:Array|BigInt|Boolean|Date|Error|Function|JSON|Map|Math|Number|Object"
    r"|Promise|Reflect|RegExp|Set|String|Symbol|console)\.(?:prototype\.)?\w+"
)
_ROOTS = frozenset({"src", "lib", "python", "packages"})


def foreign_code(changes: Sequence[FileDiff], *, tests_too: bool = False) -> Iterator[GuardFinding]:
    """Yield a finding for each foreign name that changed programs replace, and did not before."""
    programs = [diff for diff in changes if tests_too or not is_test_file(diff.path)]
    replaced = [(program, dict(_replaced_in(program.new))) for program in programs if _may(program)]
    if not any(names for _, names in replaced):
        return
    known = {name for program in programs for name, _ in _replaced_in(program.old)}
    own = {part for program in programs for part in _parts(program.path)}
    for change, names in replaced:
        for name, place in names.items():
            if name not in known and _is_foreign(name, own):
                known.add(name)
                shown = change.lines_after[line_of(place) - 1].strip()
                said = guards.capability_added("foreign-code", shown)
                yield found("capability-added", said, change.path, line_of(place))


def _may(change: FileDiff) -> bool:
    return change.new is not None and change.new.language in _LANGUAGES and bool(change.added)


def _parts(path: str) -> Iterator[str]:
    """Yield the names that a file's package may have in imports."""
    pure = PurePosixPath(path)
    yield from (part for part in pure.with_suffix("").parts if part not in _ROOTS)


def _is_foreign(name: str, own: set[str]) -> bool:
    if name.startswith((".", "?")) or _OWN_DATA.match(name):
        return False
    return re.split(r"[./]", name)[0] not in own


def _replaced_in(syntax: Syntax | None) -> Iterator[tuple[str, Node]]:
    """Yield what a program replaces, by name, with the place."""
    if syntax is None or syntax.language not in _LANGUAGES:
        return
    places = [(target, node) for node in walk(syntax.root) for target in _targets(node)]
    if not places:
        return
    names = Names(syntax, table_of(syntax.language).builtins)
    for (target, item), node in places:
        written = compact(target)
        meanings = names.of(target)
        unknown = all(meaning.startswith("?") for meaning in meanings)
        if unknown and syntax.language is Language.JAVASCRIPT and _PROTOTYPE.match(written):
            meanings = (f"globalThis.{written}",)
        for meaning in meanings:
            yield f"{meaning}.{item}" if item else meaning, node


def _targets(node: Node) -> Iterator[tuple[Node, str]]:
    """Yield what a node sets a part of: a whole name, or an owner with a part of it."""
    if node.type in _ASSIGNING:
        left = field(node, "left")
        targets = [left] if left is not None else node.named_children
        for target in targets:
            parts = (
                target.named_children
                if "pattern" in target.type or "list" in target.type
                else [target]
            )
            yield from ((part, "") for part in parts if part.type in {*MEMBERS, *ITEMS})
    elif node.type in CALLS:
        yield from _set_by_call(node)


def _set_by_call(node: Node) -> Iterator[tuple[Node, str]]:
    function, given = field(node, "function"), arguments(node)
    if function is None:
        return
    called = compact(function)
    last = called.rpartition(".")[2]
    if last in _SETTERS and _SETTING.match(called) and given:
        yield given[0], text_of(given[1]).strip("'\"`")[:60] if len(given) > 1 else "?"
    owner = field(function, "object")
    if last in _FILLING and owner is not None and _NAMESPACE.search(compact(owner)):
        yield owner, "?"
