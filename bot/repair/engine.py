"""From a job to a report: prepare, reproduce, attempt until a patch is accepted, conclude."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import reduce

from bot.detect import DirectoryTree, detect
from bot.detect.missing import applied
from bot.detect.python_of_day import with_python_of
from bot.detect.tree import Tree, tree_of
from bot.errors import BudgetExhausted, ProviderError, RunStopped
from bot.model import Attempt, Cause, Patch, Report, Reproduction, Verdict, suggestion_of
from bot.model.deadline import RunLimits, StopSign
from bot.model.money.reservations import OwnReservations, Reservations
from bot.model.progress import (
    CommandsFound,
    Listener,
    Phase,
    PhaseStarted,
    RunFinished,
)
from bot.model.steps import Steps, now
from bot.repair.attempts import make_attempt
from bot.repair.changed_texts import ChangedText
from bot.repair.healing import recalled, set_up
from bot.repair.job import Checkout, Job, Source
from bot.repair.loop import (
    Accept,
    Conclude,
    State,
    Try,
    already_asked,
    best_patch,
    draft_of,
    next_move,
)
from bot.repair.older_packages import set_up_older
from bot.repair.package_choice import chosen_package
from bot.repair.recent import recent_lines, recent_texts
from bot.repair.reproduce import reproduce
from bot.repair.run import Concluded, RepairContext, Run, RunState, Tools
from bot.repair.workspace.leftovers import clean_up, places_of
from bot.repair.workspace.patching import patch_between
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.prepared import SetupFailed, why_setup_failed
from bot.reporting.markdown import code
from bot.reporting.reasons import ending, other_failures, package_dates, sandbox_setup
from sandbox.base import SandboxError
from sandbox.git import GitError, is_empty_folder

GUIDANCE_FILES = ("AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md")
_GUIDANCE_CHARACTERS = 16_000
_SETUP_CHARACTERS = 16_000


async def repair(
    job: Job,
    tools: Tools,
    checkout: Checkout,
    steps: Steps,
    listener: Listener,
    stopped: StopSign,
    reservations: Reservations | None = None,
) -> Report:
    """Run a job to its end and report; every expected failure has its verdict.

    Without `reservations`, only the run's own budget limits it.

    Raises:
        UsageError: When there is nothing to repair; the text says what to do.
    """
    started = await steps("start", now)
    reservations = reservations or OwnReservations()
    run_limits = RunLimits(
        started + job.limits.seconds,
        stopped,
        sandbox_seconds=job.limits.sandbox_seconds,
        earlier=reservations.sandbox_seconds,
        on_held=reservations.use_sandbox,
    )
    run = Run(job, tools, steps, listener, run_limits, _state_of(job), reservations)
    async with _warming(run):
        end = await _carried(run, checkout)
        while end.sandboxes_failed and (elsewhere := await _elsewhere(run)) is not None:
            run = elsewhere
            end = await _carried(run, checkout)
    report = await _report(run, end, started)
    if job.failed:
        await clean_up(run.tools.sandboxes, job.run_id, places_of(len(job.failed)))
    elif end.context is not None:
        await clean_up(run.tools.sandboxes, job.run_id, run.known.places)
    listener(RunFinished(report))
    return report


@dataclass(frozen=True, slots=True)
class _End:
    """How a run ended.

    Attributes:
        verdict: Of it.
        reason: As a sentence.
        context: Where it worked; None when it did not come so far.
        sandboxes_failed: Whether a sandbox failed it before anything was reproduced.
    """

    verdict: Verdict
    reason: str
    context: RepairContext | None = None
    sandboxes_failed: bool = False


async def _carried(run: Run, checkout: Checkout) -> _End:
    """Carry a run through its phases; every expected failure has its verdict."""
    context: RepairContext | None = None
    sandboxes_failed = False
    try:
        if run.job.failed:
            context = await _see_checks_fail(run, checkout)
        else:
            context = await _prepare(run, checkout)
            context = await reproduce(run, context)
        verdict, reason = await _attempt_until_accepted(run, context)
    except Concluded as end:
        verdict, reason = end.verdict, end.reason
    except RunStopped as end:
        verdict, reason = Verdict.STOPPED, str(end)
    except BudgetExhausted as end:
        verdict, reason = Verdict.BUDGET_SPENT, str(end)
    except ProviderError as error:
        suggested = suggestion_of(run.known.attempts) is not None
        verdict = Verdict.SUGGESTED if suggested else Verdict.INFRASTRUCTURE
        reason = f"{ending.suggested()} {error}" if suggested else str(error)
    except (SandboxError, GitError) as error:
        verdict, reason = Verdict.INFRASTRUCTURE, str(error)
        sandboxes_failed = isinstance(error, SandboxError) and run.known.untouched is None
    return _End(verdict, reason, context, sandboxes_failed)


async def _elsewhere(run: Run) -> Run | None:
    """Return the run from its beginning in another kind of sandbox, if its own died."""
    if run.tools.stand_in is None or (sandboxes := await run.tools.stand_in()) is None:
        return None
    return replace(run, tools=replace(run.tools, sandboxes=sandboxes), known=_state_of(run.job))


def _state_of(job: Job) -> RunState:
    return RunState(attempts=list(job.earlier), tried=list(already_asked(job.earlier)))


@asynccontextmanager
async def _warming(run: Run) -> AsyncIterator[None]:
    """Let the proposers warm up while the body runs."""
    warm = [run.tools.proposers[one.name].warm() for one in run.ladder]
    task = asyncio.gather(*warm, return_exceptions=True)  # the first attempt tries again and tells
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _see_checks_fail(run: Run, checkout: Checkout) -> RepairContext:
    """Fetch the source, and repeat the failed jobs of its checks."""
    from bot.repair.checks.failed_checks import (  # at a terminal never
        conclude_outside,
        reproduce_checks,
    )

    run.listener(PhaseStarted(Phase.PREPARE))
    run.known.head = await run.steps("freeze head", checkout.head)
    conclude_outside(run)
    source = await checkout.provide(run.known.head)
    run.known.note(*source.notes)
    context = await reproduce_checks(run, source, await _guidance(source))
    return replace(context, recent=await _recent(run, source), texts=await _texts(run, source))


async def _prepare(run: Run, checkout: Checkout) -> RepairContext:
    """Fetch the source, find its commands, and set it up."""
    run.listener(PhaseStarted(Phase.PREPARE))
    run.known.head = await run.steps("freeze head", checkout.head)
    source = await checkout.provide(run.known.head)
    job = run.job
    tree: Tree = DirectoryTree(source.directory)
    choice = await chosen_package(run, source, tree)
    detected = detect(
        tree, setup=job.setup, test=job.test, failing=job.failing, folder=choice.folder
    )
    if choice.why:
        detected = replace(detected, explanation=(choice.why, *detected.explanation))
        tree = tree_of(tree, choice.folder)
    if job.as_of is not None and job.setup is None:
        detected = with_python_of(detected, tree, job.as_of)
    run.known.commands = commands = await recalled(run, detected)
    run.listener(CommandsFound(commands))
    await _note_gaps(run, source)
    preparation = Preparation(
        job,
        source,
        commands,
        run.tools.sandboxes,
        run_limits=run.run_limits,
        listener=run.listener,
        environments=run.tools.environments,
    )
    run.listener(PhaseStarted(Phase.SETUP))
    prepared, commands = await set_up(run, preparation, detected, commands, tree)
    run.known.detected, run.known.commands = detected, commands
    run.known.note(*run.setup_notes(prepared))
    if isinstance(prepared, SetupFailed) and not prepared.timed_out:
        sound = [one for one in run.known.remedies if one.first and one.helps]
        healed = reduce(lambda before, remedy: applied(remedy, before), sound, commands)
        older = await set_up_older(run, source, healed, prepared.command)
        if older is not None:
            run.known.note(package_dates.commit_used(older.moment))
            preparation, prepared, commands = older.preparation, older.prepared, older.commands
    if isinstance(prepared, SetupFailed):
        named = (remedy.why for remedy in run.known.remedies if not remedy.helps)
        reason = " ".join((why_setup_failed(prepared), *named))
        run.known.reproduction = Reproduction(
            Cause.INFRASTRUCTURE,
            None,
            reason=reason,
            setup_output=prepared.output[-_SETUP_CHARACTERS:],
        )
        raise Concluded(Verdict.INFRASTRUCTURE, reason)
    preparation.use(prepared)
    if prepared.environment_of:
        run.known.note(sandbox_setup.environment_reused(prepared.environment_of))
    run.known.untouched = prepared
    guidance, recent = await _guidance(source), await _recent(run, source)
    return RepairContext(
        source,
        commands,
        prepared,
        preparation,
        guidance,
        recent=recent,
        texts=await _texts(run, source),
    )


async def _note_gaps(run: Run, source: Source) -> None:
    """Note what the work tree lacks of what belongs there."""
    run.known.note(*source.notes)
    names = [
        name
        for name in await source.store.submodules(source.head)
        if is_empty_folder(source.directory, name)
        and not any(code(name) in note for note in source.notes)
    ]
    if names:
        run.known.note(sandbox_setup.submodules_empty(names))


async def _guidance(source: Source) -> str:
    """Return the repository's instructions for agents, from the trusted commit."""
    found = await source.store.files(source.trusted, GUIDANCE_FILES)
    text = next(filter(None, map(found.get, GUIDANCE_FILES)), b"")
    return text.decode("utf-8", "replace")[:_GUIDANCE_CHARACTERS]


async def _recent(run: Run, source: Source) -> frozenset[tuple[str, int]]:
    """Return the lines that changed recently, for the proposer that uses them."""
    wanted = any(one.reads_recent for one in run.ladder)
    return await recent_lines(source) if wanted else frozenset()


async def _texts(run: Run, source: Source) -> tuple[ChangedText, ...]:
    """Return the texts of programs that changed recently, likewise."""
    wanted = any(one.follows_texts for one in run.ladder)
    return await recent_texts(source) if wanted else ()


async def _attempt_until_accepted(run: Run, context: RepairContext) -> tuple[Verdict, str]:
    """Make attempts one after another, as the loop decides."""
    while True:
        move = next_move(_state(run))
        match move:
            case Accept(attempt):
                return Verdict.FIXED, _why_accepted(run, attempt)
            case Conclude(verdict, reason):
                return verdict, reason
            case Try():
                made = await make_attempt(run, context, move)
                if made.broke_off:
                    raise BudgetExhausted(made.broke_off)


def _why_accepted(run: Run, attempt: Attempt) -> str:
    verification, reproduction = attempt.verification, run.known.reproduction
    if verification is None or reproduction is None:
        return ending.fixed()
    return ending.fixed(verification.uncompared, len(reproduction.others))


def _state(run: Run) -> State:
    return State(
        ladder=run.ladder,
        tried=tuple(run.known.tried),
        attempts=tuple(run.known.attempts),
        most_attempts=run.job.limits.attempts + len(run.job.earlier),
        failing_before=_failing_before(run),
    )


def _failing_before(run: Run) -> frozenset[str]:
    reproduction = run.known.reproduction
    if reproduction is None or reproduction.observation is None:
        return frozenset()
    return reproduction.observation.failing_ids


async def _report(run: Run, end: _End, started: float) -> Report:
    known, context, verdict, reason = run.known, end.context, end.verdict, end.reason
    accepted = next((attempt for attempt in known.attempts if attempt.accepted), None)
    draft = draft_of(known.attempts, known.reproduction) if verdict is Verdict.IMPROVED else None
    patch = (
        accepted.proposal.patch if accepted else best_patch(known.attempts, _failing_before(run))
    )
    if context is not None and known.untouched is not None and patch:
        patch = await _whole_patch(context, known.untouched.tree, patch)
    return Report(
        run_id=run.job.run_id,
        verdict=verdict,
        reason=f"{_why_draft(draft)} {reason}" if draft is not None else reason,
        problem=run.job.problem,
        head=known.head,
        commands=known.commands,
        reproduction=known.reproduction,
        attempts=tuple(known.attempts),
        patch=patch,
        patch_accepted=accepted is not None,
        usage=known.usage,
        seconds=await run.steps("finish", now) - started,
        command_seconds=run.run_limits.held,
        notes=tuple(known.notes),
        draft=draft is not None,
    )


def _why_draft(draft: Attempt) -> str:
    left = len(draft.failing_after or ())
    tests = len(draft.failing_before)
    return other_failures.draft(tests - left, tests)


async def _whole_patch(context: RepairContext, untouched: str, patch: Patch) -> Patch:
    """Return the patch with the test that was written first, when there is one."""
    if context.prepared.tree == untouched:
        return patch
    store = context.source.store
    tree = await store.apply(context.prepared.tree, patch.data)
    return await patch_between(store, untouched, tree)
