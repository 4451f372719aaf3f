"""`fixpoint flaky`: name the flaky tests of a repository, what decides, and the command that shows it."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass

from bot.app import choose_sandbox
from bot.commands import event_loop
from bot.commands.fix_options import FixOptions, job_of, local_repository, repo_config
from bot.commands.scratch import scratch_folder
from bot.errors import UsageError
from bot.model import Problem
from bot.model.deadline import RunLimits, StopSign
from bot.model.flaky import SHOWN, FlakyFindings
from bot.model.steps import PlainSteps, now
from bot.redaction import redactor_of
from bot.repair.flaky.find_flaky import FlakyQuestion, find_flaky
from bot.repair.preparation.config import without_repair
from bot.repair.preparation.prepare import prepare
from bot.repair.run import Concluded, Run, RunState
from bot.repair.sandbox_faults import StepsBeyondFaults
from bot.repair.tools import Tools
from bot.repair.workspace.checkouts import LocalCheckout
from bot.repair.workspace.environments import Environments
from bot.repair.workspace.leftovers import clean_up
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
    as_of: str | None = None
    timeout: float | None = None
    as_json: bool = False


def run_flaky(options: FlakyOptions) -> bool:
    """Look, print what was found; return whether a test is flaky.

    Raises:
        UsageError: When the tests can't be run; the text says why.
    """
    found = event_loop.run(_look(options))
    sys.stdout.write((as_json(found) if options.as_json else as_text(found)) + "\n")
    return bool(found.tests)


async def _look(options: FlakyOptions) -> FlakyFindings:
    asked = FixOptions(
        options.target,
        test=options.command,
        setup=options.setup,
        proposers=(),
        as_of=options.as_of,
        timeout=options.timeout,
    )
    repository = local_repository(asked)
    if repository is None:
        raise UsageError("flaky needs a local repository.")
    settings = load_local_settings(os.environ)
    run_id = secrets.token_hex(4)
    job = await job_of(asked, run_id, Problem(), repo_config(repository), str(repository))
    job = without_repair(job)
    folder = make_data_folder(settings.fixpoint_data) / "local"
    kinds = (options.sandbox,) if options.sandbox else settings.fixpoint_sandbox
    provider = await choose_sandbox(settings, folder / "sandboxes", kinds)
    tools = Tools(provider, {}, environments=Environments(folder / "environments", provider))

    from bot.reporting.terminal import live_progress

    with scratch_folder(folder / run_id) as scratch:
        try:
            with live_progress(job.run_id, job.limits) as listener:
                steps = StepsBeyondFaults(PlainSteps())
                limits = RunLimits(await now() + job.limits.seconds, StopSign())
                run = Run(job, tools, steps, listener, limits, RunState())
                context = await prepare(run, LocalCheckout(repository, scratch))
                question = FlakyQuestion(options.tests, options.shown)
                found = await find_flaky(run, context, question)
        except Concluded as end:
            raise UsageError(end.reason) from end
        finally:
            await clean_up(provider, run_id)
            await provider.close()
    return redactor_of(settings, settings.fixpoint_redact).frozen(found)
