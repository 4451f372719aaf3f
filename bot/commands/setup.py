"""`fixpoint setup`: create the GitHub App in a browser, and keep its settings."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import typer

from bot.commands import event_loop
from bot.registration.pages import AppSetup, StoredSettings, setting_lines
from bot.registration.setup_server import serve_set_up


def run_setup(file: Path | None, host: str, port: int, server: str) -> bool:
    """Lead through the set-up; return whether there is an App.

    Args:
        file: That gets the settings; None prints them.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        server: The address under which GitHub will reach the server, if it is known.

    Raises:
        UsageError: When the port can't be used.
    """
    kept = event_loop.run(_set_up(file, host, port, server))
    if kept is None:
        return False
    typer.echo(f"The App {kept.app.slug} is registered: {kept.app.page}")
    typer.echo(f"Install it on repositories: {kept.app.install}")
    if kept.file is not None:
        typer.echo(
            f"Its settings are in {kept.file}. Start the server there with `fixpoint serve`."
        )
        return True
    if kept.problem:
        typer.echo(kept.problem, err=True)
    typer.echo("These are the server's settings. GitHub shows the key only once:", err=True)
    typer.echo(setting_lines(kept.app.settings), nl=False)
    return True


async def _set_up(file: Path | None, host: str, port: int, server: str) -> StoredSettings | None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return await serve_set_up(
        AppSetup((file,) if file is not None else (), server), host, port, stop
    )
