"""Begin a run: fetch the source, find its commands and set it up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from bot.ecosystems.detection import detect, with_toolchain_of
from bot.ecosystems.missing import applied
from bot.ecosystems.tree import DirectoryTree, Tree, tree_of
from bot.limited_process import TooMuch, run_limited
from bot.model import Cause, Commands, Reproduction, Verdict
from bot.model.progress import CommandsFound, Phase, PhaseStarted
from bot.repair.changed_texts import ChangedText, texts_of
from bot.repair.job import Checkout, Source
from bot.repair.preparation.package_choice import chosen_package
from bot.repair.preparation.package_date import OlderSetup, set_up_older
from bot.repair.preparation.setup_repair import recalled, set_up
from bot.repair.repair_context import RepairContext
from bot.repair.run import Concluded, Run
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.setup_result import SetupFailed, why_setup_failed
from bot.reporting.markdown import code
from bot.reporting.reasons import package_dates, sandbox_setup
from sandbox.git import GitError, is_empty_folder

_COMMITS = 5
"""How many commits count as lately, where no other branch says where the work began."""

_MOST = 2_000
"""Changed lines beyond which newness says nothing."""

_LONGEST = 400_000
"""Characters of a diff beyond which a changed text says nothing."""

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

Line = tuple[str, int]


async def recent_lines(source: Source) -> frozenset[Line]:
    """Return the lines of the head, as path and number, that its last commits changed.

    For a pull request, and for a work tree with changes, that is what they change. Files that are
    new as a whole are left out: of them it says nothing. Where the history is cut, it is empty.
    """
    try:
        before = await source.store.before(source.head, source.trusted, _COMMITS)
        diff = await source.store.hunks(before, source.head) if before else b""
    except GitError:
        return frozenset()
    lines = frozenset(lines_of(diff))
    return lines if len(lines) <= _MOST else frozenset()


async def recent_texts(source: Source) -> tuple[ChangedText, ...]:
    """Return the texts of programs that the same commits changed; none where the history is cut."""
    try:
        before = await source.store.before(source.head, source.trusted, _COMMITS)
        diff = await source.store.hunks(before, source.head) if before else b""
    except GitError:
        return ()
    text = diff.decode("utf-8", "replace")
    if len(text) > _LONGEST:
        return ()
    try:
        return await run_limited(texts_of, text)
    except TooMuch:
        return ()


def lines_of(diff: bytes) -> Iterator[Line]:
    """Yield the lines that a diff without context adds or changes; where it only removes, those around.

    Args:
        diff: As `git diff --unified=0` prints it.
    """
    path, left = "", 0
    for line in diff.split(b"\n"):
        if left:  # a removed or added line may look like a header
            left -= 1
        elif line.startswith(b"+++ "):
            path = line[4:].removeprefix(b"b/").decode("utf-8", "surrogateescape")
        elif hunk := _HUNK.match(line):
            removed, start, added = (int(n) if n is not None else 1 for n in hunk.groups())
            left = removed + added
            yield from ((path, n) for n in _numbers(start, added))


def _numbers(start: int, added: int) -> range:
    """Return the numbers of a hunk's lines; one that only removes stands behind line `start`."""
    return range(start, start + added) if added else range(max(1, start), start + 2)


GUIDANCE_FILES = ("AGENTS.md", "CLAUDE.md", ".github/copilot-instructions.md")
_GUIDANCE_CHARACTERS = 16_000
_SETUP_CHARACTERS = 16_000


async def prepare(run: Run, checkout: Checkout) -> RepairContext:
    """Fetch the source, find its commands and set it up.

    Raises:
        Concluded: When it can't be set up.
    """
    run.listener(PhaseStarted(Phase.PREPARE))
    run.known.head = await run.steps("freeze head", checkout.head)
    source = await checkout.provide(run.known.head)
    detected, tree = await _detected(run, source)
    run.known.commands = commands = await recalled(run, detected)
    run.listener(CommandsFound(commands))
    await _note_gaps(run, source)
    preparation = Preparation(
        run.job,
        source,
        commands,
        run.tools.sandboxes,
        run_limits=run.run_limits,
        listener=run.listener,
        environments=run.tools.environments,
    )
    run.listener(PhaseStarted(Phase.SETUP))
    with run.setting_up():
        prepared, commands = await set_up(run, preparation, detected, commands, tree)
    run.known.detected, run.known.commands = detected, commands
    run.known.note(*run.setup_notes(prepared))
    if isinstance(prepared, SetupFailed) and not prepared.timed_out:
        with run.setting_up():
            older = await _with_older_packages(run, source, commands, prepared)
        if older is not None:
            preparation, prepared, commands = older.preparation, older.prepared, older.commands
    if isinstance(prepared, SetupFailed):
        raise _not_set_up(run, prepared)
    preparation.use(prepared)
    if prepared.environment_of:
        run.known.note(sandbox_setup.environment_reused(prepared.environment_of))
    run.known.untouched = prepared
    guidance, recent = await guidance_of(source), await recent_lines_of(run, source)
    return RepairContext(
        source,
        commands,
        prepared,
        preparation,
        guidance,
        recent=recent,
        texts=await recent_texts_of(run, source),
    )


async def _detected(run: Run, source: Source) -> tuple[Commands, Tree]:
    """Return the commands that the repository's files name, and the work tree they are for."""
    job = run.job
    tree: Tree = DirectoryTree(source.directory)
    choice = await chosen_package(run, source, tree)
    detected = detect(
        tree, setup=job.setup, test=job.test, failing=job.failing, folder=choice.folder
    )
    if choice.why:
        detected = replace(detected, explanation=(choice.why, *detected.explanation))
        tree = tree_of(tree, choice.folder)
    if job.package_date is not None and job.setup is None:
        detected = with_toolchain_of(detected, tree, job.package_date)
    return detected, tree


async def _with_older_packages(
    run: Run, source: Source, commands: Commands, failed: SetupFailed
) -> OlderSetup | None:
    """Return the setup with the packages of the commit's day, when it works with those."""
    sound = [item for item in run.known.remedies if item.first and item.helps]
    healed = reduce(lambda before, remedy: applied(remedy, before), sound, commands)
    older = await set_up_older(run, source, healed, failed.command)
    if older is not None:
        run.known.note(package_dates.commit_used(older.moment))
    return older


def _not_set_up(run: Run, failed: SetupFailed) -> Concluded:
    """Return the end of a run whose setup failed, and keep its output for the report."""
    named = (remedy.why for remedy in run.known.remedies if not remedy.helps)
    reason = " ".join((why_setup_failed(failed), *named))
    run.known.reproduction = Reproduction(
        Cause.INFRASTRUCTURE, None, reason=reason, setup_output=failed.output[-_SETUP_CHARACTERS:]
    )
    return Concluded(Verdict.INFRASTRUCTURE, reason)


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


async def guidance_of(source: Source) -> str:
    """Return the repository's instructions for agents, from the trusted commit."""
    found = await source.store.files(source.trusted, GUIDANCE_FILES)
    text = next(filter(None, map(found.get, GUIDANCE_FILES)), b"")
    return text.decode("utf-8", "replace")[:_GUIDANCE_CHARACTERS]


async def recent_lines_of(run: Run, source: Source) -> frozenset[tuple[str, int]]:
    """Return the lines that changed recently, for the proposer that uses them."""
    wanted = any(traits.reads_recent for traits in run.ladder)
    return await recent_lines(source) if wanted else frozenset()


async def recent_texts_of(run: Run, source: Source) -> tuple[ChangedText, ...]:
    """Return the texts of programs that changed recently, likewise."""
    wanted = any(traits.follows_texts for traits in run.ladder)
    return await recent_texts(source) if wanted else ()
