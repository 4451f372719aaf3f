"""Leave out of Python indexes' pages what was uploaded too late. No IO.

Sources: the simple API in HTML (PEP 503, 592, 629, 658, 714) and JSON (PEP 691, 700), and the JSON
API at https://docs.pypi.org/api/json/.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import InvalidVersion, Version

from sandbox.egress.upload_times import UploadTimes

SIMPLE_JSON = "application/vnd.pypi.simple.v1+json"

_LINK = re.compile(
    rb"""<a\s[^<>]*href\s*=\s*["'][^"'#?<>]+\.(?:whl|tar\.gz|zip|tar\.bz2|tgz|egg)["'#?]""",
    re.IGNORECASE,
)
_OF_PROJECT = re.compile(r"/pypi/[^/]+/json/?")
_METADATA = ("core-metadata", "dist-info-metadata", "data-dist-info-metadata")
_OF_ONE_VERSION = ("requires_dist", "requires_python", "yanked", "yanked_reason")
"""What a project's page says of its newest version alone."""


def lists_files(html: bytes) -> bool:
    """Whether an HTML page links to packages, as a page of the simple API does."""
    return _LINK.search(html) is not None


def simple_page(page: Mapping[str, Any], times: UploadTimes) -> dict[str, Any]:
    """Return a page of the simple API with the files, and their versions, that were there."""
    files = [file for file in page["files"] if times.keeps(file.get("upload-time"))]
    left = {**page, "files": files}
    if "versions" in page:
        left["versions"] = _versions(page, files)
    return left


def _versions(page: Mapping[str, Any], files: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the versions without those that lost all their files."""
    kept = {_version_of_file(file["filename"]) for file in files}
    lost = {_version_of_file(file["filename"]) for file in page["files"]} - kept - {None}
    return [text for text in page["versions"] if _version(text) not in lost]


def _version_of_file(name: str) -> Version | None:
    try:
        if name.endswith(".whl"):
            return parse_wheel_filename(name)[1]
        return parse_sdist_filename(name)[1]
    except (InvalidWheelFilename, InvalidSdistFilename):
        return None


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return None


def as_html(page: Mapping[str, Any]) -> str:
    """Return a project's page of the simple API as clients from before PEP 691 read it."""
    return _html(f"Links for {page.get('name', '')}", map(_link, page["files"]))


def projects_as_html(page: Mapping[str, Any]) -> str:
    """Return the list of all projects as the same clients read it."""
    names = [str(project["name"]) for project in page["projects"]]
    links = (f'<a href="{escape(canonicalize_name(name))}/">{escape(name)}</a>' for name in names)
    return _html("Simple index", links)


def _html(title: str, links: Iterable[str]) -> str:
    shown, lines = escape(title), "".join(f"{link}<br/>\n" for link in links)
    return (
        '<!DOCTYPE html>\n<html>\n<head>\n<meta name="pypi:repository-version" content="1.0">\n'
        f"<title>{shown}</title>\n</head>\n<body>\n<h1>{shown}</h1>\n{lines}</body>\n</html>\n"
    )


def _link(file: Mapping[str, Any]) -> str:
    url, hashes = str(file["url"]), file.get("hashes") or {}
    best = "sha256" if "sha256" in hashes else next(iter(hashes), None)
    attributes = {"href": f"{url}#{best}={hashes[best]}" if best else url}
    if wanted := file.get("requires-python"):
        attributes["data-requires-python"] = wanted
    if metadata := next((file[key] for key in _METADATA if file.get(key)), None):
        shown = _digest(metadata) if isinstance(metadata, Mapping) else "true"
        attributes["data-dist-info-metadata"] = attributes["data-core-metadata"] = shown
    if yanked := file.get("yanked"):
        attributes["data-yanked"] = yanked if isinstance(yanked, str) else ""
    if (signed := file.get("gpg-sig")) is not None:
        attributes["data-gpg-sig"] = "true" if signed else "false"
    words = " ".join(f'{key}="{escape(str(value))}"' for key, value in attributes.items())
    return f"<a {words}>{escape(str(file['filename']))}</a>"


def _digest(hashes: Mapping[str, Any]) -> str:
    return next((f"{name}={value}" for name, value in hashes.items()), "true")


def legacy_page(page: Mapping[str, Any], path: str, times: UploadTimes) -> dict[str, Any] | None:
    """Return an answer of PyPI's JSON API as it could have been; None when there was none.

    Args:
        page: The answer for a project, or for one version of it.
        path: That it was asked for.
        times: Say which files stay.
    """
    before: Sequence[Mapping[str, Any]] = page.get("urls") or ()
    urls = [file for file in before if times.keeps(_uploaded(file))]
    left = {**page, "urls": urls}
    if page.get("releases"):
        left["releases"] = releases = _releases(page["releases"], times)
        if _OF_PROJECT.search(path) and before and not urls:
            newest = _newest(releases)
            return None if newest is None else {**left, **_told_of(page, newest, releases)}
    return left if urls or not before else None


def _uploaded(file: Mapping[str, Any]) -> str | None:
    found: str | None = file.get("upload_time_iso_8601") or file.get("upload_time")
    return found


def _releases(
    releases: Mapping[str, Sequence[Mapping[str, Any]]], times: UploadTimes
) -> dict[str, list[Mapping[str, Any]]]:
    """Return the releases that had a file then, or never had one."""
    left = {
        version: [file for file in files if times.keeps(_uploaded(file))]
        for version, files in releases.items()
    }
    return {version: files for version, files in left.items() if files or not releases[version]}


def _newest(releases: Mapping[str, Sequence[object]]) -> str | None:
    """Return the newest version with files; one before its release only where all are."""
    known = [(v, text) for text, files in releases.items() if files and (v := _version(text))]
    final = [each for each in known if not each[0].is_prerelease]
    return max(final or known, default=(None, None))[1]


def _told_of(
    page: Mapping[str, Any], version: str, releases: Mapping[str, Sequence[Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return what a project's page says of its newest version, as far as that is known."""
    info = {**page.get("info", {}), "version": version, **dict.fromkeys(_OF_ONE_VERSION)}
    return {"info": info, "urls": releases[version]}
