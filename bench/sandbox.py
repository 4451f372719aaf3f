"""How soon a sandbox is ready, and what a command costs in it."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median

from bench.tables import milliseconds, print_machine, print_table
from bench.task import make_repository
from sandbox.base import Sandbox, SandboxSpec, SandboxUnavailable
from sandbox.bubblewrap import BubblewrapProvider

ROUNDS = 40
COMMAND = "echo 1"
PAUSE = 0.02
"""Seconds between two commands: a model takes at least that long, and a kernel that rests between
two is slower at some things than one that is hammered."""

_LIMIT = 60.0
_BARE = (
    *("bwrap", "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"),
    *("--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"),
    *(
        part
        for name in ("bin", "lib", "lib64")
        for part in ("--symlink", f"usr/{name}", f"/{name}")
    ),
    *("--tmpfs", "/tmp", "--", "/bin/bash", "-c", COMMAND),
)
"""What one would type: fewer mounts, no limits, no work tree, no home, output not bounded."""


async def timed(act: Callable[[], Awaitable[object]], rounds: int = ROUNDS) -> list[float]:
    """Return the seconds of each of several acts, with pauses between them."""
    seconds = []
    for _ in range(rounds):
        await asyncio.sleep(PAUSE)
        started = time.perf_counter()
        await act()
        seconds.append(time.perf_counter() - started)
    return seconds


async def command_alone(sandbox: Sandbox, rounds: int = ROUNDS) -> list[float]:
    """Return the seconds of a command in a sandbox that is open."""
    return await timed(lambda: sandbox.run(COMMAND, timeout=_LIMIT), rounds)


async def program_alone(*argv: str, rounds: int = ROUNDS) -> list[float]:
    """Return the seconds of a program, as the standard library runs it."""

    async def run() -> None:
        subprocess.run(argv, check=True, stdout=subprocess.PIPE)  # noqa: ASYNC221 - nothing else runs

    return await timed(run, rounds)


async def main() -> None:
    """Measure bubblewrap as we use it, and as one would by hand; Docker where there is an engine."""
    with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as name:
        folder = Path(name)
        provider = BubblewrapProvider(folder / "data")
        try:
            await provider.check()
        except SandboxUnavailable as error:
            print(f"No figures of bubblewrap: {error}")
            return
        rows = await _rows(provider, make_repository(folder / "repository"))
    title = f"Sandbox, medians of {ROUNDS}, `{COMMAND}`"
    print_table(title, ("", "from a snapshot ms", "a command ms", "removal ms"), rows)


async def _rows(provider: BubblewrapProvider, repository: Path) -> list[Sequence[str]]:
    first = await provider.open(SandboxSpec("first", source=repository))
    await first.run("true", timeout=_LIMIT)
    snapshot = await first.snapshot("prepared")
    done, command, gone = await _lives(provider, snapshot)
    await first.close()
    by_hand = await program_alone(*_BARE)
    alone = await program_alone("/bin/bash", "-c", COMMAND)
    ready = [seconds - median(alone) for seconds in done]
    rows: list[Sequence[str]] = [
        ("fixpoint", milliseconds(ready), milliseconds(command), milliseconds(gone)),
        ("bwrap by hand", "", milliseconds(by_hand), ""),
        ("no sandbox", "", milliseconds(alone), ""),
    ]
    if (docker := await _docker()) is not None:
        rows.append(("docker run", "", docker, ""))
    return rows


async def _lives(
    provider: BubblewrapProvider, snapshot: str
) -> tuple[list[float], list[float], list[float]]:
    """Return the seconds until the first command is done, of a second one, and of the removal."""
    spec = SandboxSpec("box", snapshot=snapshot)
    done, command, gone = [], [], []
    for _ in range(ROUNDS):
        await asyncio.sleep(PAUSE)
        started = time.perf_counter()
        sandbox = await provider.open(spec)
        await sandbox.run(COMMAND, timeout=_LIMIT)
        done.append(time.perf_counter() - started)
        command += await command_alone(sandbox, 1)
        gone += await timed(sandbox.close, 1)
    return done, command, gone


async def _docker() -> str | None:
    """Return how long `docker run` takes with any image that the engine has; None without one."""
    if shutil.which("docker") is None:
        return None
    listed = subprocess.run(  # noqa: ASYNC221 - nothing else runs
        ("docker", "images", "--quiet"), check=False, capture_output=True, text=True
    )
    images = listed.stdout.split()
    if listed.returncode or not images:
        return None
    run = ("docker", "run", "--rm", "--network=none", images[0], "/bin/sh", "-c", COMMAND)
    try:
        return milliseconds(await program_alone(*run, rounds=5))
    except subprocess.CalledProcessError:
        return None


if __name__ == "__main__":
    print_machine()
    asyncio.run(main())
