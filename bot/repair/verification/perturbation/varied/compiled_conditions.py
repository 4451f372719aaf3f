"""What a patch newly asks in programs in Go and Rust: found, and watched. Pure.

A watched condition asks which run of a test it is in. In Rust the name of the run's thread says so, in
Go a variable of the environment: so programs and tests need not lie in one package or crate.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import (
    Syntax,
    compact,
    is_compiled,
    language_of,
    line_of,
    parents,
    text_of,
    walk,
)
from bot.code.syntax import field as part
from bot.repair.verification.perturbation.conditions import MOST, Around, Condition, with_words
from bot.repair.verification.perturbation.varied.compiled_asking import GO_ASKED, RUST_ASKED
from bot.repair.verification.perturbation.varied.writing import Naming

_COMPARING = frozenset({"==", "!=", "<", ">", "<=", ">="})
_JOINING = frozenset({"&&", "||"})
_BRANCHES = frozenset({"if_expression", "if_statement"})
_UNMOVED = frozenset({"let_condition", "let_chain"})
_FUNCTIONS = frozenset({"function_item", "function_declaration", "method_declaration"})


def conditions_of_compiled(changes: Sequence[FileDiff]) -> tuple[Condition, ...]:
    """Return the conditions that a patch brings, tests aside."""
    found: list[Condition] = []
    for change in changes:
        is_program = is_compiled(change.path) and not is_test_file(change.path)
        if is_program and change.is_readable:
            found += _new_in(change)
    return tuple(found[:MOST])


def _new_in(change: FileDiff) -> list[Condition]:
    after, before = change.new, change.old
    if after is None or after.root.has_error:
        return []
    known = Counter(map(compact, _asked_in(before))) if before is not None else Counter[str]()
    found: dict[tuple[int, int], Condition] = {}
    for node in _asked_in(after):
        known[compact(node)] -= 1
        if known[compact(node)] < 0:
            text = " ".join(text_of(node).split())
            at = (node.start_byte, node.end_byte)
            found.setdefault(at, Condition(change.path, line_of(node), text, *at))
    return sorted(found.values(), key=lambda item: (item.start, -item.end))


def _asked_in(syntax: Syntax) -> Iterator[Node]:
    """Yield what a program asks: tests of branches, guards of arms, operands and comparisons."""
    for node in walk(syntax.root):
        if not _is_test(node):
            for child in _asked_at(node):
                if child.type not in _UNMOVED and not any(
                    below.type in _UNMOVED for below in walk(child)
                ) and _can_ask(child):  # fmt: skip
                    yield child


def _asked_at(node: Node) -> Iterator[Node]:
    operator = text_of(part(node, "operator"))
    if node.type in _BRANCHES or node.type == "match_pattern":
        yield from _operands(part(node, "condition"))
    elif node.type == "binary_expression" and operator in _COMPARING:
        yield node
    elif node.type == "binary_expression" and operator in _JOINING:
        yield from _operands(part(node, "left"))
        yield from _operands(part(node, "right"))


def _operands(node: Node | None) -> Iterator[Node]:
    while node is not None and node.type == "parenthesized_expression":
        node = node.named_children[0] if len(node.named_children) == 1 else None
    if node is not None:
        yield node


def _can_ask(node: Node) -> bool:
    """Whether a condition may call a function: not where the compiler computes it, nor where a loop goes on by it."""
    for above in parents(node):
        if above.type in _FUNCTIONS:
            return "const" not in text_of(above).partition("fn ")[0].split()
        if above.type in {"const_item", "static_item", "const_declaration", "array_type"}:
            return False
        if above.type in {"while_expression", "for_statement", "for_clause"}:
            body = part(above, "body")
            if body is None or not body.start_byte <= node.start_byte < body.end_byte:
                return False
    return False


def _is_test(node: Node) -> bool:
    """Whether something stands among the tests that a program holds."""
    around = [node, *parents(node)]
    before = (
        child.prev_named_sibling for child in around if child.type in {"mod_item", "function_item"}
    )
    return any(
        child is not None and child.type == "attribute_item" and "test" in text_of(child)
        for child in before
    )


def watched_programs(
    changes: Sequence[FileDiff], conditions: Sequence[Condition], naming: Naming
) -> dict[str, bytes]:
    """Return the changed programs so that each condition is asked, and what they call for that.

    Args:
        changes: Files of the patch.
        conditions: Found in them.
        naming: Names in the files.
    """
    files: dict[str, bytes] = {}
    for change in changes:
        own = [
            _watched(number, condition, naming)
            for number, condition in enumerate(conditions)
            if condition.file == change.path
        ]
        if own:
            files[change.path] = with_words(change.after or b"", own)
        if own and language_of(change.path) is Language.GO and change.new is not None:
            name, text = _beside(change.path, change.new, naming)
            files[name] = text
    return files


def _watched(number: int, condition: Condition, naming: Naming) -> Around:
    if condition.file.endswith(".go"):
        return Around(condition.start, condition.end, f"{naming.function}Asked({number}, (", "))")
    asked = RUST_ASKED.replace("NAME", naming.function).replace("PLACE", naming.place)
    return Around(condition.start, condition.end, f"{{ {asked} fixpoint_asked({number}, ", ") }")


def _beside(path: str, syntax: Syntax, naming: Naming) -> tuple[str, bytes]:
    package = next(
        (text_of(child.named_children[0]) for child in syntax.root.named_children
         if child.type == "package_clause"), ""
    )  # fmt: skip
    text = GO_ASKED.replace("NAME", naming.function).replace("PLACE", naming.place)
    folder = path.rpartition("/")[0]
    name = f"{folder}/" if folder else ""
    return f"{name}{naming.function.strip('_')}_asked.go", text.replace("PACKAGE", package).encode()
