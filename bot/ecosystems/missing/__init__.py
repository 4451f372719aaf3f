"""Say what a failed command shows to be missing, and what to do about it. Reads, runs nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.ecosystems.base import Look
from bot.ecosystems.missing.git import empty_submodules, unknown_identity
from bot.ecosystems.missing.machine import missing_libraries, missing_programs, missing_variables
from bot.ecosystems.missing.silent_failures import silent_failures
from bot.ecosystems.registry import ECOSYSTEMS
from bot.ecosystems.remedy import Remedy, Symptoms, applied
from bot.ecosystems.tree import Tree, repository_of

__all__ = ["Look", "Remedy", "Symptoms", "applied", "untried"]


_LOOKS = [ecosystem.looks for ecosystem in ECOSYSTEMS]
_VERSIONS = tuple(look for looks in _LOOKS for look in looks.versions)


_IN_SETUP: tuple[Look, ...] = (
    *_VERSIONS,
    *(look for looks in _LOOKS for look in looks.setup),
    missing_programs,
    missing_libraries,
    *(look for looks in _LOOKS for look in looks.around),
    unknown_identity,
)
_IN_TESTS: tuple[Look, ...] = (
    *_VERSIONS,
    *(look for looks in _LOOKS for look in looks.tests),
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
    A guess waits until nothing else can be done.

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
    if anew:
        return (anew,)
    sure = [remedy for remedy in found.values() if not remedy.guesses]
    return _each_deed_once(sure if any(remedy.helps for remedy in sure) else found.values())


def _each_deed_once(remedies: Iterable[Remedy]) -> tuple[Remedy, ...]:
    """Return the remedies, those that do the same as one: a list of packages may have all of them."""
    deeds: dict[object, Remedy] = {}
    for remedy in remedies:
        deeds.setdefault(remedy.deed if remedy.helps else remedy.key, remedy)
    return tuple(deeds.values())
