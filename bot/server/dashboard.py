"""Put together what the dashboard and the API need."""

from __future__ import annotations

from bot.server.limits import caps_of
from bot.settings.environment import ServerSettings
from bot.storage.database import Database
from bot.storage.run_lists import RunLists
from bot.storage.stores import Stores
from bot.telemetry.metrics import Metrics
from bot.web.access import AdminAccess
from bot.web.api import Api
from bot.web.application import Parts
from bot.web.code import Code
from bot.web.measurements import Measurements
from bot.web.pages.site import PageData, Pages
from bot.web.run_control import RunControl


def web_parts(
    settings: ServerSettings,
    control: RunControl,
    stores: Stores,
    database: Database,
    metrics: Metrics,
) -> Parts:
    """Return what answers people and programs."""
    access = AdminAccess(settings.fixpoint_admin_token, settings.host)
    lists = RunLists(database)
    data = PageData(
        control,
        stores.events,
        lists,
        stores.ledger,
        caps_of(settings),
        settings,
        settings.github_url,
    )
    return Parts(
        access,
        Api(control, stores.events, lists),
        Code(control, stores.events),
        Pages(access, data),
        Measurements(metrics, lists),
    )
