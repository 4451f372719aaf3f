"""What a caller may do in one repository: for people at GitHub, what its own rules say."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from cachetools import TTLCache

from bot.config.repo_config import WhoSection
from bot.errors import GitHubError
from bot.github.github import GitHub
from bot.github.values import Permission
from bot.intake.check_dispatch import read_who
from bot.intake.permissions import may_approve, may_ask
from bot.model.repository import Repo
from bot.web.caller import Caller, Scope
from bot.web.problems import ApiProblem

SHOWN_SECONDS = 60.0
"""So long a page shows buttons by what was known; what a button does is decided anew."""


@dataclass(frozen=True, slots=True)
class RepositoryRights:
    """A person's role in a repository, and its rules."""

    login: str
    role: Permission
    who: WhoSection

    @property
    def scopes(self) -> frozenset[Scope]:
        """What that allows; the same as for their comments."""
        found = {Scope.READ}
        if may_ask(self.login, self.role, self.who):
            found.add(Scope.RUN)
        if may_approve(self.login, self.role, self.who):
            found.add(Scope.APPROVE)
        return frozenset(found)


class Rights:
    """Decides per repository."""

    def __init__(self, github: GitHub) -> None:
        self._github = github
        self._shown: TTLCache[tuple[str, Repo], frozenset[Scope]] = TTLCache(5_000, SHOWN_SECONDS)

    async def demand(self, caller: Caller, scope: Scope, repo: Repo) -> None:
        """Go on if a caller may do that there, at this moment.

        Raises:
            ApiProblem: With what they lack, or when GitHub does not say.
        """
        caller.demand(scope)
        if not caller.login:
            return
        try:
            standing = await self._standing(caller.login, repo)
        except GitHubError as error:
            raise ApiProblem(HTTPStatus.BAD_GATEWAY, str(error)) from error
        if scope not in standing.scopes:
            raise ApiProblem(HTTPStatus.FORBIDDEN, _lacking(standing, scope, repo))

    async def shown(self, caller: Caller, repo: Repo) -> frozenset[Scope]:
        """Return for what a page has buttons; only reading when GitHub does not say."""
        if not caller.login:
            return caller.scopes
        key = (caller.login, repo)
        found = self._shown.get(key)
        if found is None:
            try:
                found = (await self._standing(caller.login, repo)).scopes & caller.scopes
            except GitHubError:
                return caller.scopes & {Scope.READ}
            self._shown[key] = found
        return found

    async def _standing(self, login: str, repo: Repo) -> RepositoryRights:
        role = await self._github.permission(repo, login)
        who = await read_who(self._github, repo) if role.may_write else WhoSection()
        return RepositoryRights(login, role, who)


def _lacking(standing: RepositoryRights, scope: Scope, repo: Repo) -> str:
    asking = "write" if not standing.role.may_write else standing.who.permission.value
    if scope is Scope.APPROVE and Scope.RUN in standing.scopes:
        return (
            f"Approving in {repo.full_name} requires the role {standing.who.approve.value}. "
            f"{standing.login} has the role {standing.role.value}."
        )
    return (
        f"Starting, stopping and answering runs of {repo.full_name}, and forgetting what is "
        f"remembered of it, requires the role {asking}. "
        f"{standing.login} has the role {standing.role.value}."
    )
