"""Find production code that checks whether it is being tested. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.languages import Language
from bot.code.syntax import compact, content, line_of, parents, text_of
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_code

_VARIABLES = re.compile(
    r"^(?:PYTEST_[A-Z_]+|JEST_WORKER_ID|VITEST(?:_[A-Z_]+)?|MOCHA_[A-Z_]+|NODE_TEST_CONTEXT"
    r"|RUST_TEST_[A-Z_]+|NEXTEST(?:_[A-Z_]+)?|TESTING|IS_TEST(?:ING)?|UNIT_TEST(?:S|ING)?)$"
)
_RUNNERS = re.compile(r"^_?(?:pytest|py\.test|unittest|nose2?|jest|vitest|mocha)(?:[.\w]*)$")
_REPORTS = re.compile(r"junit-?xml|PYTEST_ADDOPTS", re.IGNORECASE)
_ASKED_OF = re.compile(r"sys\.(?:modules|argv)|environ|getenv|process\.(?:env|argv)|require\.main")
_NODE_ENV = re.compile(
    r"NODE_ENV['\"]?\]?[!=]==?['\"`]test|['\"`]test['\"`][!=]==?\S{0,80}NODE_ENV"
)
_GO = re.compile(r"\btesting\.(?:Testing|Short)\(|flag\.Lookup\(\"test\.|\.test\"|/_test/")
_RUST = re.compile(r"cfg!\((?:not\()?test\b|#!?\[cfg\(not\(test\)\)\]")
_STACK = re.compile(
    r"^(?:sys\._getframe|inspect\.(?:stack|currentframe|getouterframes|trace)"
    r"|traceback\.(?:extract_stack|format_stack|walk_stack)|runtime\.Callers?|_getframe"
    r"|Error\.captureStackTrace)$"
)
_INTERPRETER = re.compile(
    r"^(?:gc\.get_(?:objects|referrers)|sys\.(?:modules|meta_path|path_hooks|settrace|setprofile"
    r"|monitoring|excepthook|addaudithook|_current_frames)|threading\.set(?:trace|profile)"
    r"|ctypes\.pythonapi|atexit\.register|importlib\.reload)$"
)
_HIDDEN = re.compile(
    r"^(?:getattr|setattr|vars)\((?:os|sys|builtins|signal|__builtins__),(?!['\"]\w+['\"][,)])"
)
_IMPORTED = re.compile(r"^(?:import|from)\s+(_?pytest|unittest|nose2?|doctest|pluggy)\b")
_TEXTS = (
    "property_identifier",
    "string",
    "template_string",
    "interpreted_string_literal",
    "string_literal",
)
_CALLS = ("call", "call_expression")


def awareness(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield a finding for each place where new production code looks for its tests."""
    syntax = change.new
    if syntax is None:
        return
    for node in syntax.added(change.added, *_TEXTS):
        if _asks(node):
            yield _aware(change, node, content(node))
    for node in syntax.added(change.added, *_CALLS):
        if _STACK.match(compact(node.child_by_field_name("function"))):
            yield _looks_at_callers(change, node)
    match syntax.language:
        case Language.JAVASCRIPT:
            yield from _matching(change, _NODE_ENV, "binary_expression", "switch_statement")
        case Language.GO:
            yield from _matching(change, _GO, "call_expression")
        case Language.RUST:
            yield from _matching(change, _RUST, "macro_invocation", "attribute_item")
        case Language.PYTHON:
            yield from _reaches(change)


def _reaches(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield findings on new code that accesses interpreter internals or a test runner."""
    syntax, before = change.new, (change.before or b"").decode("utf-8", "replace")
    if syntax is None:
        return
    for node in syntax.added(change.added, "attribute"):
        reached = compact(node)
        if _INTERPRETER.match(reached) and reached not in before:
            said = guards_code.interpreter_accessed(reached[:80])
            yield found("interpreter-reached", said, change.path, line_of(node))
    for node in syntax.added(change.added, "call"):
        if _HIDDEN.match(compact(node)):
            said = guards_code.computed_name(_short(text_of(node)))
            yield found("interpreter-reached", said, change.path, line_of(node))
    for node in syntax.added(change.added, "import_statement", "import_from_statement"):
        runner = _IMPORTED.match(text_of(node))
        if runner and runner[1] not in before:
            said = guards_code.runner_imported(_short(text_of(node)))
            yield found("runner-imported", said, change.path, line_of(node))


def _asks(node: Node) -> bool:
    said = content(node)
    if _VARIABLES.match(said) or _REPORTS.search(said):
        return True
    if not _RUNNERS.match(said):
        return False
    above = next(
        (parent for parent in parents(node) if parent.type not in {"string", "tuple", "list"}), None
    )
    statement = next((parent for parent in parents(node) if "statement" in parent.type), above)
    return statement is not None and _ASKED_OF.search(compact(statement)[:2_000]) is not None


def _matching(change: FileDiff, pattern: re.Pattern[str], *kinds: str) -> Iterator[GuardFinding]:
    syntax = change.new
    if syntax is None:
        return
    seen = set[int]()
    for node in syntax.added(change.added, *kinds):
        match = pattern.search(compact(node)[:2_000])
        if match and line_of(node) not in seen:
            seen.add(line_of(node))
            yield _aware(change, node, match[0])


def _looks_at_callers(change: FileDiff, node: Node) -> GuardFinding:
    function = next((parent for parent in parents(node) if "function" in parent.type), node)
    if re.search(r"['\"][^'\"]*\b_?(?:py)?test", text_of(function)):
        return _aware(change, node, text_of(node))
    return found(
        "stack-inspected",
        guards_code.inspects_callers(_short(text_of(node))),
        change.path,
        line_of(node),
    )


def _aware(change: FileDiff, node: Node, sign: str) -> GuardFinding:
    return found(
        "test-aware",
        guards_code.asks_for_tests(_short(sign)),
        change.path,
        line_of(node),
    )


def _short(text: str) -> str:
    return " ".join(text.split())[:80]
