"""How the API shows accounts, the App, its installations and deliveries."""

from __future__ import annotations

import base64
from datetime import datetime
from typing import Any

from tests.fakes.github.model import EVENTS, Account, Delivery, Installation
from tests.fakes.github.state import GitHubState

Json = dict[str, Any]

_USER_URLS = {
    "followers_url": "/followers",
    "following_url": "/following{/other_user}",
    "gists_url": "/gists{/gist_id}",
    "starred_url": "/starred{/owner}{/repo}",
    "subscriptions_url": "/subscriptions",
    "organizations_url": "/orgs",
    "repos_url": "/repos",
    "events_url": "/events{/privacy}",
    "received_events_url": "/received_events",
}


def stamp(moment: datetime | None) -> str | None:
    """Return a time as the API writes it."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def node(kind: str, number: int) -> str:
    """Return a global node id."""
    return f"{kind}_{base64.urlsafe_b64encode(str(number).encode()).decode().rstrip('=')}"


class AccountViews:
    """Shows one state under one pair of addresses (`api` and `web`, no slash at the end)."""

    def __init__(self, state: GitHubState, api: str, web: str) -> None:
        self.state = state
        self.api = api
        self.web = web
        self.storage = ""

    def user(self, account: Account) -> Json:
        """Show `simple-user`."""
        url = f"{self.api}/users/{account.login}"
        return {
            "login": account.login,
            "id": account.id,
            "node_id": node("U", account.id),
            "avatar_url": f"{self.web}/avatars/u/{account.id}",
            "gravatar_id": "",
            "url": url,
            "html_url": f"{self.web}/{account.login}",
            **{name: url + suffix for name, suffix in _USER_URLS.items()},
            "type": account.kind,
            "site_admin": False,
            "user_view_type": "public",
        }

    def public_user(self, account: Account) -> Json:
        """Show `public-user`."""
        unset = ("name", "company", "location", "email", "hireable", "bio", "twitter_username")
        return {
            **self.user(account),
            **dict.fromkeys(unset),
            "blog": "",
            **dict.fromkeys(("public_repos", "public_gists", "followers", "following"), 0),
            "created_at": stamp(self.state.app.created_at),
            "updated_at": stamp(self.state.app.created_at),
        }

    def app(self, permissions: dict[str, str] | None = None) -> Json:
        """Show `integration`."""
        app = self.state.app
        return {
            "id": app.id,
            "client_id": app.client_id,
            "slug": app.slug,
            "node_id": node("A", app.id),
            "owner": self.user(app.owner),
            "name": app.slug.title(),
            "description": "Repairs failing tests.",
            "external_url": "https://fixpoint.example",
            "html_url": f"{self.web}/apps/{app.slug}",
            "created_at": stamp(app.created_at),
            "updated_at": stamp(app.created_at),
            "permissions": permissions or {"metadata": "read"},
            "events": list(EVENTS),
            "installations_count": len(self.state.installations),
        }

    def installation(self, one: Installation) -> Json:
        """Show `installation`."""
        url = f"{self.api}/app/installations/{one.id}"
        return {
            "id": one.id,
            "account": self.user(one.account),
            "repository_selection": "all" if one.selected is None else "selected",
            "access_tokens_url": f"{url}/access_tokens",
            "repositories_url": f"{self.api}/installation/repositories",
            "html_url": f"{self.web}/settings/installations/{one.id}",
            "app_id": self.state.app.id,
            "client_id": self.state.app.client_id,
            "app_slug": self.state.app.slug,
            "target_id": one.account.id,
            "target_type": one.account.kind,
            "permissions": one.permissions,
            "events": list(EVENTS),
            "created_at": stamp(one.created_at),
            "updated_at": stamp(one.created_at),
            "single_file_name": None,
            "has_multiple_single_files": False,
            "single_file_paths": [],
            "suspended_by": self.user(one.account) if one.suspended else None,
            "suspended_at": stamp(one.created_at) if one.suspended else None,
        }

    def delivery(self, one: Delivery) -> Json:
        """Show `hook-delivery-item`."""
        return {
            "id": one.id,
            "guid": one.guid,
            "delivered_at": stamp(one.delivered_at),
            "redelivery": one.redelivery,
            "duration": round(one.duration, 2),
            "status": "OK" if 200 <= one.status_code < 300 else "Invalid HTTP Response",
            "status_code": one.status_code,
            "event": one.event,
            "action": one.payload.get("action"),
            "installation_id": one.payload.get("installation", {}).get("id"),
            "repository_id": one.payload.get("repository", {}).get("id"),
            "throttled_at": None,
        }
