"""Fix modes of tools that no command names, recognised by what they print."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from bot.ecosystems.commands.task_runners import Read
from bot.model import Failure, Observation
from bot.repair.proposers.mechanical.configured import configured_in
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.reporting.reasons import mechanical

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
