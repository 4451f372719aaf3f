"""Open the pull requests of a quarantine, in the manner of the project, and the same again after a crash."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

from bot.config.repo_config import RepoConfig
from bot.github.github import GitHub
from bot.github.refusals import Gone
from bot.github.values import FileChange, Publication
from bot.model.quarantine import Quarantine, same_id
from bot.model.repository import Repo
from bot.reporting import quarantine as words
from bot.reporting.commit_text import TitleStyle
from bot.reporting.marker import marker
from bot.runs.publishing.conventions import asks_commits, style_and_sign_off

Change = Callable[[str], Awaitable[tuple[str, bytes] | None]]
"""Returns path and content of the file that is changed at a commit, or None where nothing is."""


class QuarantinePulls:
    """Marks tests, and takes the marks away."""

    def __init__(self, github: GitHub) -> None:
        self._github = github

    async def open(
        self,
        repo: Repo,
        config: RepoConfig,
        base: str,
        kept: Quarantine,
        change: Change,
        body: Callable[[str], str],
        *,
        ends: bool = False,
    ) -> int | None:
        """Return the number of the pull request that changes one file, opening it if need be.

        Args:
            repo: Where.
            config: Of the repository.
            base: Branch that it goes into.
            kept: The quarantine; it has its issue.
            change: What it changes; None is returned where that is nothing.
            body: Its description, of a marker.
            ends: Whether it takes the mark away.

        Raises:
            GitHubError: When GitHub does not take it.
        """
        name = f"quarantine-{kept.issue}-{kept.run_id}{'-end' if ends else ''}"
        branch = f"{config.branch_prefix.rstrip('/')}/{name}"
        parent = await self._parent(repo, branch, base)
        changed = await change(parent)
        if changed is None:
            return None
        path, data = changed
        mode = (await self._github.modes(repo, parent)).get(path, "100644")
        style, signed_off_by = await self._manner(repo, config, base)
        title = words.title(kept.test, style, ends=ends)
        mark = quarantine_marker(kept, "end" if ends else "pull-request")
        publication = Publication(
            branch=branch,
            base=base,
            parent=parent,
            changes=(FileChange(path, mode, data),),
            commit_message=words.commit_message(title, kept, signed_off_by, ends=ends),
            title=title,
            body=body(mark),
            labels=tuple(config.labels),
            draft=config.draft and not ends,
            marker=mark,
        )
        return (await self._github.publish(repo, publication)).number

    async def _parent(self, repo: Repo, branch: str, base: str) -> str:
        """Return the commit that a branch of ours is made on: the same as before a crash."""
        try:
            head = await self._github.branch_head(repo, branch)
        except Gone:
            return await self._github.branch_head(repo, base)
        return await self._github.first_parent(repo, head)

    async def _manner(self, repo: Repo, config: RepoConfig, base: str) -> tuple[TitleStyle, str]:
        """Return how the project titles its commits, and the login that signs them off, or ""."""
        messages: tuple[str, ...] = ()
        if asks_commits(config):
            messages = await self._github.recent_messages(repo, base)
        style, signed = style_and_sign_off(config, messages)
        return style, (await self._github.app_identity()).bot_login if signed else ""


async def is_open(github: GitHub, repo: Repo, issue: int) -> bool:
    """Return whether an issue is open; one that was deleted is not."""
    try:
        return bool((await github.shown_issue(repo, issue))["state"] == "open")
    except Gone:
        return False


def quarantine_marker(kept: Quarantine, kind: str) -> str:
    """Return the marker of something that is posted for one test of a run."""
    test = hashlib.sha256(same_id(kept.test).encode("utf-8", "replace")).hexdigest()[:8]
    return marker(kept.run_id, f"quarantine-{kind}-{test}")
