"""Say in plain sentences how a job here differs from the same job on GitHub's runner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bot.ci.workflow.actions import ActionStatus
from bot.ci.workflow.expressions import ExpressionError, render
from bot.ci.workflow.plan import JobPlan, PlannedStep
from bot.ci.workflow.services import service_sentences
from bot.ci.workflow.step import Decision


def differences(plan: JobPlan) -> tuple[str, ...]:
    """Return the sentences, the weightiest first."""
    found = (
        *plan.problems,
        *_machine(plan),
        *_container(plan),
        *service_sentences(plan.target.job.services),
        *_matrix(plan),
        *_condition(plan),
        *_environment(plan),
        *(sentence for planned in plan.walk() for sentence in _step(planned)),
    )
    return tuple(dict.fromkeys(found))


def _machine(plan: JobPlan) -> Iterator[str]:
    labels = ", ".join(f"`{label}`" for label in plan.labels) or "a runner that is not known"
    lowered = " ".join(plan.labels).lower()
    if "windows" in lowered:
        yield f"GitHub runs it on Windows ({labels}); here it runs on Linux, and what is special to Windows can't be reproduced."
    elif "macos" in lowered:
        yield f"GitHub runs it on macOS ({labels}); here it runs on Linux, and what is special to macOS can't be reproduced."
    else:
        yield f"GitHub runs it on {labels}; here it runs on the sandbox's own Linux with the programs that are there."


def _container(plan: JobPlan) -> Iterator[str]:
    try:
        container = render(plan.target.job.container, plan.scope)
    except ExpressionError as error:
        yield f"The container is left out. {error}"
        return
    image = container.get("image") if isinstance(container, Mapping) else container
    if image:
        name = f"`{image}`" if isinstance(image, str) else "an image that is not known"
        yield f"GitHub runs its steps inside the container {name}; here they run in the sandbox itself."


def _matrix(plan: JobPlan) -> Iterator[str]:
    if plan.target.unknown:
        names = _named(plan.target.unknown)
        yield f"Its matrix is made at run time from {names}, so this leg may lack values."


def _condition(plan: JobPlan) -> Iterator[str]:
    condition = plan.target.job.condition
    if plan.decision is Decision.SKIP or plan.decision is Decision.ON_FAILURE:
        yield f"On {plan.event.name} GitHub would skip it: `if: {condition}`."
    elif plan.decision is Decision.UNSURE:
        yield f"Whether GitHub would run it is not known here: `if: {condition}`."


def _environment(plan: JobPlan) -> Iterator[str]:
    if plan.unknown:
        yield f"In the job's variables {_named(plan.unknown)} {_are(plan.unknown)} empty here."


def _step(planned: PlannedStep) -> Iterator[str]:
    step = planned.step
    if step.decision is Decision.SKIP:
        return
    place = f"Step `{step.title[:80]}`"
    if step.decision is Decision.UNSURE:
        yield f"{place} runs here, although its condition can't be decided: `if: {step.spec.condition}`."
    if step.unknown:
        yield f"{place}: {_named(step.unknown)} {_are(step.unknown)} empty here."
    if step.need is ActionStatus.SKIPPED:
        yield f"{place} is skipped. {' '.join(step.said)}"
    elif step.need is None and step.said:
        yield f"{place}: {' '.join(step.said)}"


def _named(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _are(names: tuple[str, ...]) -> str:
    return "is" if len(names) == 1 else "are"


def missing_secrets(unknown: tuple[str, ...]) -> tuple[str, ...]:
    """Return the secrets among what was not known."""
    own = {"github.token"}
    return tuple(name for name in unknown if name.startswith("secrets.") or name in own)
