"""Find files that a test runner loads by itself, and exits that look like success. Pure."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath

from tree_sitter import Node

from bot.code.change import FileDiff
from bot.code.languages import Language
from bot.code.syntax import compact, field, line_of, parents, text_of
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
_EXIT = re.compile(
    r"^(?:(?:sys\.exit|exit|quit|SystemExit|process\.exit|os\.Exit|(?:std::)?process::exit)"
    r"\((?:|0|None|False|true|True)\)|os\._exit\(.*\))$"
)
_ENTRANCE = re.compile(r"(?:^|/)(?:__main__\.py|main\.\w+|cli\.\w+|(?:bin|cmd|scripts)/.*)$")


def runner(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield findings on hooks, plugins, modules in another's place, and exits in new code."""
    name = PurePosixPath(change.path).name
    if _AT_START.match(name) and change.after is not None:
        yield found("test-setup", guards_code.runs_at_startup(name), change.path, 1)
    yield from _named_for_python(change)
    syntax = change.new
    if syntax is None:
        return
    if syntax.language is Language.PYTHON:
        for node in syntax.touched(change.added, "function_definition"):
            hook = text_of(field(node, "name"))
            if hook in HOOKS:
                said = guards_code.hook_defined(hook)
                yield found("test-setup", said, change.path, line_of(node))
    for node in syntax.added(change.added, "call", "call_expression"):
        call = compact(node)[:300]
        if _EXIT.match(call) and not _may_exit(change, node):
            said = guards_code.process_ends(call[:80])
            yield found("exits-early", said, change.path, line_of(node))


def _named_for_python(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield findings on files whose name makes Python take them for another module or a plugin."""
    path = PurePosixPath(change.path)
    if change.after is not None and any(part.endswith(_INSTALLED) for part in path.parts):
        said = guards_code.package_registered(change.path)
        yield found("test-setup", said, change.path, 1)
    if change.is_new and path.suffix == ".py":
        inside = [part for part in path.with_suffix("").parts if part not in _ROOTS] or [""]
        if inside[1:] in ([], ["__init__"]) and inside[0] in _RUNNERS:
            said = guards_code.runner_shadowed(change.path, inside[0])
            yield found("test-setup", said, change.path, 1)
        elif path.parent.name in {"", *_ROOTS} and path.stem in sys.stdlib_module_names:
            said = guards_code.standard_module_shadowed(change.path, path.stem)
            yield found("test-setup", said, change.path, 1)
    before = (change.before or b"").decode("utf-8", "replace")
    for number, line in change.added_text:
        if _PLUGIN.search(line) and not _PLUGIN.search(before):
            said = guards_code.plugin_declared(line.strip()[:80])
            yield found("test-setup", said, change.path, number)


def _may_exit(change: FileDiff, node: Node) -> bool:
    """Whether a program may legitimately exit there: in its entry point, with success."""
    if compact(node).startswith("os._exit"):
        return False
    inside = not change.path.endswith(".py") or any(
        "function" in above.type for above in parents(node)
    )
    if _ENTRANCE.search(change.path) and inside:
        return True
    return any(
        (above.type == "if_statement" and "__main__" in text_of(field(above, "condition")))
        or (above.type in {"function_definition", "function_declaration", "function_item"}
            and re.match(r"_?(?:main|cli|run_cli|entry_?point)$", text_of(field(above, "name"))))
        for above in parents(node)
    )  # fmt: skip
