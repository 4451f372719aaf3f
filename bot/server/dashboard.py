"""Put together what the dashboard and the API need."""

from __future__ import annotations

import aiohttp

from bot.github.github import GitHub
from bot.github.oauth import OauthClient
from bot.server.limits import caps_of
from bot.settings.environment import ServerSettings
from bot.storage.database import Database
from bot.storage.run_lists import RunLists
from bot.storage.stores import Stores
from bot.web.access import AdminAccess
from bot.web.api import Api
from bot.web.application import Parts
from bot.web.code import Code
from bot.web.health import ServiceHealth
from bot.web.measurements import Measurements
from bot.web.pages.github_login import GitHubLogin
from bot.web.pages.site import PageData, Pages
from bot.web.people import People
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
) -> Parts:
    """Return what answers people and programs."""
    login = _github_login(settings, github, session)
    access = AdminAccess(
        settings.fixpoint_admin_token, settings.host, with_github=login is not None
    )
    sessions = Sessions(_session_secret(settings))
    lists = RunLists(database)
    data = PageData(
        control,
        stores.events,
        lists,
        stores.ledger,
        caps_of(settings),
        settings,
        settings.github_url,
        services,
    )
    return Parts(
        access,
        sessions,
        login,
        Api(control, stores.events, lists),
        Code(control, stores.events),
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
    known = [one.get_secret_value() for one in secrets if one is not None]
    return "\0".join(known).encode() or None
