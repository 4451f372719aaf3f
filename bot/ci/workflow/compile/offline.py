"""Part a step into what runs beforehand, with network, and the check, which runs without."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace

from bot.ci.workflow.actions.install_commands import divide, fetches
from bot.ci.workflow.runner import runner_shell
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.invocations import Invocation, with_runners
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import job_steps

# A tool that can be told to make its environment and nothing else is told so. What can't be told
# apart, such as a script that installs and then checks, is rehearsed: the whole command runs once,
# its result does not count, and the files of the repository are put back.

_MAKES_ENVIRONMENTS = frozenset(
    {"build", "pyproject-build", "cibuildwheel", "hatch", "pixi", "gradle", "./gradlew", "sbt"}
)
"""They install what they need while they run, and nothing tells them to do only that."""

_OWN_ENVIRONMENT = frozenset({"tox.ini", "tox.toml", "noxfile.py", "pyproject.toml"})
"""Files whose commands run in an environment that is not the step's own."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """What makes a later run of a command independent of the network; it never fails.

    Attributes:
        text: Bash, for a sandbox that was initialised.
        shown: The same for a person.
    """

    text: str
    shown: str


def prefetch(command: Command, tree: Tree) -> Fetch | None:
    """Return what has to be done with network before `command` runs without, if anything."""
    reached = with_runners(command.script, tree.read)
    if any(_can_only_be_rehearsed(each) for each in reached):
        rehearsal = f"{runner_shell.begin('none')}\nci_rehearse {shlex.quote(command.text())}"
        return Fetch(rehearsal, job_steps.rehearsal(command.typed()))
    lines = fetching_lines(command.script, reached)
    if not lines:
        return None
    script = "\n".join(f"{line} || true" for line in lines)
    only = replace(command, key=f"{command.key}-fetch", script=script, shell="")
    return Fetch(f"bash -c {shlex.quote(only.text())} || true\n{_OFFLINE}", only.typed())


_OFFLINE = f"{runner_shell.begin('none')}\nci_offline"


def fetching_lines(script: str, reached: tuple[Invocation, ...]) -> tuple[str, ...]:
    """Return the shell lines that fetch for the tools behind a script and do nothing else.

    Args:
        script: Of a step.
        reached: What it runs, the task runners and scripts on the way included.
    """
    outer = [only for line in script.splitlines() if (only := _environments_only(line))]
    inner = [text for each in reached if (text := _fetching(each))]
    return tuple(dict.fromkeys([*outer, *inner]))


def _can_only_be_rehearsed(invocation: Invocation) -> bool:
    words = (invocation.program, *invocation.arguments)
    match invocation.tool:
        case "tox" | "nox":
            return "$" in " ".join(words)
        case "pre-commit" | "prek":
            return invocation.origin in _OWN_ENVIRONMENT
        case _:
            return (
                fetches(words)
                or invocation.tool in _MAKES_ENVIRONMENTS
                or "--install-types" in invocation.arguments
            )


def _fetching(invocation: Invocation) -> str | None:
    """Return what fetches for a tool, told to do nothing else."""
    match invocation.tool:
        case "pre-commit" | "prek":
            return invocation.command(invocation.program, "install-hooks")
        case "tox" | "nox":
            return _environments_only(invocation.command()) if invocation.origin else None
        case "cargo":
            return "cargo fetch"
        case "go" | "golangci-lint":
            return "go mod download"
        case "mvn" | "./mvnw":
            return f"{invocation.program} --batch-mode --quiet dependency:go-offline"
        case _:
            return _prefixed(invocation)


def _prefixed(invocation: Invocation) -> str | None:
    """Return what makes a runner's environment: `uv run` syncs, `npx` installs."""
    if invocation.prefix[:2] == ("uv", "run"):
        return f"{shlex.join(invocation.prefix)} true"
    if invocation.prefix[:1] == ("npx",) and "--no-install" not in invocation.prefix:
        return f"npx --yes {shlex.quote(invocation.program)} --version"
    if invocation.tool == "uvx":
        words = [word for word in invocation.arguments if not word.startswith("-")]
        return f"uvx {shlex.quote(words[0])} --version" if words else None
    return None


def _environments_only(line: str) -> str | None:
    """Return a line of tox or nox, told to make its environments only."""
    words = line.split()
    at = next((n for n, word in enumerate(words) if word in {"tox", "nox"}), None)
    if at is None or at > 3:  # noqa: PLR2004 - `python -m tox`, `uv run tox`
        return None
    only = "--notest" if words[at] == "tox" else "--install-only"
    head, _, behind = line.strip().partition(" -- ")
    return f"{head} {only}{f' -- {behind}' if behind else ''}"


@dataclass(frozen=True, slots=True)
class OfflineCheck:
    """A step that can run without network, once it was prepared.

    Attributes:
        command: What is left of it to check.
        installs: Its own lines that install; they must succeed.
        fetch: What `command` needs done beforehand.
    """

    command: Command
    installs: Command | None = None
    fetch: Fetch | None = None


def without_network(command: Command, tree: Tree) -> OfflineCheck:
    """Return a step in parts. Where its script can't be divided, all of it is the check."""
    check, preparing = _divided(command)
    return OfflineCheck(check, preparing, prefetch(check, tree))


def without_installs(command: Command) -> Command:
    """Return what is left of a step to check when its own installs were done."""
    return _divided(command)[0]


def _divided(command: Command) -> tuple[Command, Command | None]:
    if command.shell not in {"", "bash"}:
        return command, None
    parts = divide(command.script)
    if not parts.preparing:
        return command, None
    preparing = replace(command, key=f"{command.key}-prepare", script=parts.preparing)
    return replace(command, script=parts.checking), preparing
