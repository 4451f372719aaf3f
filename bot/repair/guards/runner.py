"""Find code that changes what a test runner collects, runs or reports. Pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.files import is_test_file
from bot.code.languages import Language
from bot.code.syntax import compact, field, line_of, parents, statements, text_of
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards_code

HOOKS = frozenset({
    "pytest_runtest_makereport", "pytest_runtest_call", "pytest_runtest_protocol",
    "pytest_runtest_setup", "pytest_runtest_logreport", "pytest_runtestloop", "pytest_pyfunc_call",
    "pytest_collection_modifyitems", "pytest_itemcollected", "pytest_ignore_collect",
    "pytest_collect_file", "pytest_pycollect_makeitem", "pytest_pycollect_makemodule",
    "pytest_make_collect_report", "pytest_collection_finish", "pytest_deselected",
    "pytest_report_teststatus", "pytest_exception_interact", "pytest_sessionfinish",
    "pytest_unconfigure", "pytest_cmdline_main", "pytest_cmdline_preparse", "pytest_load_initial_conftests",
    "pytest_assertion_pass", "pytest_assertrepr_compare", "pytest_generate_tests",
    "load_tests",
})  # fmt: skip
"""Functions with which a plugin can change which tests run and what they report.

Source: https://docs.pytest.org/en/stable/reference/reference.html#hooks
"""

_INSTALLED = (".dist-info", ".egg-info")
_ROOTS = frozenset({"src", "lib", "python", "tests", "test"})
"""Folders that are often on Python's path but are not packages."""

_RUNNERS = frozenset({
    "pytest", "_pytest", "py", "pluggy", "iniconfig", "unittest", "doctest", "nose", "nose2", "xdist",
    "coverage", "tox", "nox", "hypothesis", "builtins", "sitecustomize", "usercustomize",
})  # fmt: skip
_PLUGIN = re.compile(r"\bpytest11\b|\bpytest_plugins\b")
_AT_START = re.compile(r"^(?:(?:site|user)customize\.py|.*\.pth)$")
_OUTCOME = re.compile(r"\.(?:outcome|exitstatus|wasxfail|longrepr|testsfailed|_excinfo|excinfo)$")
_COLLECT = re.compile(r"^(?:collect_ignore(?:_glob)?)$")
_PATCHED = re.compile(
    r"""^(?:
        (?:_pytest|pytest|unittest|nose|doctest|builtins|__builtins__)\.[\w.\[\]'"()]+
      | (?:[\w.]+\.)?(?:TestCase|TestResult|TestLoader|TestRunner|TextTestRunner|TestProgram)\.\w+
      | .*\.__code__ | sys\.(?:meta_path|path_hooks|excepthook)(?:\[.*)?
      | __builtins__\[.*
      | sys\.exit | os\._exit | sys\.modules\[['"](?:_?pytest|unittest|doctest|builtins).*
      | (?:global|globalThis|window)\.(?:it|test|expect|describe|beforeEach|afterEach|assert|Error)
      | (?:global|globalThis)\[.* | process\.(?:exit|on|exitCode) | (?:console\.assert)
      | (?:expect|it|test|describe)\.prototype\..* | require\.cache\[.*
    )$""",
    re.VERBOSE,
)
_SET = re.compile(
    r"^(?:setattr\((?:_?pytest|unittest|(?:[\w.]+\.)?Test(?:Case|Result|Loader)|builtins|__builtins__"
    r"|sys,['\"](?:exit|modules))|sys\.(?:meta_path|path_hooks)\.(?:insert|append|extend)\()"
)
_EXIT = re.compile(
    r"^(?:(?:sys\.exit|exit|quit|SystemExit|process\.exit|os\.Exit|(?:std::)?process::exit)"
    r"\((?:|0|None|False|true|True)\)|os\._exit\(.*\)|os\.kill\(os\.getpid\(\).*|os\.abort\(\))$"
)
_REPLACES = re.compile(
    r"^(?:atexit\.register\(os\._exit|os\.exec\w+\(|os\.killpg\(|signal\.raise_signal\("
    r"|process\.(?:kill|abort|reallyExit)\(|syscall\.(?:Exit|Exec|Kill)\()"
)
"""Calls that replace or end the process, whatever their arguments."""

_ABRUPT = re.compile(r"^os\.(?:_exit|kill|abort)")
_TRUE = re.compile(
    r"^(?:return)?(?:\(?(?:True|true|1|notFalse|not0|bool\(1\)|1==1|0==0|isinstance\(\w+,object\))\)?);?$"
)
_TRUE_LAMBDA = re.compile(r"^lambda[^:]*:\(?(?:True|1|notFalse|not0)\)?$")
_ENTRANCE = re.compile(r"(?:^|/)(?:__main__\.py|main\.\w+|cli\.\w+|(?:bin|cmd|scripts)/.*)$")


def runner(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield findings on hooks, outcomes, patched runners and early exits in new code."""
    name = PurePosixPath(change.path).name
    if _AT_START.match(name) and change.after is not None:
        yield found("outcome-rewritten", guards_code.runs_at_startup(name), change.path, 1)
    yield from _named_for_python(change)
    syntax = change.new
    if syntax is None:
        return
    if syntax.language is Language.PYTHON:
        yield from _hooks(change)
        for node in syntax.touched(change.added, "function_definition"):
            yield from _always_equal(change, node)
    if syntax.language is Language.RUST:
        for node in syntax.touched(change.added, "function_item"):
            yield from _always_equal(change, node)
    for node in syntax.added(change.added, "assignment", "assignment_expression"):
        yield from _assigned(change, node)
    for node in syntax.added(change.added, "call", "call_expression"):
        yield from _called(change, node)


def _named_for_python(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield findings on files whose name makes Python take them for another module or a plugin."""
    path = PurePosixPath(change.path)
    if change.after is not None and any(part.endswith(_INSTALLED) for part in path.parts):
        said = guards_code.package_registered(change.path)
        yield found("outcome-rewritten", said, change.path, 1)
    if change.is_new and path.suffix == ".py":
        inside = [part for part in path.with_suffix("").parts if part not in _ROOTS] or [""]
        if inside[1:] in ([], ["__init__"]) and inside[0] in _RUNNERS:
            said = guards_code.runner_shadowed(change.path, inside[0])
            yield found("runner-patched", said, change.path, 1)
        elif path.parent.name in {"", *_ROOTS} and path.stem in sys.stdlib_module_names:
            said = guards_code.standard_module_shadowed(change.path, path.stem)
            yield found("test-setup", said, change.path, 1)
    before = (change.before or b"").decode("utf-8", "replace")
    for number, line in change.added_text:
        if _PLUGIN.search(line) and not _PLUGIN.search(before):
            said = guards_code.plugin_declared(line.strip()[:80])
            yield found("outcome-rewritten", said, change.path, number)


def _hooks(change: FileDiff) -> Iterator[GuardFinding]:
    syntax = change.new
    if syntax is None:
        return
    is_plugin = change.before is not None and not is_test_file(change.path)
    for node in syntax.touched(change.added, "function_definition"):
        hook = text_of(field(node, "name"))
        if hook not in HOOKS:
            continue
        known = is_plugin and f"def {hook}".encode() in (change.before or b"")
        said = guards_code.hook_defined(hook)
        yield found(
            "test-setup" if known else "outcome-rewritten", said, change.path, line_of(node)
        )


def _assigned(change: FileDiff, node: Node) -> Iterator[GuardFinding]:
    left = compact(field(node, "left"))
    shown = f"{text_of(node).splitlines()[0][:80]}"
    near_tests = is_test_file(change.path) or b"pytest" in (change.after or b"")
    if left.endswith("__eq__") and _TRUE_LAMBDA.match(compact(field(node, "right"))):
        yield found("always-equal", guards_code.always_true(left), change.path, line_of(node))
    elif _PATCHED.match(left):
        said = guards_code.runner_replaced(shown)
        yield found("runner-patched", said, change.path, line_of(node))
    elif near_tests and (_OUTCOME.search(left) or _COLLECT.match(left)):
        said = guards_code.outcome_set(shown)
        yield found("outcome-rewritten", said, change.path, line_of(node))


def _called(change: FileDiff, node: Node) -> Iterator[GuardFinding]:
    call = compact(node)[:300]
    if _SET.match(call):
        said = guards_code.runner_replaced(call[:80])
        yield found("runner-patched", said, change.path, line_of(node))
    ends = _EXIT.match(call) and not _may_exit(change, node)
    if ends or _REPLACES.match(call):
        rule = "exits-in-function" if _is_in_function(node) else "exits-early"
        if _ABRUPT.match(call) or is_test_file(change.path) or call.startswith("atexit"):
            rule = "exits-early"
        yield found(rule, guards_code.process_ends(call[:80]), change.path, line_of(node))


def _may_exit(change: FileDiff, node: Node) -> bool:
    """Whether a program may legitimately exit there: in its entry point, with success."""
    if _ABRUPT.match(compact(node)):
        return False
    inside = _is_in_function(node) or not change.path.endswith(".py")
    if _ENTRANCE.search(change.path) and inside:
        return True
    return any(
        (above.type == "if_statement" and "__main__" in text_of(field(above, "condition")))
        or (above.type in {"function_definition", "function_declaration", "function_item"}
            and re.match(r"_?(?:main|cli|run_cli|entry_?point)$", text_of(field(above, "name"))))
        for above in parents(node)
    )  # fmt: skip


def _is_in_function(node: Node) -> bool:
    return any("function" in above.type or "method" in above.type for above in parents(node))


def _always_equal(change: FileDiff, node: Node) -> Iterator[GuardFinding]:
    name = text_of(field(node, "name"))
    if name not in {"__eq__", "__ne__", "eq"}:
        return
    inside = [compact(statement) for statement in statements(field(node, "body"))]
    if len(inside) == 1 and _TRUE.match(inside[0]):
        said = guards_code.always_true(name)
        yield found("always-equal", said, change.path, line_of(node))
