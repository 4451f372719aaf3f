"""What a patch newly asks and looks up in programs in JavaScript and TypeScript: found and watched. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import Syntax, compact, language_of, line_of, text_of, walk
from bot.code.syntax import field as part
from bot.repair.verification.perturbation.conditions import MOST, Around, Condition, with_words
from bot.repair.verification.perturbation.handlers import Handler
from bot.repair.verification.perturbation.varied.javascript_recorder import kept

_COMPARING = frozenset({"==", "===", "!=", "!==", "<", ">", "<=", ">=", "in", "instanceof"})
_JOINING = frozenset({"&&", "||"})
_LOOKED_UP = frozenset({
    "get", "has", "includes", "indexOf", "at", "charAt", "charCodeAt", "test", "slice", "substring",
    "substr", "repeat",
})  # fmt: skip
_UNMOVED = frozenset({"await_expression", "yield_expression", "super", "assignment_expression"})
_PLAIN = frozenset({"number", "string", "true", "false", "null", "undefined", "template_string"})


def is_script(change: FileDiff) -> bool:
    """Whether a change is one of a program in JavaScript or TypeScript that can be read."""
    return (
        language_of(change.path) is Language.JAVASCRIPT
        and not is_test_file(change.path)
        and change.is_readable
    )


def conditions_of_scripts(changes: Sequence[FileDiff]) -> tuple[Condition, ...]:
    """Return the conditions that a patch brings, tests aside."""
    found: list[Condition] = []
    for change in filter(is_script, changes):
        found += _new_in(change)
    return tuple(sorted(found, key=lambda item: not item.decides)[:MOST])


def watched_scripts(
    changes: Sequence[FileDiff], conditions: Sequence[Condition], name: str
) -> dict[str, bytes]:
    """Return the changed programs so that each condition is asked through a test's recorder.

    Args:
        changes: Files of the patch.
        conditions: Found in them.
        name: Of the recorder's function.
    """
    files = {change.path: change.after or b"" for change in changes}
    known = kept(name)
    around: dict[str, list[Around]] = {}
    for number, condition in enumerate(conditions):
        if condition.handler is not None:
            around.setdefault(condition.file, []).extend(
                _tried(number, condition, condition.handler, known)
            )
            continue
        text = files[condition.file][condition.start : condition.end].decode("utf-8", "replace")
        around.setdefault(condition.file, []).append(_watched(number, condition, text, known))
    return {path: with_words(files[path], found) for path, found in around.items()}


def _watched(number: int, condition: Condition, text: str, known: str) -> Around:
    answer = "true" if condition.decides else "false"
    before, behind = (
        f"({known} ? {known}.asked({number}, () => (",
        f"), 0, {answer}) : ({text}))",
    )
    if not condition.moves:
        before, behind = (
            f"({known} ? {known}.asked({number}, null, (",
            f"), {answer}) : ({text}))",
        )
    return Around(condition.start, condition.end, before, behind)


def _tried(number: int, condition: Condition, handler: Handler, known: str) -> Iterator[Around]:
    if handler.is_of_probe:
        yield Around(
            condition.start, condition.end, f"if (!{known} || {known}.tried({number}, true)) ", ""
        )
    else:
        yield Around(condition.start, condition.end, f" if ({known}) {known}.tried({number}); ", "")
    yield Around(handler.start, handler.end, f" if ({known}) {known}.caught({number}); ", "")


def _new_in(change: FileDiff) -> list[Condition]:
    after, before = change.new, change.old
    if after is None or after.root.has_error:
        return []
    known = (
        Counter(compact(node) for node, _ in _asked_in(before)) if before is not None else Counter()
    )
    anew = _names_set_anew(before, after)
    found: dict[tuple[int, int], Condition] = {}
    for node, decides in _asked_in(after):
        known[compact(node)] -= 1
        names = {text_of(child) for child in walk(node) if child.type == "identifier"}
        if known[compact(node)] < 0 or not anew.isdisjoint(names):
            condition = _condition(change, node, decides=decides)
            found.setdefault((condition.start, condition.end), condition)
    for condition in _new_handlers(change, before, after):
        found.setdefault((condition.start, condition.end), condition)
    return sorted(found.values(), key=lambda item: (item.start, -item.end))


def _new_handlers(change: FileDiff, before: Syntax | None, after: Syntax) -> Iterator[Condition]:
    """Yield whether handlers are entered, of each `try` that was not there before."""
    known = Counter(compact(body) for body, _ in _handled(before)) if before else Counter[str]()
    for body, handler in _handled(after):
        known[compact(body)] -= 1
        if known[compact(body)] < 0:
            yield _entered(change, body, handler)


def _handled(syntax: Syntax) -> Iterator[tuple[Node, Node]]:
    for node in walk(syntax.root):
        body, handler = part(node, "body"), part(node, "handler")
        if node.type == "try_statement" and body is not None and handler is not None:
            yield body, handler


def _entered(change: FileDiff, body: Node, handler: Node) -> Condition:
    inside = body.named_children
    is_probe = len(inside) == 1 and inside[0].type == "expression_statement"
    first, last = body.start_byte + 1, body.start_byte + 1
    if is_probe:
        first, last = inside[0].start_byte, inside[0].end_byte
    taken = part(handler, "parameter")
    text = f"catch ({text_of(taken)})" if taken is not None else "catch"
    does = part(handler, "body") or handler
    entered = Handler(does.start_byte + 1, does.start_byte + 1, "new Error()", is_probe)
    return Condition(change.path, line_of(handler), text, first, last, handler=entered)


def _condition(change: FileDiff, node: Node, *, decides: bool) -> Condition:
    moves = not any(child.type in _UNMOVED for child in walk(node))
    text = " ".join(text_of(node).split())
    return Condition(
        change.path, line_of(node), text, node.start_byte, node.end_byte, moves, decides
    )


def _names_set_anew(before: Syntax | None, after: Syntax) -> set[str]:
    """Return the names that statements set which a program did not have before."""
    if before is None:
        return set()
    known = Counter(compact(node) for node, _ in _assignments(before))
    found: set[str] = set()
    for node, target in _assignments(after):
        known[compact(node)] -= 1
        if known[compact(node)] < 0:
            found |= {text_of(child) for child in walk(target) if child.type == "identifier"}
    return found


def _assignments(syntax: Syntax) -> Iterator[tuple[Node, Node]]:
    for node in walk(syntax.root):
        target = part(node, "name" if node.type == "variable_declarator" else "left")
        if target is not None and (
            node.type
            in {"variable_declarator", "assignment_expression", "augmented_assignment_expression"}
        ):
            yield node, target


def _asked_in(syntax: Syntax) -> Iterator[tuple[Node, bool]]:
    """Yield what a program asks: tests of branches, operands, comparisons; and what it looks up."""
    seen: set[int] = set()
    for node in walk(syntax.root):
        for child, decides in _asked_at(node):
            inner = _bare(child)
            if inner.id not in seen and inner.type not in _PLAIN and not _loops(inner):
                seen.add(inner.id)
                yield inner, decides


def _asked_at(node: Node) -> Iterator[tuple[Node, bool]]:
    operator = text_of(part(node, "operator"))
    if node.type in {"if_statement", "ternary_expression"}:
        yield from _decided(part(node, "condition"))
    elif node.type == "binary_expression" and operator in _COMPARING:
        yield node, True
    elif node.type == "binary_expression" and operator in _JOINING:
        yield from _decided(part(node, "left"))
    elif node.type == "switch_statement":
        yield from ((child, False) for child in [part(node, "value")] if child is not None)
    elif node.type == "subscript_expression" and not _is_target(node):
        yield from ((child, False) for child in [part(node, "index")] if child is not None)
    elif node.type == "call_expression":
        yield from _looked_up(node)


def _decided(node: Node | None) -> Iterator[tuple[Node, bool]]:
    if node is None:
        return
    inner = _bare(node)
    yield inner, True
    if inner.type == "binary_expression" and text_of(part(inner, "operator")) in _JOINING:
        yield from _decided(part(inner, "left"))
        yield from _decided(part(inner, "right"))


def _looked_up(call: Node) -> Iterator[tuple[Node, bool]]:
    function, given = part(call, "function"), part(call, "arguments")
    name = text_of(part(function, "property")) if function is not None else ""
    if name in _LOOKED_UP and given is not None and given.named_children:
        first = given.named_children[0]
        if first.type not in {"spread_element", "comment"}:
            yield first, False


def _bare(node: Node) -> Node:
    while node.type == "parenthesized_expression" and len(node.named_children) == 1:
        node = node.named_children[0]
    return node


def _is_target(node: Node) -> bool:
    above = node.parent
    return above is not None and part(above, "left") == node and "assignment" in above.type


def _loops(node: Node) -> bool:
    """Whether a loop goes on by it: it might never end."""
    above: Node | None = node.parent
    below = node
    while above is not None and not above.type.endswith("statement_block"):
        if above.type in {"while_statement", "do_statement", "for_statement"}:
            return part(above, "body") != below
        below = above
        above = above.parent
    return False
