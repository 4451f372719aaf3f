"""Complete a setup that was detected: find what a failed command misses, add it, try again.

Nothing here happens in a run whose commands work. Where a person named the setup commands, databases
alone are started, which live no longer than a command and so can't be part of a setup. What was
added to a detected setup is remembered for the next run of the repository.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import reduce

from bot.ci.failure_identity import KnownFailures
from bot.ci.workflow.services.missing_services import (
    missing_services,
    named_in_databases,
    named_services,
)
from bot.ecosystems.detection import stale_products
from bot.ecosystems.missing import Remedy, Symptoms, applied, untried
from bot.ecosystems.missing.git import empty_submodules
from bot.ecosystems.tree import DirectoryTree, Tree, tree_of
from bot.model import Commands, Observation, Problem
from bot.model.progress import Phase, PhaseStarted
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.remembered_setups import RememberedSetup
from bot.repair.workspace.sandbox_cleanup import MOST_EXTENSIONS
from bot.repair.workspace.setup_result import Prepared, SetupFailed, with_last_words
from bot.reporting.reasons import setup_repair

MOST_REMEDIES = MOST_EXTENSIONS
"""Per run: each costs an installation."""

MOST_ROUNDS = 4
"""Per run: each costs another setup, or another execution of the failing command."""

_SERVICES = (missing_services, named_services, named_in_databases)
_OUTSIDE = (empty_submodules, missing_services)
_ABSENT = re.compile(
    r"(?:no such|not found|can(?:'t|not) (?:find|open|read)|not exist|missing|refused)",
    re.IGNORECASE,
)
"""How a failing test says that what it needs is not there."""

_SHORTEST_QUOTE = 20
"""Characters; a shorter line of output that a problem description has may be there by chance."""


async def recalled(run: Run, detected: Commands) -> Commands:
    """Return the commands with what an earlier run of the repository found missing."""
    setups = run.tools.remembered_setups
    if setups is None or not _may_heal(run):
        return detected
    found = await run.steps("recall setup", setups.recall, run.job.identity, detected)
    if found is None:
        return detected
    run.known.remedies.extend(found.remedies)
    run.known.note(setup_repair.remembered(found.commit))
    return reduce(lambda commands, remedy: applied(remedy, commands), found.remedies, detected)


async def set_up(
    run: Run, preparation: Preparation, detected: Commands, commands: Commands, tree: Tree
) -> tuple[Prepared | SetupFailed, Commands]:
    """Set the repository up; where a command fails, try again with what it lacks.

    Args:
        run: Of it.
        preparation: That makes the tree.
        detected: What the repository's files say.
        commands: The same with what is remembered.
        tree: The work tree, untouched, or the package in it that is meant.

    Returns:
        The prepared tree, or why there is none; and the commands that were used.
    """
    made = await _prepared(run, preparation, commands)
    if isinstance(made, SetupFailed) and commands != detected:
        await _forget(run, detected)
        commands = detected
        made = await _prepared(run, preparation, commands)
    at_first, healed_commands = made, commands
    while isinstance(made, SetupFailed) and not made.timed_out:
        symptoms = Symptoms(made.command, _unquoted(made.output, run.job.problem), in_setup=True)
        found = _next_round(run, symptoms, tree)
        if not found:
            break
        for remedy in found:
            run.listener(PhaseStarted(Phase.SETUP, detail=remedy.why))
            healed_commands = applied(remedy, healed_commands)
        made = await _prepared(run, preparation, healed_commands)
    if isinstance(made, SetupFailed) and isinstance(at_first, SetupFailed):
        return with_last_words(at_first, made), commands
    await _remember(run, detected)
    return made, healed_commands


async def kept_fresh(run: Run, context: RepairContext) -> RepairContext:
    """Return the context so that what a build made of the sources is made again for each patch."""
    detected = run.known.detected
    if detected is None or run.job.failed:
        return context
    tree = _tree(context)
    tried = {remedy.missing for remedy in run.known.remedies}
    for remedy in stale_products(context.commands, tree):
        if remedy.missing not in tried and len(run.known.remedies) < MOST_REMEDIES:
            run.known.remedies.append(remedy)
            context = await _tried(run, context, remedy)
            if _may_heal(run):
                await _remember(run, detected)
    return context


async def healed(
    run: Run, context: RepairContext, seen: Observation, detected: Commands | None
) -> RepairContext | None:
    """Return the context with something added that the failing command misses, if it misses any.

    Args:
        run: Of it.
        context: What the command ran on.
        seen: How it ended.
        detected: What the repository's files say; None where somebody named the commands.
    """
    if detected is None or (seen.ok and seen.counts and not seen.skipped):
        return None
    symptoms, tree = _symptoms(seen, run.job.problem, context.commands.setup), _tree(context)
    while found := _next_round(run, symptoms, tree, only_services=seen.timed_out):
        better = context
        for remedy in found:
            better = await _tried(run, better, remedy)
        if better is not context:
            if _may_heal(run):
                await _remember(run, detected)
            return better
    return None


def taken_back(run: Run, context: RepairContext, seen: Observation, then: Observation) -> bool:
    """Take back what did not help enough: a guess with which the same fails, and a release kept out.

    The latter if nothing else fails without that release or nothing more passes. Where nobody
    reported anything else, it is what fails: to keep it out is a repair.

    Args:
        run: Of it.
        context: As it was before the remedy.
        seen: What the command showed before it.
        then: What it shows with it.

    Returns:
        Whether it was taken back.
    """
    last, problem = run.known.remedies[-1], run.job.problem
    is_reported = any((problem.title, problem.body, problem.instructions))
    passes_more = len(then.passed) > len(seen.passed)
    fails_the_same = all(map(KnownFailures(then.failing).same, seen.failing))
    idle = last.guesses and not then.ok and not passes_more and fails_the_same
    repairs = last.keeps_out and not is_reported and (then.ok or not passes_more)
    if not idle and not repairs:
        return False
    context.preparation.change(context.commands)
    context.preparation.use(context.prepared)
    run.known.untouched, run.known.commands = context.prepared, context.commands
    undone = {last.why, *(remedy.why for remedy in run.known.remedies if idle and remedy.guesses)}
    run.known.notes = [note for note in run.known.notes if note not in undone]
    return True


def still_missing(run: Run, context: RepairContext, seen: Observation) -> str:
    """Return what the setup could not add though all that fails asks for it, or ""."""
    if seen.ok or run.job.failed:
        return ""
    tree = _tree(context)
    told = [
        Symptoms(seen.command, f"{failure.message}\n{failure.detail}")
        for failure in seen.named
        if _ABSENT.search(failure.message)
    ]
    if len(told) < len(seen.named):
        return ""
    asked = [
        {remedy.missing for look in _OUTSIDE for remedy in look(symptoms, tree) if remedy.outside}
        for symptoms in told or [_symptoms(seen, run.job.problem, ())]
    ]
    helpless = (remedy.missing for remedy in run.known.remedies if not remedy.helps)
    return next((missing for missing in helpless if all(missing in each for each in asked)), "")


def waits_for_a_service(run: Run, context: RepairContext, seen: Observation) -> bool:
    """Whether a command was refused by a database that can be started and was not yet."""
    symptoms, known = _symptoms(seen, run.job.problem, context.commands.setup), run.known
    found = untried(symptoms, _tree(context), known.remedies, _SERVICES, only_besides=True)
    return known.healing_rounds < MOST_ROUNDS and any(remedy.helps for remedy in found)


def _tree(context: RepairContext) -> Tree:
    return tree_of(DirectoryTree(context.source.directory), context.commands.folder)


def _symptoms(seen: Observation, problem: Problem, setup: tuple[str, ...]) -> Symptoms:
    """Return what a run shows to be missing; where it passed, only how it counts its tests."""
    if seen.ok:
        counted = "" if seen.counts else seen.output
        left_out = bool(seen.skipped)
        return Symptoms(seen.command, "", left_out=left_out, setup=setup, counted=counted)
    said = "\n".join((seen.output, *(f"E   {failure.message}\n" for failure in seen.failing)))
    return Symptoms(seen.command, _unquoted(said, problem))


async def _tried(run: Run, context: RepairContext, remedy: Remedy) -> RepairContext:
    """Return the context with a remedy, or as it is when the remedy itself fails."""
    commands, preparation = applied(remedy, context.commands), context.preparation
    n = run.known.remedies.index(remedy) + 1
    run.listener(PhaseStarted(Phase.SETUP, detail=remedy.why))
    run.known.note(remedy.why)
    preparation.change(commands)
    prepared: Prepared | SetupFailed = context.prepared
    if not remedy.adds_only:
        prepared = await run.steps(f"set up for remedy {n}", preparation.set_up)
    elif remedy.setup:
        prepared = await run.steps(
            f"add remedy {n}", preparation.extend, remedy.setup, context.prepared, n
        )
    if isinstance(prepared, SetupFailed):
        run.known.note(setup_repair.did_not_help(prepared.command, prepared.exit_code))
        run.known.remedies[n - 1] = replace(
            remedy, setup=(), instead=None, variables=(), before="", judge=""
        )
        preparation.change(context.commands)
        preparation.use(context.prepared)
        return context
    preparation.use(prepared)
    run.known.untouched, run.known.commands = prepared, commands
    return replace(context, commands=commands, prepared=prepared)


async def _prepared(
    run: Run, preparation: Preparation, commands: Commands
) -> Prepared | SetupFailed:
    preparation.change(commands)
    name = f"set up {len(run.known.remedies)}" if run.known.remedies else "set up"
    return await run.steps(name, preparation.set_up)


def _next_round(
    run: Run, symptoms: Symptoms, tree: Tree, *, only_services: bool = False
) -> tuple[Remedy, ...]:
    """Return what to do next, and keep in mind that it is tried; note what can't be helped.

    A command that does not end may wait for a service. What else its output says is no reason.
    """
    known, given = run.known, run.job.setup is not None
    if run.job.failed or (given and symptoms.in_setup) or known.healing_rounds >= MOST_ROUNDS:
        return ()
    known.healing_rounds += 1
    found = untried(symptoms, tree, known.remedies, _SERVICES, only_besides=given or only_services)
    found = found[: MOST_REMEDIES - len(known.remedies)]
    known.remedies.extend(found)
    known.note(*(remedy.why for remedy in found if not remedy.helps))
    return tuple(remedy for remedy in found if remedy.helps)


def _may_heal(run: Run) -> bool:
    return run.job.setup is None and not run.job.failed


def _unquoted(output: str, problem: Problem) -> str:
    """Return an output without the lines that the problem's description has: those are the problem.

    A missing module that an issue reports is to be repaired in the project, not in the setup.
    """
    told = f"{problem.title}\n{problem.body}\n{problem.instructions}"

    def is_told(line: str) -> bool:
        text = line.removeprefix("E").strip()
        return len(text) >= _SHORTEST_QUOTE and text in told

    return "\n".join(line for line in output.split("\n") if not is_told(line))


async def _remember(run: Run, detected: Commands) -> None:
    """Keep what helped for the next run of the repository; a fork leaves nothing to others."""
    setups, helped = run.tools.remembered_setups, _helpful(run)
    if setups is not None and helped and run.job.identity and not run.job.is_fork:
        found = RememberedSetup(run.known.head, helped)
        await run.steps(
            f"remember setup {len(run.known.remedies)}",
            setups.keep, run.job.identity, detected, found,
        )  # fmt: skip


async def _forget(run: Run, detected: Commands) -> None:
    run.known.remedies.clear()
    if (setups := run.tools.remembered_setups) is not None:
        await run.steps("forget setup", setups.forget, run.job.identity, detected)


def _helpful(run: Run) -> tuple[Remedy, ...]:
    known = run.known.remedies
    return tuple(
        remedy for remedy in known if remedy.helps and not (remedy.keeps_out or remedy.guesses)
    )
