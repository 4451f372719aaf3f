"""Turn a tool that checks into the same tool that repairs, with the same files and settings."""

from __future__ import annotations

from dataclasses import dataclass

from bot.ecosystems.invocations import Invocation
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.reporting.reasons import mechanical


@dataclass(frozen=True, slots=True)
class FixMode:
    """How a tool's arguments change.

    Attributes:
        stage: When the fix runs.
        subcommand: What the first arguments must be for this mode.
        becomes: What replaces them.
        drop: Arguments to leave out.
        drop_with_value: Options to leave out together with their value.
        add: Arguments to put behind the subcommand.
    """

    stage: FixStage
    subcommand: tuple[str, ...] = ()
    becomes: tuple[str, ...] | None = None
    drop: frozenset[str] = frozenset()
    drop_with_value: frozenset[str] = frozenset()
    add: tuple[str, ...] = ()


_RUFF_OUTPUT = frozenset({"--output-format", "--output-file", "-o", "--format"})
_RUFF_CHECKS = frozenset({"--diff", "--no-fix", "--statistics", "--fix", "--watch", "-w"})
_BLACK = frozenset({"--check", "--diff", "--color"})
_ISORT = frozenset({"--check", "--check-only", "-c", "--diff", "--df", "--show-files"})

MODES: dict[str, tuple[FixMode, ...]] = {
    "ruff": (
        FixMode(FixStage.FORMAT, ("format",), drop=frozenset({"--check", "--diff"})),
        FixMode(
            FixStage.LINT,
            ("check",),
            drop=_RUFF_CHECKS,
            drop_with_value=_RUFF_OUTPUT,
            add=("--fix",),
        ),
        FixMode(  # before 0.5 the subcommand could be left out
            FixStage.LINT,
            becomes=(),
            drop=_RUFF_CHECKS,
            drop_with_value=_RUFF_OUTPUT,
            add=("--fix",),
        ),
    ),
    "black": (FixMode(FixStage.FORMAT, drop=_BLACK),),
    "isort": (FixMode(FixStage.IMPORTS, drop=_ISORT),),
    "autoflake": (
        FixMode(
            FixStage.LINT,
            drop=frozenset({"--check", "-c", "--check-diff", "-cd", "--stdout", "-s"}),
            add=("--in-place",),
        ),
    ),
    "pyupgrade": (FixMode(FixStage.LINT),),
    "docformatter": (
        FixMode(FixStage.FORMAT, drop=frozenset({"--check", "-c", "--diff"}), add=("--in-place",)),
    ),
    "autopep8": (
        FixMode(
            FixStage.FORMAT,
            drop=frozenset({"--diff", "-d", "--exit-code"}),
            add=("--in-place",),
        ),
    ),
    "yapf": (
        FixMode(FixStage.FORMAT, drop=frozenset({"--diff", "-d", "-q"}), add=("--in-place",)),
    ),
    "codespell": (FixMode(FixStage.LINT, add=("--write-changes",)),),
    "typos": (FixMode(FixStage.LINT, drop=frozenset({"--diff"}), add=("--write-changes",)),),
    "blackdoc": (FixMode(FixStage.FORMAT, drop=frozenset({"--check", "--diff", "-c"})),),
    "doc-builder": (FixMode(FixStage.FORMAT, ("style",), drop=frozenset({"--check_only"})),),
    "usort": (FixMode(FixStage.IMPORTS, ("check",), becomes=("format",)),),
    "ufmt": (FixMode(FixStage.FORMAT, ("check",), becomes=("format",)),),
    "pycln": (FixMode(FixStage.LINT, drop=frozenset({"--check", "-c", "--diff", "-d"})),),
    "mdformat": (FixMode(FixStage.FORMAT, drop=frozenset({"--check"})),),
    "pyproject-fmt": (FixMode(FixStage.FORMAT, drop=frozenset({"--check"})),),
    "taplo": (
        FixMode(FixStage.FORMAT, ("fmt",), drop=frozenset({"--check", "--diff"})),
        FixMode(FixStage.FORMAT, ("format",), drop=frozenset({"--check", "--diff"})),
    ),
    "prettier": (
        FixMode(
            FixStage.FORMAT,
            drop=frozenset({"--check", "-c", "--list-different", "-l"}),
            add=("--write",),
        ),
    ),
    "eslint": (FixMode(FixStage.LINT, drop=frozenset({"--fix-dry-run"}), add=("--fix",)),),
    "stylelint": (FixMode(FixStage.LINT, add=("--fix",)),),
    "standard": (FixMode(FixStage.LINT, add=("--fix",)),),
    "oxlint": (FixMode(FixStage.LINT, add=("--fix",)),),
    "deno": (
        FixMode(FixStage.FORMAT, ("fmt",), drop=frozenset({"--check"})),
        FixMode(FixStage.LINT, ("lint",), add=("--fix",)),
    ),
    "xo": (FixMode(FixStage.LINT, add=("--fix",)),),
    "biome": (
        FixMode(FixStage.ALL, ("ci",), becomes=("check",), add=("--write",)),
        FixMode(FixStage.ALL, ("check",), add=("--write",)),
        FixMode(FixStage.LINT, ("lint",), add=("--write",)),
        FixMode(FixStage.FORMAT, ("format",), add=("--write",)),
    ),
    "dprint": (FixMode(FixStage.FORMAT, ("check",), becomes=("fmt",)),),
    "gofmt": (FixMode(FixStage.FORMAT, drop=frozenset({"-l", "-d", "-e"}), add=("-w",)),),
    "gofumpt": (FixMode(FixStage.FORMAT, drop=frozenset({"-l", "-d"}), add=("-w",)),),
    "goimports": (FixMode(FixStage.IMPORTS, drop=frozenset({"-l", "-d"}), add=("-w",)),),
    "golangci-lint": (FixMode(FixStage.LINT, ("run",), add=("--fix",)),),
    "cargo": (
        FixMode(FixStage.FORMAT, ("fmt",), drop=frozenset({"--check"})),
        FixMode(
            FixStage.LINT,
            ("clippy",),
            add=("--fix", "--allow-dirty", "--allow-staged", "--offline"),
        ),
    ),
    "rustfmt": (FixMode(FixStage.FORMAT, drop=frozenset({"--check"})),),
    "shfmt": (FixMode(FixStage.FORMAT, drop=frozenset({"-d", "-l"}), add=("-w",)),),
    "terraform": (FixMode(FixStage.FORMAT, ("fmt",), drop=frozenset({"-check", "-diff"})),),
    "hatch": (FixMode(FixStage.ALL, ("fmt",), drop=frozenset({"--check"})),),
    # Hooks repair and fail in the same run; the second run passes.
    "pre-commit": (FixMode(FixStage.ALL, ("run",)),),
    "pre_commit": (FixMode(FixStage.ALL, ("run",)),),  # as a module
    "prek": (FixMode(FixStage.ALL, ("run",)),),
}
"""What each tool calls its fix mode; from the tools' own `--help`."""


def fix_for(step: Invocation) -> FixCommand | None:
    """Return the tool's fix mode, or None when it has none that is known."""
    modes = MODES.get(step.tool, ())
    mode = next((m for m in modes if step.arguments[: len(m.subcommand)] == m.subcommand), None)
    if mode is None:
        return None
    arguments = _rewritten(step.arguments, mode)
    command = step.command(step.program, *arguments)
    why = (
        mechanical.part_of_command_through(step.tool, step.origin)
        if step.origin
        else mechanical.part_of_command(step.tool)
    )
    return FixCommand(command, why, mode.stage)


def _rewritten(arguments: tuple[str, ...], mode: FixMode) -> list[str]:
    """Return the arguments of the fix mode; everything else stays as the project has it."""
    rest = list(arguments[len(mode.subcommand) :])
    kept: list[str] = []
    while rest:
        word = rest.pop(0)
        if word in mode.drop_with_value:
            rest = rest[1:]
        elif word not in mode.drop and word.partition("=")[0] not in mode.drop_with_value:
            kept.append(word)
    if kept and kept[-1] == "--":
        kept.pop()
    start = mode.subcommand if mode.becomes is None else mode.becomes
    added = [word for word in mode.add if word not in kept]
    return [*start, *added, *kept]
