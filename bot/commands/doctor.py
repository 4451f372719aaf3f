"""`fixpoint doctor`: what this machine and its settings allow, and what is missing."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.app import MODEL_HINT, SANDBOXES, build_model
from bot.commands import event_loop
from bot.errors import FixpointError, SettingsError, UsageError
from bot.settings.environment import (
    APP_VARIABLES,
    LocalSettings,
    LogLevel,
    ServerSettings,
    load_local_settings,
    load_server_settings,
    settings_warnings,
)
from bot.storage.data_folder import make_data_folder
from sandbox.base import SandboxError
from sandbox.scratch import scratch_folder

_CHECK_SECONDS = 60.0
_QUESTION = "Reply with the word OK."
_ANSWER_TOKENS = 1_000
"""Models that think need some before they say a word."""


class Health(StrEnum):
    """How a part is."""

    WORKS = "works"
    ABSENT = "absent"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One part, how it is, and what that means for the person."""

    part: str
    health: Health
    meaning: str


def run_doctor() -> bool:
    """Print every finding; return whether nothing is broken and `fixpoint fix` can work."""
    from rich.console import Console
    from rich.table import Table

    from bot.reporting.plain import print_table
    from bot.telemetry.logs import configure

    configure(least=LogLevel.ERROR)  # the findings say what went wrong, in sentences
    findings = event_loop.run(examine(os.environ))
    table = Table(box=None, pad_edge=False)
    for column in ("part", "state", "details"):
        table.add_column(column, overflow="fold")
    colours = {Health.WORKS: "green", Health.ABSENT: "yellow", Health.BROKEN: "red"}
    for finding in findings:
        colour = colours[finding.health]
        table.add_row(finding.part, f"[{colour}]{finding.health}[/]", finding.meaning)
    console = Console(highlight=False)
    print_table(table, console)
    console.print(conclusion(findings), soft_wrap=not console.is_terminal)
    return not any(finding.health is Health.BROKEN for finding in findings)


def conclusion(findings: tuple[Diagnosis, ...]) -> str:
    """Return one sentence: what can be done here."""
    works = {finding.part for finding in findings if finding.health is Health.WORKS}
    if any(finding.health is Health.BROKEN for finding in findings):
        return "Some parts are broken; see above."
    if "webhook server" in works:
        return "`fixpoint fix` and `fixpoint serve` work here."
    return "`fixpoint fix` works here; `fixpoint serve` is not configured."


async def examine(environ: Mapping[str, str]) -> tuple[Diagnosis, ...]:
    """Look at every part that the settings or this machine could have."""
    findings = [_git()]
    try:
        settings = load_local_settings(environ)
    except SettingsError as error:
        broken = (Diagnosis("settings", Health.BROKEN, problem) for problem in error.problems)
        return (*findings, *broken)
    findings += [
        Diagnosis("settings", Health.ABSENT, warning) for warning in settings_warnings(environ)
    ]
    findings += [finding async for finding in _sandboxes(settings)]
    findings.append(await _models(settings))
    findings += [finding async for finding in _server(environ)]
    return tuple(findings)


def _git() -> Diagnosis:
    if shutil.which("git") is None:
        return Diagnosis("git", Health.BROKEN, "Not found. Install it with `apt-get install git`.")
    version = subprocess.run(["git", "--version"], capture_output=True, text=True, check=False)
    return Diagnosis("git", Health.WORKS, version.stdout.strip())


async def _sandboxes(settings: LocalSettings) -> AsyncIterator[Diagnosis]:
    """Look at each kind; that one is missing matters only when no other works."""
    found, missing = [], []
    with scratch_folder("doctor") as folder:
        for entry in SANDBOXES:
            if not entry.has_key(settings):
                continue
            provider = entry.build(settings, folder)
            try:
                await asyncio.wait_for(provider.check(), _CHECK_SECONDS)
                meaning = f"Can run commands. {entry.confinement()}".rstrip()
                found.append(Diagnosis(f"sandbox {entry.kind}", Health.WORKS, meaning))
            except (SandboxError, TimeoutError) as error:
                missing.append((entry.kind, str(error) or "It did not respond."))
            finally:
                await provider.close()
    for finding in found:
        yield finding
    for kind, problem in missing:
        health = Health.ABSENT if found else Health.BROKEN
        yield Diagnosis(f"sandbox {kind}", health, problem)
    for entry in SANDBOXES:
        if not entry.has_key(settings):
            yield Diagnosis(f"sandbox {entry.kind}", Health.ABSENT, f"{entry.key} is not set.")


async def _models(settings: LocalSettings) -> Diagnosis:
    model = build_model(settings)
    if model is None:
        return Diagnosis(
            "model",
            Health.ABSENT,
            "Not configured. Without a model, the project's own tools and the search for small "
            f"Python edits still work. To use a model, set {MODEL_HINT}.",
        )
    from bot.llm.base import Ask, Conversation, Message, Text

    question = Conversation("You are being tested.", (Message("user", (Text(_QUESTION),)),))
    try:
        turn = await asyncio.wait_for(
            model.respond(question, Ask(max_tokens=_ANSWER_TOKENS)), _CHECK_SECONDS
        )
    except (FixpointError, TimeoutError) as error:
        said = str(error) or f"{model.name} did not respond within {_CHECK_SECONDS:.0f} seconds."
        return Diagnosis("model", Health.BROKEN, said)
    finally:
        await model.close()
    return Diagnosis("model", Health.WORKS, f"{turn.model} answered.")


async def _server(environ: Mapping[str, str]) -> AsyncIterator[Diagnosis]:
    if not any(environ.get(name) for name in APP_VARIABLES):
        yield Diagnosis(
            "webhook server",
            Health.ABSENT,
            "Not configured; `fixpoint fix` works without it. To run the server, create the App "
            f"with `fixpoint setup`, or set {', '.join(APP_VARIABLES)}.",
        )
        return
    try:
        settings = load_server_settings(environ)
    except SettingsError as error:
        for problem in error.problems:
            yield Diagnosis("webhook server", Health.BROKEN, problem)
        return
    yield await _database(settings)
    yield await _github(settings)


async def _database(settings: ServerSettings) -> Diagnosis:
    from bot.storage.database import open_database

    try:
        make_data_folder(settings.fixpoint_data)
        async with await open_database(settings.database_url):
            return Diagnosis("database", Health.WORKS, "Can be opened, and its tables exist.")
    except UsageError as error:
        return Diagnosis("database", Health.BROKEN, str(error))


async def _github(settings: ServerSettings) -> Diagnosis:
    import aiohttp

    from bot.github.github import GitHub

    async with aiohttp.ClientSession(trust_env=True) as session:
        github = GitHub(
            session,
            app_id=str(settings.github_app_id),
            private_key=settings.github_private_key,
            api_url=settings.github_api_url,
            web_url=settings.github_url,
        )
        try:
            identity = await asyncio.wait_for(github.app_identity(), _CHECK_SECONDS)
        except (FixpointError, TimeoutError) as error:
            return Diagnosis(
                "webhook server", Health.BROKEN, str(error) or "GitHub did not respond."
            )
    return Diagnosis(
        "webhook server", Health.WORKS, f"Authenticated to GitHub as the App {identity.slug}."
    )
