"""`fixpoint flaky`: name the flaky tests of a repository, what decides, and the command that shows it."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from bot.commands import event_loop
from bot.commands.fix import fixed
from bot.commands.fix_options import FixOptions, job_of, local_repository, repo_config
from bot.commands.local_run import local_run
from bot.commands.scratch import scratch_folder
from bot.errors import UsageError
from bot.model import Problem, Verdict
from bot.model.flaky import SHOWN, FlakyFindings, FlakyQuestion
from bot.redaction import redactor_of
from bot.repair.flaky.find_flaky import find_flaky
from bot.repair.preparation.config import without_repair
from bot.repair.preparation.prepare import prepare
from bot.repair.run import Concluded
from bot.repair.workspace.checkouts import LocalCheckout
from bot.reporting.flaky import as_json, as_text
from bot.settings.environment import load_local_settings
from bot.settings.sandbox_kind import SandboxKind
from bot.storage.data_folder import make_data_folder


@dataclass(frozen=True, slots=True)
class FlakyOptions:
    """The command line of `fixpoint flaky`; see `fixpoint flaky --help`."""

    target: str
    tests: tuple[str, ...] = ()
    command: str | None = None
    setup: tuple[str, ...] | None = None
    shown: int = SHOWN
    sandbox: SandboxKind | None = None
    package_date: str | None = None
    timeout: float | None = None
    fix: bool = False
    branch: str | None = None
    patch: Path | None = None
    as_json: bool = False


def run_flaky(options: FlakyOptions) -> bool:
    """Look, print what was found; return whether a test is flaky.

    With `fix`, one of them is repaired, and one that is repaired does not count.

    Raises:
        UsageError: When the tests can't be run; the text says why.
    """
    if options.fix:
        report = event_loop.run(fixed(_as_fix(options)))
        found = report.flaky or FlakyFindings()
        return len(found.tests) > (report.verdict is Verdict.FIXED)
    found = event_loop.run(_look(options))
    sys.stdout.write((as_json(found) if options.as_json else as_text(found)) + "\n")
    return bool(found.tests)


def _as_fix(options: FlakyOptions) -> FixOptions:
    return FixOptions(
        options.target,
        test=options.command,
        setup=options.setup,
        sandbox=options.sandbox,
        package_date=options.package_date,
        timeout=options.timeout,
        branch=options.branch,
        patch=options.patch,
        as_json=options.as_json,
        flaky=FlakyQuestion(options.tests, options.shown),
    )


async def _look(options: FlakyOptions) -> FlakyFindings:
    asked = replace(_as_fix(options), proposers=())
    repository = local_repository(asked)
    if repository is None:
        raise UsageError("flaky needs a local repository.")
    settings = load_local_settings(os.environ)
    run_id = secrets.token_hex(4)
    job = await job_of(asked, run_id, Problem(), repo_config(repository), str(repository))
    job = without_repair(job)
    folder = make_data_folder(settings.fixpoint_data) / "local"
    try:
        with scratch_folder(folder / run_id) as scratch:
            async with local_run(job, settings, folder, options.sandbox) as run:
                context = await prepare(run, LocalCheckout(repository, scratch))
                found = await find_flaky(run, context, FlakyQuestion(options.tests, options.shown))
    except Concluded as end:
        raise UsageError(end.reason) from end
    return redactor_of(settings, settings.fixpoint_redact).frozen(found)
