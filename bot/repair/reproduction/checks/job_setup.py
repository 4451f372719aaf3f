"""Set up the environment of a failed job, without packages that can't be built if need be."""

from __future__ import annotations

from dataclasses import replace

from bot.ci.workflow.runner.stub_packages import MOST_LEFT_OUT, without_packages
from bot.ecosystems.python.missing.stub_packages import Unbuilt, unbuilt_packages
from bot.ecosystems.tree import DirectoryTree
from bot.model import Cause, Reproduction
from bot.repair.job import Source
from bot.repair.reproduction.checks.targets import CheckTarget, commands_of
from bot.repair.reproduction.checks.verdict import CheckConclusion, differences
from bot.repair.run import Run
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.prepared import Prepared, SetupFailed, why_setup_failed
from bot.reporting.reason import because
from bot.reporting.reasons import failed_jobs

_SETUP_CHARACTERS = 16_000


async def set_up_job(
    run: Run, source: Source, chosen: CheckTarget, place: str
) -> tuple[CheckTarget, Preparation, Prepared | SetupFailed]:
    """Set a failed job up; return its target as it was set up in the end, and what came of it."""
    preparation = preparation_of(run, source, chosen, place)
    prepared = await run.steps(f"set up{place}", preparation.set_up)
    left_out: tuple[Unbuilt, ...] = ()
    while isinstance(prepared, SetupFailed) and (more := _unbuilt(chosen, prepared, left_out)):
        left_out += more
        chosen = replace(chosen, target=without_packages(chosen.target, more))
        preparation = preparation_of(run, source, chosen, place)
        name = f"set up{place} without {len(left_out)}"
        prepared = await run.steps(name, preparation.set_up)
    return chosen, preparation, prepared


def preparation_of(run: Run, source: Source, chosen: CheckTarget, place: str) -> Preparation:
    """Return what prepares the tree of a failed job."""
    return Preparation(
        run.job,
        source,
        commands_of(chosen.target, DirectoryTree(source.directory)),
        run.tools.sandboxes,
        run_limits=run.run_limits,
        listener=run.listener,
        place=place,
        target=chosen.target,
        environments=run.tools.environments,
        artifacts=run.tools.artifacts,
    )


def conclude_setup(run: Run, chosen: CheckTarget, failed: SetupFailed) -> CheckConclusion:
    """Return what a setup that failed says of its check."""
    run.known.reproduction = Reproduction(
        Cause.NOT_REPRODUCED, None, setup_output=failed.output[-_SETUP_CHARACTERS:]
    )
    if not chosen.target.workflow:
        return CheckConclusion(Cause.INFRASTRUCTURE, (why_setup_failed(failed),))
    check, command, differs = chosen.target.check, failed.command, differences(chosen.target)
    reason = (
        because(failed_jobs.setup_timed_out, check, command, differs)
        if failed.timed_out
        else because(failed_jobs.setup_failed, check, command, failed.exit_code, differs)
    )
    return CheckConclusion(Cause.NOT_REPRODUCED, (reason,))


def _unbuilt(
    chosen: CheckTarget, failed: SetupFailed, left_out: tuple[Unbuilt, ...]
) -> tuple[Unbuilt, ...]:
    """Return the packages that a job's setup can't build and has not been without yet."""
    if not chosen.target.workflow or len(left_out) >= MOST_LEFT_OUT:
        return ()
    return tuple(package for package in unbuilt_packages(failed.output) if package not in left_out)
