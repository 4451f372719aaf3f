"""Freeze what a run starts from: the thread, the commit, the repo config, as they are now."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.config.repo_config import RepoConfig
from bot.errors import HeadMoved, UsageError
from bot.github.github import GitHub
from bot.github.values import Issue, PullRequest
from bot.model import Comment, Problem
from bot.model.merge_group import MergeGroup
from bot.model.repository import Repo
from bot.model.request import FailedCommit, FixRequest
from bot.model.untrusted import strip_comments, strip_hidden
from bot.repair.guards.requested import as_command, requested_paths
from bot.reporting.answer_instructions import answer_by
from bot.reporting.reasons import publication, run_life
from bot.runs.config_file import read_config


async def mandate(github: GitHub, request: FixRequest, issue: Issue) -> tuple[str, ...]:
    """Return globs, see `requested_paths`: of the words behind `/fix`, and of the issue's own.

    An issue's title and body count where their author, and who edited the body last, may write to
    the repository. A pull request's say what it does, and failed checks ask for nothing.

    Raises:
        GitHubError: When GitHub does not tell who may write.
    """
    if request.failed is not None:
        return ()
    asked = requested_paths(as_command(_shown(request.instructions)))
    if issue.is_pull_request:
        return asked
    reported = requested_paths(_shown(f"{issue.title}\n\n{issue.body}"))
    writers = sorted({issue.author, issue.written_by})
    if reported and all([await _may_write(github, request, login) for login in writers]):
        asked = tuple(dict.fromkeys((*asked, *reported)))
    return asked


async def _may_write(github: GitHub, request: FixRequest, login: str) -> bool:
    if login == request.actor:
        return True
    repo = request.repo
    return (await github.permission(repo, login)).may_write


def _shown(text: str) -> str:
    """Return what a reader sees of a text: nobody asks for what nobody can read."""
    return strip_hidden(strip_comments(text))


NEWEST = 20
"""Comments whose authors are looked up; a model is shown no more."""

TRUSTED_ASSOCIATIONS = frozenset({"OWNER", "MEMBER", "COLLABORATOR"})
"""Associations without which nobody has write access.

Source: https://docs.github.com/graphql/reference/enums#commentauthorassociation
"""


@dataclass(frozen=True, slots=True)
class Brief:
    """What a run starts from.

    Attributes:
        problem: The thread at the moment of the trigger.
        commit: To repair.
        trusted: Commit of the base branch: config and guidance are read there.
        base_branch: Branch that a pull request with the fix goes into.
        is_fork: The commit belongs to somebody else's repository.
        config: Of the repository, read at `trusted`.
        is_ours: The commit is on a branch that Fixpoint made.
        requested: Globs of protected paths that people with write access ask to change.
        notes: What people should know of how it was read, in sentences.
        lent: The fork, `owner/name`, whose branch may get the repair: its author allows it, and so
            does the config; "" for none.
    """

    problem: Problem
    commit: str
    trusted: str
    base_branch: str
    is_fork: bool
    config: RepoConfig
    is_ours: bool = False
    requested: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    lent: str = ""


async def write_brief(github: GitHub, request: FixRequest) -> Brief:
    """Ask GitHub for all of it.

    Raises:
        RepoConfigError: When the repo config can't be used.
        HeadMoved: When the commit whose checks failed, or whose conflict was seen, is no longer the
            head of its branch.
        UsageError: When there is nothing to repair there; the text says what to do.
        GitHubError: When GitHub does not tell.
    """
    repo = request.repo
    brief = await _of_request(github, repo, request)
    if request.redoes is not None:
        pull = await require_as_seen(github, request)
        if pull.base_ref != brief.base_branch:
            raise UsageError(publication.base_changed(brief.base_branch, pull.base_ref))
    return brief


async def require_as_seen(github: GitHub, request: FixRequest) -> PullRequest:
    """Return the pull request whose repair is made again.

    Raises:
        HeadMoved: When its head is not the one whose conflict was seen.
        UsageError: When it is closed.
    """
    assert request.number is not None  # noqa: S101 - each of these requests is about one
    assert request.redoes is not None  # noqa: S101 - seen by the caller
    repo = request.repo
    pull = await github.pull_request(repo, request.number)
    if pull.state != "open":
        raise UsageError(run_life.PULL_REQUEST_CLOSED)
    if pull.head_sha != request.redoes.head:
        raise HeadMoved(publication.head_moved(pull.head_sha[:7]))
    return pull


async def _of_request(github: GitHub, repo: Repo, request: FixRequest) -> Brief:
    asked = request.original
    if asked.failed is not None and asked.failed.group is not None:
        return await _of_group(github, repo, asked.failed, asked.failed.group, _problem(asked))
    if asked.number is None:
        return await _of_branch(github, repo, request, _problem(asked))
    issue = await github.issue(repo, asked.number)
    notes: tuple[str, ...] = ()
    if asked.actor and _changed_since(issue, asked):
        notes = (run_life.description_changed(issue.written_by),)
        issue = replace(issue, body="")
    if issue.is_pull_request:
        pull = await github.pull_request(repo, asked.number)
        brief = await _of_pull_request(github, repo, request, issue, pull)
    else:
        problem = await freeze_problem(github, repo, issue, asked)
        brief = await _of_branch(github, repo, request, problem)
    return replace(brief, requested=await mandate(github, asked, issue), notes=notes)


def _changed_since(issue: Issue, request: FixRequest) -> bool:
    """Whether somebody else than who asked wrote the description after that."""
    return issue.written_by != request.actor and issue.written_at > request.asked_at


def _problem(request: FixRequest) -> Problem:
    """Return the problem of a commit that nobody wrote about: what its checks are called."""
    failed = request.failed
    checks = () if failed is None else failed.checks
    listed = [f"{check.name}: {check.conclusion}" for check in checks]
    return Problem(
        body=run_life.checks_failed(listed) if listed else "",
        instructions=request.instructions,
    )


async def _of_branch(github: GitHub, repo: Repo, request: FixRequest, problem: Problem) -> Brief:
    """Return the brief of what is on a branch: the one whose checks failed, or the default one."""
    facts = await github.facts(repo)
    if facts.archived:
        raise UsageError(run_life.archived_before(facts.full_name, answer_by(request)))
    failed = request.original.failed
    branch = facts.default_branch if failed is None else failed.branch
    head = await github.branch_head(repo, branch)
    _require_head(request, head)
    return Brief(
        problem=problem,
        commit=head,
        trusted=head,
        base_branch=branch,
        is_fork=False,
        config=await read_config(github, repo, head),
    )


async def _of_group(
    github: GitHub, repo: Repo, failed: FailedCommit, group: MergeGroup, problem: Problem
) -> Brief:
    """Return the brief of a merge group, whose branch may be gone by now."""
    return Brief(
        problem=problem,
        commit=failed.sha,
        trusted=group.base,
        base_branch=failed.base,
        is_fork=group.is_fork,
        config=await read_config(github, repo, group.base),
    )


async def _of_pull_request(
    github: GitHub, repo: Repo, request: FixRequest, issue: Issue, pull: PullRequest
) -> Brief:
    if pull.state != "open":
        raise UsageError(run_life.PULL_REQUEST_CLOSED)
    _require_head(request, pull.head_sha)
    trusted = await github.branch_head(repo, pull.base_ref)
    config = await read_config(github, repo, trusted)
    return Brief(
        problem=await freeze_problem(github, repo, issue, request.original),
        commit=pull.head_sha,
        trusted=trusted,
        base_branch=pull.head_ref,
        is_fork=pull.is_fork,
        config=config,
        lent=lent_fork(pull) if config.push_to_forks else "",
        is_ours=pull.author == (await github.app_identity()).bot_login,
    )


def lent_fork(pull: PullRequest) -> str:
    """Return the fork whose branch its author lets maintainers push to; "" for none."""
    allowed = pull.is_fork and pull.maintainer_can_modify
    return pull.head_repository or "" if allowed else ""


def _require_head(request: FixRequest, head: str) -> None:
    """Raise `HeadMoved` when the commit whose checks failed is no longer its branch's head."""
    if request.failed is not None and request.failed.sha != head:
        raise HeadMoved(run_life.outdated(request.failed.sha[:7], head[:7]))


async def freeze_problem(github: GitHub, repo: Repo, issue: Issue, request: FixRequest) -> Problem:
    """Return the thread as it was when the run was asked for; later texts are left out.

    Raises:
        GitHubError: When GitHub does not tell who may write.
    """
    writers = await _writers(github, repo, issue)
    return Problem(
        title=issue.title,
        body=issue.body,
        comments=tuple(
            Comment(
                author=comment.written_by,
                body=comment.body,
                trusted=writers.issuperset({comment.author, comment.written_by}),
            )
            for comment in issue.comments
            if comment.written_at <= request.asked_at and comment.id != request.comment_id
        ),
        instructions=request.instructions,
        number=issue.number,
        is_pull_request=issue.is_pull_request,
    )


async def _writers(github: GitHub, repo: Repo, issue: Issue) -> frozenset[str]:
    """Return who of those that wrote the newest comments may write to the repository.

    An association is not enough: a collaborator or a member of the organisation may have the right
    to read and no other.
    """
    candidates = {
        login
        for comment in issue.comments[-NEWEST:]
        if comment.author_association in TRUSTED_ASSOCIATIONS
        for login in (comment.author, comment.written_by)
    }
    permissions = {login: await github.permission(repo, login) for login in sorted(candidates)}
    return frozenset(login for login, permission in permissions.items() if permission.may_write)
