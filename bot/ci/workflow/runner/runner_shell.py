"""The bash that stands in for GitHub's runner inside a sandbox.

Every step begins with `. ~/.ci/begin KEY`: it sets the variables of the runner and the job, takes
in what earlier steps wrote to `GITHUB_ENV` and `GITHUB_PATH`, and says where this one's outputs
go. So a step is an ordinary shell command that can be run by hand, again, and in a snapshot.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from bot.ci.workflow.inside import source
from bot.ci.workflow.runner import offline_warmup
from bot.ci.workflow.runner.remote import Remote
from bot.ci.workflow.runner.shims import LINKS, shims
from bot.ci.workflow.services import system_services
from bot.ci.workflow.services.services import start_functions
from sandbox.base import HOME, WORKSPACE

FOLDER = f"{HOME}/.ci"
"""Where all of it lives; a snapshot keeps it."""

TEMP = f"{FOLDER}/temp"
"""`runner.temp`."""

WORK = f"{FOLDER}/work"
"""`runner.workspace`, which holds the repository's folder."""

EVENT_FILE = f"{FOLDER}/event.json"

FILES: Mapping[str, str] = {
    "env": f"{FOLDER}/env",
    "path": f"{FOLDER}/path",
    "state": f"{FOLDER}/state",
    "step_summary": f"{FOLDER}/summary",
}
"""Files that steps write to, by their names in `github`; each step has its own for outputs."""

NOT_EXPORTED = "NODE_OPTIONS"
"""Variable that a step can't set for later ones, as on GitHub's runner."""

SAID = f"{FOLDER}/said"
"""Lines about what differs from GitHub's runner, found while running."""

ARTIFACTS = f"{HOME}/.ci-artifacts"
"""A zip for each artifact that earlier jobs of the run made, or that this one makes."""

_PROGRAMS = ("keep_wheels.py", "artifacts.py", "conda_packages.py")
"""What the bash below calls, in `FOLDER`."""

_EXPORTED = ".env"
"""Stands for the key of a step in marks of variables; no step's id begins like that."""


def initialise(
    environment: Mapping[str, str],
    runner: Mapping[str, str],
    event: str,
    *,
    python: str | None,
    origin: Remote,
    services: tuple[str, ...] = (),
) -> str:
    """Return the command that makes a fresh sandbox look like a runner before its first step.

    Args:
        environment: Variables of the job.
        runner: Variables of `github` and `runner`, which nothing changes.
        event: The event's payload, as JSON.
        services: Bash lines that start the job's services, with every step.
        python: Version of the Python to make an environment of, as the runner has one; "" for
            the one that is there, None for no environment.
        origin: Where the checkout comes from.
    """
    programs = [_shim(name, body) for name, body in shims().items()]
    links = [f"ln -sf {target} ~/.ci/bin/{name}" for name, target in LINKS.items()]
    lines = (
        "set -e",
        "rm -rf ~/.ci",
        "mkdir -p ~/.ci/bin ~/.ci/outputs ~/.ci/temp ~/.ci/work ~/.local/bin",
        f"ln -s {WORKSPACE} ~/.ci/work/{shlex.quote(origin.name.rpartition('/')[2])}",
        "touch ~/.ci/env ~/.ci/path ~/.ci/said ~/.ci/summary ~/.ci/state",
        refresh(environment, runner, event, origin, services),
        *programs,
        *(_file(f"~/.ci/{name}", source(name)) for name in _PROGRAMS),
        "chmod +x ~/.ci/bin/*",
        *links,
        source("remove_stand_ins.sh"),
        ". ~/.ci/begin",
        *([] if python is None else [f"[ -x ~/.venv/bin/python ] || {_own_python(python)}"]),
    )
    return "\n".join(lines)


def _own_python(version: str) -> str:
    return shlex.join(("ci_python", version, *([version] if version else [])))


def refresh(
    environment: Mapping[str, str],
    runner: Mapping[str, str],
    event: str,
    origin: Remote,
    services: tuple[str, ...] = (),
) -> str:
    """Return the command that gives variables, event and remote to a sandbox; see `initialise`."""
    exports, kept = _exports({**environment, **runner}), _exports(runner)
    start = [f'[ "${{1:-none}}" = none ] || {service}' for service in services]
    functions = (
        *(source("step.sh"), source("languages.sh"), source("artifacts.sh", ARTIFACTS=ARTIFACTS)),
        *(source("git_remote.sh"), offline_warmup.functions()),
        *(start_functions(), system_services.functions()),
    )
    begins = (source("begin.sh"), offline_warmup.BEGIN, *start, system_services.begin())
    # Nothing that a step writes to GITHUB_ENV changes the runner's own variables.
    text = "\n".join((*functions, exports, *begins, kept))
    files = (_file("~/.ci/begin", text), _file(EVENT_FILE, event))
    return "\n".join((*files, f"({begin('none')}; {origin.command()})"))


def runner_environment() -> dict[str, str]:
    """Return the variables that a step sees besides those of `github` and `runner`."""
    return {
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "NPM_CONFIG_PREFIX": f"{HOME}/.local",
        "NPM_CONFIG_SCRIPT_SHELL": f"{FOLDER}/bin/script-shell",
        # Newer Yarns are at npm, too. Mirrors and private registries have no signatures.
        "COREPACK_NPM_REGISTRY": "https://registry.npmjs.org",
        "COREPACK_INTEGRITY_KEYS": "0",
        "PIPX_BIN_DIR": f"{HOME}/.local/bin",
    }


def _exports(variables: Mapping[str, str]) -> str:
    return "\n".join(f"export {name}={quote(value)}" for name, value in variables.items())


def begin(key: str) -> str:
    """Return the line that starts a step."""
    return f". ~/.ci/begin {shlex.quote(key)}"


def outputs_file(key: str) -> str:
    """Return the file that a step writes its outputs to."""
    return f"{FOLDER}/outputs/{key}"


def mark(key: str, name: str) -> str:
    """Return the placeholder of a step's output in text that is filled in when it runs."""
    return f"@@ci:{key}:{name}@@"


def variable_mark(name: str) -> str:
    """Return the placeholder of a variable that an earlier step exports."""
    return mark(_EXPORTED, name)


def has_mark(text: str) -> bool:
    """Whether a text must be filled when it runs."""
    return "@@ci:" in text


def quote(text: str) -> str:
    """Return a text as one shell word, its marks filled when the command runs."""
    quoted = shlex.quote(text)
    return f'"$(ci_fill <<<{quoted})"' if has_mark(text) else quoted


def script_file(path: str, text: str) -> str:
    """Return shell lines that write a script, its marks filled."""
    source = "ci_fill" if has_mark(text) else "cat"
    return _file(path, text, source)


def _shim(name: str, body: str) -> str:
    said = next(line for line in source("step.sh").splitlines() if line.startswith("ci_said()"))
    return _file(f"~/.ci/bin/{name}", f"#!/bin/bash\n{said}\n{body.strip()}")


def _file(path: str, text: str, source: str = "cat") -> str:
    """Return shell lines that write a file: a here-document with a line that the text lacks."""
    end, lines = "CI_END", set(text.split("\n"))
    while end in lines:
        end += "_"
    return f"{source} >{path} <<'{end}'\n{text}\n{end}"
