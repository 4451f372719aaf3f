"""See the failure with own eyes before a cent is spent; where nothing fails, write a test first."""

from __future__ import annotations

from bot.repair.loop import read_reproduction, verdict_of
from bot.repair.model import Cause, Observation, Patch, Verdict
from bot.repair.progress import Phase, PhaseStarted, Reproduced
from bot.repair.run import Concluded, Run, Workshop
from bot.repair.written_test import AUTHOR, write_failing_test


async def reproduce(run: Run, workshop: Workshop) -> Workshop:
    """See the failure with own eyes; return the workshop that attempts start from."""
    run.listener(PhaseStarted(Phase.REPRODUCE, detail=workshop.commands.failing))
    runs = [await _observe(run, workshop, 1)]
    if not runs[0].ok and not runs[0].timed_out:  # what never ends is not waited for twice
        runs.append(await _observe(run, workshop, 2))
        if runs[1].ok:
            runs += [await _observe(run, workshop, n) for n in (3, 4)]
    reproduction = run.known.reproduction = read_reproduction(runs)
    if reproduction.cause is Cause.NOT_REPRODUCED and runs[0].ok:
        workshop = await _test_first(run, workshop, runs[0])
        reproduction = run.known.reproduction
    run.listener(Reproduced(reproduction))
    verdict = verdict_of(reproduction.cause)
    if verdict is not None:
        raise Concluded(verdict, reproduction.reason)
    return workshop


async def _observe(run: Run, workshop: Workshop, n: int) -> Observation:
    verifier = workshop.verifier(run)
    return await run.steps(
        f"reproduce {n}",
        verifier.observe, f"{run.job.run_id}-reproduce-{n}", workshop.commands.failing, Patch(),
    )  # fmt: skip


async def _test_first(run: Run, workshop: Workshop, green: Observation) -> Workshop:
    """Nothing fails yet: have a test written that does, or say what is missing for it."""
    problem = run.job.problem
    passes = f"`{workshop.commands.failing}` passes here"
    if not (problem.title or problem.body or problem.instructions):
        raise Concluded(
            Verdict.NOT_REPRODUCED, f"{passes}, and nothing describes what should fail instead."
        )
    if AUTHOR not in run.ladder:
        raise Concluded(
            Verdict.NOT_REPRODUCED,
            f"{passes}. Writing a test that shows the problem takes a model, and none is configured.",
        )
    written = await write_failing_test(run, workshop, green)
    if isinstance(written, str):
        raise Concluded(
            Verdict.NOT_REPRODUCED, f"{passes}, and no test could be written that fails. {written}"
        )
    run.known.reproduction, run.known.commands = written.reproduction, written.workshop.commands
    return written.workshop
