"""Leave out of npm's packuments the versions that were published too late. No IO.

Source: https://github.com/npm/registry/blob/main/docs/responses/package-metadata.md
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from sandbox.egress.upload_times import UploadTimes

ABBREVIATED = "application/vnd.npm.install-v1+json"
"""Packuments without `time`: the full ones are asked for in their place, which clients take too."""

_NUMBERS = re.compile(r"(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+.*)?")
_LIFE = ("created", "modified", "unpublished")
"""Keys of `time` that are no versions."""

Order = tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]


def packument(page: Mapping[str, Any], times: UploadTimes) -> dict[str, Any] | None:
    """Return a packument as it could have been; None when there was none."""
    published = page.get("time") or {}
    versions = {
        version: manifest
        for version, manifest in page["versions"].items()
        if times.keeps(published.get(version))
    }
    if page["versions"] and not versions:
        return None
    left = {**page, "versions": versions, "dist-tags": _tags(page.get("dist-tags") or {}, versions)}
    if published:
        left["time"] = {
            key: value for key, value in published.items() if key in versions or key in _LIFE
        }
    return left


def manifest(page: Mapping[str, Any], wanted: str) -> Mapping[str, Any] | None:
    """Return what a packument has of one version, or of a tag."""
    version = page["dist-tags"].get(wanted, wanted)
    found: Mapping[str, Any] | None = page["versions"].get(version)
    return found


def _tags(tags: Mapping[str, str], versions: Mapping[str, object]) -> dict[str, str]:
    moved = {tag: _moved(version, versions) for tag, version in tags.items()}
    if moved.get("latest", "") is None:
        moved["latest"] = max(versions, key=_order, default=None)
    return {tag: version for tag, version in moved.items() if version is not None}


def _moved(tagged: str, versions: Iterable[str]) -> str | None:
    """Return where a tag may have pointed: to the newest version up to the one it points to now.

    So does npm itself with its option `before` (npm-pick-manifest).
    """
    if tagged in versions:
        return tagged
    most = _order(tagged)
    earlier = [
        version
        for version in versions
        if _order(version) <= most and _is_stable_or_beside(version, tagged)
    ]
    return max(earlier, key=_order, default=None)


def _is_stable_or_beside(version: str, tagged: str) -> bool:
    """Whether a version may follow a tag: one before its release only beside another of its kind."""
    found, other = _order(version), _order(tagged)
    return found[3] or (not other[3] and found[:3] == other[:3])


def _order(version: str) -> Order:
    """Return what sorts versions as https://semver.org (11.) has it; what is none comes first."""
    found = _NUMBERS.fullmatch(version)
    if found is None:
        return (-1, 0, 0, False, ())
    early = found[4]
    words = tuple(
        (not word.isdigit(), int(word) if word.isdigit() else 0, word)
        for word in (early.split(".") if early else ())
    )
    return (int(found[1]), int(found[2]), int(found[3]), early is None, words)
