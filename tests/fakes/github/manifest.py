"""How an App is registered from a manifest: the pages of GitHub, up to the code.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

import html
import secrets
from urllib.parse import urlencode

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tests.fakes.github.state import GitHubState

SUPPORTED = frozenset(
    [
        "check_run",
        "check_suite",
        "commit_comment",
        "create",
        "delete",
        "fork",
        "issue_comment",
        "issues",
        "label",
        "merge_group",
        "milestone",
        "pull_request",
        "pull_request_review",
        "pull_request_review_comment",
        "pull_request_review_thread",
        "push",
        "release",
        "repository",
        "status",
        "workflow_dispatch",
        "workflow_job",
        "workflow_run",
    ]
)
"""Some of the events that an App can ask for; those of an installation come without asking."""

_PAGE = """\
<!doctype html><html lang="en"><title>Register GitHub App</title><link rel="icon" href="data:,">
<h1>Create GitHub App for {owner}</h1>
<form method="post" action="{action}"><input type="hidden" name="manifest" value="{manifest}">
<label>GitHub App name <input name="name" value="{name}"></label>
<button>Create GitHub App</button></form></html>
"""


class Hook(BaseModel):
    """Where deliveries go."""

    model_config = ConfigDict(extra="forbid", strict=True)

    url: str
    active: bool = True


class Manifest(BaseModel):
    """What GitHub takes; other keys are an error there."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(max_length=34)
    url: str
    hook_attributes: Hook
    redirect_url: str
    callback_urls: list[str] = Field(default=[], max_length=10)
    setup_url: str | None = None
    description: str = ""
    public: bool = False
    default_events: list[str] = []
    default_permissions: dict[str, str] = {}
    request_oauth_on_install: bool = False
    setup_on_update: bool = False


class ManifestPages:
    """The pages below `/settings/apps/new`, of a person and of an organization."""

    def __init__(self, state: GitHubState) -> None:
        self._state = state

    def routes(self) -> list[web.RouteDef]:
        """Return aiohttp's routes."""
        return [
            web.post(f"{owner}/settings/apps/{page}", handler)
            for owner in ("", "/organizations/{organization}")
            for page, handler in (("new", self._ask), ("manifest", self._create))
        ]

    async def _ask(self, request: web.Request) -> web.Response:
        """Show what would be registered."""
        manifest = _read(str((await request.post()).get("manifest", "")))
        page = _PAGE.format(
            owner=html.escape(request.match_info.get("organization", "you")),
            action=html.escape(str(request.rel_url).replace("/new", "/manifest", 1)),
            manifest=html.escape(manifest.model_dump_json()),
            name=html.escape(manifest.name),
        )
        return web.Response(text=page, content_type="text/html")

    async def _create(self, request: web.Request) -> web.Response:
        """Make the App, and send the person back with a code for it."""
        manifest = _read(str((await request.post()).get("manifest", "")))
        code = secrets.token_hex(20)
        self._state.manifests[code] = manifest.model_dump()
        self._state.app.callback_urls = list(manifest.callback_urls)
        back = {"code": code, "state": request.query.get("state", "")}
        raise web.HTTPFound(f"{manifest.redirect_url}?{urlencode(back)}")


def _read(text: str) -> Manifest:
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        raise web.HTTPUnprocessableEntity(text=f"Invalid manifest: {error}") from error
    unknown = set(manifest.default_events) - SUPPORTED
    if unknown:
        raise web.HTTPUnprocessableEntity(text=f"Default events are not supported: {unknown}")
    return manifest
