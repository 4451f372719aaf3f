"""`fixpoint verify --base`: prove the change from a revision to the work tree, whoever wrote it."""

from __future__ import annotations

import os
import secrets
import sys
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app import choose_sandbox
from bot.commands import event_loop
from bot.commands.fix_options import FixOptions, job_of, local_repository, repo_config
from bot.commands.scratch import scratch_folder
from bot.errors import UsageError
from bot.model import Acceptance, Problem
from bot.model.deadline import StopSign
from bot.model.proof_card import Fact, FactKind, Nearness, ProofCard, RowKind, RowState
from bot.model.steps import PlainSteps
from bot.proof.prove import prove
from bot.proof.setting_up import Change
from bot.redaction import redactor_of
from bot.repair.tools import Tools
from bot.repair.workspace.checkouts import LocalCheckout
from bot.reporting.proof_card import as_markdown, as_text, row_line
from bot.reporting.proof_files import as_json, as_junit, as_sarif
from bot.settings.environment import LocalSettings, load_local_settings
from bot.storage.data_folder import make_data_folder
from sandbox.git import GitError, RepositoryRefused, foreign

if TYPE_CHECKING:
    from bot.commands.verify import VerifyOptions

SECONDS = 900.0
"""For a proof, where nobody says otherwise."""


def run_prove(options: VerifyOptions, base: str) -> Acceptance:
    """Prove, print the card; return whether it leaves nothing open.

    Raises:
        UsageError: When nothing could be shown; the text says why.
    """
    card = event_loop.run(_prove(options, base))
    texts = (
        (options.markdown, as_markdown),
        (options.sarif, lambda shown: as_sarif(shown, version("fixpoint"))),
        (options.junit, as_junit),
    )
    for file, write in texts:
        if file is not None:
            _write(file, write(card))
    if not options.as_json and card.problem:
        raise UsageError(card.problem)
    sys.stdout.write((as_json(card) if options.as_json else as_text(card)) + "\n")
    return acceptance_of(card)


def acceptance_of(card: ProofCard) -> Acceptance:
    """Return what a card comes to: proven with nothing open, proven with something to look at, or not."""
    if card.problem or card.facts(FactKind.REFUTED) or not card.facts(FactKind.PROVEN):
        return Acceptance.NO
    if card.fails(frozenset({RowKind.TESTS, RowKind.SUITE})):
        return Acceptance.NO
    judged = (fact for fact in card.facts(FactKind.NOT_JUDGED) if not _is_near(fact))
    is_open = any(row.state in {RowState.NOT_SHOWN, RowState.UNDECIDED} for row in card.rows)
    left = is_open or any(judged) or card.facts(FactKind.NOT_COVERED)
    return Acceptance.AFTER_APPROVAL if left else Acceptance.YES


def _is_near(fact: Fact) -> bool:
    """Whether a fact is another answer to an input near those of the tests: a repair has these."""
    return fact.answers is not None and fact.answers.nearness is Nearness.NEIGHBOUR


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror}.") from error


async def _prove(options: VerifyOptions, revision: str) -> ProofCard:
    asked = FixOptions(
        options.target,
        test=options.test,
        setup=options.setup,
        as_of=options.as_of,
        timeout=options.timeout,
    )
    repository = local_repository(asked)
    if repository is None:
        raise UsageError("verify needs a local repository.")
    settings = load_local_settings(os.environ)
    run_id = secrets.token_hex(4)
    title, _, body = (options.issue or "").partition("\n")
    problem = Problem(title=title, body=body or title)
    job = await job_of(asked, run_id, problem, repo_config(repository))
    folder = make_data_folder(settings.fixpoint_data) / "local"
    with scratch_folder(folder / run_id) as scratch:
        checkout = LocalCheckout(repository, scratch)
        head = await checkout.head()
        base = await _base(repository, revision)
        if await checkout.store.tree_of(head) == await checkout.store.tree_of(base):
            raise UsageError(f"Nothing has changed since {revision}.")
        change = Change(job, base, head, options.timeout or SECONDS)
        card = await _carried(options, settings, folder, change, checkout)
    return redactor_of(settings, settings.fixpoint_redact).frozen(card)


async def _base(repository: Path, revision: str) -> str:
    """Return where the work tree parted from a revision, as a pull request's changes begin there."""
    try:
        async with foreign(repository) as theirs:
            there = await theirs.git(
                "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}"
            )
            parted = await theirs.git("merge-base", there.decode().strip(), "HEAD")
    except RepositoryRefused as error:
        raise UsageError(str(error)) from error
    except GitError as error:
        raise UsageError(
            f"--base: {revision} is no commit of this repository with a common history. In a "
            "shallow clone, fetch the history first (`fetch-depth: 0` of actions/checkout)."
        ) from error
    return parted.decode().strip()


async def _carried(
    options: VerifyOptions,
    settings: LocalSettings,
    folder: Path,
    change: Change,
    checkout: LocalCheckout,
) -> ProofCard:
    kinds = (options.sandbox,) if options.sandbox else settings.fixpoint_sandbox
    provider = await choose_sandbox(settings, folder / "sandboxes", kinds)
    shown = set[RowKind]()

    async def on_card(card: ProofCard) -> None:
        for row in card.rows:
            if row.kind not in shown:
                sys.stderr.write(f"{row_line(row)}\n")
        shown.update(row.kind for row in card.rows)

    from bot.reporting.terminal import live_progress

    try:
        with live_progress(change.job.run_id, change.job.limits) as listener:
            tools = Tools(provider, {})
            return await prove(change, tools, checkout, PlainSteps(), listener, StopSign(), on_card)
    finally:
        await provider.close()
