"""Decide what one step does, with what is known at that moment."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import replace

from bot.ci.workflow.actions import ActionStatus, Effect, effect_of
from bot.ci.workflow.actions.action_places import ActionPlace, action_place, needs_own_files
from bot.ci.workflow.actions.own_actions import own_program
from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    Partly,
    Unknown,
    Value,
    filled_keys,
    render,
    render_all,
    render_text,
)
from bot.ci.workflow.expressions.conditions import after_failure, holds
from bot.ci.workflow.plan.contexts import runner_variables
from bot.ci.workflow.plan.step import Decision, Step, StepScope
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.runner.command import Command, choose_shell, directory_of, runs_here, title
from bot.ci.workflow.spec.document import WorkflowUnreadable, read_action
from bot.ci.workflow.spec.referenced_workflows import ActionOfRepository
from bot.ci.workflow.spec.specification import ActionSpec, StepSpec
from bot.reporting.reasons import runner_differences

_DEEPEST = 10
"""Composite actions inside composite actions; GitHub's own limit."""

_OUTPUT = re.compile(r"steps\.(?P<id>[\w-]+)\.outputs\.(?P<name>[\w-]+)")
_VARIABLE = re.compile(r"env\.(?P<name>[A-Za-z_]\w*)")


def resolve(spec: StepSpec, scope: ExpressionContext, frame: StepScope) -> Step:
    """Return a step as it would run. With a broken expression it can't run here.

    Raises:
        PlanTooLarge: All values of the plan together are too large.
    """
    name = _title(spec, scope)
    bare = Step(spec, frame.key(spec), name, Decision.RUN)
    try:
        return _resolved(bare, scope, frame)
    except ExpressionError as error:
        return replace(bare, need=ActionStatus.SKIPPED, said=(str(error),))


def _title(spec: StepSpec, scope: ExpressionContext) -> str:
    try:
        named = render_text(spec.name, scope).text
        return title(named, spec.uses, render_text(spec.run or "", scope).text)
    except ExpressionError:
        return title(spec.name, spec.uses, spec.run or "")


def _resolved(bare: Step, scope: ExpressionContext, frame: StepScope) -> Step:
    spec = bare.spec
    own = {} if frame.inside else {"action": spec.called}
    scope = _with_github(scope, output=runner_shell.outputs_file(bare.key), **own)
    spec = replace(spec, env=filled_keys(spec.env, scope))
    scope = with_environment(scope, spec.env)
    spec = replace(spec, inputs=filled_keys(spec.inputs, scope))
    step = replace(bare, spec=spec, decision=decide(spec.condition, scope))
    if step.decision is Decision.SKIP:
        return step
    texts, unknown = _filled(spec.env, scope, frame)
    environment = {**frame.environment, **texts}
    if spec.run is not None:
        # As on GitHub, a script is no action, even inside of one that its variables may name.
        scope = _with_github(scope, action_repository="", action_ref="")
        return _run(replace(step, unknown=unknown), environment, scope, frame)
    place = action_place(spec.uses, frame.inside, frame.tree)
    if place is not None:
        return _own_action(replace(step, unknown=unknown), place, environment, scope, frame)
    return _action(replace(step, unknown=unknown), environment, scope, frame)


def with_environment(scope: ExpressionContext, values: Mapping[str, Value]) -> ExpressionContext:
    """Return a scope whose `env` has more values; the new ones go before."""
    env = scope.contexts.get("env", {})
    more = {name: render(value, scope) for name, value in values.items()}
    if isinstance(env, Partly):
        both: Value = replace(env, known={**env.known, **more})
    else:
        both = {**env, **more}
    return replace(scope, contexts={**scope.contexts, "env": both})


def decide(condition: str, scope: ExpressionContext) -> Decision:
    """Return whether a step or a job with this condition runs."""
    known = holds(condition, scope)
    if known is None:
        return Decision.UNSURE
    if known:
        return Decision.RUN
    return Decision.SKIP if holds(condition, after_failure(scope)) is False else Decision.ON_FAILURE


def _filled(
    values: Mapping[str, Value], scope: ExpressionContext, frame: StepScope
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return texts by name, with marks for what steps that have not run put out or export."""
    filled = {name: _text(value, scope, frame) for name, value in values.items()}
    unknown = dict.fromkeys(name for _, names in filled.values() for name in names)
    texts = {name: text for name, (text, _) in filled.items() if "${{" not in name}
    return texts, tuple(unknown)


def _text(value: Value, scope: ExpressionContext, frame: StepScope) -> tuple[str, tuple[str, ...]]:
    marked: list[str] = []

    def missing(expression: str) -> str:
        output, variable = _OUTPUT.fullmatch(expression), _VARIABLE.fullmatch(expression)
        if output is None and variable is None:
            return ""
        marked.append(expression)
        if output is not None:
            return runner_shell.mark(f"{frame.prefix}{output['id']}", output["name"])
        return runner_shell.variable_mark(variable["name"]) if variable is not None else ""

    rendered = render_text(value, scope, missing)
    names = tuple(name for name in rendered.unknown if name not in marked)
    return rendered.text, names


def _run(
    step: Step, environment: Mapping[str, str], scope: ExpressionContext, frame: StepScope
) -> Step:
    spec = step.spec
    if needs_own_files(spec.run or "", frame.inside):
        why = runner_differences.action_brings_files(frame.inside[-1])
        return replace(step, need=ActionStatus.SKIPPED, said=(why,))
    shell_name = spec.shell or frame.defaults.shell
    shell = choose_shell(_text(shell_name, scope, frame)[0] or None, windows=frame.windows)
    said = (shell.problem,) if shell.problem else ()
    if not runs_here(shell):
        return replace(step, need=ActionStatus.SKIPPED, said=said)
    script, unknown = _text(spec.run, scope, frame)
    folder, unknown_folder = _text(spec.directory or frame.defaults.directory, scope, frame)
    runner = _runner(scope, frame)
    command = Command(step.key, script, shell.name, directory_of(folder), environment, runner)
    names = dict.fromkeys((*step.unknown, *unknown, *unknown_folder))
    return replace(step, command=command, said=said, unknown=tuple(names), check=True)


def _action(
    step: Step, environment: Mapping[str, str], scope: ExpressionContext, frame: StepScope
) -> Step:
    spec = step.spec
    if not spec.uses:
        return replace(step, need=ActionStatus.SKIPPED, said=(runner_differences.STEP_EMPTY,))
    inputs, unknown = render_all(spec.inputs, scope)
    effect = effect_of(spec.uses, inputs, frame.tree, keeps_artifacts=frame.keeps_artifacts)
    done = replace(
        step,
        need=effect.need,
        said=(effect.said,),
        outputs=effect.outputs,
        check=effect.check,
        takes=effect.takes,
        keeps=effect.keeps,
    )
    script = _script(effect)
    if not script:
        return done
    names = tuple(dict.fromkeys((*step.unknown, *unknown)))
    there = ActionOfRepository.parse(spec.uses)
    own = {"action_repository": there.repository, "action_ref": there.ref} if there else {}
    command = Command(
        step.key,
        script,
        environment={**environment, **effect.environment},
        runner=_runner(_with_github(scope, **own), frame),
    )
    return replace(done, command=command, unknown=names)


def _script(effect: Effect) -> str:
    exports = [
        f'echo {shlex.quote(f"{name}={value}")} >>"$GITHUB_ENV"'
        for name, value in effect.exported.items()
    ]
    return "\n".join([*([effect.script] if effect.script else []), *exports])


def _own_action(
    step: Step,
    place: ActionPlace,
    environment: Mapping[str, str],
    scope: ExpressionContext,
    frame: StepScope,
) -> Step:
    found = ((name, frame.tree.read(name)) for name in place.files)
    path, text = next(((name, text) for name, text in found if text is not None), ("", None))
    if text is None:
        return replace(
            step,
            need=ActionStatus.SKIPPED,
            said=(runner_differences.action_file_missing(step.spec.uses),),
        )
    if path in frame.inside:
        said = runner_differences.action_uses_itself(step.spec.uses)
        return replace(step, need=ActionStatus.SKIPPED, said=(said,))
    if len(frame.inside) >= _DEEPEST:
        said = runner_differences.ACTIONS_NESTED_TOO_DEEPLY
        return replace(step, need=ActionStatus.SKIPPED, said=(said,))
    scope.meter.take(len(text))
    try:
        action = read_action(path, text)
    except WorkflowUnreadable as error:
        return replace(step, need=ActionStatus.SKIPPED, said=(str(error),))
    inner = _inner_scope(step.spec, action, place.folder, scope)
    if action.using != "composite":
        return _own_program(replace(step, action=action), action, environment, inner, frame)
    inside = StepScope(
        frame.tree,
        windows=frame.windows,
        prefix=f"{step.key}.",
        environment=environment,
        inside=(*frame.inside, path),
        keeps_artifacts=frame.keeps_artifacts,
        runner=frame.runner,
    )
    return replace(step, action=action, inside=(inner, inside))


def _own_program(
    step: Step,
    action: ActionSpec,
    environment: Mapping[str, str],
    inner: ExpressionContext,
    frame: StepScope,
) -> Step:
    program = own_program(step.spec.uses, action, frame.tree, inner)
    if program is None:
        said = runner_differences.action_not_composite(step.spec.uses, action.using)
        return replace(step, need=ActionStatus.SKIPPED, said=(said,))
    variables = {**environment, **program.environment}
    runner = _runner(inner, frame)
    command = Command(step.key, program.script, environment=variables, runner=runner)
    return replace(step, command=command, said=program.said, check=True)


def _inner_scope(
    spec: StepSpec, action: ActionSpec, folder: str, scope: ExpressionContext
) -> ExpressionContext:
    inputs: dict[str, Value] = {}
    for name, declared in action.inputs.items():
        given = next((v for key, v in spec.inputs.items() if key.lower() == name.lower()), None)
        default = declared.get("default") if isinstance(declared, Mapping) else None
        value = render(default if given is None else given, scope)
        known = not isinstance(value, Unknown)
        inputs[name] = render_text(value, scope).text if known else value
    there = ActionOfRepository.parse(spec.uses)
    named = (there.repository, there.ref) if there else ("", "")
    scope = _with_github(
        scope,
        action_path=directory_of(folder),
        action_repository=named[0],
        action_ref=named[1],
    )
    return replace(scope, contexts={**scope.contexts, "inputs": inputs, "steps": {}})


def _with_github(scope: ExpressionContext, **known: str) -> ExpressionContext:
    """Return a scope whose `github` differs from the job's."""
    github = scope.contexts.get("github")
    if not isinstance(github, Partly):
        return scope
    github = replace(github, known={**github.known, **known})
    return replace(scope, contexts={**scope.contexts, "github": github})


def _runner(scope: ExpressionContext, frame: StepScope) -> dict[str, str]:
    """Return the runner's variables that differ in a step from the job's."""
    own = runner_variables(scope.contexts)
    return {name: value for name, value in own.items() if frame.runner.get(name) != value}
