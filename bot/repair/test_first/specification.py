"""Have a model say in a few points what is asked, and a person agree where the config wants that."""

from __future__ import annotations

from bot.model import Specification, Specify, Verdict
from bot.model.progress import Noticed, Phase, PhaseStarted, Specified
from bot.repair.run import Concluded, Run
from bot.reporting.reasons import test_first as reasons


async def specified(run: Run) -> Specification | None:
    """Return what the run's problem asks; None where nobody says, or the config wants none.

    Raises:
        Concluded: When the problem says too little, or a person has to agree first.
    """
    if run.job.specify is Specify.OFF:
        return None
    found = run.job.specification or await _drafted(run)
    if found is None:
        return None
    run.known.specification = found
    run.listener(Specified(found))
    if run.job.specify is Specify.APPROVE and run.job.specification is None:
        await _agreed(run, found)
    return found


async def _drafted(run: Run) -> Specification | None:
    specifier, step = run.tools.specifier, "specify"
    if specifier is None:
        return None
    run.listener(PhaseStarted(Phase.SPECIFY))
    drafted = await run.steps(step, specifier.specify, run.job.problem, run.money(step))
    run.known.spend(drafted.usage)
    if drafted.specification is None and drafted.missing:
        raise Concluded(Verdict.NOT_REPRODUCED, reasons.says_too_little(drafted.missing))
    if drafted.specification is None:
        run.listener(Noticed(reasons.UNREADABLE))
        run.known.note(reasons.UNREADABLE)
    return drafted.specification


async def _agreed(run: Run, found: Specification) -> None:
    """Return once a person agrees; without anybody to ask here, the run ends with the question."""
    if run.tools.approver is None:
        run.known.asks = True
        raise Concluded(Verdict.STOPPED, reasons.WAITING)
    if not await run.steps("approve the specification", run.tools.approver.approves, found):
        raise Concluded(Verdict.STOPPED, reasons.REJECTED_HERE)
