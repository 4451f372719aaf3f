"""Print the outcome of a local run, and hand a believed patch over where it was asked for."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from bot.commands.fix_options import FixOptions
from bot.errors import UsageError
from bot.model import Patch, Report, Verdict
from bot.reporting import final_report, pull_request
from bot.reporting.commit_text import commit_message
from bot.reporting.marker import marker
from bot.reporting.reasons import assurance
from sandbox.git import ForeignRepository, GitError, foreign, git
from sandbox.scratch import scratch_folder


async def check_branch(repository: Path, branch: str) -> None:
    """Make sure that the branch can be made.

    Raises:
        UsageError: When the name is invalid or taken.
    """
    try:
        await git("check-ref-format", "--branch", branch)
    except GitError as error:
        raise UsageError(f"--branch: {branch!r} is not a valid branch name.") from error
    name = f"refs/heads/{branch}"
    try:
        async with foreign(repository) as theirs:
            taken = await theirs.git("for-each-ref", "--format=%(refname)", name)
    except GitError:
        return  # the run itself says what is wrong with the repository
    if name.encode() in taken.splitlines():
        raise UsageError(f"--branch: {branch!r} already exists; choose another name or delete it.")


def check_file(file: Path, option: str) -> None:
    """Make sure that what an option asks for can be written there, before hours of work are wasted.

    Raises:
        UsageError: When it can't.
    """
    if str(file) == "-":
        return
    if file.is_dir():
        raise UsageError(f"{option}: {file} is a folder, not a file.")
    if not file.parent.is_dir():
        raise UsageError(f"{option}: the folder {file.parent} does not exist; create it first.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise UsageError(f"{option}: {file} is not writable; choose another file.")


async def commit_to_branch(repository: Path, branch: str, patch: Patch, message: str) -> str:
    """Commit the patch on top of `HEAD` to a new branch; work tree and index stay as they are.

    Raises:
        UsageError: When the patch needs changes that are not committed.
    """
    async with foreign(repository) as theirs:
        commit = await _committed(theirs, patch, message)
        try:
            await theirs.git("branch", "--no-track", branch, commit)
        except GitError as error:
            raise UsageError(
                f"--branch: could not create {branch!r}; the fix is commit {commit} ({error})."
            ) from error
    return commit


async def _committed(theirs: ForeignRepository, patch: Patch, message: str) -> str:
    with scratch_folder("index") as scratch:
        index = {"GIT_INDEX_FILE": f"{scratch}/index"}
        head = await theirs.head()
        await theirs.git("read-tree", head, extra=index)
        apply = ("apply", "--cached", "--whitespace=nowarn", "-")
        try:
            await theirs.git(*apply, extra=index, stdin=patch.data)
        except GitError as error:
            raise UsageError(
                "The fix depends on uncommitted changes, so it can't be committed to a branch. "
                f"Commit them first, or use --apply or --patch ({error})."
            ) from error
        tree = (await theirs.git("write-tree", extra=index)).decode().strip()
        made = await theirs.git("commit-tree", tree, "-p", head, stdin=message.encode())
    return made.decode().strip()


async def apply_to_work_tree(repository: Path, patch: Patch) -> None:
    """Apply the patch to the repository's work tree, all of it or nothing.

    Raises:
        UsageError: When the work tree was changed in the meantime.
    """
    try:
        async with foreign(repository) as theirs:
            await theirs.git("apply", "--whitespace=nowarn", "-", stdin=patch.data)
    except GitError as error:
        raise UsageError(
            f"The fix does not apply because the work tree changed in the meantime: {error}"
        ) from error


async def hand_over(options: FixOptions, repository: Path | None, report: Report) -> None:
    """Put the patch where the person asked for it and print the outcome, whatever happens."""
    destination, failure = "", None
    if report.verdict is Verdict.FIXED:
        try:
            destination = await _deliver(options, repository, report)
        except UsageError as error:
            failure = error
    elif report.verdict is Verdict.SUGGESTED and (options.apply or options.branch or options.patch):
        destination = assurance.NOT_DELIVERED
    if options.body is not None:
        _write(options.body, _body(report), "--body")
    _print(options, report, destination)
    if failure is not None:
        raise failure


def _body(report: Report) -> bytes:
    """Return what a pull request with the fix would say; without a fix, the report."""
    fixed = report.verdict is Verdict.FIXED
    mark = marker(report.run_id, "pull-request" if fixed else "report")
    text = pull_request.body(report, mark) if fixed else final_report.not_fixed(report, mark)
    return text.encode()


async def _deliver(options: FixOptions, repository: Path | None, report: Report) -> str:
    """Return where the patch went, as sentences."""
    said = []
    if options.patch is not None:
        _write(options.patch, report.patch.data, "--patch")
        said.append(f"The patch was written to {options.patch}.")
    if repository is not None and options.branch is not None:
        commit = await commit_to_branch(
            repository, options.branch, report.patch, commit_message(report)
        )
        said.append(f"The fix is commit {commit[:12]} on the new branch {options.branch}.")
    if repository is not None and options.apply:
        await apply_to_work_tree(repository, report.patch)
        said.append("The fix was applied to the work tree.")
    return (
        " ".join(said) or "Nothing was changed. To keep the fix, use --apply, --branch or --patch."
    )


def _print(options: FixOptions, report: Report, destination: str) -> None:
    if options.as_json:
        from bot.reporting.json_report import to_json

        sys.stdout.write(json.dumps(to_json(report), indent=2) + "\n")
        return
    from rich.console import Console

    from bot.reporting.terminal_report import print_report

    to_stdout = options.patch is None or str(options.patch) != "-"
    print_report(report, Console(stderr=not to_stdout, highlight=False), destination)


def _write(file: Path, data: bytes, option: str) -> None:
    if str(file) == "-":
        sys.stdout.buffer.write(data)
        return
    try:
        file.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{option}: {file} can't be written: {error.strerror}.") from error
