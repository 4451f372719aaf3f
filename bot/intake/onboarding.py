"""Introduce Fixpoint to a repository that it was installed on: one pull request with its config."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

from bot.config.repo_config import PATH as CONFIG
from bot.config.repo_config import RepoConfig
from bot.ecosystems.detection import Reasons
from bot.ecosystems.listed_tree import ReadFiles, look
from bot.errors import Conflict, NotPermitted
from bot.github.github import GitHub
from bot.github.values import FileChange, Publication
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model import Commands
from bot.model.repository import Repo
from bot.reporting import onboarding as said
from bot.reporting.marker import marker
from bot.reporting.reasons import deliveries as did
from bot.reporting.suggested_config import config_lines, first_config

BRANCH = "configure"
"""Behind the prefix of our branches. One per repository: a closed pull request is an answer."""

MOST_REPOSITORIES = 10
"""Of one installation: other deliveries wait meanwhile, and nobody wants more at once."""

_ROUNDS = 8
_MOST_FILES = 60
_MOST_BYTES = 2**18
"""Of one file; a longer one counts as empty."""

_DETECTING = Allowance(seconds=5)


@dataclass(frozen=True, slots=True)
class Installed:
    """The App was installed on repositories, or they were added to its installation."""

    repos: tuple[Repo, ...]


class Onboarding:
    """Opens the pull requests, where the operator wants them."""

    def __init__(self, github: GitHub, *, wanted: bool, with_model: bool, schema: str) -> None:
        """Describe what is opened.

        Args:
            github: To read and to publish.
            wanted: Whether anything is.
            with_model: Whether runs can cost money.
            schema: Address of the config's schema, or "".
        """
        self._github = github
        self._wanted = wanted
        self._with_model = with_model
        self._schema = schema

    async def take(self, event: Installed, _: str) -> str:
        """Introduce us to new repositories; return what was done.

        Raises:
            GitHubError: When GitHub doesn't answer; done again, nothing is opened twice.
        """
        if not self._wanted:
            return did.NOTHING_TO_DO
        notes = [await self._introduce(repo) for repo in event.repos[:MOST_REPOSITORIES]]
        return " ".join(notes) or did.NOTHING_TO_DO

    async def _introduce(self, repo: Repo) -> str:
        try:
            return await self._open(repo)
        except (NotPermitted, Conflict, TooMuch) as error:
            return did.not_introduced(repo.full_name, str(error))

    async def _open(self, repo: Repo) -> str:
        facts, branch = await self._github.facts(repo), f"{RepoConfig().branch_prefix}{BRANCH}"
        if facts.archived:
            return did.not_introduced(repo.full_name, did.ARCHIVED)
        if await self._github.find_pull_request(repo, branch) is not None:
            return did.not_introduced(repo.full_name, did.INTRODUCED_BEFORE)
        head = await self._github.branch_head(repo, facts.default_branch)
        paths = await self._github.paths(repo, head)
        if CONFIG in paths:
            return did.not_introduced(repo.full_name, did.CONFIGURED)
        seen = await self._detected(repo, head, paths)
        if seen.commands is None or seen.reasons is None:
            return did.not_introduced(repo.full_name, did.NO_TESTS_FOUND)
        published = await self._github.publish(
            repo, self._publication(branch, facts.default_branch, head, seen.commands, seen.reasons)
        )
        return did.introduced(repo.full_name, published.number)

    async def _detected(self, repo: Repo, head: str, paths: Collection[str]) -> ReadFiles:
        """Read the files that detection asks for, until it asks for no more."""
        contents: dict[str, str] = {}
        for _ in range(_ROUNDS):
            seen = await run_limited(look, tuple(paths), contents, allowance=_DETECTING)
            if not seen.wanted:
                break
            for path in sorted(seen.wanted)[: _MOST_FILES - len(contents)]:
                data = await self._github.read_file(repo, path, head) or b""
                contents[path] = data[:_MOST_BYTES].decode("utf-8", "replace")
            if len(contents) >= _MOST_FILES:
                break
        return await run_limited(look, tuple(paths), contents, allowance=_DETECTING)

    def _publication(
        self, branch: str, base: str, head: str, commands: Commands, reasons: Reasons
    ) -> Publication:
        config = first_config(config_lines(commands), self._schema)
        most: Decimal | None = RepoConfig().budget_usd if self._with_model else None
        mark = marker(head[:12], "onboarding")
        return Publication(
            branch=branch,
            base=base,
            parent=head,
            changes=(FileChange(CONFIG, "100644", config.encode()),),
            commit_message=said.TITLE,
            title=said.TITLE,
            body=said.body(commands, (*reasons.setup, *reasons.test), most, mark),
            labels=(),
            draft=False,
            marker=mark,
        )
