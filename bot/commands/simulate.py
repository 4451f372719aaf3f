"""`fixpoint config simulate`: what would happen at a commit, an issue or a pull request, and why."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

import typer

from bot.commands import event_loop
from bot.config.repo_config import RepoConfig, parse
from bot.errors import UsageError
from bot.github.github import GitHub
from bot.intake.simulation import Simulator
from bot.reporting.simulation import Simulated, as_object, lines
from bot.settings.environment import load_server_settings
from bot.storage.database import open_database
from bot.storage.ledger import Ledger
from bot.storage.stores import Stores

_NUMBER = re.compile(r"(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})#(?P<number>\d{1,12})")
_COMMIT = re.compile(
    r"(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})@(?P<sha>[0-9a-f]{40}([0-9a-f]{24})?)"
)
_ADDRESS = re.compile(
    r"https?://[^/]{1,253}/(?P<repository>[\w.-]{1,100}/[\w.-]{1,100})/"
    r"(?:(?:pull|issues)/(?P<number>\d{1,12})|commit/(?P<sha>[0-9a-f]{40}([0-9a-f]{24})?))\b.*"
)


@dataclass(frozen=True, slots=True)
class SimulationTarget:
    """What it is about: the issue or pull request of a number, or else a commit."""

    repository: str
    number: int | None = None
    sha: str = ""


def target_of(text: str) -> SimulationTarget:
    """Return what `owner/name#12`, `owner/name@SHA` or an address on GitHub names.

    Raises:
        UsageError: When it is neither.
    """
    for shape in (_NUMBER, _COMMIT, _ADDRESS):
        if (found := shape.fullmatch(text)) is not None:
            parts = found.groupdict()
            number = parts.get("number")
            return SimulationTarget(
                parts["repository"], int(number) if number else None, parts.get("sha") or ""
            )
    raise UsageError(
        f"{text!r} is no issue, pull request or commit. Write owner/name#12, owner/name@ and the "
        "whole SHA, or the address of its page."
    )


def run_simulate(text: str, *, config: Path | None, login: str, as_json: bool) -> None:
    """Print what would happen there.

    Args:
        text: See `target_of`.
        config: A repo config to decide by in place of the repository's own.
        login: Who would comment `/fix`; "" for somebody who may.
        as_json: Print one JSON object on stdout.

    Raises:
        UsageError: When the settings, the target or the config can't be used.
        GitHubError: When GitHub does not tell.
        StorageError: When the database fails.
    """
    target = target_of(text)
    given = None if config is None else _given(config)
    parts = event_loop.run(_simulated(target, given, login))
    typer.echo(json.dumps({"parts": as_object(parts)}, indent=2) if as_json else lines(parts))


def _given(file: Path) -> RepoConfig:
    try:
        return parse(file.read_bytes(), source=str(file))
    except OSError as error:
        raise UsageError(f"--config: {file} can't be read: {error.strerror}.") from error


async def _simulated(
    target: SimulationTarget, config: RepoConfig | None, login: str
) -> tuple[Simulated, ...]:
    import aiohttp

    settings = load_server_settings(os.environ)
    async with (
        await open_database(settings.database_url) as database,
        aiohttp.ClientSession(trust_env=True) as session,
    ):
        github = GitHub(
            session,
            app_id=str(settings.github_app_id),
            private_key=settings.github_private_key,
            api_url=settings.github_api_url,
            web_url=settings.github_url,
        )
        repo = await github.installed_on(target.repository)
        if repo is None:
            raise UsageError(f"The App is not installed on {target.repository}.")
        stores = Stores.on(database, Ledger(database))
        simulator = Simulator(github, stores, proofs=settings.fixpoint_proofs.value, config=config)
        if target.number is not None:
            return await simulator.thread(repo, target.number, login)
        return await simulator.commit(repo, target.sha)
