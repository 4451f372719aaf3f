"""The command line of `fixpoint fix`, checked and turned into a job."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app import MODEL_HINT
from bot.commands.package_date_option import moment_of
from bot.errors import UsageError
from bot.model import Problem
from bot.model.flaky import FlakyQuestion
from bot.model.proposers import PROPOSERS
from bot.model.request import Options
from bot.repair.guards.requested import as_command, requested_paths
from bot.repair.job import Job
from bot.repair.preparation.config import configured_job
from bot.repair.tools import Tools
from bot.settings.sandbox_kind import SandboxKind
from sandbox.git import Credential, parted

if TYPE_CHECKING:
    from bot.config.repo_config import RepoConfig

MOST_ISSUE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class FixOptions:
    """The command line of `fixpoint fix`; see `fixpoint fix --help`."""

    target: str
    issue: str | None = None
    issue_file: Path | None = None
    add: str | None = None
    test: str | None = None
    setup: tuple[str, ...] | None = None
    job: str | None = None
    proposers: tuple[str, ...] | None = None
    sandbox: SandboxKind | None = None
    package_date: str | None = None
    attempts: int | None = None
    budget_usd: float | None = None
    timeout: float | None = None
    branch: str | None = None
    patch: Path | None = None
    body: Path | None = None
    apply: bool = False
    as_json: bool = False
    flaky: FlakyQuestion | None = None


_USER_INFORMATION = re.compile(r"\A[^/:]*:[^/]*@")
"""A user and a password before a host, where the scheme of an address was left out."""


def local_repository(options: FixOptions) -> Path | None:
    """Return the root of the repository that the folder belongs to, or None for one on a server.

    Raises:
        UsageError: When there is no such folder, or flags ask for one.
    """
    if "://" in options.target:
        if options.apply or options.branch is not None:
            raise UsageError("--apply and --branch need a local repository; use --patch instead.")
        return None
    folder = Path(options.target).expanduser()
    if not folder.is_dir():
        shown = _USER_INFORMATION.sub("", options.target)
        raise UsageError(f"{shown} is neither a folder nor a URL.")
    folder = folder.resolve()
    return next((root for root in (folder, *folder.parents) if (root / ".git").exists()), folder)


def without_credential(options: FixOptions) -> tuple[FixOptions, Credential | None]:
    """Return the options with an address that may be shown, and what git may send to it.

    Raises:
        UsageError: When it is no address.
    """
    try:
        target, credential = parted(options.target)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return replace(options, target=target), credential


def problem_of(options: FixOptions) -> Problem:
    """Return what should be repaired: the first line is the title.

    Raises:
        UsageError: When it is given twice or asks for two things, or can't be read.
    """
    if options.as_json and str(options.patch) == "-":
        raise UsageError("--json and --patch - both write to stdout; the JSON contains the patch.")
    if options.issue is not None and options.issue_file is not None:
        raise UsageError("Use either --issue or --issue-file, not both.")
    if options.add is not None and (options.issue is not None or options.issue_file is not None):
        raise UsageError(
            "Use either --add or an issue, not both: a run adds a feature or repairs a bug. An issue "
            "that asks for a feature can be the text of --add."
        )
    if options.job is not None and (options.test is not None or options.setup is not None):
        raise UsageError("Use either --job or --test and --setup: a job has its own commands.")
    text = options.issue or ""
    if options.issue_file is not None:
        text = _read_issue(options.issue_file)
    title, _, body = text.strip().partition("\n")
    instructions = f"add {options.add.strip()}" if options.add else ""
    return Problem(title=title.strip(), body=body.strip(), instructions=instructions)


def _read_issue(file: Path) -> str:
    try:
        if str(file) == "-":
            data = sys.stdin.buffer.read(MOST_ISSUE_BYTES + 1)
        else:
            with file.open("rb") as opened:
                data = opened.read(MOST_ISSUE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"--issue-file: {file} can't be read: {error.strerror}.") from error
    if len(data) > MOST_ISSUE_BYTES:
        raise UsageError(f"--issue-file: {file} is larger than {MOST_ISSUE_BYTES // 1024} KiB.")
    return data.decode("utf-8", "replace")


def check_proposers(options: FixOptions, tools: Tools) -> None:
    """Raise `UsageError` for a proposer that this machine does not have."""
    for name in options.proposers or ():
        if name in tools.proposers:
            continue
        if name in PROPOSERS:  # what is known and was not built lacks a model
            raise UsageError(f"--proposers: {_needs_model(name)}.")
        missing = "; ".join(
            _needs_model(proposer) for proposer in PROPOSERS if proposer not in tools.proposers
        )
        known = ", ".join(PROPOSERS)
        hint = f" ({missing})" if missing else ""
        raise UsageError(f"--proposers: unknown proposer {name!r}; choose from {known}{hint}.")


def _needs_model(name: str) -> str:
    return f"{name} needs a model; set {MODEL_HINT}"


def repo_config(repository: Path) -> RepoConfig:
    """Return the config in a repository's work tree.

    Raises:
        RepoConfigError: When it can't be used.
    """
    from bot.config.repo_config import PATH

    file = repository / PATH
    return parse_config(file.read_bytes() if file.is_file() else None, str(file))


def parse_config(content: bytes | None, source: str) -> RepoConfig:
    """Return a config; without a file, the defaults.

    Raises:
        RepoConfigError: When it can't be used.
    """
    from bot.config.repo_config import RepoConfig, parse

    return RepoConfig() if content is None else parse(content, source=source)


async def job_of(
    options: FixOptions, run_id: str, problem: Problem, config: RepoConfig, repository: str = ""
) -> Job:
    """Return the run's job: the command line goes before the repo config.

    Args:
        options: The command line.
        run_id: Of the run.
        problem: What is wrong.
        config: Of the repository.
        repository: Its address or folder, under which environments are kept; "" for none.
    """
    wished = Options(
        attempts=options.attempts,
        budget_usd=None if options.budget_usd is None else Decimal(str(options.budget_usd)),
        timeout=options.timeout,
    )
    job = configured_job(run_id, problem, config.limits(wished), config)
    return replace(
        job,
        setup=options.setup or job.setup,
        failing=options.test,
        test=options.test or job.test if options.flaky else job.test,
        of_flaky=options.flaky,
        proposers=options.proposers or job.proposers,
        rules=replace(job.rules, requested=requested_paths(as_command(problem.instructions))),
        package_date=await moment_of(options.package_date, local_repository(options)),
        repository=repository,
        identity=f"local:{repository}" if repository else "",
    )
