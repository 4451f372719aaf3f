"""Find how a job here differs from the same job on GitHub's runner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.ci.workflow.actions import ActionStatus
from bot.ci.workflow.expressions import ExpressionError, render
from bot.ci.workflow.plan.plan import JobPlan, PlannedStep
from bot.ci.workflow.plan.step import Decision
from bot.ci.workflow.services.services import service_sentences
from bot.reporting.reasons import runner_differences


def differences(plan: JobPlan) -> tuple[str, ...]:
    """Return the sentences, the weightiest first."""
    found = (
        *plan.problems,
        *_machine(plan),
        *_container(plan),
        *service_sentences(plan.services),
        *_matrix(plan),
        *_condition(plan),
        *_environment(plan),
        *(sentence for planned in plan.walk() for sentence in _step(planned)),
    )
    return tuple(dict.fromkeys(found))


def _machine(plan: JobPlan) -> Iterator[str]:
    lowered = " ".join(plan.labels).lower()
    if "windows" in lowered:
        yield runner_differences.windows(plan.labels)
    elif "macos" in lowered:
        yield runner_differences.macos(plan.labels)
    else:
        yield runner_differences.linux(plan.labels)


def _container(plan: JobPlan) -> Iterator[str]:
    try:
        container = render(plan.target.job.container, plan.scope)
    except ExpressionError as error:
        yield runner_differences.container_ignored(str(error))
        return
    image = container.get("image") if isinstance(container, Mapping) else container
    if image:
        yield runner_differences.container(image if isinstance(image, str) else "")


def _matrix(plan: JobPlan) -> Iterator[str]:
    if plan.target.unknown:
        yield runner_differences.matrix_made_at_run_time(plan.target.unknown)


def _condition(plan: JobPlan) -> Iterator[str]:
    condition = plan.target.job.condition
    if plan.decision is Decision.SKIP or plan.decision is Decision.ON_FAILURE:
        yield runner_differences.skipped_on_github(plan.event.name, condition)
    elif plan.decision is Decision.UNSURE:
        yield runner_differences.job_condition_unknown(condition)


def _environment(plan: JobPlan) -> Iterator[str]:
    if plan.unknown:
        yield runner_differences.variables_empty(plan.unknown)


def _step(planned: PlannedStep) -> Iterator[str]:
    step = planned.step
    if step.decision is Decision.SKIP:
        return
    title = step.title[:80]
    if step.decision is Decision.UNSURE:
        yield runner_differences.step_condition_unknown(title, step.spec.condition)
    if step.unknown:
        yield runner_differences.step_values_empty(title, step.unknown)
    if step.need is ActionStatus.SKIPPED:
        yield runner_differences.step_skipped(title, step.said)
    elif step.need is None and step.said:
        yield runner_differences.step_differs(title, step.said)


def missing_secrets(unknown: tuple[str, ...]) -> tuple[str, ...]:
    """Return the secrets among what was not known."""
    own = {"github.token"}
    return tuple(name for name in unknown if name.startswith("secrets.") or name in own)
