"""Plan a job: its steps in order as they would run here, and what differs from GitHub's runner."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from bot.ci.evidence import EventFacts
from bot.ci.workflow.actions.languages import python_of
from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    Meter,
    Partly,
    Value,
    filled_keys,
    render_text,
)
from bot.ci.workflow.plan.contexts import REPOSITORY, job_context, runner_variables
from bot.ci.workflow.plan.jobs import JobLeg, job_scope, likely_event, runner_labels
from bot.ci.workflow.plan.resolve import decide, resolve, with_environment
from bot.ci.workflow.plan.step import Decision, Step, StepScope
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.runner.remote import Remote
from bot.ci.workflow.services.services import filled_services, services
from bot.ci.workflow.spec.specification import Defaults, JobSpec, Raw, StepSpec, WorkflowSpec
from bot.ecosystems.python.detect import is_python
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import runner_differences


class FileHashes:
    """Digests files of one tree; they name caches, so only whether they change matters."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[tuple[str, ...], str] = {}

    def digest(self, patterns: tuple[str, ...]) -> str:
        """Return the digest of the files that match; empty when none does.

        Args:
            patterns: Globs from the root, one or more on each; those with `!` take files out.
        """
        if patterns not in self._known:
            self._known[patterns] = self._digest(patterns)
        return self._known[patterns]

    def _digest(self, patterns: tuple[str, ...]) -> str:
        lines = [line.strip() for pattern in patterns for line in pattern.splitlines()]
        paths: dict[str, None] = {}
        for line in lines:
            found = self._matching(line.removeprefix("!"))
            if line.startswith("!"):
                paths = {path: None for path in paths if path not in found}
            else:
                paths |= dict.fromkeys(found)
        if not paths:
            return ""
        state = hashlib.sha256()
        for path in sorted(paths):
            text = self._tree.read(path) or ""
            state.update(f"{path} {len(text)}\n{text}".encode())
        return state.hexdigest()

    def _matching(self, pattern: str) -> tuple[str, ...]:
        try:
            return self._tree.glob(pattern.removeprefix("./")) if pattern else ()
        except (ValueError, NotImplementedError):  # a pattern that pathlib does not take
            return ()


_STEP = 1024
"""Characters that a step counts for besides its command."""

_PYTHON = re.compile(r"\b(?:pip3?|python3?)\b")


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """A step, and those of the composite action that it uses.

    Attributes:
        inner_scope: What the outputs of that action see.
    """

    step: Step
    inner: tuple[PlannedStep, ...] = ()
    inner_scope: ExpressionContext | None = None

    def walk(self) -> Iterator[PlannedStep]:
        """Yield it and everything inside it, in order."""
        yield self
        for each in self.inner:
            yield from each.walk()


@dataclass(frozen=True, slots=True)
class JobPlan:
    """A job as it would run here.

    Attributes:
        target: The job and its leg.
        event: What it runs for.
        labels: `runs-on`.
        decision: What its own `if` says; a job that was skipped at GitHub can run here.
        environment: Variables of workflow and job, unknown ones empty.
        unknown: Names of what was not known of them.
        steps: In order, with what is known before anything ran.
        scope: What its first step's expressions see.
        frame: What its steps have in common.
        services: Those that it declares, expressions filled.
        image: The runner's image (`ubuntu-22.04`), where a log tells it.
    """

    target: JobLeg
    event: EventFacts
    labels: tuple[str, ...]
    decision: Decision
    environment: Mapping[str, str]
    unknown: tuple[str, ...]
    steps: tuple[PlannedStep, ...]
    scope: ExpressionContext
    frame: StepScope
    services: Mapping[str, Raw] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    image: str = ""

    @property
    def name(self) -> str:
        """What its check is called."""
        return self.target.names[0]

    @property
    def runner(self) -> Mapping[str, str]:
        """Variables of `github` and `runner`, as a step has them that is the first to run a script."""
        return runner_variables(self.scope.contexts)

    @property
    def initialise(self) -> str:
        """The command that makes a fresh sandbox look like its runner."""
        event = json.dumps(_known(self.event.payload))
        return runner_shell.initialise(
            self.environment,
            self.runner,
            event,
            python=python_of(self.image, self.labels) if self._wants_python else None,
            origin=self._origin,
            services=self._services,
        )

    @property
    def refresh(self) -> str:
        """The command that tells a sandbox which was initialised before of this event."""
        event = json.dumps(_known(self.event.payload))
        return runner_shell.refresh(
            self.environment, self.runner, event, self._origin, self._services
        )

    @property
    def _origin(self) -> Remote:
        event = self.event
        branch = (
            event.ref.removeprefix("refs/heads/") if event.ref.startswith("refs/heads/") else ""
        )
        known = (event.default_branch, event.base_ref, event.head_ref, branch)
        named = tuple(dict.fromkeys(name for name in known if name))
        scripts = (planned.step.spec.run or "" for planned in self.walk())
        return Remote(
            event.repository or REPOSITORY,
            named or ("main",),
            unshallow=any("--unshallow" in script for script in scripts),
        )

    @property
    def _services(self) -> tuple[str, ...]:
        return tuple(service.start() for service in services(self.services))

    @property
    def _wants_python(self) -> bool:
        """Whether the job may use a Python that no step of it sets up."""
        commands = [planned.step.command for planned in self.walk()]
        scripts = [command.script for command in commands if command is not None]
        if any("ci_python" in script for script in scripts):
            return False
        return is_python(self.frame.tree) or any(_PYTHON.search(script) for script in scripts)

    def walk(self) -> Iterator[PlannedStep]:
        """Yield all steps in order, those of composite actions behind the step that uses them."""
        for step in self.steps:
            yield from step.walk()

    def step_called(self, title: str) -> PlannedStep | None:
        """Return the step that GitHub's log calls so, or that has this number or id."""
        wanted = title.strip()
        for planned in self.steps:
            spec = planned.step.spec
            if wanted in {planned.step.title, spec.name, spec.id, str(spec.number)} - {""}:
                return planned
        return None


def plan_job(
    tree: Tree,
    target: JobLeg,
    event: EventFacts | None = None,
    *,
    image: str = "",
    keeps_artifacts: bool = False,
) -> JobPlan:
    """Return the plan of a job's leg. Nothing is run; broken parts become sentences.

    Args:
        tree: The repository at the commit that failed.
        target: The job, out of `jobs.workflow_jobs` or `jobs.all_jobs`.
        event: What it ran for; by default the likeliest of the workflow's triggers.
        image: The runner's image, where a log tells it.
        keeps_artifacts: Whether it runs for the artifacts that its steps upload.

    Raises:
        PlanTooLarge: Its steps and values add up to too much.
    """
    event = event or likely_event(target.workflow)
    problems: list[str] = []
    scope = replace(job_scope(target, event, Meter()), hash_files=FileHashes(tree).digest)
    frame = StepScope(
        tree,
        _defaults(target, scope),
        windows=_on_windows(scope),
        keeps_artifacts=keeps_artifacts,
        runner=runner_variables(scope.contexts),
    )
    scope, texts, unknown = _job_environment(target, scope, problems)
    try:
        decision = decide(target.job.condition, scope)
    except ExpressionError as error:
        problems.append(str(error))
        decision = Decision.UNSURE
    environment = {**runner_shell.runner_environment(), **texts}
    declared = filled_services(target.job.services, scope)
    job = job_context(declared, container=target.job.container is not None)
    scope = replace(scope, contexts={**scope.contexts, "job": job})
    steps, _ = _planned(target.job.steps, scope, frame)
    return JobPlan(
        target=target,
        event=event,
        labels=runner_labels(target.job, scope),
        decision=decision,
        environment=environment,
        unknown=unknown,
        steps=steps,
        scope=scope,
        frame=frame,
        services=declared,
        problems=tuple(problems),
        image=image,
    )


def _on_windows(scope: ExpressionContext) -> bool:
    runner = scope.contexts["runner"]
    return isinstance(runner, Partly) and runner.known["os"] == "Windows"


def _defaults(target: JobLeg, scope: ExpressionContext) -> Defaults:
    job, workflow = target.job.defaults, target.workflow.defaults
    shell = job.shell or workflow.shell
    try:
        shell = render_text(shell, scope).text or None
    except ExpressionError:
        shell = None
    return Defaults(shell, job.directory or workflow.directory)


def _job_environment(
    target: JobLeg, scope: ExpressionContext, problems: list[str]
) -> tuple[ExpressionContext, dict[str, str], tuple[str, ...]]:
    texts: dict[str, str] = {}
    unknown: dict[str, None] = {}
    for declared in (target.workflow.env, target.job.env):
        try:
            values = filled_keys(declared, scope)
        except ExpressionError as error:
            problems.append(str(error))
            continue
        for name, value in values.items():
            try:
                rendered = render_text(value, scope)
                scope = with_environment(scope, {name: value})
            except ExpressionError as error:
                problems.append(runner_differences.variable_ignored(name, str(error)))
                continue
            if name.isidentifier():
                texts[name] = rendered.text
            unknown.update(dict.fromkeys(rendered.unknown))
    return with_environment(scope, {}), texts, tuple(unknown)


def _planned(
    specs: Iterable[StepSpec], scope: ExpressionContext, frame: StepScope
) -> tuple[tuple[PlannedStep, ...], ExpressionContext]:
    """Return the steps as far as they are known, and what is seen behind the last one."""
    steps: list[PlannedStep] = []
    for spec in specs:
        planned = PlannedStep(resolve(spec, scope, frame))
        step = planned.step
        scope.meter.take(_weight(step))
        if step.inside is not None and step.action is not None:
            inner, inner_scope = _planned(step.action.steps, *step.inside)
            planned = PlannedStep(step, inner, inner_scope)
        scope = _after(planned, scope)
        steps.append(planned)
    return tuple(steps), scope


def _weight(step: Step) -> int:
    """Return for how many characters a step counts; its command holds its whole environment."""
    command = step.command
    if command is None:
        return _STEP
    environment = sum(len(name) + len(value) for name, value in command.environment.items())
    return _STEP + len(command.script) + environment


def _after(planned: PlannedStep, scope: ExpressionContext) -> ExpressionContext:
    """Return what later steps see of this one, as far as that is known before it ran."""
    contexts = dict(scope.contexts)
    step = planned.step
    if step.spec.id:
        contexts["steps"] = {**contexts["steps"], step.spec.id: _expected(step)}
    commands = (each.step.command for each in planned.walk())
    for command in commands:
        if command is not None and "GITHUB_ENV" in command.script:
            contexts["env"] = _exported(contexts["env"], command.script)
    return replace(scope, contexts=contexts)


def _exported(env: Value, script: str) -> Value:
    """Return `env` as it may be behind a script that exports: what that names is no longer known."""
    known = env.known if isinstance(env, Partly) else env
    if not isinstance(known, Mapping):
        return env
    words = frozenset(re.findall(r"\w+", script))
    return Partly("env", {name: value for name, value in known.items() if name not in words})


def _expected(step: Step) -> Value:
    if step.decision in {Decision.SKIP, Decision.ON_FAILURE}:
        return {"outputs": {}, "outcome": "skipped", "conclusion": "skipped"}
    outputs = Partly(f"steps.{step.spec.id}.outputs", dict(step.outputs))
    return {"outputs": outputs, "outcome": "success", "conclusion": "success"}


def _known(value: Value) -> Value:
    """Return a payload as plain JSON."""
    if isinstance(value, Mapping):
        return {key: _known(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_known(item) for item in value]
    return value if isinstance(value, str | int | float | bool) else None


__all__ = ["JobPlan", "JobSpec", "PlannedStep", "WorkflowSpec", "plan_job"]
