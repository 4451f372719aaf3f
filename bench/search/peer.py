"""The peer: fixkit, a research tool for program repair, in a virtual environment of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from pathlib import Path

from bench.search.subject import Subject

VERSION = "0.0.1"
_PACKAGES = (f"fixkit=={VERSION}", "sflkit==0.2.16")  # with the newest it can't be imported
_SCRIPT = Path(__file__).with_name("peer_script.py")


async def install() -> Path | None:
    """Install it into the user's cache unless it is there; return its Python, or None."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = cache / "fixpoint" / f"fixkit-{VERSION}"
    python = folder / "bin" / "python"
    if (folder / "ready").is_file():
        return python
    uv = str(Path(sys.executable).with_name("uv"))
    pip = (uv, "pip", "install", "--quiet", "--python", str(python), *_PACKAGES)
    for argv in ((uv, "venv", "--quiet", "--clear", str(folder)), pip):
        process = await asyncio.create_subprocess_exec(*argv)
        if await process.wait():
            return None
    (folder / "ready").touch()
    return python


async def repair(python: Path, subject: Subject, folder: Path, seconds: float) -> bool:
    """Let it work on the project in a folder; return whether the tests pass afterwards.

    It has no time limit of its own that holds while a test never ends, so it is ended from outside.
    """
    out = folder.parent / "fixkit"
    ended = await _ended(
        (str(python), str(_SCRIPT), str(folder), subject.source, subject.tests, str(out)),
        folder.parent, python, seconds,
    )  # fmt: skip
    repaired = out / "patch" / subject.source
    if not ended or not repaired.is_file():
        return False
    shutil.copyfile(repaired, folder / subject.source)
    tests = (str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", subject.tests)
    return await _ended(tests, folder, python, 60.0)


async def _ended(argv: tuple[str, ...], folder: Path, python: Path, seconds: float) -> bool:
    """Run a program in a process group of its own; return whether it ended well and in time."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=folder,
        env={**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(seconds):
            return await process.wait() == 0
    except TimeoutError:
        return False
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
