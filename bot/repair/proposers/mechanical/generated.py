"""Generated files that are stale: run the project's own generator."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.commands import makefile
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.invocations import Invocation, invocations
from bot.ecosystems.node.package_json import package_scripts
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.reporting.reasons import mechanical

_SCRIPTS = frozenset({"python", "node", "ruby", "deno", "tsx", "ts-node"})
_CHECKS = ("--check", "--check-only", "--verify", "--dry-run", "--diff")
_GENERATES = re.compile(r"(?:^|[-_:])(?:re)?gen(?:erated?)?(?:$|[-_:])|^codegen$|^sync$|^docs-gen$")
_REPAIRS = re.compile(
    r"^(?:fix|format|fmt|reformat|style|lint[-_:]fix|fix[-_:]lint|style[-_:]fix|autoformat|format[-_:]fix)$"
)
_FIXES = re.compile(r"^--?(?:fix|write|update|overwrite|in-?place|apply|generate)(?:[-_][\w-]+)?$")
"""Options by which a script changes what it would only check."""

_NAMED = re.compile(r"\b(?P<runner>make|(?:npm|pnpm|yarn) run|yarn) (?P<name>[\w:.-]+)")


def checks_itself(step: Invocation) -> FixCommand | None:
    """Return a project's script without its `--check`, which makes it write; or None."""
    own = step.tool in _SCRIPTS or "/" in step.tool
    script = step.tool if "/" in step.tool else next(iter(step.arguments), "")
    if not own or script.startswith("-") or not {*_CHECKS} & {*step.arguments}:
        return None
    arguments = [word for word in step.arguments if word not in _CHECKS]
    return FixCommand(
        step.command(step.program, *arguments),
        mechanical.checks_itself(script),
        FixStage.GENERATE,
    )


def before_git_diff(steps: tuple[Invocation, ...]) -> tuple[FixCommand, ...]:
    """Return what a command runs before it asks git whether anything changed: its generators."""
    asks = next(
        (
            n
            for n, step in enumerate(steps)
            if step.tool == "git" and step.arguments[:1] in {("diff",), ("status",)}
        ),
        None,
    )
    if asks is None:
        return ()
    return tuple(
        FixCommand(step.command(), mechanical.COMMITTED_RESULT, FixStage.GENERATE)
        for step in steps[:asks]
        if step.tool not in {"git", "echo", "test", "[", "set", "export"}
    )


def named_in_output(output: str, read: Read) -> tuple[FixCommand, ...]:
    """Return generators that the failure's own words ask for (`run make generate`)."""
    found: dict[str, FixCommand] = {}
    for match in _NAMED.finditer(output):
        command, name = match[0], match["name"].rstrip(".")
        if _GENERATES.search(name) and name in _known(match["runner"], read):
            command = f"{match['runner']} {name}"
            found[command] = FixCommand(command, mechanical.NAMED_IN_OUTPUT, FixStage.GENERATE)
    return tuple(found.values())


def own_repair(command: str, read: Read) -> tuple[FixCommand, ...]:
    """Return the project's own `make format` or `npm run lint:fix`, for a command of that runner."""
    for runner, start in (("make", "make"), ("npm run", "npm"), ("pnpm run", "pnpm")):
        if command.startswith(start):
            return tuple(
                FixCommand(f"{runner} {name}", mechanical.OWN_REPAIR, stage)
                for name, stage in ((name, FixStage.ALL) for name in _known(runner, read))
                if _REPAIRS.match(name)
            )
    return ()


def fixing_target(steps: Sequence[Invocation], read: Read) -> tuple[FixCommand, ...]:
    """Return what another make target runs with an option that fixes, of what the command checks.

    `make fix-copies` has `python utils/check_copies.py --fix_and_overwrite`, and `make quality` the
    same script without.
    """
    checked = {_program(step): set(step.arguments) for step in steps}
    found = {}
    for name in _known("make", read):
        for step in invocations(f"make {name}", read):
            more = set(step.arguments) - checked.get(_program(step), {*step.arguments})
            if more and all(_FIXES.match(word) for word in more):
                why = mechanical.fixing_target(name)
                found[step.command()] = FixCommand(step.command(), why, FixStage.GENERATE)
    return tuple(found.values())


def _program(step: Invocation) -> tuple[str, str]:
    """Return a program and, of one that carries out scripts, the script."""
    return step.tool, next(iter(step.arguments), "") if step.tool in _SCRIPTS else ""


def _known(runner: str, read: Read) -> tuple[str, ...]:
    if runner != "make":
        return tuple(package_scripts(read))
    text = next((text for name in makefile.NAMES if (text := read(name)) is not None), "")
    return tuple(makefile.targets(text))
