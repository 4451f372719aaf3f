"""List the jobs of a workflow with their legs and names, through reusable workflows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from bot.ci.evidence import EventFacts
from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    Meter,
    Partly,
    PlanTooLarge,
    Unknown,
    Value,
    filled_keys,
    render,
    render_text,
)
from bot.ci.workflow.expressions.meter import size
from bot.ci.workflow.plan.contexts import (
    RunnerContext,
    base_contexts,
    needs_context,
    strategy_context,
)
from bot.ci.workflow.plan.matrix import Leg, expand, job_names
from bot.ci.workflow.spec.document import WorkflowUnreadable, read_workflow
from bot.ci.workflow.spec.referenced_workflows import WorkflowOfRepository, place_called
from bot.ci.workflow.spec.specification import JobSpec, WorkflowSpec
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import job_steps

WORKFLOWS = (".github/workflows/*.yml", ".github/workflows/*.yaml")
_LEG = 1024
"""Characters that a leg counts for besides its values."""

_DEEPEST = 10
"""Workflows that call workflows; GitHub's own limit."""


@dataclass(frozen=True, slots=True)
class JobLeg:
    """One job that a workflow would run: a job, or one leg of its matrix.

    Attributes:
        workflow: Where the job is written.
        entry: Path of the workflow that the event starts; another one when it is called.
        names: What its check may be called, the likeliest first.
        inputs: `inputs` of a called workflow.
        unknown: Names of what only GitHub knew of its matrix.
        index: Its place among the legs, from 0.
        total: How many legs there are.
    """

    workflow: WorkflowSpec
    entry: str
    job: JobSpec
    leg: Leg
    names: tuple[str, ...]
    inputs: Mapping[str, Value] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    index: int = 0
    total: int = 1


@dataclass(frozen=True, slots=True)
class JobListing:
    """The jobs of one or more workflows.

    Attributes:
        problems: What could not be read, as sentences.
    """

    jobs: tuple[JobLeg, ...]
    problems: tuple[str, ...] = ()


def all_jobs(tree: Tree, event: EventFacts | None = None) -> JobListing:
    """Return the jobs of every workflow of a repository."""
    jobs: list[JobLeg] = []
    problems: list[str] = []
    for path in (path for pattern in WORKFLOWS for path in tree.glob(pattern)):
        listing = workflow_jobs(tree, path, event)
        jobs += [job for job in listing.jobs if not _only_called(job)]
        problems += listing.problems
    return JobListing(tuple(jobs), tuple(problems))


def _only_called(job: JobLeg) -> bool:
    """Whether no event starts this job's workflow: then it shows among its callers' jobs."""
    own = job.entry == job.workflow.path
    return own and set(job.workflow.triggers) == {"workflow_call"}


def workflow_jobs(
    tree: Tree,
    path: str,
    event: EventFacts | None = None,
    *,
    ran: Mapping[tuple[str, str], Mapping[str, str]] | None = None,
) -> JobListing:
    """Return the jobs of one workflow, or a problem if the file is not a workflow.

    Args:
        tree: The repository.
        path: Of the file, relative to it.
        event: What started it; by default the likeliest of its triggers.
        ran: Outputs of jobs that ran here before, for the event that is taken by default.
    """
    text = tree.read(path)
    if text is None:
        return JobListing((), (job_steps.file_unreadable(path),))
    try:
        workflow = read_workflow(path, text)
    except WorkflowUnreadable as error:
        return JobListing((), (str(error),))
    lister = _Lister(tree, path, Meter())
    jobs: list[JobLeg] = []
    try:
        event = event or replace(likely_event(workflow), ran=ran or {})
        for job in lister.jobs(workflow, event, ""):
            jobs.append(job)  # noqa: PERF402 - those before the one that is too large
    except PlanTooLarge as error:
        lister.problems.append(job_steps.planned_in_part(path, str(error)))
    return JobListing(tuple(jobs), (*workflow.problems, *lister.problems))


def likely_event(workflow: WorkflowSpec) -> EventFacts:
    """Return the event to assume for a workflow: a push where it takes one."""
    for name in ("push", "pull_request", "pull_request_target", *workflow.triggers):
        if name in workflow.triggers:
            inputs = _defaults(workflow, name) if name.startswith("workflow_") else {}
            return EventFacts(name=name, inputs=inputs)
    return EventFacts()


def _defaults(workflow: WorkflowSpec, event: str) -> dict[str, Value]:
    """Return the inputs of a called or manual run: defaults, and what else it may be given."""
    trigger = workflow.triggers.get(event)
    declared = trigger.get("inputs") if isinstance(trigger, Mapping) else None
    if not isinstance(declared, Mapping):
        return {}
    return {name: _default(name, item) for name, item in declared.items()}


def _default(name: str, declared: Value) -> Value:
    if not isinstance(declared, Mapping):
        return Unknown((f"inputs.{name}",))
    if "default" in declared:
        return declared["default"]
    if declared.get("required") is True:
        return Unknown((f"inputs.{name}",))
    return {"boolean": False, "number": 0}.get(str(declared.get("type")), "")


def job_scope(target: JobLeg, event: EventFacts, meter: Meter) -> ExpressionContext:
    """Return what the expressions of a job see before its first step.

    Args:
        target: The job.
        event: What started its workflow.
        meter: Counts what they make.
    """
    labels = " ".join(_labels(target, event, meter)).lower()
    windows, mac = "windows" in labels, "macos" in labels
    runner = RunnerContext(os="Windows" if windows else "macOS" if mac else "Linux")
    seen = {**_leg_contexts(target, event, meter, runner), "steps": {}}
    return ExpressionContext(seen, meter=meter)


def _leg_contexts(
    target: JobLeg, event: EventFacts, meter: Meter, runner: RunnerContext | None = None
) -> dict[str, Value]:
    event = replace(event, inputs=target.inputs)
    contexts = _contexts(target.workflow, target.job, event, runner, target.entry)
    contexts["matrix"] = matrix_context(target)
    total = None if target.unknown else target.total
    scope = ExpressionContext(contexts, meter=meter)
    contexts["strategy"] = strategy_context(target.job, target.index, total, scope)
    return contexts


def matrix_context(target: JobLeg) -> Value:
    """Return `matrix`; of one that is not known, no value is."""
    if target.unknown and not target.leg.values:
        return Partly("matrix", {})
    return dict(target.leg.values) or None


def _labels(target: JobLeg, event: EventFacts, meter: Meter) -> tuple[str, ...]:
    seen = _leg_contexts(target, event, meter)
    return runner_labels(target.job, ExpressionContext(seen, meter=meter))


def runner_labels(job: JobSpec, scope: ExpressionContext) -> tuple[str, ...]:
    """Return the labels of `runs-on`; what is not known of them is left out."""
    try:
        rendered = render(job.runs_on, scope)
    except ExpressionError:
        return ()
    if isinstance(rendered, Mapping):
        rendered = rendered.get("labels")
    found = rendered if isinstance(rendered, list) else [rendered]
    return tuple(label for label in found if isinstance(label, str))


def _contexts(
    workflow: WorkflowSpec,
    job: JobSpec,
    event: EventFacts,
    runner: RunnerContext | None = None,
    entry: str = "",
) -> dict[str, Value]:
    return {
        **base_contexts(event, workflow.name, job.id, runner or RunnerContext(), entry),
        "needs": needs_context(job.needs, workflow.jobs, event.outputs_in(workflow.path)),
    }


class _Lister:
    """Follows calls from workflow to workflow and collects what goes wrong on the way."""

    def __init__(self, tree: Tree, entry: str, meter: Meter) -> None:
        self._tree = tree
        self._entry = entry
        self._meter = meter
        self.problems: list[str] = []

    def jobs(
        self, workflow: WorkflowSpec, event: EventFacts, caller: str, inside: tuple[str, ...] = ()
    ) -> Iterator[JobLeg]:
        """Yield the legs of a workflow's jobs, and of those that they call.

        Args:
            workflow: Which one.
            event: What started it.
            caller: What stands before the names of its checks.
            inside: Files of the workflows that led to it.
        """
        for job in workflow.jobs.values():
            for target in self._legs(workflow, job, event, caller):
                self._meter.take(_LEG + size(target.leg.values))
                if job.uses:
                    yield from self._called(target, event, (*inside, workflow.path))
                else:
                    yield target

    def _legs(
        self, workflow: WorkflowSpec, job: JobSpec, event: EventFacts, caller: str
    ) -> Iterator[JobLeg]:
        contexts = _contexts(workflow, job, event)
        try:
            expanded = expand(job.matrix, ExpressionContext(contexts, meter=self._meter))
        except ExpressionError as error:
            self.problems.append(
                job_steps.matrix_unreadable(workflow.path, job.line, job.id, str(error))
            )
            return
        for index, leg in enumerate(expanded.legs):
            target = JobLeg(
                workflow,
                self._entry,
                job,
                leg,
                (),
                dict(event.inputs),
                expanded.unknown,
                index,
                len(expanded.legs),
            )
            scope = ExpressionContext(_leg_contexts(target, event, self._meter), meter=self._meter)
            try:
                names = job_names(job, leg, scope)
            except ExpressionError as error:
                self.problems.append(
                    job_steps.name_unreadable(workflow.path, job.line, job.id, str(error))
                )
                names = (job.id,)
            if expanded.unknown and not leg.values and "*" not in names[0]:
                names = (f"{names[0]} (*)", names[0])
            yield replace(target, names=tuple(f"{caller}{name}" for name in names))

    def _called(
        self, caller: JobLeg, event: EventFacts, inside: tuple[str, ...]
    ) -> Iterator[JobLeg]:
        uses = caller.job.uses
        place = caller.workflow.path, caller.job.line, caller.job.id
        path = place_called(uses, caller.workflow.path)
        text = self._tree.read(path)
        if text is None:
            foreign = WorkflowOfRepository.parse(path) is not None
            missing = (
                job_steps.workflow_of_another_repository
                if foreign
                else job_steps.called_workflow_missing
            )
            self.problems.append(missing(*place, path))
            return
        if path in inside:
            self.problems.append(job_steps.calls_itself(*place, path))
            return
        if len(inside) > _DEEPEST:
            self.problems.append(job_steps.calls_nested_too_deeply(*place))
            return
        self._meter.take(len(text))
        try:
            called = read_workflow(path, text)
        except WorkflowUnreadable as error:
            self.problems.append(str(error))
            return
        self.problems += called.problems
        called = replace(called, problems=(*caller.workflow.problems, *called.problems))
        inputs = {**_defaults(called, "workflow_call"), **self._given(caller, event)}
        yield from self.jobs(called, replace(event, inputs=inputs), f"{caller.names[0]} / ", inside)

    def _given(self, caller: JobLeg, event: EventFacts) -> dict[str, Value]:
        scope = job_scope(caller, event, self._meter)
        try:
            inputs = filled_keys(caller.job.inputs, scope)
            return {name: render(value, scope) for name, value in inputs.items()}
        except ExpressionError as error:
            self.problems.append(
                job_steps.at_line(caller.workflow.path, caller.job.line, str(error))
            )
            return {}


def describe(name: str, scope: ExpressionContext) -> str:
    """Return a text with its expressions filled, unknown ones as `*`; never fails."""
    try:
        return render_text(name, scope, missing=lambda _: "*").text
    except ExpressionError:
        return name
