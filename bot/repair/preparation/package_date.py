"""Set a commit up with the packages of its day, where today's keep it from being tested."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from bot.ecosystems.detection import with_toolchain_of
from bot.ecosystems.registry import ecosystems_of
from bot.ecosystems.tree import DirectoryTree
from bot.model import Commands, Observation
from bot.model.progress import Noticed, Phase, PhaseStarted
from bot.model.steps import now
from bot.repair.goal.older_packages_choice import is_old, shows_more, worth_older_packages
from bot.repair.job import Source
from bot.repair.preparation.surroundings import surroundings_of
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.sandbox_cleanup import PLACES, dated
from bot.repair.workspace.setup_result import Prepared, SetupFailed
from bot.reporting.reasons import package_dates
from sandbox.git import GitError

_PLACE = dated(PLACES[0])


@dataclass(frozen=True, slots=True)
class OlderSetup:
    """A tree that was set up with the packages of its commit's day."""

    preparation: Preparation
    prepared: Prepared
    moment: datetime
    commands: Commands


async def set_up_older(
    run: Run, source: Source, commands: Commands, command: str
) -> OlderSetup | None:
    """Set a commit up with the packages of its day; None where that is no other day, or fails too.

    Args:
        run: Of it: one whose commands were detected, and whose packages are today's.
        source: The commit.
        commands: How it is set up.
        command: What fails with today's packages.
    """
    moment = await _day_of(run, source)
    if moment is None or not any(
        ecosystem.with_toolchain_of for ecosystem in ecosystems_of(commands)
    ):
        return None
    run.listener(Noticed(package_dates.trying_commit(command, moment)))
    then = replace(run, job=replace(run.job, package_date=moment))
    tree = DirectoryTree(source.directory)
    dated_commands = with_toolchain_of(commands, tree, moment)
    preparation = Preparation(
        then.job,
        source,
        dated_commands,
        run.tools.sandboxes,
        run_limits=run.run_limits,
        listener=run.listener,
        place=_PLACE,
        environments=run.tools.environments,
    )
    run.known.places += (_PLACE,)
    run.listener(PhaseStarted(Phase.SETUP))
    prepared = await run.steps("set up as of the commit", preparation.set_up)
    if isinstance(prepared, SetupFailed):
        return None
    run.known.note(*then.setup_notes(prepared))
    preparation.use(prepared)
    return OlderSetup(preparation, prepared, moment, dated_commands)


async def with_older_packages(
    run: Run, context: RepairContext, seen: Observation
) -> tuple[RepairContext, Observation] | None:
    """Return the context with the packages of the commit's day, and what the command shows there.

    None where nothing suggests them, and where they show no more than today's.

    Args:
        run: Of it.
        context: With today's packages.
        seen: The failing command there.
    """
    if not worth_older_packages(seen, run.job.problem, await surroundings_of(context)):
        return None
    command = context.commands.failing
    older = await set_up_older(run, context.source, context.commands, command)
    if older is None:
        return None
    then = replace(
        context,
        commands=replace(
            context.commands, setup=older.commands.setup, explanation=older.commands.explanation
        ),
        preparation=older.preparation,
        prepared=older.prepared,
    )
    name = f"{run.job.run_id}-reproduce-older"
    room = then.clean_room(run)
    shown = await run.steps("reproduce as of the commit", room.observe_writes, name, command)
    if shown.ok:
        run.known.note(package_dates.commit_passes(command, older.moment))
    if not shows_more(shown, seen, await surroundings_of(context)):
        return None
    run.known.note(package_dates.commit_used(older.moment))
    run.known.untouched, run.known.commands = older.prepared, then.commands
    return then, shown


async def _day_of(run: Run, source: Source) -> datetime | None:
    """Return when the commit, or the trusted one that it builds on, was made, if that is long ago."""
    job = run.job
    if (
        job.setup is not None
        or job.failed
        or job.package_date is not None
        or _PLACE in run.known.places
    ):
        return None
    try:
        made = [await source.store.committed(item) for item in {source.head, source.trusted}]
    except GitError:  # its history is cut
        return None
    moment = min(made)
    return moment if is_old(moment, await run.steps("today", now)) else None
