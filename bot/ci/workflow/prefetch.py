"""Fetch, while there is network, what a command would fetch when it runs without."""

from __future__ import annotations

import shlex
from dataclasses import replace

from bot.ci.workflow.command import Command
from bot.detect.invocations import Invocation, invocations
from bot.detect.tree import Tree


def prefetch(command: Command, tree: Tree) -> Command | None:
    """Return the command that makes a later run of `command` independent of the network.

    Tools such as pre-commit, tox and cargo install what they need when they first run. What it
    returns may fail without harm.
    """
    found = [
        text
        for invocation in invocations(command.script, tree.read)
        if (text := _fetching(invocation))
    ]
    runner = _outer(command.script)
    lines = tuple(dict.fromkeys([*([runner] if runner else []), *found]))
    if not lines:
        return None
    script = "\n".join(f"{line} || true" for line in lines)
    return replace(command, key=f"{command.key}-fetch", script=script, shell="")


def _fetching(invocation: Invocation) -> str | None:
    """Return what fetches for a tool, told to do nothing else."""
    match invocation.tool:
        case "pre-commit" | "prek":
            return invocation.command(invocation.program, "install-hooks")
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


def _outer(script: str) -> str | None:
    """Return the same command, told to make its environments only."""
    for line in script.splitlines():
        words = line.split()
        if not words:
            continue
        at = next((n for n, word in enumerate(words) if word in {"tox", "nox"}), None)
        if at is None or at > 3:  # noqa: PLR2004 - `python -m tox`, `uv run tox`
            continue
        only = "--notest" if words[at] == "tox" else "--install-only"
        head, _, behind = line.strip().partition(" -- ")
        return f"{head} {only}{f' -- {behind}' if behind else ''}"
    return None
