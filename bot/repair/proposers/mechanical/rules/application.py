"""Apply the rules to everything that a command reports, file by file and from top to bottom. Pure."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bot.model import Failure
from bot.repair.proposers.mechanical.rules import (
    arguments,
    docstrings,
    layout,
    long_lines,
    missing_imports,
    needless,
    packages,
    quotes,
    return_annotations,
    script_types,
    script_unused,
    spelling,
    syntax_errors,
    type_annotations,
    unknown_names,
    unused,
)
from bot.repair.proposers.mechanical.rules.project import ProjectNames
from bot.repair.proposers.mechanical.rules.rule import (
    Diagnostic,
    Repair,
    Reported,
    Rule,
    diagnostic_of,
)
from bot.repair.proposers.mechanical.rules.script import script_of
from bot.repair.proposers.mechanical.rules.source import RuleSource

RULES: tuple[Rule, ...] = (
    *syntax_errors.RULES,
    *missing_imports.RULES,
    *arguments.RULES,
    *unknown_names.RULES,
    *type_annotations.RULES,
    *return_annotations.RULES,
    *script_types.RULES,
    *packages.RULES,
    *unused.RULES,
    *script_unused.RULES,
    *needless.RULES,
    *spelling.RULES,
    *quotes.RULES,
    *docstrings.RULES,
    *layout.RULES,
    *long_lines.RULES,
)
"""What can be read at all comes first, then what names mean, what lines look like last."""


MOST_PER_FILE = 100
"""Diagnostics of a file that one round answers; the next round has the rest."""


@dataclass(frozen=True, slots=True)
class Applied:
    """A repair that was made.

    Attributes:
        path: The file.
        diagnostic: What it answers; its line is that of the file as it was then.
        said: What was done, as a sentence.
        guess: What only spelling speaks for, as `Repair` has it.
    """

    path: str
    diagnostic: Diagnostic
    said: str
    guess: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Repaired:
    """Files with their new texts, and the repairs that made them."""

    texts: Mapping[str, str]
    applied: tuple[Applied, ...]


def answered(failures: Iterable[Failure]) -> dict[str, list[Diagnostic]]:
    """Return the diagnostics that some rule answers, by file."""
    found: dict[str, list[Diagnostic]] = {}
    for failure in failures:
        said = diagnostic_of(failure)
        if said is None or failure.file is None:
            continue
        said_once = said not in found.get(failure.file, ())
        if said_once and any(rule.answers(failure.file, said) for rule in RULES):
            found.setdefault(failure.file, []).append(said)
    return found


def words(found: Mapping[str, Sequence[Diagnostic]]) -> tuple[str, ...]:
    """Return the names that other files of the project may explain."""
    wanted = {
        rule.words(said)
        for path, diagnostics in found.items()
        for said in diagnostics
        for rule in RULES
        if rule.words is not None and rule.answers(path, said)
    }
    return tuple(sorted(wanted))


def repaired(
    found: Mapping[str, Sequence[Diagnostic]], texts: Mapping[str, str], project: ProjectNames
) -> Repaired:
    """Return what the rules make of some files."""
    changed: dict[str, str] = {}
    applied: list[Applied] = []
    for path, diagnostics in found.items():
        if path in texts:
            made, done = _file(path, texts[path], diagnostics, project)
            changed.update(made)
            applied += done
    return Repaired(changed, tuple(applied))


def _file(
    path: str, text: str, diagnostics: Sequence[Diagnostic], project: ProjectNames
) -> tuple[dict[str, str], list[Applied]]:
    """Answer a file's diagnostics one after the other, each in the text that the last one left.

    Returns:
        The texts of the file, if it changed, and of new ones; and what was done.
    """
    waiting = sorted(diagnostics, key=lambda said: said.line)[:MOST_PER_FILE]
    source, done = RuleSource(path, text), []
    made: dict[str, str] = {}
    while waiting:
        said, *waiting = waiting
        repair = _answer(Reported(source, said, project))
        if repair is not None:
            done.append(Applied(path, said, repair.said, repair.guess))
            made.update(repair.beside)
            after = RuleSource(path, repair.text)
            waiting = _moved(waiting, source, after)
            source = after
    if source.text != text:
        made[path] = source.text
    return made, done


def _answer(reported: Reported) -> Repair | None:
    """Return the first rule's repair that leaves a readable program, as it was one before."""
    for rule in RULES:
        if rule.answers(reported.source.path, reported.diagnostic):
            repair = rule.repair(reported)
            if repair is not None and _does_good(reported.source, repair):
                return repair
    return None


def _does_good(before: RuleSource, repair: Repair) -> bool:
    if repair.text == before.text:
        return bool(repair.beside)
    if before.path.endswith((".py", ".pyi")):
        return before.tree is None or RuleSource(before.path, repair.text).tree is not None
    script, after = script_of(before), script_of(RuleSource(before.path, repair.text))
    return script is None or after is None or script.root.has_error or not after.root.has_error


def _moved(
    diagnostics: Iterable[Diagnostic], before: RuleSource, after: RuleSource
) -> list[Diagnostic]:
    """Return the diagnostics at their new lines, without those whose lines are gone.

    On a line that changed, the column no longer holds.
    """
    places: dict[int, tuple[int, bool]] = {}
    matcher = difflib.SequenceMatcher(a=before.lines, b=after.lines, autojunk=False)
    for kind, first, last, new_first, new_last in matcher.get_opcodes():
        for offset in range(last - first):
            if kind == "equal":
                places[first + offset + 1] = new_first + offset + 1, True
            elif kind == "replace" and new_last > new_first:
                near = min(new_first + offset, new_last - 1)
                places[first + offset + 1] = near + 1, False
    return [
        replace(said, line=place[0], column=said.column if place[1] else None)
        for said in diagnostics
        if (place := places.get(said.line)) is not None
    ]
