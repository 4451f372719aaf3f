"""What a repository's config asks of a run. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.model import Limits, Problem, Specify
from bot.model.culprit import SECONDS
from bot.repair.job import Job

if TYPE_CHECKING:
    from bot.config.repo_config import RepoConfig


def configured_job(run_id: str, problem: Problem, limits: Limits, config: RepoConfig) -> Job:
    """Return the job that a config asks for; `replace` adds what else is known of it.

    Args:
        run_id: Of the run.
        problem: What is wrong.
        limits: The budget: a config's may be lowered by whoever asks.
        config: Of the repository.
    """
    return Job(
        run_id=run_id,
        problem=problem,
        limits=limits,
        setup=config.setup,
        test=config.test,
        proposers=config.proposers,
        rules=config.patch_rules,
        image=config.sandbox.image,
        template=config.sandbox.template,
        allow_snapshots=config.mechanical.snapshots,
        network=config.network == "on",
        hosts=config.hosts,
        model=config.model,
        effort=config.effort,
        search=config.search.limits,
        tool_rules=config.tools.rules,
        routing=config.routing,
        candidates=config.candidates,
        recovery=config.recovery,
        specify=config.spec,
        test_first=config.test_first,
        wrong_fixes=config.wrong_fixes,
        explain_seconds=config.explain.seconds,
        mends_flaky=config.flaky.repair != "off",
    )


def without_repair(job: Job) -> Job:
    """Return a job that only finds out what changed: nobody proposes anything, and no model is asked.

    Who asks wants an answer, also where runs don't look by themselves.
    """
    return replace(
        job,
        proposers=(),
        specify=Specify.OFF,
        test_first=False,
        only_explains=True,
        explain_seconds=job.explain_seconds or SECONDS,
    )
