"""Publish a believed patch, unless its commit is superseded, and have its checks watched."""

from __future__ import annotations

import contextlib
import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog

from bot.errors import Conflict, GitHubError, HeadMoved, NotPermitted, UsageError
from bot.github.github import GitHub
from bot.github.values import Published, Review, ReviewComment
from bot.model import Patch, Report
from bot.model.hunks import Hunk, file_hunks
from bot.model.repository import Repo
from bot.model.request import ConflictingRepair, FailedCommit, FixRequest
from bot.model.risk import Confidence
from bot.model.untrusted import reveal_hidden
from bot.reporting import conflict_repair, pull_request
from bot.reporting.commit_text import commit_message
from bot.reporting.marker import marker
from bot.reporting.patch_comment import patch_comment
from bot.reporting.plain import printable
from bot.reporting.reasons import publication as why
from bot.runs.publishing.conventions import (
    asks_commits,
    read_conventions,
    style_and_sign_off,
)
from bot.runs.publishing.outcome_comment import (
    AlreadyOpen,
    LeftBehind,
    NotPublished,
    Outcome,
    PatchOnly,
    Pushed,
)
from bot.runs.publishing.publication import (
    Manner,
    goes_onto_the_branch,
    prepare_advance,
    prepare_merge,
    prepare_publication,
)
from bot.runs.remote_checkout import is_outage
from bot.runs.starting_state import Brief, lent_fork, require_as_seen
from bot.storage.commits import CommitStore
from bot.storage.open_pulls import OpenPullStore
from bot.storage.runs import RunStore
from sandbox.git import Credential, GitError, ObjectStore, PatchDoesNotApply

MOST = 20
"""Suggestions in one review: more of them nobody applies one by one."""

_LARGEST = 20_000
"""Characters of one suggestion, of the 65,536 that a comment holds."""

_FENCES = re.compile(r"`{3,}")
_BEYOND = ("new file ", "deleted file ", "old mode ", "rename ", "copy ", "GIT binary", "Binary ")
"""What a line of a section says that no change of lines can."""


class _CanNotSay(Exception):
    """A suggestion can't express a part of the patch."""


@dataclass(slots=True)
class _Change:
    """Neighbouring lines of a file: from the line `start`, `old` gives way to `new`."""

    start: int
    old: list[str]
    new: list[str]


def suggestions(
    patch: Patch, shown: Mapping[str, Sequence[range]]
) -> tuple[ReviewComment, ...] | None:
    """Return the patch as suggestions, each on lines of the commit that it was made for.

    Args:
        patch: The whole of it becomes suggestions, or nothing.
        shown: By path, the lines that the pull request's page shows; a suggestion needs all of its
            lines in one of them.

    Returns:
        None where a suggestion can't say it: files that come or go, other modes, lines that are
        not shown, text that a comment would change.
    """
    text = patch.text
    if text.encode() != patch.data or "\r" in text or reveal_hidden(text) != text:
        return None
    try:
        found = [
            _comment(path, change, shown.get(path, ()))
            for path, hunk in _hunks(text)
            for change in _changes(hunk)
        ]
    except _CanNotSay:
        return None
    return tuple(found) if 0 < len(found) <= MOST and not _overlap(found) else None


def _overlap(comments: Sequence[ReviewComment]) -> bool:
    """Whether two suggestions change the same line: only one of them could be applied."""
    ranked = sorted(comments, key=lambda comment: (comment.path, comment.start))
    return any(
        comment.path == following.path and following.start <= comment.end
        for comment, following in itertools.pairwise(ranked)
    )


def _hunks(text: str) -> Iterator[tuple[str, Hunk]]:
    for hunks in file_hunks(text):
        path = hunks.after.removeprefix("b/")
        if path in {"", hunks.after} or any(line.startswith(_BEYOND) for line in hunks.heading):
            raise _CanNotSay
        for hunk in hunks.hunks:
            if not hunk.is_ended:
                raise _CanNotSay
            yield path, hunk


def _changes(hunk: Hunk) -> Iterator[_Change]:
    """Return the runs of changed lines, an insertion with a neighbour that it replaces."""
    at, change, before = hunk.start, None, None
    for sign, content in hunk.lines:
        if sign == " ":
            if change is not None:
                yield _anchored(change, content)
            at, change, before = at + 1, None, content
            continue
        if change is None:
            change = _begun(at, before)
        if sign == "-":
            change.old.append(content)
            at += 1
        else:
            change.new.append(content)
    if change is not None:
        yield _anchored(change, None)


def _begun(at: int, before: str | None) -> _Change:
    """Begin a change with the line before it, so that even an insertion replaces something."""
    return _Change(at, [], []) if before is None else _Change(at - 1, [before], [before])


def _anchored(change: _Change, after: str | None) -> _Change:
    """Return a change that replaces at least one line, and no line by itself."""
    if change.old and change.new and change.old[0] == change.new[0] and len(change.old) > 1:
        return _Change(change.start + 1, change.old[1:], change.new[1:])
    if change.old:
        return change
    if after is None:
        raise _CanNotSay
    return _Change(change.start, [after], [*change.new, after])


def _comment(path: str, change: _Change, shown: Sequence[range]) -> ReviewComment:
    start, end = change.start, change.start + len(change.old) - 1
    if not any(start in lines and end in lines for lines in shown):
        raise _CanNotSay
    text = "".join(f"{line}\n" for line in change.new)
    if len(text) > _LARGEST:
        raise _CanNotSay
    fence = "`" * (max([2, *(len(found) for found in _FENCES.findall(text))]) + 1)
    return ReviewComment(path, start, end, f"{fence}suggestion\n{text}{fence}")


_log = structlog.get_logger(__name__)


def mends_the_same(known: Report, report: Report) -> bool:
    """Return whether a repair that is known mends all that fails in another run, for what it says."""
    if not (known.patch_accepted and report.patch_accepted) or known.draft or report.reverts:
        return False
    earlier, later = _said_to_fail(known), _said_to_fail(report)
    return bool(later) and later <= earlier


def _said_to_fail(report: Report) -> frozenset[tuple[str, str]]:
    seen = report.reproduction.observation if report.reproduction is not None else None
    if seen is None:
        return frozenset()
    return frozenset((failure.test, failure.message) for failure in seen.named)


def _may_be_another(request: FixRequest, earlier: FixRequest) -> bool:
    """Return whether nobody asked for another repair than the one there is."""
    again = request.number is not None and request.number == earlier.number and request.actor
    return not request.instructions and not again


def _said_by_git(text: str) -> str:
    """Return why a push was refused, of all that git says of it."""
    of_server = re.search(r"^ ?(?:remote: |! )(.{1,300})", text, re.MULTILINE)
    status = re.search(r"returned error: (\d{3})", text)
    if of_server is None and status is not None:
        return f"it answers {status[1]}"
    return printable(of_server[1] if of_server else text, 300).rstrip(".")


class Publisher:
    """Publishes repairs. Publishing the same twice changes nothing."""

    def __init__(
        self,
        github: GitHub,
        runs: RunStore,
        commits: CommitStore,
        pulls: OpenPullStore,
        page_of: Callable[[str], str | None],
    ) -> None:
        self._github = github
        self._runs = runs
        self._commits = commits
        self._pulls = pulls
        self._page_of = page_of

    async def publish(
        self, request: FixRequest, brief: Brief, report: Report, store: ObjectStore
    ) -> Outcome:
        """Commit on the branch, open a pull request, or say why neither can be."""
        repo = request.repo
        try:
            if brief.is_fork:
                return await self._push_to_fork(request, brief, report, store)
            if request.redoes is not None:
                return await self._merge(repo, request.redoes, report, store)
            if goes_onto_the_branch(request, brief) and not report.reverts:
                pushed = await self._push(repo, brief, report, store)
                if pushed is not None:
                    return pushed
            return await self._open(repo, request, brief, report, store)
        except HeadMoved as moved:
            return LeftBehind(str(moved))
        except (NotPermitted, Conflict, PatchDoesNotApply) as error:
            return PatchOnly(str(error))

    async def _open(
        self, repo: Repo, request: FixRequest, brief: Brief, report: Report, store: ObjectStore
    ) -> Published | AlreadyOpen:
        """Open a pull request, unless one that is open makes the very same change.

        Raises:
            HeadMoved: When the commit is no longer its branch's head.
            NotPermitted, Conflict: When GitHub does not take it.
            PatchDoesNotApply: When the patch does not fit the commit.
        """
        # A branch that our own commit is the head of was left to us by whoever asked for a push.
        if request.failed is not None:
            await self._require_head(repo, request.failed)
        same = await self._already_open(repo, request, brief, report)
        if same is not None:
            return same
        authors = {await self._github.author(repo, each.event.name) for each in report.reverts}
        asked = request.original.actor
        publication = await prepare_publication(
            report,
            brief,
            store,
            manner=await self._manner(repo, brief, report, store),
            draft=report.draft or _draft(request, brief),
            page=self._page_of(request.run_id),
            reviewers=tuple(sorted((authors | ({asked} if brief.config.review else set())) - {""})),
            assignees=(asked,) if asked and brief.config.assign else (),
        )
        return await self._github.publish(repo, publication)

    async def _manner(self, repo: Repo, brief: Brief, report: Report, store: ObjectStore) -> Manner:
        """Return how the project writes: as the repo config says, else as its files and commits do."""
        config = brief.config
        found = await read_conventions(store, report.head)
        messages: tuple[str, ...] = ()
        if asks_commits(config):
            try:
                messages = await self._github.recent_messages(
                    repo, brief.trusted if brief.is_fork else brief.base_branch
                )
            except GitHubError as error:
                _log.warning("messages of the last commits are not known", problem=str(error))
        style, signed = style_and_sign_off(config, messages, has_dco=found.has_dco)
        login = (await self._github.app_identity()).bot_login if signed else ""
        return Manner(style, login, found.template if config.template else "")

    async def suggest(self, request: FixRequest, report: Report, outcome: PatchOnly) -> PatchOnly:
        """Put the patch into its pull request as suggested changes, where all of it can be one."""
        if request.number is None or not request.is_pull_request:
            return outcome
        repo = request.repo
        try:
            shown = await self._github.shown_lines(repo, request.number)
            comments = suggestions(report.patch, shown)
            if comments is None:
                return outcome
            mark = marker(request.run_id, "report")
            body = patch_comment(report, outcome.reason, mark, suggested=True)
            await self._github.post_review(
                repo, request.number, Review(report.head, body, comments, mark)
            )
        except (NotPermitted, Conflict) as error:  # the comment has the patch then
            _log.warning("patch not suggested", problem=str(error))
            return outcome
        return replace(outcome, suggested=True)

    async def left(self, request: FixRequest) -> LeftBehind | NotPublished:
        """Return whether the commit that a run is about by itself is superseded, and how."""
        try:
            if request.redoes is not None:
                await require_as_seen(self._github, request)
            elif request.failed is not None and request.failed.group is None:
                repo = request.repo
                await self._require_head(repo, request.failed)
        except (HeadMoved, UsageError) as moved:
            return LeftBehind(str(moved))
        except NotPermitted as error:
            _log.warning("head not known", problem=str(error))
        return NotPublished()

    async def watch(self, request: FixRequest, brief: Brief, outcome: Outcome) -> None:
        """Have the project's own checks of the publication looked at, and its base."""
        repo = request.repo
        if isinstance(outcome, Published):
            await self._pulls.opened(repo, outcome.number, brief.base_branch)
        if isinstance(outcome, Published | Pushed) and not brief.is_fork:
            now = datetime.now(UTC)
            await self._commits.published(repo, outcome.commit, outcome.branch, request.run_id, now)

    async def _push(
        self, repo: Repo, brief: Brief, report: Report, store: ObjectStore
    ) -> Pushed | None:
        """Commit on the branch; None when it is protected, and a pull request has to do.

        Raises:
            HeadMoved: When somebody pushed to it.
            Conflict: When GitHub's API has no way to take the patch.
            PatchDoesNotApply: When the patch does not fit the commit.
        """
        advance = await prepare_advance(
            report, brief, store, await self._manner(repo, brief, report, store)
        )
        try:
            commit = await self._github.advance(repo, advance)
        except (NotPermitted, Conflict) as error:
            _log.warning("branch not pushed to", branch=advance.branch, problem=str(error))
            return None
        return Pushed(commit, advance.branch, self._github.commit_url(repo, commit))

    async def _push_to_fork(
        self, request: FixRequest, brief: Brief, report: Report, store: ObjectStore
    ) -> Pushed | PatchOnly:
        """Push to the branch of a fork, if its author lets maintainers do that.

        It is the same commit each time: its time is that of the request.

        Raises:
            HeadMoved: When somebody pushed to it.
            GitHubError: When GitHub can't be reached.
            PatchDoesNotApply: When the patch does not fit the commit.
        """
        if not brief.lent or report.reverts:
            return PatchOnly(why.FROM_A_FORK)
        repo, branch = request.repo, brief.base_branch
        assert report.problem.number is not None  # noqa: S101 - a fork's branch comes of its pull request
        pull = await self._github.pull_request(repo, report.problem.number)
        if lent_fork(pull) != brief.lent or pull.head_ref != branch:
            return PatchOnly(why.NO_LONGER_LENT)
        login = (await self._github.app_identity()).bot_login
        manner = await self._manner(repo, brief, report, store)
        message = commit_message(report, manner.style, manner.signed_off_by)
        commit = await store.commit(
            await store.apply(await store.tree_of(report.head), report.patch.data),
            parents=(report.head,),
            message=self._github.scrubbed(message),
            author=(login, f"{login}@users.noreply.github.com"),
            made_at=request.asked_at,
        )
        pushed = Pushed(
            commit,
            f"{brief.lent.partition('/')[0]}:{branch}",
            self._github.commit_url(repo, commit),
        )
        if pull.head_sha == commit:
            return pushed
        if pull.head_sha != report.head:
            raise HeadMoved(why.branch_moved(branch, pull.head_sha[:7], report.head[:7]))
        source = await self._github.push_source(repo, brief.lent)
        try:
            await store.push(
                commit, branch, Credential(source.url, source.token.get_secret_value())
            )
        except GitError as error:
            if is_outage(error):
                raise GitHubError(str(error)) from error
            return PatchOnly(why.fork_refused(brief.lent, branch, _said_by_git(str(error))))
        finally:
            with contextlib.suppress(GitHubError):  # it expires within the hour anyway
                await self._github.revoke(source.token)
        return pushed

    async def _already_open(
        self, repo: Repo, request: FixRequest, brief: Brief, report: Report
    ) -> AlreadyOpen | None:
        """Return the open pull request of an earlier run that makes the same change.

        One that mends the same failure in another way will do, unless somebody asks for more where
        that one was asked for, or says how.
        """
        for pull in await self._github.open_pull_requests(repo):
            if pull.base_ref != brief.base_branch or pull.is_fork:
                continue
            opened = await self._runs.opened(repo, pull.number)
            if opened is None or opened.id == request.run_id:
                continue
            earlier = await self._runs.get(opened.id)
            known = earlier.report if earlier is not None else None
            if known is not None and (
                known.patch.changed_lines == report.patch.changed_lines
                or (_may_be_another(request, opened.request) and mends_the_same(known, report))
            ):
                return AlreadyOpen(pull.number, pull.url)
        return None

    async def _merge(
        self, repo: Repo, repair: ConflictingRepair, report: Report, store: ObjectStore
    ) -> Pushed:
        """Merge the new base, with the repair that was made on it, into the branch.

        Raises:
            HeadMoved: When somebody pushed to it.
            NotPermitted, Conflict: When GitHub does not take the commit.
            PatchDoesNotApply: When the patch does not fit the base.
        """
        commit = await self._github.advance(repo, await prepare_merge(report, repair, store))
        return Pushed(commit, repair.branch, self._github.commit_url(repo, commit))

    async def describe(self, request: FixRequest, report: Report, outcome: Outcome) -> None:
        """Say in the description of a pull request that its repair was made again."""
        if request.redoes is None or request.number is None or not isinstance(outcome, Pushed):
            return
        repo = request.repo
        try:
            pull = await self._github.pull_request(repo, request.number)
            text = conflict_repair.described(report, request.redoes, outcome.url, pull.body)
            if text is not None:
                await self._github.describe(repo, request.number, text)
        except (NotPermitted, Conflict) as error:  # the comment says the same
            _log.warning("pull request not described", problem=str(error))

    async def say_what_changed(
        self, request: FixRequest, first: Report, report: Report, outcome: Outcome
    ) -> None:
        """Add to the description of a pull request what is known since it was opened.

        One that people edited since stays as it is: the last words of the run say it as well.

        Args:
            request: Of the run.
            first: As it was published.
            report: With what changed.
            outcome: Of the publication.
        """
        if not isinstance(outcome, Published) or report.what_changed == first.what_changed:
            return
        repo, mark = request.repo, marker(first.run_id, "pull-request")
        page = self._page_of(request.run_id)
        try:
            pull = await self._github.pull_request(repo, outcome.number)
            if _lines(pull.body) == _lines(pull_request.body(first, mark, page)):
                text = pull_request.body(report, mark, page)
                await self._github.describe(repo, outcome.number, text)
        except (NotPermitted, Conflict) as error:
            _log.warning("pull request not described", problem=str(error))

    async def _require_head(self, repo: Repo, failed: FailedCommit) -> None:
        """Raise `HeadMoved` unless the commit that was repaired is what people work on still."""
        if failed.pull_request is None:
            head, state = await self._github.branch_head(repo, failed.branch), "open"
        else:
            pull = await self._github.pull_request(repo, failed.pull_request)
            head, state = pull.head_sha, pull.state
        if state != "open":
            raise HeadMoved(why.PULL_REQUEST_CLOSED)
        if head != failed.sha:
            raise HeadMoved(why.branch_moved(failed.branch, head[:7], failed.sha[:7]))


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def _draft(request: FixRequest, brief: Brief) -> bool:
    if request.options.draft is not None:
        return request.options.draft
    return brief.config.draft and brief.config.confidence is not Confidence.PUSH
