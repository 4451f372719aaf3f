"""Put together what the dashboard and the API need."""

from __future__ import annotations

from bot.model.money.caps import Caps
from bot.settings.environment import ServerSettings
from bot.storage.database import Database
from bot.storage.run_lists import RunLists
from bot.storage.stores import Stores
from bot.web.access import Access
from bot.web.api import Api
from bot.web.application import Parts
from bot.web.asking import Asking
from bot.web.code import Code
from bot.web.pages import Pages, Sources


def web_parts(
    settings: ServerSettings,
    asking: Asking,
    stores: Stores,
    database: Database,
    caps: Caps,
) -> Parts:
    """Return what answers people and programs."""
    access = Access(settings.fixpoint_admin_token, settings.host)
    lists = RunLists(database)
    sources = Sources(
        asking, stores.events, lists, stores.ledger, caps, settings, settings.github_url
    )
    return Parts(
        access,
        Api(asking, stores.events, lists),
        Code(asking, stores.events),
        Pages(access, sources),
    )
