"""`fixpoint explain`: name the commit or the release since which tests fail."""

from __future__ import annotations

import os
import re
import secrets
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commands import event_loop
from bot.commands.failing_job import with_failing_job
from bot.commands.fix_options import FixOptions, job_of, local_repository, repo_config
from bot.commands.local_run import local_run
from bot.commands.scratch import scratch_folder
from bot.errors import UsageError
from bot.model import Cause, Problem
from bot.model.culprit import WhatChanged
from bot.redaction import redactor_of
from bot.repair.culprit.explain import explain
from bot.repair.culprit.explained_failure import ExplainedFailure
from bot.repair.preparation.config import without_repair
from bot.repair.preparation.prepare import prepare
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.checks.failed_checks import see_checks_fail
from bot.repair.reproduction.reproduce import reproduce
from bot.repair.run import Concluded, Run
from bot.repair.workspace.checkouts import LocalCheckout
from bot.reporting.what_changed import as_json, as_text
from bot.settings.environment import load_local_settings
from bot.settings.sandbox_kind import SandboxKind
from bot.storage.data_folder import make_data_folder
from sandbox.git import GitError, RepositoryRefused, foreign

if TYPE_CHECKING:
    from bot.repair.job import Job

_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ].*)?")


@dataclass(frozen=True, slots=True)
class ExplainOptions:
    """The command line of `fixpoint explain`; see `fixpoint explain --help`."""

    target: str
    test: str | None = None
    setup: tuple[str, ...] | None = None
    job: str | None = None
    good: str | None = None
    sandbox: SandboxKind | None = None
    package_date: str | None = None
    timeout: float | None = None
    as_json: bool = False


def run_explain(options: ExplainOptions) -> bool:
    """Look, print what changed; return whether something was found.

    Raises:
        UsageError: When nothing fails, or nothing can be run; the text says why.
    """
    found = event_loop.run(_look(options))
    sys.stdout.write((as_json(found) if options.as_json else as_text(found)) + "\n")
    return bool(found.culprits)


async def _look(options: ExplainOptions) -> WhatChanged:
    asked = FixOptions(
        options.target,
        test=options.test,
        setup=options.setup,
        proposers=(),
        package_date=options.package_date,
        timeout=options.timeout,
    )
    repository = local_repository(asked)
    if repository is None:
        raise UsageError("explain needs a local repository.")
    settings = load_local_settings(os.environ)
    run_id = secrets.token_hex(4)
    job = await job_of(asked, run_id, Problem(), repo_config(repository), str(repository))
    job = await _of_job(without_repair(job), options, repository)
    folder = make_data_folder(settings.fixpoint_data) / "local"
    with scratch_folder(folder / run_id) as scratch:
        checkout = LocalCheckout(repository, scratch)
        good = await _good(repository, options.good) if options.good else ""
        async with local_run(job, settings, folder, options.sandbox) as run:
            found = await _explained(run, checkout, good)
    return redactor_of(settings, settings.fixpoint_redact).frozen(found)


async def _of_job(job: Job, options: ExplainOptions, repository: Path) -> Job:
    """Return the run's job; where one of GitHub Actions is named, with the step that fails of it here.

    Raises:
        UsageError: When there is no such job, or it passes.
    """
    if options.job is None:
        return job
    if options.test is not None or options.setup is not None:
        raise UsageError("Use either --job or --test and --setup: a job has its own commands.")
    return await with_failing_job(
        job,
        options.job,
        repository,
        sandbox=options.sandbox,
        package_date=options.package_date,
        purpose="explain",
    )


async def _good(repository: Path, said: str) -> str:
    """Return the commit that is said to be green: a revision, or the newest of a day."""
    try:
        async with foreign(repository) as theirs:
            if _DATE.fullmatch(said):
                moment = f"{said} 23:59" if len(said) == len("2024-03-31") else said
                asked = ("rev-list", "-1", "--first-parent", f"--before={moment}", "HEAD")
                listed = (await theirs.git(*asked)).decode().strip()
                if listed:
                    return listed
                raise UsageError(f"--good: no commit of HEAD is as old as {said}.")
            revision = ("rev-parse", "--verify", "--end-of-options", f"{said}^{{commit}}")
            return (await theirs.git(*revision)).decode().strip()
    except RepositoryRefused as error:
        raise UsageError(str(error)) from error
    except GitError as error:
        raise UsageError(f"--good: {said} is no commit of this repository.") from error


async def _explained(run: Run, checkout: LocalCheckout, good: str) -> WhatChanged:
    try:
        if run.job.failed:
            context = await see_checks_fail(run, checkout)
        else:
            context = await prepare(run, checkout)
            context = await _reproduced(run, checkout, context)
    except Concluded as end:
        seen = run.known.reproduction
        if seen is None or seen.cause is not Cause.FLAKY or run.known.commands is None:
            raise UsageError(end.reason) from end
        context = replace(context, commands=run.known.commands)
    seen = run.known.reproduction
    if seen is None or seen.observation is None:
        raise UsageError("Nothing fails, so there is nothing to explain.")
    tests = tuple(sorted(seen.observation.failing_ids))
    question = ExplainedFailure(seen.observation, tests, good, run.job.explain_seconds)
    found, _ = await explain(run, context, checkout, question)
    return found


async def _reproduced(run: Run, checkout: LocalCheckout, context: RepairContext) -> RepairContext:
    """Reproduce the failure; where the setup's own remedy hides it, without remedies.

    What a newer release no longer brings is a module that is missing, and Fixpoint would add it.

    Raises:
        Concluded: When nothing fails.
    """
    try:
        return await reproduce(run, context)
    except Concluded:
        seen = run.known.reproduction
        if seen is None or seen.cause is not Cause.NOT_REPRODUCED or not run.known.remedies:
            raise
    run.known.remedies.clear()
    context = await prepare(run, checkout)
    run.known.detected = None
    return await reproduce(run, context)
