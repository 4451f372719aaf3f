"""Turn a believed patch into a branch and a pull request."""

from __future__ import annotations

import os
from dataclasses import dataclass

from bot.errors import Conflict
from bot.github.values import Advance, FileChange, Publication
from bot.model import Report
from bot.model.request import ConflictingRepair, FixRequest
from bot.reporting import conflict_repair, pull_request
from bot.reporting.commit_text import RUN_PLACEHOLDER, TitleStyle, branch_name, commit_message
from bot.reporting.marker import marker
from bot.reporting.reasons.publication import path_not_utf8
from bot.runs.starting_state import Brief
from sandbox.git import ObjectStore

SUBMODULE = "160000"
"""Mode of a path that names a commit of another repository."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a project writes its commits and pull requests.

    Attributes:
        style: Of titles.
        signed_off_by: Login that signs commits off; "" where nobody does.
        template: That pull requests fill in; "" for none.
    """

    style: TitleStyle = TitleStyle.PLAIN
    signed_off_by: str = ""
    template: str = ""


async def prepare_publication(
    report: Report,
    brief: Brief,
    store: ObjectStore,
    *,
    manner: Manner,
    draft: bool,
    page: str | None,
    reviewers: tuple[str, ...] = (),
    assignees: tuple[str, ...] = (),
) -> Publication:
    """Return the pull request of a fixed run, which is shown at `page`.

    Raises:
        PatchDoesNotApply: When the patch builds on what the setup changed in tracked files.
        Conflict: When GitHub's API has no way to take it.
    """
    mark = marker(report.run_id, "pull-request")
    pattern = brief.config.branch or f"{brief.config.branch_prefix}/{{issue}}-{{slug}}-{{run}}"
    branch, own = (
        branch_name(each, report.problem, report.run_id) for each in (pattern, f"{pattern}-{{run}}")
    )
    return Publication(
        branch=branch,
        base=brief.base_branch,
        parent=report.head,
        changes=await file_changes(report, store),
        commit_message=commit_message(report, manner.style, manner.signed_off_by),
        title=pull_request.title(report, manner.style),
        body=pull_request.body(report, mark, page, manner.template),
        labels=tuple(brief.config.labels),
        draft=draft,
        marker=mark,
        reviewers=reviewers,
        assignees=assignees,
        otherwise="" if RUN_PLACEHOLDER in pattern else own,
    )


async def prepare_advance(
    report: Report, brief: Brief, store: ObjectStore, manner: Manner
) -> Advance:
    """Return the commit of a fixed run for the branch that was repaired.

    Raises:
        PatchDoesNotApply: When the patch builds on what the setup changed in tracked files.
        Conflict: When GitHub's API has no way to take it.
    """
    return Advance(
        branch=brief.base_branch,
        parent=report.head,
        changes=await file_changes(report, store),
        message=commit_message(report, manner.style, manner.signed_off_by),
    )


async def prepare_merge(report: Report, repair: ConflictingRepair, store: ObjectStore) -> Advance:
    """Return the commit that merges the base, where the repair was made again, into its branch.

    Raises:
        PatchDoesNotApply: When the patch builds on what the setup changed in tracked files.
        Conflict: When GitHub's API has no way to take it.
    """
    return Advance(
        branch=repair.branch,
        parent=repair.head,
        changes=await file_changes(report, store),
        message=conflict_repair.merge_message(report, repair, commit_message(report)),
        merges=report.head,
    )


def goes_onto_the_branch(request: FixRequest, brief: Brief) -> bool:
    """Return whether the repair is a commit on the very branch that was repaired.

    It is where the branch is our own and the run goes on from it: in a session, because somebody
    asked there for more, or because its checks failed. It is where the repo config wants it so for
    pull requests whose checks failed.
    """
    if request.session is not None or request.failed is None:
        return request.is_pull_request and brief.is_ours and not brief.is_fork
    if request.failed.pull_request is None or brief.is_fork:
        return False
    return request.follows is not None or brief.config.checks.push == "branch"


def somebodys_branch(request: FixRequest, brief: Brief) -> str:
    """Return the branch that the repair would be a commit on and that is not our own, or ""."""
    if request.redoes is not None:
        return ""
    if brief.lent:
        return f"{brief.lent.partition('/')[0]}:{brief.base_branch}"
    return brief.base_branch if goes_onto_the_branch(request, brief) and not brief.is_ours else ""


async def file_changes(report: Report, store: ObjectStore) -> tuple[FileChange, ...]:
    """Return every path that the patch changes, with its new content and mode.

    Raises:
        PatchDoesNotApply: When the patch does not fit the commit.
        Conflict: When a path is not UTF-8, for the API speaks JSON.
    """
    before = await store.tree_of(report.head)
    after = await store.apply(before, report.patch.data)
    changes = []
    differing = await store.changes(before, after)
    contents = await store.blobs(
        change.blob for change in differing if change.blob and change.mode != SUBMODULE
    )
    for change in differing:
        if os.fsencode(change.path).decode("utf-8", "replace") != change.path:
            raise Conflict(path_not_utf8(change.path))
        if change.blob is None:
            content = b""
        elif change.mode == SUBMODULE:
            content = change.blob.encode()
        else:
            content = contents[change.blob]
        changes.append(FileChange(change.path, change.mode, content))
    return tuple(changes)
