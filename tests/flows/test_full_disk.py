"""The disk that the server keeps everything on is full for a while."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.flows.held_script import HeldScript
from tests.flows.server_process import ServerProcess
from tests.flows.world import FIX, WHY, bash, open_scene

ROOM = 64 << 20


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """Mount a small file system of its own; only root may."""
    place.mkdir()
    mount = ("mount", "-t", "tmpfs", "-o", f"size={ROOM}", "fixpoint-test", str(place))
    if os.geteuid() or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("Only root may mount a file system, and not in every container.")
    try:
        yield place
    finally:
        subprocess.run(("umount", "--lazy", str(place)), check=True)


def fill(folder: Path) -> Path:
    """Take all that is left of a file system, to the last byte."""
    file = folder / "filled"
    with file.open("wb", buffering=0) as filling:
        for size in (1 << 20, 4096, 1):
            try:
                while filling.write(b"x" * size):
                    pass
            except OSError:
                continue
    return file


@pytest.mark.slow
async def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    """The load balancer is told, what GitHub sends is not acknowledged, and the run goes on behind it."""
    script = HeldScript([bash("cat app.txt"), FIX, WHY])
    script.hold(2)
    with small_disk(tmp_path / "disk") as disk:
        async with open_scene(tmp_path, script) as scene:
            server = ServerProcess(scene.variables(disk / "data"), tmp_path)
            async with server.running():
                event = scene.github.comment(scene.issue, "ada", "/fix")
                assert (await scene.github.deliver(event, server.webhook)).status_code == 202
                await script.reached(2)
                filled = await asyncio.to_thread(fill, disk)
                question = scene.github.comment(scene.issue, "ada", "/fix status")
                assert (await scene.github.deliver(question, server.webhook)).status_code == 503
                await server.until_status("/readyz", 503)
                assert await server.status("/healthz") == 200
                script.let_go(2)
                await server.logged("run left")
                filled.unlink()
                await server.logged("run over")
                await server.until_status("/readyz", 200)
                scene.issue.comments.pop()  # the question that nobody took
                [said] = scene.said()
                assert said.startswith("Fixed in https://github.test/acme/app/pull/2")
                assert "run broke" not in server.text
