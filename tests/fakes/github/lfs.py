"""Git LFS on GitHub: the batch API, which gives signed addresses in the storage.

Source: https://github.com/git-lfs/git-lfs/blob/main/docs/api/batch.md
"""

from __future__ import annotations

from typing import Any

from aiohttp import hdrs, web

from tests.fakes.github.model import Repository
from tests.fakes.github.smart_http import SmartHttp
from tests.fakes.github.state import GitHubState
from tests.fakes.github.views import Views

MEDIA = "application/vnd.git-lfs+json"


class Lfs:
    """The one request of the batch API that reads."""

    def __init__(self, state: GitHubState, git: SmartHttp, views: Views) -> None:
        self._state = state
        self._git = git
        self._views = views

    def routes(self) -> list[web.RouteDef]:
        """Return its routes."""
        return [web.post("/{owner}/{repo}/info/lfs/objects/batch", self.batch)]

    async def batch(self, request: web.Request) -> web.Response:
        """Say where objects are, or that they are not."""
        if MEDIA not in request.headers.get(hdrs.ACCEPT, ""):
            raise web.HTTPNotAcceptable
        repo = self._git.repository(request, "git-upload-pack")
        asked = await request.json()
        if asked.get("operation") != "download" or "basic" not in asked.get("transfers", ["basic"]):
            raise web.HTTPUnprocessableEntity
        objects = [self._object(repo, item) for item in asked["objects"]]
        self._state.lfs_asked += [item["oid"] for item in asked["objects"]]
        return web.json_response({"transfer": "basic", "objects": objects}, content_type=MEDIA)

    def _object(self, repo: Repository, asked: dict[str, Any]) -> dict[str, Any]:
        oid = asked["oid"]
        if oid not in repo.lfs:
            error = {"code": 404, "message": "Object does not exist on the server"}
            return {"oid": oid, "size": asked["size"], "error": error}
        href = repo.lfs[oid] or f"{self._views.storage}/lfs-{oid}?sig=once"
        download = {"href": href, "header": {}, "expires_in": 3600}
        return {
            "oid": oid,
            "size": asked["size"],
            "authenticated": True,
            "actions": {"download": download},
        }
