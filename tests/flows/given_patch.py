"""A patch that somebody hands in, judged by the pipeline as those of a proposer are: with all findings.

`fixpoint verify` shows a card. What the guards and the experiments of the pipeline find is told by
these stories, which need a patch and no proposer that would write it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bot.app import choose_sandbox
from bot.commands.fix_options import FixOptions, job_of, repo_config
from bot.model import Acceptance, Problem, Report
from bot.model.deadline import StopSign
from bot.model.progress import silent
from bot.model.steps import PlainSteps
from bot.repair.engine import repair
from bot.repair.proposers.given_patch import GIVEN, GivenPatch
from bot.repair.tools import Tools
from bot.repair.workspace.checkouts import LocalCheckout
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.sandbox_cleanup import leftovers
from bot.reporting.json_report import accepted_value, finding_part
from bot.reporting.outcome import outcome
from bot.settings.environment import load_local_settings
from tests.flows.command_line import Desk

UNITTEST = "python3 -m unittest -q"


async def judged(
    desk: Desk,
    patch: bytes,
    *,
    test: str | None = None,
    setup: tuple[str, ...] | None = None,
    issue: str = "",
) -> dict[str, Any]:
    """Return what comes of a patch: `accepted` (`after_approval` where a finding needs a person), why, findings.

    Args:
        desk: Whose repository it is for.
        patch: A diff.
        test: The failing command, where it is given.
        setup: Commands that set the repository up, where they are given.
        issue: What is asked.
    """
    return told(await report_of(desk, patch, test=test, setup=setup, issue=issue))


async def report_of(
    desk: Desk,
    patch: bytes,
    *,
    test: str | None = None,
    setup: tuple[str, ...] | None = None,
    issue: str = "",
) -> Report:
    """Return the report of a run whose one proposer hands a patch in."""
    run_id = secrets.token_hex(4)
    options = FixOptions(
        str(desk.repository), test=test, setup=setup, proposers=(GIVEN.name,), attempts=1
    )
    problem = Problem(instructions=issue)
    job = await job_of(options, run_id, problem, repo_config(desk.repository))
    settings = load_local_settings(desk.variables)
    scratch = desk.home / f"given-{run_id}"
    scratch.mkdir()
    checkout = LocalCheckout(desk.repository, scratch)
    head = await checkout.head()
    tree = await checkout.store.apply(head, patch)
    whole = await patch_between(checkout.store, await checkout.store.tree_of(head), tree)
    provider = await choose_sandbox(settings, scratch / "sandboxes", settings.fixpoint_sandbox)
    try:
        tools = Tools(provider, {GIVEN.name: GivenPatch(whole)})
        return await repair(job, tools, checkout, PlainSteps(), silent, StopSign())
    finally:
        for name in leftovers(run_id):
            await provider.remove(name)
        await provider.close()


def told(report: Report) -> dict[str, Any]:
    """Return what comes of a patch, as values of JSON."""
    attempt = report.attempts[-1] if report.attempts else None
    verification = attempt.verification if attempt is not None else None
    target = verification.target if verification is not None else None
    reproduction = report.reproduction
    observed = reproduction.observation if reproduction is not None else None
    accepted = Acceptance.AFTER_APPROVAL if report.to_check else Acceptance.YES
    return {
        "accepted": accepted_value(accepted if report.patch_accepted else Acceptance.NO),
        "reason": report.reason if report.patch_accepted or attempt is None else outcome(attempt),
        "command": observed.command if observed is not None else None,
        "failing_before": sorted(observed.failing_ids) if observed is not None else [],
        "runs": [*verification.runs] if verification is not None else [],
        "failing": sorted(target.failing_ids) if target is not None else [],
        "changed_tests": [*verification.changed_tests] if verification is not None else [],
        "guard_findings": [finding_part(finding) for finding in verification.findings]
        if verification is not None
        else [],
        "others": [
            {"test": failure.test, "cause": failure.cause}
            for failure in (reproduction.others if reproduction is not None else ())
        ],
        "notes": [*report.notes],
    }


async def judged_files(
    desk: Desk, files: Mapping[str, str], *, test: str = UNITTEST, issue: str = ""
) -> dict[str, Any]:
    """Return what comes of the patch that writes these files."""
    return await judged(desk, patch_of(desk, files), test=test, issue=issue)


def patch_of(desk: Desk, files: Mapping[str, str]) -> bytes:
    """Return the diff that writes these files; the repository stays as it is."""
    for name, text in files.items():
        file = desk.repository / Path(name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    desk.git("add", "--all")
    patch = desk.git("diff", "--cached", "--binary", "HEAD")
    desk.git("reset", "--hard", "--quiet")
    return f"{patch}\n".encode()


def rules(found: Mapping[str, Any]) -> dict[str, str]:
    """Return the findings' rules and severities."""
    return {finding["rule"]: finding["severity"] for finding in found["guard_findings"]}
