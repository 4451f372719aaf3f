"""Stale lock files, brought up to date without network: what is not in a cache stays as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.ecosystems.invocations import Invocation
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.reporting.reasons import mechanical


@dataclass(frozen=True, slots=True)
class _Lock:
    """A lock file's tool: when it complains, and what updates the lock.

    Attributes:
        name: The lock file.
        tool: The tool whose invocation or words mean this lock.
        asks: Arguments that make it check the lock; any of them.
        says: What it prints when the lock is stale.
        update: The command that updates it offline.
    """

    name: str
    tool: str
    asks: frozenset[str]
    says: re.Pattern[str]
    update: str


_LOCKS = (
    _Lock(
        "uv.lock",
        "uv",
        frozenset({"--check", "--locked"}),
        re.compile(r"lockfile (?:at `?uv\.lock`? )?needs to be updated"),
        "uv lock --offline",
    ),
    _Lock(
        "poetry.lock",
        "poetry",
        frozenset({"--lock", "--check"}),
        re.compile(r"poetry\.lock is not up to date|changed significantly since poetry\.lock"),
        # Poetry 2 keeps versions by default; before, only with an option that 2 no longer knows.
        "poetry lock --no-update || poetry lock",
    ),
    _Lock(
        "pdm.lock",
        "pdm",
        frozenset({"--check"}),
        re.compile(r"Lock file (?:hash doesn't match|is out of date)"),
        "pdm lock --update-reuse",
    ),
    _Lock(
        "package-lock.json",
        "npm",
        frozenset(),
        re.compile(r"package-lock\.json.{0,300} (?:are not in sync|are in sync)"),
        "npm install --package-lock-only --offline --no-audit --no-fund",
    ),
    _Lock(
        "pnpm-lock.yaml",
        "pnpm",
        frozenset(),
        re.compile(r"ERR_PNPM_OUTDATED_LOCKFILE"),
        "pnpm install --lockfile-only --offline",
    ),
    _Lock(
        "Cargo.lock",
        "cargo",
        frozenset(),
        re.compile(r"lock file .{0,300} needs to be updated but --(?:locked|frozen) was passed"),
        "cargo update --workspace --offline",
    ),
    _Lock(
        "go.mod",
        "go",
        frozenset(),
        re.compile(r"updates to go\.(?:mod|sum) needed|missing go\.sum entry"),
        "GOFLAGS=-mod=mod GOPROXY=off go mod tidy",
    ),
)


def fixes_for(steps: tuple[Invocation, ...], output: str) -> tuple[FixCommand, ...]:
    """Return the updates of locks that the failing command checks or complains about."""
    found = []
    for lock in _LOCKS:
        asked = any(step.tool == lock.tool and lock.asks & {*step.arguments} for step in steps)
        if lock.says.search(output):
            found.append(FixCommand(lock.update, mechanical.lock_stale(lock.name), FixStage.LOCK))
        elif asked:
            found.append(FixCommand(lock.update, mechanical.lock_checked(lock.name), FixStage.LOCK))
    return tuple(found)
