"""What GitHub shows of the App's installations as a whole, and where repositories went."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.github import payloads
from bot.github.auth import LIST, Fixed, InstallationTokens
from bot.github.client import Connection, address
from bot.github.refusals import Gone
from bot.model.repository import Repo


@dataclass(frozen=True, slots=True)
class InstallationFacts:
    """The App on one account.

    Attributes:
        id: Of the installation.
        account: Login of whoever installed it.
        suspended: Whether somebody suspended it: GitHub gives it no tokens then.
    """

    id: int
    account: str
    suspended: bool


@dataclass(frozen=True, slots=True)
class ListedRepository:
    """A repository that an installation covers.

    Attributes:
        repo: Under its name of today.
        archived: Whether nobody can change it.
        default_branch: Its name.
    """

    repo: Repo
    archived: bool
    default_branch: str


@dataclass(frozen=True, slots=True)
class ListedComment:
    """A comment as a repository's list shows it, with what a webhook would say of it.

    Attributes:
        id: Unique on its GitHub.
        node: Its global id.
        number: Of its issue or pull request.
        author: Login.
        by_bot: Whether its author is one.
        via_app: Slug of the App that wrote it, or None.
        body: Markdown, untrusted.
        created_at: UTC.
        updated_at: UTC.
        shown: As GitHub shows it.
    """

    id: int
    node: str
    number: int
    author: str
    by_bot: bool
    via_app: str | None
    body: str
    created_at: datetime
    updated_at: datetime
    shown: payloads.Json


async def list_installations(app: Connection) -> tuple[InstallationFacts, ...]:
    """Return where the App is installed."""
    answers = await app.get_all("/app/installations")
    return tuple(
        InstallationFacts(
            answer["id"],
            payloads.login(answer["account"]),
            suspended=answer["suspended_at"] is not None,
        )
        for answer in answers
    )


async def list_repositories(
    app: Connection, tokens: InstallationTokens, installation: int
) -> tuple[ListedRepository, ...]:
    """Return what an installation covers."""
    minted = await tokens.mint_for_all(installation, LIST)
    try:
        answers = await app.borrowed(Fixed(minted.token)).get_all(
            "/installation/repositories", items="repositories"
        )
    finally:
        await tokens.revoke(minted.token)
    return tuple(
        ListedRepository(
            Repo(answer["full_name"], installation, answer["id"]),
            answer["archived"],
            answer["default_branch"],
        )
        for answer in answers
    )


async def list_comments(connection: Connection, since: datetime) -> tuple[ListedComment, ...]:
    """Return comments of a repository that were written or edited since then, oldest first."""
    answers = await connection.get_all(
        "/issues/comments?sort=updated&direction=asc&since={since}",
        since=since.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    return tuple(_comment(answer) for answer in answers)


async def whereabouts(app: Connection, tokens: InstallationTokens, repo: Repo) -> Repo | None:
    """Return a repository under its name of today; None where the App can't see it any more.

    One without an id is asked for by its name, which GitHub follows through renames.
    """
    prefix, variables = address(repo)
    try:
        found = await app.get(f"{prefix}/installation", **variables)
        installation = int(found["id"])
        minted = await tokens.mint_for_all(installation, LIST)
    except Gone:
        return None
    try:
        facts = await app.borrowed(Fixed(minted.token)).get(prefix, **variables)
    except Gone:
        return None
    finally:
        await tokens.revoke(minted.token)
    return Repo(facts["full_name"], installation, facts["id"])


def _comment(answer: payloads.Json) -> ListedComment:
    user, app = answer["user"], answer.get("performed_via_github_app")
    return ListedComment(
        id=answer["id"],
        node=answer["node_id"],
        number=int(answer["issue_url"].rpartition("/")[2]),
        author=payloads.login(user),
        by_bot=bool(user) and user["type"] == "Bot",
        via_app=None if app is None else app.get("slug") or "unknown",
        body=answer["body"] or "",
        created_at=datetime.fromisoformat(answer["created_at"]),
        updated_at=datetime.fromisoformat(answer["updated_at"]),
        shown=answer,
    )
