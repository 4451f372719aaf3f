"""Turn a step into the command that runs it here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from bot.ci.workflow.actions.install_commands import one_line
from bot.ci.workflow.runner import runner_shell
from bot.reporting.reasons import runner_differences
from sandbox.base import WORKSPACE

_FILES = {
    "python": (".py", '"$(command -v python || command -v python3)" {0}'),
    "sh": (".sh", "sh -e {0}"),
    "pwsh": (".ps1", "pwsh {0}"),
}
"""For shells that are run on a file: its suffix and their command. Debian has no `python`."""

_WINDOWS = frozenset({"powershell", "cmd"})
_NEEDS_OPTIONS = re.compile(r"[;|\n]|[^&]&(?:[^&]|$)|(?:^|&& )! ")
"""In a script that ends elsewhere, or otherwise, without the options of its shell."""

_BASH = {"": "set -e", "bash": "set -eo pipefail"}
"""Options with which GitHub runs bash: without `shell`, and with `shell: bash`."""


@dataclass(frozen=True, slots=True)
class ShellChoice:
    """How scripts of a shell run here.

    Attributes:
        problem: Why they don't, as a sentence; empty when they do.
    """

    name: str
    problem: str = ""


def choose_shell(name: str | None, *, windows: bool) -> ShellChoice:
    """Return how a shell's scripts run here.

    Args:
        name: `shell` of the step or its defaults, or None.
        windows: Whether the job's runner is Windows, whose default shell is PowerShell.
    """
    word = (name or "").strip()
    if not word:
        said = runner_differences.BASH_INSTEAD_OF_POWERSHELL if windows else ""
        return ShellChoice("", said)
    if word in _BASH or word in _FILES or "{0}" in word:
        return ShellChoice(word)
    if word in _WINDOWS:
        return ShellChoice(word, runner_differences.shell_of_windows(word))
    return ShellChoice(word, runner_differences.shell_unknown(word))


def runs_here(shell: ShellChoice) -> bool:
    """Whether scripts of this shell can be run at all."""
    return shell.name in _BASH or shell.name in _FILES or "{0}" in shell.name


@dataclass(frozen=True, slots=True)
class Command:
    """A step that is ready to run.

    Attributes:
        key: Names its outputs.
        script: What the workflow says, expressions filled.
        shell: As `ShellChoice.name`.
        directory: Absolute, inside the sandbox.
        environment: The step's own variables.
        runner: Variables of `github` that are others than the job's, and go before its own.
    """

    key: str
    script: str
    shell: str = ""
    directory: str = WORKSPACE
    environment: Mapping[str, str] = field(default_factory=dict)
    runner: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        """Return the bash command that does it, in a sandbox that was initialised."""
        lines = [self.entering()]
        if self.directory != WORKSPACE:
            lines.append(f"cd -- {runner_shell.quote(self.directory)} || exit 1")
        return "\n".join([*lines, *self._body()])

    def entering(self) -> str:
        """Return the bash lines that set the step's variables, before anything is run."""
        exports = (
            f"export {name}={runner_shell.quote(value)}"
            for name, value in {**self.environment, **self.runner}.items()
            if name.isidentifier()
        )
        return "\n".join((runner_shell.begin(self.key), *exports))

    def typed(self) -> str:
        """Return what a person would type behind `entering`, from the work tree's root."""
        place = PurePosixPath(self.directory)
        folder = str(place.relative_to(WORKSPACE)) if place.is_relative_to(WORKSPACE) else "."
        go_to = [] if folder == "." else [f"cd {shlex.quote(folder)}"]
        plain = self.shell in _BASH and not runner_shell.has_mark(self.script)
        line = one_line(self.script) if plain else ""
        if plain and not _NEEDS_OPTIONS.search(line):
            return " && ".join([*go_to, line])
        return "\n".join(["set -e", *go_to, *self._body()] if go_to else self._body())

    def _body(self) -> list[str]:
        if self.shell in _BASH:
            options = _BASH[self.shell]
            if runner_shell.has_mark(self.script):
                file = self._file(".sh")
                return [runner_shell.script_file(file, self.script), f"{options}\n. {file}"]
            return [options, self.script.rstrip("\n")]
        suffix, command = _FILES.get(self.shell, (".sh", self.shell))
        file = self._file(suffix)
        return [
            runner_shell.script_file(file, self.script),
            command.replace("{0}", file) if "{0}" in command else f"{command} {file}",
        ]

    def _file(self, suffix: str) -> str:
        return f"{runner_shell.FOLDER}/temp/step-{self.key}{suffix}"


def directory_of(*parts: str | None) -> str:
    """Return the folder of a step: the first part that is given, below the workspace."""
    given = next((part for part in parts if part), "")
    return str(PurePosixPath(WORKSPACE, given)) if given else WORKSPACE


def title(name: str, uses: str, run: str) -> str:
    """Return how GitHub calls a step in its log."""
    if name:
        return name
    if uses:
        return f"Run {uses}"
    lines = [line for line in run.strip().splitlines() if line.strip()]
    return f"Run {lines[0].strip()}" if lines else "Run"
