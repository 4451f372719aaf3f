"""`fixpoint webhooks`: who is told of runs over HTTP, in the server's database."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from bot.commands.options import JsonOption
from bot.commands.refusals import refuse, usage_errors

if TYPE_CHECKING:
    from bot.storage.stores import Stores
    from bot.storage.webhook_messages import WebhookHealth
    from bot.storage.webhooks import Webhook

webhooks_app = typer.Typer(
    help="Add, list and remove webhooks, which are told of runs.", no_args_is_help=True
)


@webhooks_app.command("add")
def add(
    url: Annotated[str, typer.Argument(help="Gets a POST for each event; https.")],
    event: Annotated[
        list[str] | None,
        typer.Option(
            help="run.queued, run.started, run.waiting, run.resumed or run.finished; may be "
            "repeated. run.started, run.waiting and run.finished if omitted."
        ),
    ] = None,
    local: Annotated[  # noqa: FBT002 - a flag on a command line
        bool,
        typer.Option("--local", help="Allow http, this machine and private networks."),
    ] = False,
    format: Annotated[  # noqa: A002 - what the option is called
        str,
        typer.Option(
            help="standard (JSON, signed as Standard Webhooks say), slack or teams: a line for an "
            "incoming webhook of Slack, or for a workflow of Microsoft Teams."
        ),
    ] = "standard",
    as_json: JsonOption = False,  # noqa: FBT002 - a flag on a command line
) -> None:
    """Add a webhook and print the secret that signs its messages, once."""
    from bot.commands import event_loop

    with usage_errors():
        webhook = event_loop.run(_add(url, event, local=local, format=format))
    secret = webhook.secret.get_secret_value()
    if as_json:
        typer.echo(json.dumps({**_as_object(webhook, None), "secret": secret}, indent=2))
        return
    typer.echo(
        f"Webhook {webhook.id}: {', '.join(sorted(webhook.types))}. "
        "This secret signs its messages, and is not shown again:",
        err=True,
    )
    typer.echo(secret)


@webhooks_app.command("list")
def list_webhooks(as_json: JsonOption = False) -> None:  # noqa: FBT002 - a flag on a command line
    """List all webhooks and how they do."""
    from bot.commands import event_loop

    with usage_errors():
        found = event_loop.run(_list())
    if as_json:
        typer.echo(json.dumps({"webhooks": [_as_object(*pair) for pair in found]}, indent=2))
    elif found:
        _print(found)
    else:
        typer.echo("No webhooks. Add one with `fixpoint webhooks add URL`.")


@webhooks_app.command("remove")
def remove(
    webhook: Annotated[str, typer.Argument(metavar="WEBHOOK", help="ID of the webhook.")],
) -> None:
    """Remove a webhook, with what it still had to be told."""
    from bot.commands import event_loop

    with usage_errors():
        removed = event_loop.run(_remove(webhook))
    if not removed:
        refuse(f"No webhook has the ID {webhook!r}. `fixpoint webhooks list` shows all.")
    typer.echo(f"Webhook {webhook} is removed.")


@asynccontextmanager
async def _stores() -> AsyncIterator[Stores]:
    from bot.settings.environment import load_store_settings
    from bot.storage.database import open_database
    from bot.storage.ledger import Ledger
    from bot.storage.stores import Stores

    settings = load_store_settings(os.environ)
    async with await open_database(settings.database_url) as database:
        yield Stores.on(database, Ledger(database))


async def _add(
    url: str,
    events: Sequence[str] | None,
    *,
    local: bool,
    format: str,  # noqa: A002 - what the option is called
) -> Webhook:
    from bot.errors import UsageError
    from bot.storage.webhooks import WebhookFormat, WebhookType

    formats = [each.value for each in WebhookFormat]
    if format not in formats:
        raise UsageError(f"{format!r} isn't a format. There are {', '.join(formats)}.")
    known = [webhook_type.value for webhook_type in WebhookType]
    wanted = events or [WebhookType.STARTED, WebhookType.WAITING, WebhookType.FINISHED]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise UsageError(f"{unknown[0]!r} isn't an event. There are {', '.join(known)}.")
    problem = _problem_of(url, local=local)
    if problem:
        raise UsageError(problem)
    async with _stores() as stores:
        return await stores.webhooks.add(
            url, map(WebhookType, wanted), local=local, format=WebhookFormat(format)
        )


def _problem_of(url: str, *, local: bool) -> str:
    """Return what is wrong with an address, or ""."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not host or parts.scheme not in {"http", "https"}:
        return "The URL must look like https://host/path."
    if parts.username is not None or parts.password is not None:
        return "The URL must not hold a user or password. The signature proves who sent a message."
    if parts.scheme == "http" and not local:
        return "The URL must begin with https://, unless you pass --local."
    return ""


async def _list() -> list[tuple[Webhook, WebhookHealth]]:
    async with _stores() as stores:
        found = await stores.webhooks.list()
        return [(webhook, await stores.messages.standing(webhook.id)) for webhook in found]


async def _remove(webhook_id: str) -> bool:
    async with _stores() as stores:
        return await stores.webhooks.remove(webhook_id)


def _print(found: Sequence[tuple[Webhook, WebhookHealth]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from bot.reporting.plain import print_table
    from bot.storage.webhooks import MessageState

    shown = Table(
        "ID", "URL", "Events", "Waiting", "Sent", "Given up", "Last problem", box=box.SIMPLE
    )
    for column in shown.columns:  # what is copied from here has to be whole
        column.overflow = "fold"
    shown.columns[0].no_wrap = True
    for webhook, standing in found:
        counts = [str(standing.counts.get(state, 0)) for state in MessageState]
        problem = standing.problem if webhook.gone_at is None else "It is gone (status 410)."
        cells = (
            webhook.id,
            webhook.url,
            " ".join(sorted(webhook.types)),
            *counts,
            problem,
        )
        shown.add_row(*map(Text, cells))
    print_table(shown, Console())


def _as_object(webhook: Webhook, standing: WebhookHealth | None) -> dict[str, Any]:
    counts = {} if standing is None else standing.counts
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": sorted(webhook.types),
        "local": webhook.local,
        "created_at": webhook.created_at.isoformat(),
        "gone_at": None if webhook.gone_at is None else webhook.gone_at.isoformat(),
        "messages": {state.value: count for state, count in counts.items()},
        "last_problem": "" if standing is None else standing.problem,
    }
