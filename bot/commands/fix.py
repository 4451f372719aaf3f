"""`fixpoint fix`: the same engine on a repository of this machine, without a server."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from contextlib import nullcontext
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app import open_tools
from bot.commands import event_loop
from bot.commands.approver import TerminalApprover
from bot.commands.fix_options import (
    FixOptions,
    check_proposers,
    job_of,
    local_repository,
    parse_config,
    problem_of,
    repo_config,
    without_credential,
)
from bot.commands.handover import check_branch, check_file, hand_over
from bot.commands.scratch import scratch_folder
from bot.config.repo_config import PATH as CONFIG_PATH
from bot.config.repo_config import RepoConfig
from bot.errors import UsageError
from bot.model import Acceptance, Report, Verdict
from bot.model.deadline import StopSign
from bot.model.steps import PlainSteps
from bot.redaction import redactor_of
from bot.repair.job import Checkout, Job
from bot.repair.tools import Tools
from bot.repair.workspace.checkouts import LocalCheckout
from bot.repair.workspace.sandbox_cleanup import leftovers
from bot.settings.environment import load_local_settings
from bot.storage.data_folder import make_data_folder
from sandbox.git import Credential

if TYPE_CHECKING:
    from bot.runs.remote_checkout import RemoteCheckout

"""Sent by `timeout`, a CI system or a machine that shuts down, and not always by a person."""


def run_fix(options: FixOptions) -> Acceptance:
    """Repair, print the outcome, hand the patch over; return whether it can be used.

    Raises:
        UsageError: When the command line or this machine does not allow it.
        KeyboardInterrupt: When a person did not want to wait for the report.
    """
    report = event_loop.run(fixed(options))
    return report.acceptance if report.verdict is Verdict.FIXED else Acceptance.NO


async def fixed(options: FixOptions) -> Report:
    """Repair, print the outcome, hand the patch over, and return what was reported.

    Raises:
        UsageError: When the command line or this machine does not allow it.
    """
    repository = local_repository(options)
    credential = None
    if repository is None:
        options, credential = without_credential(options)
    if options.branch is not None and repository is not None:
        await check_branch(repository, options.branch)
    if options.patch is not None:
        check_file(options.patch, "--patch")
    if options.body is not None:
        check_file(options.body, "--body")
    problem = problem_of(options)
    settings = load_local_settings(os.environ)
    kinds = (options.sandbox,) if options.sandbox else settings.fixpoint_sandbox
    run_id = secrets.token_hex(4)
    folder = make_data_folder(settings.fixpoint_data) / "local"
    with scratch_folder(folder / run_id) as scratch:
        checkout = _checkout(options, repository, scratch, credential)
        async with (
            checkout.begun() if isinstance(checkout, LocalCheckout) else nullcontext(),
            open_tools(settings, sandboxes=folder / "sandboxes", kinds=kinds) as tools,
        ):
            check_proposers(options, tools)
            config = (
                await _config_on_server(options.target, checkout)
                if repository is None
                else repo_config(repository)
            )
            name = options.target if repository is None else str(repository.resolve())
            job = await job_of(options, run_id, problem, config, name)
            if options.job is not None:
                job = await _of_actions(job, options.job, options, repository)
            try:
                report = await _run(job, tools, checkout)
            finally:
                for name in leftovers(run_id):
                    await tools.sandboxes.remove(name)
    report = redactor_of(settings, settings.fixpoint_redact).frozen(report)
    await hand_over(options, repository, report)
    return report


async def _of_actions(job: Job, name: str, options: FixOptions, repository: Path | None) -> Job:
    if repository is None:
        raise UsageError("--job needs a local repository; clone it first.")
    from bot.commands.failing_job import with_failing_job

    return await with_failing_job(
        job,
        name,
        repository,
        sandbox=options.sandbox,
        package_date=options.package_date,
        purpose="repair",
    )


async def _config_on_server(url: str, checkout: Checkout) -> RepoConfig:
    """Fetch the repository, which the run would do first anyway, and read its config."""
    sys.stderr.write(f"Fetching {url} ...\n")
    source = await checkout.provide(await checkout.head())
    return parse_config(await source.store.show(source.trusted, CONFIG_PATH), CONFIG_PATH)


async def _run(job: Job, tools: Tools, checkout: Checkout) -> Report:
    # Importing it takes as long as freezing the work tree, which goes on meanwhile.
    await asyncio.to_thread(import_module, "bot.repair.engine")
    from bot.repair.engine import repair
    from bot.reporting.terminal import live_progress

    stopped = StopSign()
    progress = live_progress(job.run_id, job.limits)
    with event_loop.stop_on_signal(stopped), progress as listener:
        tools = replace(tools, approver=TerminalApprover(listener.paused, stopped))
        return await repair(job, tools, checkout, PlainSteps(), listener, stopped)


def _checkout(
    options: FixOptions, repository: Path | None, scratch: Path, credential: Credential | None
) -> LocalCheckout | RemoteCheckout:
    if repository is None:
        from bot.runs.remote_checkout import RemoteCheckout

        return RemoteCheckout(options.target, scratch, credential=lambda: nullcontext(credential))
    return LocalCheckout(repository, scratch)
