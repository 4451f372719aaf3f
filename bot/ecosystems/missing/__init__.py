"""Say what a failed command shows to be missing, and what to do about it. Reads, runs nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from bot.ecosystems.go.missing import missing_of_go, old_go
from bot.ecosystems.maven.missing import missing_of_maven
from bot.ecosystems.missing.git_identity import unknown_identity
from bot.ecosystems.missing.machine import missing_libraries, missing_programs, missing_variables
from bot.ecosystems.missing.silent_failures import silent_failures
from bot.ecosystems.missing.submodules import empty_submodules
from bot.ecosystems.node.missing.absent_packages import absent_packages
from bot.ecosystems.node.missing.in_parts import failed_tools
from bot.ecosystems.node.missing.packages import missing_packages, refused_install
from bot.ecosystems.node.missing.versions import old_node
from bot.ecosystems.python.missing.modules import missing_modules, skipped_modules
from bot.ecosystems.python.missing.pytest_plugins import (
    missing_plugins,
    old_pytest,
    refused_plugins,
)
from bot.ecosystems.python.missing.setup import failed_build, failed_list, ungenerated_sources
from bot.ecosystems.python.missing.stub_packages import unbuilt
from bot.ecosystems.python.missing.versions import wrong_version
from bot.ecosystems.remedy import Remedy, Symptoms, applied
from bot.ecosystems.rust.missing import missing_of_cargo
from bot.ecosystems.tree import Tree, repository_of

__all__ = ["Look", "Remedy", "Symptoms", "applied", "untried"]

Look = Callable[[Symptoms, Tree], Iterator[Remedy]]
"""Looks for one kind of thing that may be missing."""

_IN_SETUP: tuple[Look, ...] = (
    wrong_version,
    old_node,
    old_go,
    refused_install,
    absent_packages,
    ungenerated_sources,
    failed_build,
    missing_of_go,
    missing_of_cargo,
    missing_of_maven,
    missing_programs,
    missing_libraries,
    unbuilt,
    failed_list,
    failed_tools,
    unknown_identity,
)
_IN_TESTS: tuple[Look, ...] = (
    wrong_version,
    old_node,
    old_go,
    old_pytest,
    refused_plugins,
    missing_plugins,
    missing_modules,
    skipped_modules,
    missing_packages,
    missing_of_go,
    missing_of_cargo,
    missing_of_maven,
    missing_programs,
    missing_libraries,
    missing_variables,
    empty_submodules,
    unknown_identity,
    silent_failures,
)


def untried(
    symptoms: Symptoms,
    tree: Tree,
    tried: Collection[Remedy],
    besides: tuple[Look, ...] = (),
    *,
    only_besides: bool = False,
) -> tuple[Remedy, ...]:
    """Return what can be done at once: one remedy for each thing that is missing.

    A remedy that makes the setup anew comes alone, because it may change all else. So does any
    that helps a setup command: it goes before the command, which then may fail of the next thing.

    Args:
        symptoms: Of a command that failed.
        tree: The work tree, untouched, or the package in it whose tests ran.
        tried: The run's earlier remedies; what one of them did is not done again for another thing.
        besides: Further looks at the output of tests.
        only_besides: Whether nothing else is to be looked for.
    """
    folder = "" if symptoms.in_setup else repository_of(tree)[1]
    keys = {remedy.key for remedy in tried}
    done = {remedy.deed for remedy in tried if remedy.helps}
    found: dict[str, Remedy] = {}
    own = () if only_besides else _IN_SETUP if symptoms.in_setup else _IN_TESTS
    for look in own if symptoms.in_setup else (*own, *besides):
        for remedy in look(symptoms, tree):
            there = remedy.located(folder)
            if there.key not in keys and there.deed not in done:
                found.setdefault(there.missing, there)
    if symptoms.in_setup:
        helpless = tuple(remedy for remedy in found.values() if not remedy.helps)
        first = next((remedy for remedy in found.values() if remedy.helps), None)
        return (*helpless, first.ahead_of(symptoms.command)) if first else helpless
    anew = next((remedy for remedy in found.values() if not remedy.adds_only), None)
    return (anew,) if anew else _each_deed_once(found.values())


def _each_deed_once(remedies: Iterable[Remedy]) -> tuple[Remedy, ...]:
    """Return the remedies, those that do the same as one: a list of packages may have all of them."""
    deeds: dict[object, Remedy] = {}
    for remedy in remedies:
        deeds.setdefault(remedy.deed if remedy.helps else remedy.key, remedy)
    return tuple(deeds.values())
