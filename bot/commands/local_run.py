"""A run on this machine that only looks: its sandboxes and its live progress, put away in the end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app import choose_sandbox
from bot.model.deadline import RunLimits, StopSign
from bot.model.steps import PlainSteps, now
from bot.repair.run import Run, RunState
from bot.repair.sandbox_faults import StepsBeyondFaults
from bot.repair.tools import Tools
from bot.repair.workspace.environments import Environments
from bot.repair.workspace.sandbox_cleanup import clean_up
from bot.settings.environment import LocalSettings
from bot.settings.sandbox_kind import SandboxKind

if TYPE_CHECKING:
    from bot.repair.job import Job


@asynccontextmanager
async def local_run(
    job: Job, settings: LocalSettings, folder: Path, sandbox: SandboxKind | None
) -> AsyncIterator[Run]:
    """Open a run without proposers.

    Args:
        job: What is looked at.
        settings: Of this machine.
        folder: Where sandboxes and environments are kept.
        sandbox: Which kind; None: the first of the settings that works here.
    """
    kinds = (sandbox,) if sandbox else settings.fixpoint_sandbox
    provider = await choose_sandbox(settings, folder / "sandboxes", kinds)
    tools = Tools(provider, {}, environments=Environments(folder / "environments", provider))

    from bot.reporting.terminal import live_progress

    try:
        with live_progress(job.run_id, job.limits) as listener:
            limits = RunLimits(await now() + job.limits.seconds, StopSign())
            steps = StepsBeyondFaults(PlainSteps())
            yield Run(job, tools, steps, listener, limits, RunState())
    finally:
        await clean_up(provider, job.run_id)
        await provider.close()
