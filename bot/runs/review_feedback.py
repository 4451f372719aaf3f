"""Keep what people with write access said of our pull requests, for later runs at similar failures."""

from __future__ import annotations

from bot.github.github import GitHub
from bot.model.memory import Remark, RemarkKind
from bot.model.repository import Repo
from bot.model.untrusted import clip
from bot.redaction import Redactor
from bot.storage.pull_memory import PullMemory

_CHARACTERS = 1_000
"""Of one remark."""

_LOOKED_AT = 5
"""Comments before the end of a pull request, the newest first: people say why where they close it."""


class PeopleSaid:
    """Notes remarks, bounded and redacted; noting the same again changes nothing."""

    def __init__(self, github: GitHub, memory: PullMemory, redactor: Redactor) -> None:
        self._github = github
        self._memory = memory
        self._redactor = redactor

    async def asked(self, repo: Repo, number: int, by: str, text: str) -> None:
        """Note that somebody with write access requests changes of a pull request, in a review or not.

        Raises:
            StorageError: When the database fails.
        """
        await self._note(repo, number, RemarkKind.CHANGES_REQUESTED, by, text)

    async def at_the_end(self, repo: Repo, number: int) -> None:
        """Note the last comment of a pull request that was closed, if its writer has write access.

        Raises:
            GitHubError: When GitHub does not tell.
            StorageError: When the database fails.
        """
        if not await self._memory.undecided(repo, number):
            return
        ours = (await self._github.app_identity()).bot_login
        issue = await self._github.issue(repo, number)
        for comment in [c for c in reversed(issue.comments) if c.author != ours][:_LOOKED_AT]:
            by, is_command = comment.written_by, comment.body.lstrip().startswith("/")
            if by.endswith("[bot]") or is_command or not comment.body.strip():
                continue
            if (await self._github.permission(repo, by)).may_write:
                await self._note(repo, number, RemarkKind.CLOSED, by, comment.body)
                return

    async def after_the_end(self, repo: Repo, number: int, by: str, text: str) -> None:
        """Note what somebody with write access says of a pull request that was closed without a merge.

        Raises:
            StorageError: When the database fails.
        """
        if await self._memory.undecided(repo, number):
            await self._note(repo, number, RemarkKind.CLOSED, by, text)

    async def _note(self, repo: Repo, number: int, kind: RemarkKind, by: str, text: str) -> None:
        said = clip(self._redactor.text(text.strip()), _CHARACTERS)
        if said:
            await self._memory.note(repo, number, Remark(kind, by, said))
