"""Bring the artifacts of a job out of its sandbox, and into that of a job that needs them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.ci.workflow.runner.runner_shell import ARTIFACTS
from bot.model.artifacts import LARGEST_ARTIFACT, MOST_ARTIFACT_BYTES, MOST_ARTIFACTS
from sandbox.base import Sandbox

_NAME = re.compile(r"[^\"/:<>|*?\r\n\\\x00]{1,200}")
"""What GitHub lets an artifact be called, so that it can be a file's name.

Source: https://github.com/actions/toolkit, `path-and-artifact-name-validation.ts`.
"""


async def collected(sandbox: Sandbox) -> dict[str, bytes]:
    """Return the zips that the steps of a job kept, by the artifact's name."""
    folder = ARTIFACTS
    listed = await sandbox.run(
        f"cd {folder} 2>/dev/null && stat --format '%s %n' -- *.zip", timeout=60.0
    )
    found: dict[str, bytes] = {}
    room = MOST_ARTIFACT_BYTES
    for line in listed.output.splitlines() if listed.ok else ():
        size, _, file = line.partition(" ")
        name = file.removesuffix(".zip")
        if not size.isdigit() or not _NAME.fullmatch(name) or len(found) == MOST_ARTIFACTS:
            continue
        if int(size) <= min(LARGEST_ARTIFACT, room):
            found[name] = await sandbox.read_file(f"{folder}/{file}")
            room -= int(size)
    return found


async def handed_over(sandbox: Sandbox, artifacts: Mapping[str, bytes]) -> None:
    """Put zips where the steps of a job take artifacts from."""
    for name, data in artifacts.items():
        if _NAME.fullmatch(name):
            await sandbox.write_file(f"{ARTIFACTS}/{name}.zip", data)
