"""Are the results of the proving tests genuine? Runs in which they must fail, and one that is watched."""

from __future__ import annotations

from dataclasses import replace

from bot.concurrency import both
from bot.model import GuardFinding
from bot.model.proof_card import Fact, FactKind
from bot.proof.comparing import SuiteComparison
from bot.repair.run import Run
from bot.repair.verification.candidate import TestEdits
from bot.repair.verification.criteria import Criteria, PatchEvidence
from bot.repair.verification.forgery import proof as forgery

_FORGED = frozenset(
    {"results-forged", "equals-anything", "runner-changed", "check-replaced", "fails-in-disguise"}
)
"""What runs say of a pass that is none."""


async def forgery_facts(run: Run, found: SuiteComparison) -> tuple[Fact, ...]:
    """Return what speaks against the results of the proving tests; () where nothing does.

    Both sides must have one setup: what must fail is planted in the base with the change on top.
    """
    if not found.compared.proving or not found.sides.after.patch:
        return ()
    findings = await run.steps("genuine results", _findings, run, found)
    return tuple(
        Fact(FactKind.REFUTED, finding.message, finding.rule, finding.file, finding.line)
        for finding in findings
        if finding.rule in _FORGED
    )


async def _findings(run: Run, found: SuiteComparison) -> tuple[GuardFinding, ...]:
    compared, side, name = found.compared, found.sides.after, f"{run.job.run_id}-genuine"
    command = compared.proving_command
    green = await side.observe(name, command)
    if not green.ok:
        return ()
    asked = Criteria(command, compared.laid or compared.before, TestEdits.SHOWN)
    evidence = PatchEvidence(name, side.patch, found.sides.changes, (green,), asked)
    rules = run.job.rules
    genuine, (_, disguised, watched) = await both(
        forgery.genuine_results(side.room, rules, evidence),
        forgery.passes_again(side.room, evidence, evidence),
    )
    put_back = await forgery.restored_files(
        side.room, rules, replace(evidence, trace=watched.trace)
    )
    return (*genuine.findings, *disguised, *watched.findings, *put_back.findings)
