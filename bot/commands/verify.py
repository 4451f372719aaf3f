"""`fixpoint verify`: verify any patch as Fixpoint verifies its own, or prove a change."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

from bot.app import choose_sandbox
from bot.commands import event_loop
from bot.commands.fix_options import FixOptions, job_of, local_repository, repo_config
from bot.commands.scratch import scratch_folder
from bot.errors import UsageError
from bot.model import Acceptance, Patch, Problem, Report, Verdict
from bot.model.deadline import StopSign
from bot.model.progress import silent
from bot.model.steps import PlainSteps
from bot.redaction import redactor_of
from bot.repair.engine import repair
from bot.repair.job import Job
from bot.repair.proposers.given import GIVEN, GivenPatch
from bot.repair.tools import Tools
from bot.repair.workspace.checkouts import LocalCheckout
from bot.repair.workspace.leftovers import leftovers
from bot.repair.workspace.patching import patch_between
from bot.reporting.verification import as_json, as_text, unverified
from bot.settings.environment import LocalSettings, load_local_settings
from bot.settings.sandbox_kind import SandboxKind
from bot.storage.data_folder import make_data_folder
from sandbox.git import PatchDoesNotApply

MOST_PATCH_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class VerifyOptions:
    """The command line of `fixpoint verify`; see `fixpoint verify --help`."""

    target: str
    base: str | None = None
    patch: Path | None = None
    test: str | None = None
    setup: tuple[str, ...] | None = None
    issue: str | None = None
    sandbox: SandboxKind | None = None
    as_of: str | None = None
    timeout: float | None = None
    as_json: bool = False
    markdown: Path | None = None
    sarif: Path | None = None
    junit: Path | None = None


def run_verify(options: VerifyOptions) -> Acceptance:
    """Verify, print the result; return whether the patch can be used.

    Raises:
        UsageError: When it could not be verified; the text says why.
    """
    if options.base is not None and options.patch is None:
        from bot.commands.prove import run_prove

        return run_prove(options, options.base)
    if options.patch is None or options.base is not None:
        raise UsageError("verify needs either --base or --patch.")
    if options.markdown or options.sarif or options.junit:
        raise UsageError("--markdown, --sarif and --junit go with --base.")
    data = _read(options.patch)
    report = event_loop.run(_verify(options, data))
    sys.stdout.write((as_json(report) if options.as_json else as_text(report)) + "\n")
    return report.acceptance


def _read(file: Path) -> bytes:
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(MOST_PATCH_BYTES + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(MOST_PATCH_BYTES + 1)
    except OSError as error:
        raise UsageError(f"--patch: {file} can't be read: {error.strerror}.") from error
    if len(data) > MOST_PATCH_BYTES:
        raise UsageError(f"--patch: {file} is larger than {MOST_PATCH_BYTES // 2**20} MiB.")
    if not data.strip():
        raise UsageError(f"--patch: {file} is empty.")
    return data


async def _verify(options: VerifyOptions, data: bytes) -> Report:
    asked = FixOptions(
        options.target,
        test=options.test,
        setup=options.setup,
        as_of=options.as_of,
        proposers=(GIVEN.name,),
        attempts=1,
        timeout=options.timeout,
    )
    repository = local_repository(asked)
    if repository is None:
        raise UsageError("verify needs a local repository.")
    settings = load_local_settings(os.environ)
    run_id = secrets.token_hex(4)
    job = await job_of(
        asked, run_id, Problem(instructions=options.issue or ""), repo_config(repository)
    )
    folder = make_data_folder(settings.fixpoint_data) / "local"
    with scratch_folder(folder / run_id) as scratch:
        checkout = LocalCheckout(repository, scratch)
        patch = await _patch(checkout, data)
        report = await _run(options, settings, folder, job, checkout, patch)
    report = redactor_of(settings, settings.fixpoint_redact).frozen(report)
    if report.verdict in {Verdict.INFRASTRUCTURE, Verdict.BUDGET_SPENT, Verdict.STOPPED}:
        raise UsageError(unverified(report))
    return report


async def _patch(checkout: LocalCheckout, data: bytes) -> Patch:
    """Return the patch as git itself would write it; raises `UsageError` when it does not fit."""
    head = await checkout.head()
    try:
        tree = await checkout.store.apply(head, data)
    except PatchDoesNotApply as error:
        raise UsageError(f"The patch does not apply to the work tree: {error}") from error
    return await patch_between(checkout.store, await checkout.store.tree_of(head), tree)


async def _run(
    options: VerifyOptions,
    settings: LocalSettings,
    folder: Path,
    job: Job,
    checkout: LocalCheckout,
    patch: Patch,
) -> Report:
    kinds = (options.sandbox,) if options.sandbox else settings.fixpoint_sandbox
    provider = await choose_sandbox(settings, folder / "sandboxes", kinds)
    try:
        tools = Tools(provider, {GIVEN.name: GivenPatch(patch)})
        return await repair(job, tools, checkout, PlainSteps(), silent, StopSign())
    finally:
        for name in leftovers(job.run_id):
            await provider.remove(name)
        await provider.close()
