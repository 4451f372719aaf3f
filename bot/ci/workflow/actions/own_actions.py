"""Run a repository's own action that is a program: a script for Node.js, or a container's."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from bot.ci.workflow.actions.containers import contained
from bot.ci.workflow.actions.effect import Inputs
from bot.ci.workflow.actions.install_commands import installs
from bot.ci.workflow.expressions import ExpressionContext, render_text
from bot.ci.workflow.spec.specification import ActionSpec
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import runner_differences

_JOINED = re.compile(r"(?<![ \t])[ \t]*\\[ \t]*\n")
_INSTRUCTION = re.compile(r"[ \t]*(?P<word>[A-Za-z]+)[ \t]+(?P<rest>\S.*)")
_OPTIONS = re.compile(r"^(?:--\S+[ \t]+)+")
_SHEBANG = re.compile(
    r"#![ \t]*(?:/\S*/env[ \t]+(?:-S[ \t]+)?|/(?:\S*/)?)(?P<interpreter>\S[^\n]*)"
)


@dataclass(frozen=True, slots=True)
class Container:
    """What the last stage of a Dockerfile comes to.

    Attributes:
        base: The image that it starts from.
        variables: Of its environment, as a shell's double-quoted text.
        installing: Its commands that install something, as lines of a shell.
        copied: Files of the build's folder by their absolute path in the container.
        entrypoint: What it starts, with the first arguments.
        arguments: Those that follow where nobody gives others.
    """

    base: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    installing: tuple[str, ...] = ()
    copied: Mapping[str, str] = field(default_factory=dict)
    entrypoint: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def read_dockerfile(text: str) -> Container:
    """Return what a Dockerfile's last stage comes to; what can't be read is left out.

    Source: https://docs.docker.com/reference/dockerfile/
    """
    made = Container()
    for line in _JOINED.sub(" ", re.sub(r"(?m)^[ \t]*#.*\n?", "", text)).split("\n"):
        match = _INSTRUCTION.fullmatch(line.rstrip())
        if match is None:
            continue
        made = _after(made, match["word"].upper(), match["rest"])
    return made


def started(
    container: Container, folder: str, tree: Tree, *, given: Sequence[str], program: str
) -> tuple[str, ...]:
    """Return the words of the command that a container runs, on the files of the work tree.

    Args:
        container: From `read_dockerfile`.
        folder: Of its build, relative to the root of the tree.
        tree: Its files.
        given: Arguments that stand for the container's own, if there are any.
        program: That stands for its entrypoint, or "".
    """
    first = (program,) if program else container.entrypoint
    words = (*first, *(given or container.arguments))
    if not words:
        return ()
    path = container.copied.get(str(PurePosixPath("/", words[0])), "")
    file = str(PurePosixPath(folder, path)) if path else ""
    text = tree.read(file) if file else None
    if text is None:
        return words
    shebang = _SHEBANG.match(text)
    interpreter = shebang["interpreter"].split() if shebang else ["sh"]
    return (*interpreter, file, *words[1:])


def _after(made: Container, word: str, rest: str) -> Container:
    """Return what a container comes to with one more instruction."""
    match word:
        case "FROM":
            names = [name for name in rest.split() if not name.startswith("--")]
            made = Container(names[0] if names else "")
        case "ENV" | "ARG":
            made = replace(made, variables={**made.variables, **_variables(word, rest)})
        case "RUN":
            line = _OPTIONS.sub("", rest)
            line = shlex.join(_words(line)) if line.startswith("[") else line
            if installs(line):
                made = replace(made, installing=(*made.installing, line))
        case "COPY" | "ADD":
            made = replace(made, copied={**made.copied, **_copied(rest)})
        case "ENTRYPOINT":
            made = replace(made, entrypoint=_words(rest), arguments=())
        case "CMD":
            made = replace(made, arguments=_words(rest))
    return made


def _words(rest: str) -> tuple[str, ...]:
    """Return the words of a command, which is a list in JSON or a line for a shell."""
    if rest.startswith("["):
        try:
            words = json.loads(rest)
        except ValueError:
            return ()
        return tuple(words) if all(isinstance(word, str) for word in words) else ()
    return ("sh", "-c", rest)


def _variables(word: str, rest: str) -> dict[str, str]:
    try:
        words = shlex.split(rest)
    except ValueError:
        return {}
    if word == "ENV" and words and "=" not in words[0]:  # `ENV NAME the rest is its value`
        return {words[0]: " ".join(words[1:])}
    return dict(word.split("=", 1) for word in words if "=" in word)


def _copied(rest: str) -> dict[str, str]:
    """Return files by the path that they are copied to; folders are left out."""
    line = _OPTIONS.sub("", rest)
    words = _words(line) if line.startswith("[") else tuple(line.split())
    *files, place = words or ("",)
    to_folder = len(files) > 1 or place.endswith(("/", "."))
    places = (
        PurePosixPath("/", place, PurePosixPath(file).name if to_folder else "") for file in files
    )
    return {str(place): file for place, file in zip(places, files, strict=True)}


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
