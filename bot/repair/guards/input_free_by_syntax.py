"""Find new conditions that only what the patch itself keeps decides. JavaScript, TypeScript, Go and Rust. Pure.

A counter of calls, or a collection of the inputs so far, decides for the tests and nobody knows where
else. What is kept stands in the file itself, outside of its functions, and some function changes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.languages import Language
from bot.code.syntax import Syntax, compact, field, line_of, parents, text_of, walk
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_code

_DECLARING = {
    Language.JAVASCRIPT: frozenset({"variable_declarator"}),
    Language.GO: frozenset({"var_spec"}),
    Language.RUST: frozenset({"static_item"}),
}
_LOCAL = frozenset({"variable_declarator", "short_var_declaration", "let_declaration", "var_spec"})
_FUNCTIONS = frozenset({
    "function_declaration", "function_expression", "arrow_function", "method_definition",
    "generator_function_declaration", "generator_function", "func_literal", "method_declaration",
    "function_item", "closure_expression",
})  # fmt: skip
_CHANGING = frozenset({
    "assignment_expression", "augmented_assignment_expression", "update_expression",
    "assignment_statement", "inc_statement", "dec_statement", "compound_assignment_expr",
})  # fmt: skip
_CALLS = frozenset({"call_expression"})
_CHANGES = re.compile(
    r"add|set|push|delete|clear|pop|shift|unshift|splice|next|insert|remove|extend|replace"
    r"|fetch_\w+|store|swap|compare_\w+|lock|write|borrow_mut|get_mut|get_or_init|with"
    r"|Add\w*|Store\w*|Swap\w*|CompareAndSwap\w*|Lock|Do|LoadOrStore|Delete"
)
"""Methods that change what they are called on."""

_BRANCHES = frozenset({"if_statement", "if_expression", "ternary_expression", "match_pattern"})
_JOINING = frozenset({"&&", "||"})
_NAMES = frozenset({"identifier", "shorthand_property_identifier"})
_PATHS = frozenset({"scoped_identifier", "scoped_type_identifier", "type_identifier"})
_TELLING = ("console.", "log", "warn", "print", "eprint", "debug", "panic", "throw", "tracing")
_ROUNDS = 2
"""How far a local name is followed through others."""

_MOST_SHOWN = 100


def input_free_by_syntax(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield a finding for each new operand of a condition that only the patch's own state decides."""
    syntax = change.new
    if syntax is None or syntax.language not in _DECLARING or not change.added:
        return
    own = _own_state(syntax, change.old)
    if not own:
        return
    known = Counter(map(compact, _operands(change.old))) if change.old is not None else Counter()
    for operand in _operands(syntax):
        known[compact(operand)] -= 1
        if known[compact(operand)] < 0 and _decides(operand, own, syntax):
            said = guards_code.decided_without_input(_short(operand))
            yield found("decides-without-input", said, change.path, line_of(operand))


def _short(node: Node) -> str:
    return " ".join(text_of(node).split())[:_MOST_SHOWN]


def _own_state(syntax: Syntax, before: Syntax | None) -> frozenset[str]:
    """Return the names outside of functions that the patch brings and that functions change."""
    names = _declared(syntax)
    if names and before is not None:
        names -= {text_of(node) for node in walk(before.root) if node.type in _NAMES}
    return frozenset(names & set(_changed(syntax))) if names else frozenset()


def _declared(syntax: Syntax) -> set[str]:
    kinds = _DECLARING[syntax.language]
    return {
        text_of(name)
        for node in walk(syntax.root, into=lambda item: item.type not in _FUNCTIONS)
        if node.type in kinds
        for name in node.children_by_field_name("name")
    }


def _changed(syntax: Syntax) -> Iterator[str]:
    """Yield the names that functions change: set, count up, or call a method of."""
    for node in walk(syntax.root):
        if node.type not in _CHANGING | _CALLS or not _in_function(node):
            continue
        targets = _called_on(node) if node.type in _CALLS else [_set_by(node)]
        for target in targets:
            name = next(_names_in(target), "") if target is not None else ""
            if name:
                yield name


def _called_on(call: Node) -> list[Node]:
    """Return what a call changes: whose method it calls, and what it is given the address of."""
    function, given = field(call, "function"), field(call, "arguments")
    addressed = [
        child for child in (given.named_children if given else ()) if text_of(child)[:1] == "&"
    ]
    method = text_of(function).rpartition(".")[2] if function is not None else ""
    return [function, *addressed] if function and _CHANGES.fullmatch(method) else addressed


def _set_by(statement: Node) -> Node | None:
    return field(statement, "left") or next(iter(statement.named_children), None)


def _in_function(node: Node) -> bool:
    return any(parent.type in _FUNCTIONS for parent in parents(node))


def _operands(syntax: Syntax) -> Iterator[Node]:
    """Yield what functions ask: each operand of a branch's test."""
    for node in walk(syntax.root):
        operator = text_of(field(node, "operator"))
        if node.type in _BRANCHES:
            yield from _parts(field(node, "condition"))
        elif node.type == "binary_expression" and operator in _JOINING:
            yield from _parts(field(node, "left"))
            yield from _parts(field(node, "right"))


def _parts(node: Node | None) -> Iterator[Node]:
    while node is not None and node.type == "parenthesized_expression":
        node = node.named_children[0] if len(node.named_children) == 1 else None
    if node is None:
        return
    if node.type != "binary_expression" or text_of(field(node, "operator")) not in _JOINING:
        yield node


def _decides(operand: Node, own: frozenset[str], syntax: Syntax) -> bool:
    function = next((parent for parent in parents(operand) if parent.type in _FUNCTIONS), None)
    if function is None:
        return False
    state = own | _made_of(own, function)
    named = set(_names_in(operand))
    if not named & state or not all(name in state or _is_constant(name, syntax) for name in named):
        return False
    return not _only_keeps(operand, state)


def _made_of(own: frozenset[str], function: Node) -> frozenset[str]:
    """Return the local names of a function that are made of its state alone."""
    made: set[str] = set()
    for _ in range(_ROUNDS):
        for node in walk(function):
            value = field(node, "value") or field(node, "right")
            target = field(node, "name") or field(node, "left") or field(node, "pattern")
            if node.type in _LOCAL and value is not None and target is not None:
                named = set(_names_in(value))
                if named & (own | made) and named <= own | made | {"atomic"}:
                    made |= set(_names_in(target))
    return frozenset(made)


def _names_in(node: Node) -> Iterator[str]:
    """Yield the names of values in an expression, and not those of packages, types and members."""
    for child in walk(node, into=lambda item: item.type not in _PATHS):
        if child.type in _NAMES:
            yield text_of(child)


def _is_constant(name: str, syntax: Syntax) -> bool:
    """Whether a name is set outside of functions alone, or is one of the language's own."""
    if name in {"undefined", "Math", "Number", "atomic", "Infinity"}:
        return True
    at = (
        node for node in walk(syntax.root, into=lambda item: item.type not in _FUNCTIONS)
        if node.type in {"variable_declarator", "const_spec", "const_item", "var_spec"}
    )  # fmt: skip
    return any(text_of(field(node, "name")) == name for node in at) and name not in set(
        _changed(syntax)
    )


def _only_keeps(operand: Node, state: frozenset[str]) -> bool:
    """Whether all that depends on an answer keeps the state, or tells somebody."""
    branch = next((parent for parent in parents(operand) if parent.type in _BRANCHES), None)
    if branch is None or branch.type not in {"if_statement", "if_expression"}:
        return False
    blocks = [field(branch, name) for name in ("consequence", "alternative")]
    return all(_keeps(statement, state) for statement in _statements(blocks))


def _statements(blocks: Sequence[Node | None]) -> Iterator[Node]:
    for block in blocks:
        if block is None:
            continue
        inside = [child for child in block.named_children if "comment" not in child.type]
        if block.type in {"statement_block", "block", "else_clause", "statement_list"}:
            for node in inside:
                holds = node.type in {"statement_block", "block", "statement_list"}
                yield from _statements([node]) if holds else [node]
        else:
            yield block


def _keeps(statement: Node, state: frozenset[str]) -> bool:
    said = compact(statement)
    if any(said.lower().startswith(item) for item in _TELLING):
        return True
    if statement.type.startswith("return") or statement.type == "return_expression":
        return False
    inner = statement.named_children[0] if statement.named_children else statement
    target = field(inner, "left") or field(inner, "function") or inner
    return next(_names_in(target), "") in state
