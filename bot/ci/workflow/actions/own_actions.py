"""Run a repository's own action that is a program: a script for Node.js, or a container's."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bot.ci.workflow.actions.containers import contained
from bot.ci.workflow.actions.dockerfile import Container, read_dockerfile, started
from bot.ci.workflow.actions.effect import Inputs
from bot.ci.workflow.expressions import ExpressionContext, render_text
from bot.ci.workflow.spec.specification import ActionSpec
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import runner_differences


@dataclass(frozen=True, slots=True)
class OwnProgram:
    """What an action's program comes to in a sandbox.

    Attributes:
        script: Bash, from the root of the work tree.
        said: What differs from GitHub.
        environment: Variables that the script needs besides the step's.
    """

    script: str
    said: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def own_program(
    uses: str, action: ActionSpec, tree: Tree, scope: ExpressionContext
) -> OwnProgram | None:
    """Return what an action's program comes to here, or None where it can't run.

    Args:
        uses: How the step names it, `./folder`.
        action: Its file.
        tree: The repository.
        scope: With its inputs.
    """
    folder = str(PurePosixPath(action.path).parent)
    inputs = {name: str(value) for name, value in scope.contexts["inputs"].items()}
    if action.using.startswith("node"):
        words: tuple[str, ...] = (
            "node",
            str(PurePosixPath(folder, str(action.runs.get("main", "")))),
        )
        return _program((), words, inputs) if tree.read(words[1]) is not None else None
    if action.using != "docker":
        return None
    arguments = action.runs.get("args")
    given = (
        [render_text(value, scope).text for value in arguments]
        if isinstance(arguments, list)
        else []
    )
    image = str(action.runs.get("image", ""))
    if image.startswith("docker://"):
        start = str(action.runs.get("entrypoint") or "")
        told = Inputs({"entrypoint": start, "args": shlex.join(given)})
        effect = contained(image.removeprefix("docker://"), told)
        return OwnProgram(effect.script, (effect.said,), inputs) if effect else None
    text = tree.read(str(PurePosixPath(folder, image)))
    if text is None:
        return None
    scope.meter.take(len(text))
    container = read_dockerfile(text)
    start = str(action.runs.get("entrypoint") or "")
    words = started(container, folder, tree, given=given, program=start)
    if not words:
        return None
    variables = action.runs.get("env")
    set_by_it = variables if isinstance(variables, Mapping) else {}
    own = {name: render_text(value, scope).text for name, value in set_by_it.items()}
    said = runner_differences.container_left_out(uses, container.base)
    return _program(_prepared(container, folder), words, inputs, own, said)


def _program(
    preparing: tuple[str, ...],
    words: tuple[str, ...],
    inputs: Mapping[str, str],
    own: Mapping[str, str] | None = None,
    said: str = "",
) -> OwnProgram:
    """Return a command that sees the action's inputs as a runner hands them over.

    Source: https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax
    """
    given = {f"INPUT_{name.upper().replace(' ', '_')}": value for name, value in inputs.items()}
    plain = {name: value for name, value in given.items() if name.isidentifier()}
    odd = [f"{name}={value}" for name, value in given.items() if name not in plain]
    line = shlex.join(("env", *odd, *words) if odd else words)
    return OwnProgram(
        "\n".join((*preparing, line)), (said,) if said else (), {**plain, **(own or {})}
    )


def _prepared(container: Container, folder: str) -> tuple[str, ...]:
    """Return the lines that install what a container has; what fails of them is said."""
    exports = tuple(
        f'export {name}="{value.replace(chr(34), "")}"'
        for name, value in container.variables.items()
        if name.isidentifier()
    )
    said = "What the action's container installs is not all installed."
    lines = [
        f"(cd {shlex.quote(folder)} && {line}) || ci_said {shlex.quote(said)}"
        for line in container.installing
    ]
    return (*exports, *lines)
