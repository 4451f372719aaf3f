"""`fixpoint keys`: make, list and revoke keys of the API, in the server's database."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.commands.options import JsonOption
from bot.commands.refusals import usage_errors

if TYPE_CHECKING:
    from bot.model.repository import Repo
    from bot.storage.api_keys import ApiKey, ApiKeyStore

keys_app = typer.Typer(help="Create, list and revoke API keys.", no_args_is_help=True)

SCOPES = ("read", "run", "approve", "admin")
"""As `bot.web.caller.Scope` names them; importing that takes longer than `fixpoint --help` may."""

_DEFAULT_DAYS = 90


@keys_app.command("create")
def create(
    name: Annotated[str, typer.Argument(help="What to call it, such as the program that uses it.")],
    scope: Annotated[
        list[str] | None,
        typer.Option(help="read, run, approve or admin; may be repeated. read and run if omitted."),
    ] = None,
    repository: Annotated[
        list[str] | None,
        typer.Option(help="Only this owner/name; may be repeated. All repositories if omitted."),
    ] = None,
    days: Annotated[
        int, typer.Option(min=0, max=3650, help="Days until it expires; 0 for never.")
    ] = _DEFAULT_DAYS,
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Create a key and print it, once: only a digest of it is stored."""
    from bot.commands import event_loop

    with usage_errors():
        key, secret = event_loop.run(_create(name, scope or ["read", "run"], repository, days))
    if as_json:
        typer.echo(json.dumps({**_as_object(key), "key": secret}, indent=2))
        return
    until = "never expires" if key.expires_at is None else f"expires on {key.expires_at:%Y-%m-%d}"
    typer.echo(
        f"Key {key.id} ({name}): {', '.join(sorted(key.scopes))}; {until}. It is not shown again:",
        err=True,
    )
    typer.echo(secret)


@keys_app.command("list")
def list_keys(as_json: JsonOption = False) -> None:  # noqa: FBT002 - a flag on a command line
    """List all keys, newest first."""
    from bot.commands import event_loop

    with usage_errors():
        found = event_loop.run(_list())
    if as_json:
        typer.echo(json.dumps({"keys": [_as_object(key) for key in found]}, indent=2))
    elif found:
        _print(found)
    else:
        typer.echo("No keys. Create one with `fixpoint keys create NAME`.")


@keys_app.command("revoke")
def revoke(
    key: Annotated[str, typer.Argument(metavar="KEY", help="ID or name of the key.")],
) -> None:
    """Revoke a key: from now on, requests with it are refused."""
    from bot.commands import event_loop
    from bot.commands.refusals import refuse

    with usage_errors():
        revoked = event_loop.run(_revoke(key))
    if revoked is None:
        refuse(f"No key in force has the ID or name {key!r}. `fixpoint keys list` shows all.")
    typer.echo(f"Key {revoked.id} ({revoked.name}) is revoked.")


@asynccontextmanager
async def _store() -> AsyncIterator[ApiKeyStore]:
    from bot.settings.environment import load_store_settings
    from bot.storage.api_keys import ApiKeyStore
    from bot.storage.database import open_database

    settings = load_store_settings(os.environ)
    async with await open_database(settings.database_url) as database:
        yield ApiKeyStore(database)


async def _create(
    name: str, scopes: Sequence[str], repositories: Sequence[str] | None, days: int
) -> tuple[ApiKey, str]:
    from bot.errors import UsageError

    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown:
        raise UsageError(f"{unknown[0]!r} isn't a scope. There are {', '.join(SCOPES)}.")
    for repository in repositories or ():
        if repository.count("/") != 1 or not all(part.strip() for part in repository.split("/")):
            raise UsageError(f"{repository!r} isn't a repository. Name it as owner/name.")
    expires = datetime.now(UTC) + timedelta(days=days) if days else None
    async with _store() as store:
        among = await _installed(repositories) if repositories else None
        key, secret = await store.create(name, scopes, among, expires)
    return key, secret.get_secret_value()


async def _installed(names: Sequence[str]) -> tuple[Repo, ...]:
    """Return the repositories of names, as GitHub knows them today.

    Raises:
        UsageError: When the App isn't installed on one, or GitHub doesn't say.
    """
    import aiohttp

    from bot.errors import GitHubError, UsageError
    from bot.github.github import GitHub
    from bot.settings.environment import load_server_settings

    settings = load_server_settings(os.environ)
    async with aiohttp.ClientSession(trust_env=True) as session:
        github = GitHub(
            session,
            app_id=str(settings.github_app_id),
            private_key=settings.github_private_key,
            api_url=settings.github_api_url,
            web_url=settings.github_url,
        )
        found: list[Repo] = []
        for name in names:
            try:
                repo = await github.installed_on(name)
            except GitHubError as error:
                raise UsageError(f"{name} can't be looked up. {error}") from error
            if repo is None:
                raise UsageError(f"The App isn't installed on {name}. Install it there first.")
            found.append(repo)
        return tuple(found)


async def _list() -> tuple[ApiKey, ...]:
    async with _store() as store:
        return await store.list()


async def _revoke(named: str) -> ApiKey | None:
    async with _store() as store:
        return await store.revoke(named)


def _print(keys: Sequence[ApiKey]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bot.reporting.plain import print_table

    now = datetime.now(UTC)
    shown = Table(
        "ID", "Name", "Scopes", "Repositories", "Expires", "Last used", "State", box=box.SIMPLE
    )
    for column in shown.columns:  # what is copied from here has to be whole
        column.overflow = "fold"
    for whole in (0, 4):
        shown.columns[whole].no_wrap = True
    for key in keys:
        among = "all" if key.repositories is None else " ".join(sorted(key.repositories))
        if len(key.identities or ()) < len(key.repositories or ()):
            among += " (names alone: make another key)"
        cells = (
            key.id,
            key.name,
            " ".join(scope for scope in SCOPES if scope in key.scopes),
            among,
            "never" if key.expires_at is None else f"{key.expires_at:%Y-%m-%d}",
            "never" if key.used_at is None else f"{key.used_at:%Y-%m-%d %H:%M}",
            key.standing(now),
        )
        shown.add_row(*map(Text, cells))
    print_table(shown, Console())


def _as_object(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": [scope for scope in SCOPES if scope in key.scopes],
        "repositories": None if key.repositories is None else sorted(key.repositories),
        "created_at": key.created_at.isoformat(),
        "expires_at": None if key.expires_at is None else key.expires_at.isoformat(),
        "revoked_at": None if key.revoked_at is None else key.revoked_at.isoformat(),
        "used_at": None if key.used_at is None else key.used_at.isoformat(),
        "state": key.standing(datetime.now(UTC)),
    }
