"""Decide whether a step before the failing one prepares something, or only checks."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping

from bot.ci.workflow.actions.install_commands import installs
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.invocations import Invocation, invocations
from bot.ecosystems.selection import is_test_run
from bot.ecosystems.tree import Tree

_PLAIN = (
    *("echo", "printf", "true", ":", "set", "export", "unset", "source", ".", "pwd", "date"),
    *("ls", "cat", "head", "which", "uname", "[", "test", "exit", "dirname", "command"),
    *("grep", "sed", "cut", "sort", "tr", "wc"),
    *("pip list", "pip freeze", "pip show", "pip check", "pip --version", "pipdeptree"),
)
"""They only show something, or say how the shell goes on."""

_LINTERS = (
    *("ruff", "flake8", "mypy", "pylint", "pyright", "basedpyright", "pyflakes", "pycodestyle"),
    *("pydocstyle", "bandit", "codespell", "typos", "yamllint", "vulture", "interrogate", "doc8"),
    *("pip-audit", "deptry", "check-manifest", "pyroma", "eslint", "stylelint", "shellcheck"),
    *("actionlint", "zizmor", "hadolint", "golangci-lint", "markdownlint-cli2", "vale", "safety"),
    *("cargo clippy", "cargo check", "go vet", "readme_renderer", "standard", "xo", "oxlint"),
)
_ALWAYS = (*_PLAIN, *_LINTERS)
_WHEN_TOLD: Mapping[str, frozenset[str]] = {
    "black": frozenset({"--check", "--diff"}),
    "blackdoc": frozenset({"--check", "--diff"}),
    "isort": frozenset({"--check", "--check-only", "--diff", "-c"}),
    "yapf": frozenset({"--diff", "-d"}),
    "autopep8": frozenset({"--diff"}),
    "docformatter": frozenset({"--check", "-c"}),
    "ruff format": frozenset({"--check", "--diff"}),
    "prettier": frozenset({"--check", "-c", "--list-different", "-l"}),
    "biome": frozenset({"check", "lint", "ci"}),
    "tsc": frozenset({"--noEmit"}),
    "cargo fmt": frozenset({"--check"}),
    "rustfmt": frozenset({"--check"}),
    "autoflake": frozenset({"--check", "--check-diff", "-c", "-cd"}),
    "pycln": frozenset({"--check", "--diff", "-c", "-d"}),
    "usort": frozenset({"check", "diff"}),
    "ufmt": frozenset({"check", "diff"}),
    "mdformat": frozenset({"--check"}),
    "pyproject-fmt": frozenset({"--check"}),
    "taplo": frozenset({"check", "lint", "--check"}),
    "dprint": frozenset({"check"}),
    "gofmt": frozenset({"-l", "-d"}),
    "gofumpt": frozenset({"-l", "-d"}),
    "goimports": frozenset({"-l", "-d"}),
    "shfmt": frozenset({"-l", "-d"}),
}
"""Tools that only check when one of these words is among their arguments."""

_OTHER_TESTS = ("trial", "coverage run")
"""Besides the runners of all ecosystems. They leave results, which only some later steps read."""

_CHANGES = frozenset({"--fix", "--write", "--in-place", "--install-types"})
"""Arguments with which a checker changes something."""

_RESULTS = re.compile(r"\bcov|codecov|junit|report|results?\b|\.xml|lcov|--lf\b|--last-failed")
"""Words of a script that reads what tests leave."""

_KEEPS = re.compile(r"GITHUB_(?:ENV|OUTPUT|PATH)|(?<![0-9&])>{1,2}(?!&|\s*/dev/null)|\btee\b")
"""Parts of a script that writes something for later."""


def steps_before(plan: JobPlan, failing: PlannedStep) -> tuple[PlannedStep, ...]:
    """Return the steps that prepare the failing one, in order.

    A step with an id counts as one: it is asked for by its name, so its outcome may matter.
    """
    kept: list[PlannedStep] = []
    later = _script(failing)
    before = itertools.takewhile(lambda planned: planned is not failing, plan.steps)
    for planned in reversed(tuple(before)):
        steps = [each.step for each in planned.walk()]
        commands = [(step.command, step.check) for step in steps if step.command is not None]
        needless = commands and all(
            check and only_checks(command, plan.frame.tree, later) for command, check in commands
        )
        if planned.step.spec.id or not needless:
            kept.append(planned)
            later = f"{_script(planned)}\n{later}"
    return tuple(reversed(kept))


def _script(planned: PlannedStep) -> str:
    commands = (each.step.command for each in planned.walk())
    return "\n".join(command.script for command in commands if command is not None)


def only_checks(command: Command, tree: Tree, later: str) -> bool:
    """Whether a step leaves nothing that the steps behind it need, so that it can be left out.

    Args:
        command: Of the step.
        tree: The files that tell what it runs in the end.
        later: The scripts behind it, up to the failing one's.
    """
    if installs(command.script) or _KEEPS.search(command.script):
        return False
    behind = (each.command() for each in invocations(later, tree.read))
    read = any(_RESULTS.search(text) for text in (later, *behind))
    reached = invocations(command.script, tree.read)
    return bool(reached) and all(_checks(each) or (not read and _tests(each)) for each in reached)


def looks_only(command: Command, tree: Tree) -> bool:
    """Whether a step runs linters and the like alone: no tests, and nothing that changes a file."""
    reached = invocations(command.script, tree.read)
    return bool(reached) and all(map(_checks, reached))


def tests_or_lints(command: Command, tree: Tree) -> bool:
    """Whether a step runs a test runner or a linter, whatever else it does."""
    reached = invocations(command.script, tree.read)
    return any(_tests(each) or _checks(each, _LINTERS) for each in reached)


def runs_tests(command: Command, tree: Tree) -> bool:
    """Whether a step runs a test runner."""
    return any(map(_is_test, invocations(command.script, tree.read)))


def _is_test(invocation: Invocation) -> bool:
    return is_test_run(invocation) or _is_one_of(invocation, _OTHER_TESTS)


def _tests(invocation: Invocation) -> bool:
    return _is_test(invocation) and not _changes(invocation)


def _changes(invocation: Invocation) -> bool:
    arguments = frozenset(invocation.arguments)
    return bool(_CHANGES & arguments) or any(
        word.startswith("-i") for word in arguments
    )  # `-i.bak`


def _checks(invocation: Invocation, known: tuple[str, ...] = _ALWAYS) -> bool:
    arguments = frozenset(invocation.arguments)
    if _changes(invocation):
        return False
    told = next((_WHEN_TOLD[name] for name in _names(invocation) if name in _WHEN_TOLD), None)
    if told is not None:
        return bool(told & arguments)
    return "--version" in arguments or _is_one_of(invocation, known)


def _is_one_of(invocation: Invocation, known: tuple[str, ...]) -> bool:
    return any(name in known for name in _names(invocation))


def _names(invocation: Invocation) -> tuple[str, str]:
    return " ".join((invocation.tool, *invocation.arguments[:1])), invocation.tool
