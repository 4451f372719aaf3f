"""A package index for Python and npm: every package has some versions, each with a time."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import ssl
import tarfile
import zipfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aiohttp import web

from sandbox.egress.authority import Authority

SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"
ABBREVIATED = "application/vnd.npm.install-v1+json"


@dataclass
class PackageIndex:
    """What it has, and what it was asked.

    Attributes:
        versions: Of each package, in both languages, with the times of their uploads.
        secure: Whether it speaks TLS.
        dated: Whether it says the times.
        knows_json: Whether its simple API has JSON.
        programs: What versions have besides their number, by name and version: Python's as a module, npm's
            as `index.js`.
        port: On `localhost`.
        asked: Method and path of each request, in order.
    """

    versions: Mapping[str, Mapping[str, str]]
    secure: bool = False
    dated: bool = True
    knows_json: bool = True
    programs: Mapping[tuple[str, str], str] = field(default_factory=dict)
    port: int = 0
    asked: list[tuple[str, str]] = field(default_factory=list)

    @property
    def root(self) -> str:
        """Where it is."""
        return f"{'https' if self.secure else 'http'}://localhost:{self.port}"

    @property
    def python(self) -> str:
        """Its simple API."""
        return f"{self.root}/simple"

    @property
    def npm(self) -> str:
        """Its npm registry."""
        return f"{self.root}/npm/"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Answer a request."""
        self.asked.append((request.method, request.path))
        kind, *rest = request.path.strip("/").split("/")
        if kind == "files":
            return web.Response(body=self._file(rest[0]), content_type="application/octet-stream")
        if kind == "broken":
            return await _broken_off(request)
        if rest and rest[0] in self.versions:
            return self._about(kind, rest, request)
        return web.Response(status=404)

    def _about(self, kind: str, rest: list[str], request: web.Request) -> web.StreamResponse:
        accept = request.headers.get("Accept", "")
        match kind, rest:
            case "simple", [name]:
                return self._simple(name, json_too=SIMPLE_JSON in accept)
            case "pypi", [name, "json"]:
                return web.json_response(self._legacy(name))
            case "npm", [name]:
                return self._packument(name, full=ABBREVIATED not in accept)
            case "npm", [name, version]:
                found = self._manifests(name).get(
                    version.replace("latest", max(self.versions[name]))
                )
                return web.json_response(found, status=200 if found else 404)
            case _:
                return web.Response(status=404)

    def _simple(self, name: str, *, json_too: bool) -> web.StreamResponse:
        files = [self._wheel(name, version, time) for version, time in self.versions[name].items()]
        if json_too and self.knows_json:
            page = {"meta": {"api-version": "1.1"}, "name": name, "files": files}
            page["versions"] = list(self.versions[name])
            return web.json_response(page, content_type=SIMPLE_JSON, headers={"ETag": '"all"'})
        links = "".join(f'<a href="{file["url"]}">{file["filename"]}</a>\n' for file in files)
        text = f"<!DOCTYPE html><html><body>\n{links}</body></html>"
        return web.Response(text=text, content_type="text/html", headers={"ETag": '"all"'})

    def _wheel(self, name: str, version: str, time: str) -> dict[str, Any]:
        file = f"{name}-{version}-py3-none-any.whl"
        digest = hashlib.sha256(self._file(file)).hexdigest()
        found = {"filename": file, "url": f"{self.root}/files/{file}", "hashes": {"sha256": digest}}
        return found | {"requires-python": ">=3", "upload-time": time} if self.dated else found

    def _legacy(self, name: str) -> dict[str, Any]:
        releases = {
            version: [{"filename": f"{name}-{version}.whl", "upload_time_iso_8601": time}]
            for version, time in self.versions[name].items()
        }
        newest = max(releases)
        return {"info": {"version": newest}, "releases": releases, "urls": releases[newest]}

    def _packument(self, name: str, *, full: bool) -> web.StreamResponse:
        manifests = self._manifests(name)
        page: dict[str, Any] = {"name": name, "versions": manifests}
        page["dist-tags"] = {"latest": max(manifests)}
        if full and self.dated:
            page["time"] = {"created": "2020-01-01T00:00:00.000Z", **self.versions[name]}
        return web.json_response(page, content_type="application/json" if full else ABBREVIATED)

    def _file(self, file: str) -> bytes:
        name, _, rest = file.partition("-")
        if file.endswith(".whl"):
            version = rest.partition("-")[0]
            return _wheel_of(name, version, self.programs.get((name, version), ""))
        version = rest.removesuffix(".tgz")
        return _tarball_of(name, version, self.programs.get((name, version), ""))

    def _manifests(self, name: str) -> dict[str, Any]:
        return {version: self._manifest(name, version) for version in self.versions[name]}

    def _manifest(self, name: str, version: str) -> dict[str, Any]:
        file = f"{name}-{version}.tgz"
        digest = base64.b64encode(hashlib.sha512(self._file(file)).digest()).decode()
        dist = {"tarball": f"{self.root}/files/{file}", "integrity": f"sha512-{digest}"}
        return {"name": name, "version": version, "dist": dist}


async def _broken_off(request: web.Request) -> web.StreamResponse:
    """Answer with the beginning of a file alone."""
    response = web.StreamResponse(headers={"Content-Length": "100"})
    await response.prepare(request)
    await response.write(b"0123456789")
    if request.transport is not None:
        request.transport.close()
    return response


def _wheel_of(name: str, version: str, program: str) -> bytes:
    data, info = io.BytesIO(), f"{name}-{version}.dist-info"
    texts = {
        f"{name}.py": f"version = {version!r}\n{program}",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": f"{name}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n",
    }
    with zipfile.ZipFile(data, "w") as archive:
        for path, text in texts.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return data.getvalue()


def _tarball_of(name: str, version: str, program: str) -> bytes:
    data = io.BytesIO()
    texts = {"package.json": json.dumps({"name": name, "version": version}), "index.js": program}
    with tarfile.open(fileobj=data, mode="w") as archive:
        for path, text in texts.items():
            entry = tarfile.TarInfo(f"package/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return data.getvalue()


@asynccontextmanager
async def package_index(
    index: PackageIndex, trust: Path | None = None
) -> AsyncIterator[PackageIndex]:
    """Yield an index that listens.

    Args:
        index: What it has.
        trust: Gets the certificate of its authority, if it speaks TLS.
    """
    context: ssl.SSLContext | None = None
    if trust is not None:
        authority = Authority({})
        trust.write_bytes(authority.bundle)
        context, index.secure = authority.as_host("localhost"), True
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", index.serve)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    index.port = runner.addresses[0][1]
    try:
        yield index
    finally:
        await runner.cleanup()
