"""Turn what a run starts from into its job: what was asked, the repo config, the caps. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.ci.evidence import EventFacts, JobEvidence
from bot.config.repo_config import RepoConfig
from bot.model import Limits, Patch, Problem, Report, Specification, Specify, Usage
from bot.model.flaky import FlakyQuestion
from bot.model.memory import TriedRepair
from bot.model.money.caps import NO_CAPS, Caps, limited
from bot.model.request import FixRequest
from bot.repair.job import Job
from bot.repair.preparation.config import configured_job, without_repair
from bot.runs.starting_state import Brief


@dataclass(frozen=True, slots=True)
class KnownRepair:
    """A repair that is made again on another commit.

    Attributes:
        repair: All that its pull request changes.
        tests: Of that, the tests that were written first, and those that later commits brought;
            None where there are none.
        specification: What these are for, or None.
        problem: What it is for, as people had described it by then, with what they asked for since;
            None where that is not known.
        only_tests_fail: Whether nothing but `tests` shows the problem.
    """

    repair: TriedRepair
    tests: TriedRepair | None = None
    specification: Specification | None = None
    problem: Problem | None = None
    only_tests_fail: bool = True


def plan_job(
    request: FixRequest,
    brief: Brief,
    failed: tuple[JobEvidence, ...] = (),
    *,
    caps: Caps = NO_CAPS,
    continued: Report | None = None,
    agreed: Report | None = None,
    known: KnownRepair | None = None,
) -> Job:
    """Return the run's job: what was asked behind `/fix` goes before the repo config.

    Money is the exception: behind `/fix` it can only be made less.

    Args:
        request: What was asked.
        brief: What the run starts from.
        failed: The failed checks that it is about.
        caps: What limits it besides.
        continued: How the run ended that it continues.
        agreed: What the run had come to when a person agreed with its specification.
        known: The repair that it makes again.
    """
    config, options = brief.config, request.options
    limits = limited(_limits(request, config), caps)
    problem = brief.problem if known is None else known.problem or brief.problem
    job = configured_job(request.run_id, problem, limits, config)
    if request.only_explains:
        asked = FlakyQuestion() if request.of_flaky else None
        mending = job.proposers if asked is not None and job.mends_flaky else ()
        job = replace(without_repair(job), of_flaky=asked, proposers=mending)
    return replace(
        job,
        failing=options.test,
        rules=replace(job.rules, requested=brief.requested),
        model=options.model or job.model,
        effort=options.effort or job.effort,
        specification=_specification(agreed, continued, known),
        spent=agreed.usage if agreed is not None else Usage(),
        agreed_by=_agreed_by(agreed, continued, config.spec),
        failed=failed,
        event=_event(request, brief),
        group=None if request.failed is None else request.failed.group,
        repository=request.repository,
        identity=request.repo.identity,
        is_fork=brief.is_fork,
        red_on_base=config.checks.red_on_base or _somebody_asked(request.original),
        earlier=() if continued is None else continued.attempts,
        written_tests=None if continued is None else _written_tests(continued),
        given_test=request.original.given_test,
        may_change=brief.is_ours and request.redoes is None and request.original.failed is None,
        known_repair=None if known is None else known.repair,
        quarantines=config.flaky.quarantine == "on" and not brief.is_fork,
        known_tests=None if known is None else known.tests,
        only_known_tests_fail=known is None or known.only_tests_fail,
    )


def _specification(
    agreed: Report | None, continued: Report | None, known: KnownRepair | None
) -> Specification | None:
    """Return the specification that is settled already."""
    if agreed is not None:
        return agreed.specification
    if continued is not None:
        return continued.specification
    return None if known is None else known.specification


def _agreed_by(agreed: Report | None, continued: Report | None, spec: Specify) -> tuple[str, ...]:
    """Return who agreed with it; a run that began with an answer notes that first."""
    if agreed is not None:
        return agreed.notes[-1:]
    has_answer = continued is not None and continued.specification and spec is Specify.APPROVE
    return continued.notes[:1] if continued is not None and has_answer else ()


def _written_tests(continued: Report) -> Patch | None:
    """Return the tests that a run wrote first."""
    reproduction = continued.reproduction
    return None if reproduction is None else reproduction.test_patch


def _somebody_asked(request: FixRequest) -> bool:
    """Whether the run is not automatic: who asks knows that the base fails, too."""
    return bool(request.actor or request.asked_through)


def _event(request: FixRequest, brief: Brief) -> EventFacts:
    """Return what is known of the event for which the failed workflows ran."""
    failed = request.original.failed
    if failed is None:
        return EventFacts()
    branch, number, group = failed.branch, failed.pull_request, failed.group
    if group is not None:
        told = {
            "head_sha": failed.sha,
            "head_ref": f"refs/heads/{branch}",
            "base_sha": group.entries[-1].parent,
            "base_ref": f"refs/heads/{failed.base}",
        }
        return EventFacts(
            name="merge_group",
            ref=f"refs/heads/{branch}",
            sha=brief.commit,
            repository=request.repository,
            payload={"merge_group": told},
        )
    return EventFacts(
        ref=f"refs/heads/{branch}" if number is None else f"refs/pull/{number}/merge",
        sha=brief.commit,
        repository=request.repository,
        base_ref="" if number is None else failed.base,
        head_ref="" if number is None else branch,
        payload={} if number is None else {"pull_request": {"number": number}},
    )


def _limits(request: FixRequest, config: RepoConfig) -> Limits:
    limits = config.limits(request.options)
    if limits.cost_usd is None:
        return limits
    return replace(limits, cost_usd=min(limits.cost_usd, config.budget_usd))
