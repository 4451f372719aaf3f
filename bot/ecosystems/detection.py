"""Find out how a repository is set up and tested, and say why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from bot.ecosystems.base import MAKES_ENVIRONMENT, Detected
from bot.ecosystems.commands.shell import simple_commands, within
from bot.ecosystems.invocations import invocations
from bot.ecosystems.python import detect as python
from bot.ecosystems.registry import BY_NAME, ECOSYSTEMS, ecosystems_of
from bot.ecosystems.remedy import Remedy
from bot.ecosystems.tree import FolderTree, Tree, repository_of
from bot.errors import UsageError
from bot.model import Commands
from bot.reporting.reasons import detection


@dataclass(frozen=True, slots=True)
class Reasons:
    """Why the commands are what they are, one sentence per decision."""

    setup: tuple[str, ...]
    test: tuple[str, ...]


def detect(
    tree: Tree,
    *,
    setup: tuple[str, ...] | None,
    test: str | None,
    failing: str | None,
    folder: str = "",
) -> Commands:
    """Return the commands of a repository; given ones win, the rest is detected.

    Args:
        tree: The work tree, untouched.
        setup: Given setup commands, or None. In a Python project the command that makes the
            environment goes before them, so that `pip install -e .` has a place to go.
        test: Given command for the whole suite, or None.
        failing: Given command that shows the failure, or None for the whole suite.
        folder: Of the package whose tests are meant, "" for the whole repository.

    Raises:
        UsageError: When no test command is given and none can be found.
    """
    commands, reasons = explained(tree, setup=setup, test=test, failing=failing, folder=folder)
    return replace(commands, explanation=(*reasons.setup, *reasons.test))


def explained(
    tree: Tree,
    *,
    setup: tuple[str, ...] | None,
    test: str | None,
    failing: str | None,
    folder: str = "",
) -> tuple[Commands, Reasons]:
    """Return what `detect` returns, with the reasons apart."""
    if folder and not (test or failing):
        return _of_package(tree, folder, setup)
    given = "\n".join(command for command in (test, failing) if command)
    tools = _programs(given, tree)
    findings = _findings(tree, tools)
    used = _used(findings, tools, given_test=test or failing)
    main = next((finding for finding in used if finding.test), None)
    alike = whole_suite(failing, tree) if failing and not test else None
    suite = test or alike or (main.test if main else None) or failing
    if suite is None:
        raise UsageError(
            f"No test command was found: there is {_sought()}. "
            "Pass one with --test, or set `test:` in .github/fixpoint.yml."
        )
    commands = Commands(
        setup=_setup(tree, setup, used, given),
        test=suite,
        failing=failing or suite,
        ecosystems=tuple(finding.ecosystem for finding in findings),
    )
    others = (detection.other_tests(f.test) for f in findings if f.test and _left(f, main))
    return commands, Reasons(
        _setup_sentences(setup, used, tree), (*_test_sentences(test, alike, main, suite), *others)
    )


def _of_package(tree: Tree, folder: str, setup: tuple[str, ...] | None) -> tuple[Commands, Reasons]:
    """Return the commands of a package; they begin by going to its folder."""
    own, reasons = explained(FolderTree(tree, folder), setup=setup, test=None, failing=None)
    commands = replace(
        own,
        test=within(folder, own.test),
        failing=within(folder, own.failing),
        folder=folder,
    )
    return commands, reasons


def has_root_tests(tree: Tree) -> bool:
    """Whether a repository has tests of its own at its root, and not only those of its packages."""
    found = (finding for finding in _languages(tree, frozenset()) if finding and finding.test)
    return any(_tests_root(finding, tree) for finding in found)


def _tests_root(finding: Detected, tree: Tree) -> bool:
    own = BY_NAME[finding.ecosystem].has_own_tests
    return own is None or own(tree)


def whole_suite(command: str, tree: Tree) -> str | None:
    """Return the command of the whole suite behind one that runs a part of it, None if unknown."""
    known = (eco.whole_suite(command, tree) for eco in ECOSYSTEMS if eco.whole_suite is not None)
    return next(filter(None, known), None)


def with_toolchain_of(commands: Commands, tree: Tree, moment: datetime) -> Commands:
    """Return the commands with the toolchains that were current on a day."""
    for ecosystem in ECOSYSTEMS:
        if ecosystem.with_toolchain_of is not None:
            commands = ecosystem.with_toolchain_of(commands, tree, moment)
    return commands


def stale_products(commands: Commands, tree: Tree) -> Iterator[Remedy]:
    """Yield the builds that the tests of a project need anew whenever a patch changes sources.

    Args:
        commands: As detected.
        tree: The work tree, untouched, or the package in it whose tests run.
    """
    for ecosystem in ecosystems_of(commands):
        if ecosystem.products is not None:
            yield from ecosystem.products(commands.test, tree)


def _located(finding: Detected, folder: str) -> tuple[str, ...]:
    """Return setup commands that run in a folder, but for those that belong to the repository."""
    if finding.at_root:
        return finding.setup
    return tuple(
        item if item.startswith(MAKES_ENVIRONMENT) else within(folder, item)
        for item in finding.setup
    )


def _programs(script: str, tree: Tree) -> frozenset[str]:
    """Return the programs of a script: those that it names, and those behind them."""
    named = (simple.words[0].rpartition("/")[2] for simple in simple_commands(script))
    behind = (step.tool for step in invocations(script, tree.read))
    return frozenset((*named, *behind))


def _findings(tree: Tree, tools: frozenset[str]) -> tuple[Detected, ...]:
    """Return what every ecosystem's files say, in the order of weight."""
    found = [finding for finding in _languages(tree, tools) if finding]
    found.sort(key=lambda finding: finding.test is None)
    if not any(finding.test for finding in found):
        rest = (eco.detect(tree, tools) for eco in ECOSYSTEMS if eco.is_fallback)
        found += [finding for finding in rest if finding]
    return tuple(found)


def _languages(tree: Tree, tools: frozenset[str]) -> Iterator[Detected | None]:
    return (eco.detect(tree, tools) for eco in ECOSYSTEMS if not eco.is_fallback)


def _sought() -> str:
    *first, last = (f"no {ecosystem.sought}" for ecosystem in ECOSYSTEMS)
    return f"{', '.join(first)} and {last}"


def _used(
    findings: tuple[Detected, ...], tools: frozenset[str], *, given_test: str | None
) -> tuple[Detected, ...]:
    """Return the ecosystems to set up: those of the given commands, else the first with tests."""
    if given_test:
        asked = tuple(finding for finding in findings if finding.tools & tools)
        return asked or findings
    tested = next((n for n, finding in enumerate(findings) if finding.test), len(findings))
    if findings[tested:] and BY_NAME[findings[tested].ecosystem].is_fallback:
        return findings[: tested + 1]  # a Makefile may need any of the languages
    return findings[tested : tested + 1]


def _setup(
    tree: Tree, given: tuple[str, ...] | None, used: tuple[Detected, ...], commands: str
) -> tuple[str, ...]:
    if given is None:
        folder = repository_of(tree)[1]
        return tuple(
            dict.fromkeys(step for detected in used for step in _located(detected, folder))
        )
    runs = _programs("\n".join((*given, commands)), tree)
    if python.is_python(tree) or runs & {"pip", "python", "pytest"}:
        return (python.environment(tree)[0], *given)
    return given


def _setup_sentences(
    given: tuple[str, ...] | None, used: tuple[Detected, ...], tree: Tree
) -> tuple[str, ...]:
    if given is not None:
        left_out = [
            step
            for step in _setup(tree, None, used, "")
            if step not in given and not step.startswith(MAKES_ENVIRONMENT)
        ]
        return (detection.setup_given(left_out),)
    return tuple(dict.fromkeys(sentence for finding in used for sentence in finding.setup_why))


def _test_sentences(
    test: str | None, alike: str | None, main: Detected | None, suite: str
) -> tuple[str, ...]:
    if test is not None:
        return (detection.TEST_GIVEN,)
    if alike is not None:
        return (detection.suite_of_failing_command(alike),)
    if main is None or main.test is None:
        return (detection.failing_command_only(suite),)
    return (main.test_why,)


def _left(finding: Detected, main: Detected | None) -> bool:
    return main is not None and finding is not main
