"""`fixpoint verify`: show what is proven of a change or of a patch, whoever wrote it."""

from __future__ import annotations

import os
import secrets
import sys
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from bot.app import choose_sandbox
from bot.commands import event_loop
from bot.commands.fix_options import FixOptions, job_of, local_repository, repo_config
from bot.commands.scratch import scratch_folder
from bot.errors import RunStopped, UsageError
from bot.model import Acceptance, Problem
from bot.model.deadline import StopSign
from bot.model.proof_card import FactKind, ProofCard, RowKind, left_open
from bot.model.steps import PlainSteps
from bot.proof.prove import prove, undecided
from bot.proof.setting_up import ProvenChange
from bot.redaction import redactor_of
from bot.repair.tools import Tools
from bot.repair.workspace.checkouts import LocalCheckout
from bot.reporting.plain import printable
from bot.reporting.proof_card import as_markdown, as_text, row_line
from bot.reporting.proof_files import as_json, as_junit, as_sarif
from bot.settings.environment import LocalSettings, load_local_settings
from bot.settings.sandbox_kind import SandboxKind
from bot.storage.data_folder import make_data_folder
from sandbox.git import GitError, PatchDoesNotApply, RepositoryRefused, foreign

MOST_PATCH_BYTES = 64 * 2**20

SECONDS = 900.0
"""For a proof, where nobody says otherwise."""

_OUTPUT_LINES = 20
"""Of what a failed setup printed, at its end."""

_LINE = 500


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
    package_date: str | None = None
    timeout: float | None = None
    as_json: bool = False
    markdown: Path | None = None
    sarif: Path | None = None
    junit: Path | None = None


def run_verify(options: VerifyOptions) -> Acceptance:
    """Prove, print the card; return what it comes to.

    Raises:
        UsageError: When nothing could be shown; the text says why.
    """
    if (options.patch is None) is (options.base is None):
        raise UsageError("verify needs either --base or --patch.")
    data = _read(options.patch) if options.patch is not None else b""
    card = event_loop.run(_verify(options, data))
    texts = (
        (options.markdown, as_markdown),
        (options.sarif, lambda shown: as_sarif(shown, version("fixpoint"))),
        (options.junit, as_junit),
    )
    for file, write in texts:
        if file is not None:
            _write(file, write(card))
    if not options.as_json and card.problem:
        raise UsageError(_unproven(card))
    sys.stdout.write((as_json(card) if options.as_json else as_text(card)) + "\n")
    return acceptance_of(card)


def acceptance_of(card: ProofCard) -> Acceptance:
    """Return what a card comes to: proven, proven with something for a person to look at, or not.

    docs/proof.md has it as a table.
    """
    if card.problem or card.facts(FactKind.REFUTED) or not card.facts(FactKind.PROVEN):
        return Acceptance.NO
    if card.fails(frozenset({RowKind.TESTS, RowKind.SUITE})):
        return Acceptance.NO
    return Acceptance.AFTER_APPROVAL if left_open(card.rows) else Acceptance.YES


def _unproven(card: ProofCard) -> str:
    """Return why nothing could be shown: what happened, what was missing, what the setup printed."""
    printed = card.setup_output.rstrip().splitlines()[-_OUTPUT_LINES:]
    lines = (card.problem, *card.notes, *(f"| {line}" for line in printed))
    return "\n".join(printable(line, _LINE) for line in lines)


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


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror}.") from error


async def _verify(options: VerifyOptions, data: bytes) -> ProofCard:
    asked = FixOptions(
        options.target,
        test=options.test,
        setup=options.setup,
        package_date=options.package_date,
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
        sides = (
            await _since(checkout, repository, options.base)
            if options.base is not None
            else await _patched(checkout, data)
        )
        change = ProvenChange(job, *sides, options.timeout or SECONDS)
        card = await _carried(options, settings, folder, change, checkout)
    if options.patch is not None:
        card = replace(card, again=f"fixpoint verify . --patch {options.patch}")
    return redactor_of(settings, settings.fixpoint_redact).frozen(card)


async def _since(checkout: LocalCheckout, repository: Path, revision: str) -> tuple[str, str]:
    """Return base and head of the change since a revision; raises `UsageError` where there is none."""
    head = await checkout.head()
    base = await _base(repository, revision)
    if await checkout.store.tree_of(head) == await checkout.store.tree_of(base):
        raise UsageError(f"Nothing has changed since {revision}.")
    return base, head


async def _patched(checkout: LocalCheckout, data: bytes) -> tuple[str, str]:
    """Return the work tree, and it with a patch; raises `UsageError` when that does not fit."""
    base, store = await checkout.head(), checkout.store
    try:
        tree = await store.apply(base, data)
    except PatchDoesNotApply as error:
        raise UsageError(f"The patch does not apply to the work tree: {error}") from error
    if tree == await store.tree_of(base):
        raise UsageError("The patch changes nothing.")
    return base, await store.commit(tree, parents=[base], message="The patch")


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
    change: ProvenChange,
    checkout: LocalCheckout,
) -> ProofCard:
    kinds = (options.sandbox,) if options.sandbox else settings.fixpoint_sandbox
    provider = await choose_sandbox(settings, folder / "sandboxes", kinds)
    growing = ProofCard(change.base, change.head)

    async def on_card(card: ProofCard) -> None:
        nonlocal growing
        for row in card.rows:
            if growing.row(row.kind) is None:
                sys.stderr.write(f"{row_line(row)}\n")
        growing = card

    from bot.reporting.terminal import live_progress

    stopped = StopSign()
    try:
        progress = live_progress(change.job.run_id, change.job.limits)
        with event_loop.stop_on_signal(stopped), progress as listener:
            tools = Tools(provider, {})
            return await prove(change, tools, checkout, PlainSteps(), listener, stopped, on_card)
    except RunStopped as error:
        return undecided(growing, str(error))
    finally:
        await provider.close()
