"""Put together what the dashboard and the API need."""

from __future__ import annotations

from functools import cache

import aiohttp

from bot.github.github import GitHub
from bot.github.oauth import OauthClient
from bot.runs.commit_search import CommitSearch
from bot.runs.sources import Sources
from bot.server.limits import caps_of
from bot.settings.environment import ServerSettings
from bot.storage.database import Database
from bot.storage.run_figures import RunFigures
from bot.storage.run_lists import RunLists
from bot.storage.stores import Stores
from bot.web.access import AdminAccess
from bot.web.api.artifact_operations import ArtifactOperations
from bot.web.api.figure_operations import FigureOperations
from bot.web.api.memory_operations import MemoryOperations
from bot.web.api.openapi import document
from bot.web.api.run_operations import RunOperations
from bot.web.api.server_operations import ServerOperations
from bot.web.api.service import Api
from bot.web.api.session_operations import SessionOperations
from bot.web.api.tool_operations import ToolOperations
from bot.web.application import WebParts
from bot.web.code_endpoint import Code
from bot.web.health import ServiceHealth
from bot.web.keys import KeyAccess
from bot.web.measurements import Measurements
from bot.web.memory_control import MemoryControl
from bot.web.origins import Origins
from bot.web.pages.github_login import GitHubLogin
from bot.web.pages.repository import KnownRepositories
from bot.web.pages.site import PageData, Pages
from bot.web.people import People
from bot.web.prompts import Prompts
from bot.web.rates import RateLimits
from bot.web.rights import Rights
from bot.web.run_control import RunControl
from bot.web.sessions import Sessions


def web_parts(
    settings: ServerSettings,
    github: GitHub,
    session: aiohttp.ClientSession,
    control: RunControl,
    stores: Stores,
    database: Database,
    measurements: Measurements,
    services: ServiceHealth,
) -> WebParts:
    """Return what answers people and programs."""
    login = _github_login(settings, github, session)
    access = AdminAccess(
        settings.fixpoint_admin_token, settings.host, with_github=login is not None
    )
    sessions = Sessions(_session_secret(settings))
    lists, figures = RunLists(database, stores.queue), RunFigures(database)
    known = KnownRepositories(stores.names, github)
    memory = MemoryControl(
        stores.memory, stores.lessons, stores.tests, stores.quarantines, Rights(github)
    )
    sources = Sources(github, settings.fixpoint_data, first_wait=None)
    searching = CommitSearch(sources)
    api = Api(
        RunOperations(control, lists),
        ArtifactOperations(control, stores.events),
        SessionOperations(Prompts(control, stores, github)),
        FigureOperations(figures, stores.ledger, caps_of(settings)),
        MemoryOperations(memory, known.named, control.installed),
        ToolOperations(searching, control.installed),
        ServerOperations(Code(control, stores.events).handle, lists, figures, services),
    )
    described = cache(lambda: document(api.operations()))  # takes long, and few ask
    data = PageData(
        control,
        memory,
        stores.events,
        lists,
        figures,
        known,
        stores.approvals,
        stores.ledger,
        caps_of(settings),
        settings,
        github,
        services,
        described,
    )
    return WebParts(
        access,
        sessions,
        login,
        KeyAccess(stores.keys, access.wrong),
        RateLimits(settings.fixpoint_api_rate, stores.requests),
        Origins(settings.fixpoint_api_origins),
        api,
        described,
        Pages(access, sessions, login, data),
        measurements,
    )


def _github_login(
    settings: ServerSettings, github: GitHub, session: aiohttp.ClientSession
) -> GitHubLogin | None:
    """Return what logging in with GitHub takes; None where it isn't set up."""
    if settings.github_client_id is None or settings.github_client_secret is None:
        return None
    client = OauthClient(
        session,
        client_id=settings.github_client_id,
        client_secret=settings.github_client_secret,
        api_url=settings.github_api_url,
        web_url=settings.github_url,
    )
    people = People(github, frozenset(settings.fixpoint_admins))
    return GitHubLogin(client, people, settings.fixpoint_public_url or "")


def _session_secret(settings: ServerSettings) -> bytes | None:
    """Return what keys of sessions are derived from: whatever lets people in."""
    secrets = (settings.fixpoint_admin_token, settings.github_client_secret)
    known = [secret.get_secret_value() for secret in secrets if secret is not None]
    return "\0".join(known).encode() or None
