"""Decide which fix modes to run: by what the failing command started, by configuration, by output."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bot.ci.failure_identity import SubjectKind, identity_of
from bot.ecosystems.commands import makefile
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.invocations import Invocation, invocations
from bot.ecosystems.node.package_json import package_scripts
from bot.model import Failure, Observation
from bot.repair.proposers.mechanical import configured_fixers, fix_modes, lock_files, snapshots
from bot.repair.proposers.mechanical.configured_fixers import configured_in
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.repair.proposers.mechanical.process_tree import SeenTool, seen_tools
from bot.reporting.reasons import mechanical
from sandbox.base import WORKSPACE

_SCRIPTS = frozenset({"python", "node", "ruby", "deno", "tsx", "ts-node"})
_CHECKS = ("--check", "--check-only", "--verify", "--dry-run", "--diff")
_GENERATES = re.compile(r"(?:^|[-_:])(?:re)?gen(?:erated?)?(?:$|[-_:])|^codegen$|^sync$|^docs-gen$")
_REPAIRS = re.compile(
    r"^(?:fix|format|fmt|reformat|style|lint[-_:]fix|fix[-_:]lint|style[-_:]fix|autoformat|format[-_:]fix)$"
)
_GENERATED_FIXES = re.compile(
    r"^--?(?:fix|write|update|overwrite|in-?place|apply|generate)(?:[-_][\w-]+)?$"
)
"""Options by which a script changes what it would only check."""

_MIGRATION = (
    r"(?<![\w/.-]){} (?P<words>(?:[\w.:-]{{1,40}} )?(?:--)?migrate[\w-]{{0,40}})(?![\w/:-])"
    r"|[\"'`](?P<option>--migrate[\w-]{{0,40}})[\"'`]"
)
"""What a tool calls its own migration: `biome migrate`, `pre-commit migrate-config`, or an option in quotes."""

_NEAR = 60
"""Characters around such words, which have to be about a configuration: data is migrated, too."""

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


def own_migrations(output: str, steps: Iterable[Invocation]) -> tuple[FixCommand, ...]:
    """Return the migrations of their configuration that tools of the failing command ask for.

    Some only show what they would change unless they are told to write.
    """
    text = " ".join(output.split())
    found: dict[tuple[str, ...], FixCommand] = {}
    for step in steps:
        if step.tool in _SCRIPTS:
            continue
        for match in re.finditer(_MIGRATION.format(re.escape(step.tool)), text):
            around = text[max(0, match.start() - _NEAR) : match.end() + _NEAR]
            if "config" in around.lower():
                words = (match["words"] or match["option"]).split()
                command = step.command(step.program, *words)
                writing = step.command(step.program, *words, "--write")
                fix = FixCommand(
                    f"{writing} || {command}", mechanical.NAMED_IN_OUTPUT, FixStage.GENERATE
                )
                found.setdefault((step.tool, *words), fix)
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
            if more and all(_GENERATED_FIXES.match(word) for word in more):
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


_FIXES = {
    "black": ("black", FixStage.FORMAT),
    "ruff format": ("ruff format", FixStage.FORMAT),
    "isort": ("isort", FixStage.IMPORTS),
    "prettier": ("prettier --write", FixStage.FORMAT),
    "gofmt": ("gofmt -w", FixStage.FORMAT),
    "rustfmt": ("rustfmt", FixStage.FORMAT),
}
"""Tools that `bot/ci/failures/tools/formatters.py` recognises, with their fix mode."""

_LINTER_CODE = re.compile(r"^[A-Z]{1,4}\d{2,4}$")
_HOOK = re.compile(r"^pre-commit: (?P<hook>[\w.-]+)$")
_MOST_FILES = 200


def fixes_for(observation: Observation | None, read: Read) -> tuple[FixCommand, ...]:
    """Return the fix modes of the tools that the output comes from, on the files it names."""
    failing = observation.failing if observation else ()
    found = []
    for tool, (command, stage) in _FIXES.items():
        files = _files(failing, tool)
        if files:
            found.append(_fix(command, files, stage, mechanical.files_named(tool)))
    coded = [f.file for f in failing if f.file and _LINTER_CODE.match(_code(f))]
    if coded and (origin := configured_in("ruff", read)):
        why = mechanical.linter_codes(origin)
        found.append(_fix("ruff check --fix", coded, FixStage.LINT, why))
    hooks = dict.fromkeys(match["hook"] for f in failing if (match := _HOOK.match(f.test)))
    found += [
        FixCommand(f"pre-commit run {hook} --all-files", mechanical.hook_failed(hook), FixStage.ALL)
        for hook in hooks
    ]
    return tuple(found)


def _fix(command: str, files: Sequence[str], stage: FixStage, why: str) -> FixCommand:
    named = list(dict.fromkeys(files))[:_MOST_FILES]
    return FixCommand(f"{command} {shlex.join(named)}", why, stage)


def _files(failing: Sequence[Failure], tool: str) -> list[str]:
    return [each.file for each in failing if each.file and _code(each) == tool]


def _code(failure: Failure) -> str:
    return failure.test.rpartition(": ")[2]


def plan(
    command: str,
    observation: Observation | None,
    read: Read,
    *,
    allow_snapshots: bool,
    inner: bool = False,
    root: str = WORKSPACE,
) -> tuple[FixCommand, ...]:
    """Return the fixes to run, in order, none twice.

    A tool that was seen running is used as it was started; configuration tells of those that an
    earlier failure kept from starting.

    Args:
        command: The failing command.
        observation: How it failed; None when it never ran.
        read: Returns a configuration file's text, or None.
        allow_snapshots: Whether snapshots may be rewritten.
        inner: Whether tools that another one started are taken too: hooks of pre-commit.
        root: The work tree's folder in the sandbox.
    """
    steps = invocations(command, read)
    output = _text(observation)
    tools = seen_tools(observation.programs, root) if observation is not None else ()
    seen = [tool for tool in tools if inner or not tool.inner]
    found = [*lock_files.fixes_for(steps, output), *before_git_diff(steps)]
    found += _of_seen(seen)
    for step in steps:
        fixes = (_unseen(step, tools), checks_itself(step))
        found += [fix for fix in fixes if fix]
        found += configured_fixers.fixes_for(step, observation, read)
    found += fixing_target(steps, read)
    found += named_in_output(output, read)
    found += own_migrations(output, (*steps, *(tool.invocation for tool in tools)))
    if allow_snapshots:
        found += snapshots.fixes_for(steps, output)
    if not found and not _only_tests(observation):
        found = [*own_repair(command, read)]
    found = found or [*fixes_for(observation, read)]
    unique: dict[str, FixCommand] = {}
    for fix in found:
        unique.setdefault(fix.command, fix)
    return tuple(sorted(unique.values(), key=lambda fix: fix.stage))


def _of_seen(tools: Sequence[SeenTool]) -> Iterator[FixCommand]:
    for tool in tools:
        fix = fix_modes.fix_for(tool.invocation)
        if fix is not None:
            yield replace(fix, why=mechanical.seen(tool.invocation.tool, tool.through))


def _unseen(step: Invocation, seen: Sequence[SeenTool]) -> FixCommand | None:
    """Return a tool's fix mode unless the same mode of the tool was seen running."""
    fix = fix_modes.fix_for(step)
    if fix is None or (step.tool, fix.stage) in {_mode(tool.invocation) for tool in seen}:
        return None
    return fix


def _mode(invocation: Invocation) -> tuple[str, FixStage | None]:
    fix = fix_modes.fix_for(invocation)
    return invocation.tool, fix.stage if fix is not None else None


def _only_tests(observation: Observation | None) -> bool:
    """Whether tests failed and nothing else: what formats the sources is no repair of them."""
    if observation is None or observation.counts is None or not observation.named:
        return False
    return all(identity_of(each).kind is SubjectKind.TEST for each in observation.named)


def _text(observation: Observation | None) -> str:
    if observation is None:
        return ""
    details = "\n".join(failure.detail for failure in observation.failing)
    return f"{observation.output}\n{details}"
