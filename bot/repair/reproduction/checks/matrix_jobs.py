"""Run the jobs whose outputs make the matrix of a failed one, before it is looked for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.apart import TooMuch, apart
from bot.ci.execution import JobExecution, RunnerBroken
from bot.ci.failing_job import producer_of
from bot.ci.workflow.expressions import PlanTooLarge
from bot.ci.workflow.plan.plan import JobPlan
from bot.ecosystems.tree import Tree
from bot.model.progress import Phase, PhaseStarted
from bot.repair.job import Job, Source
from bot.repair.reproduction.checks.targets import PLANNING
from bot.repair.run import Run
from bot.repair.workspace.preparation import network_of_setup
from bot.reporting.reasons import failed_jobs
from sandbox.base import Sandbox, SandboxSpec

_MOST = 4
"""Jobs that are run for the matrices of one run."""


async def with_outputs(run: Run, job: Job, source: Source, tree: Tree) -> Job:
    """Return a job whose event has the outputs that the matrices of its failed checks are made by.

    Where such a job can't run here, or does not say what it said on GitHub, nothing is lost: the
    matrix stays as open as it was.
    """
    for n in range(1, _MOST + 1):
        try:
            plan = await apart(_next_plan, job, tree, allowance=PLANNING)
        except TooMuch:
            return job
        if plan is None:
            return job
        run.listener(PhaseStarted(Phase.SETUP, detail=failed_jobs.run_for_its_outputs(plan.name)))
        producing = _Producing(run, job, source, plan, f"{job.run_id}-outputs-{n}")
        outputs = await run.steps(f"outputs {n}", producing.outputs)
        if not outputs:
            run.known.note(failed_jobs.no_outputs(plan.name))
        place = (plan.target.workflow.path, plan.target.job.id)
        job = replace(job, event=replace(job.event, ran={**job.event.ran, place: outputs}))
    return job


def _next_plan(job: Job, tree: Tree) -> JobPlan | None:
    for evidence in job.failed:
        try:
            plan = producer_of(tree, evidence, job.event)
        except PlanTooLarge:
            continue
        if plan is not None:
            return plan
    return None


@dataclass(frozen=True, slots=True)
class _Producing:
    run: Run
    job: Job
    source: Source
    plan: JobPlan
    name: str

    async def outputs(self) -> dict[str, str]:
        """Run the job in a sandbox of its own, with what a setup may reach."""
        provider, job = self.run.tools.sandboxes, self.job
        await provider.remove(self.name)
        sandbox = await provider.open(
            SandboxSpec(
                name=self.name,
                source=self.source.directory,
                source_stays=self.source.stays,
                network=network_of_setup(job, self.source),
                image=job.image_for(takes_templates=provider.takes_templates),
                lifetime=job.limits.seconds + 600,
            )
        )
        try:
            return await self.run.run_limits.hold(self._made(sandbox))
        except RunnerBroken:
            return {}
        finally:
            await sandbox.close()

    async def _made(self, sandbox: Sandbox) -> dict[str, str]:
        seconds = self.job.limits.setup_seconds
        return await JobExecution(self.plan, step_seconds=seconds).outputs(sandbox)
