"""Give the sandboxes of a large repository its commits and tags, where a version is read from them.

Only commits and tags are fetched, without what they hold: enough for `git describe`, and small. They
are kept apart from the mirror, so that what that has of a commit is always whole.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import structlog

from bot.errors import GitHubError, UsageError
from sandbox.git import GitError, ObjectStore

_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
_WORKFLOW = re.compile(r"\.github/workflows/[^/]+\.ya?ml")

_ASKS = re.compile(
    rb"setuptools[-_]scm|setuptools[-_]git|hatch-vcs|versioningit|versioneer|dunamai"
    rb"|poetry-dynamic-versioning|source\s*=\s*[\"']scm[\"']|vcs-versioning"
    rb"|fetch-depth:\s*[\"']?0\b"
)
"""Tools that read a version from tags, and a checkout of GitHub Actions with all commits."""

_log = structlog.get_logger(__name__)


class VersionHistory:
    """The commits and tags of a run's repository, if it is large and something reads them.

    Attributes:
        notes: None: a build that lacks them says so itself.
    """

    def __init__(self, folder: Path, fetch: Callable[[ObjectStore, str], Awaitable[None]]) -> None:
        """Keep them in a folder; `fetch` brings those of a commit there."""
        self._store = ObjectStore(folder)
        self._fetch = fetch
        self._brought = False
        self.notes: list[str] = []

    @property
    def digest(self) -> str:
        """Stands for their being there."""
        return "history" if self._brought else ""

    async def bring(self, store: ObjectStore, head: str, trusted: str | None) -> None:  # noqa: ARG002 - they are the repository's own
        """Fetch them, if the history of the commit is cut and a file of it asks for all."""
        if not store.is_shallow or not await _is_asked_for(store, head):
            return
        try:
            await self._store.create()
            if not await self._store.has(head):
                await self._fetch(self._store, head)
        except (GitError, GitHubError, UsageError) as error:
            _log.warning("commits and tags not fetched", problem=str(error))
        else:
            self._brought = True

    async def check_out(self, root: Path) -> None:
        """Put them into the repository of a new work tree."""
        if self._brought:
            await ObjectStore(root / ".git").take_over_history(self._store)


async def _is_asked_for(store: ObjectStore, head: str) -> bool:
    workflows = [path for path in await store.paths(head) if _WORKFLOW.fullmatch(path)]
    found = await store.files(head, (*_FILES, *workflows), longest=2**20)
    return any(_ASKS.search(content) for content in found.values())
