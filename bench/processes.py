"""Run whole programs and say what they cost."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

_LAUNCHER = Path(__file__).with_name("launcher.py")
_PASSED_ON = ("PATH", "LANG", "TMPDIR")

_OURS = ("ANTHROPIC_", "OPENAI_", "E2B_", "FIXPOINT_", "GITHUB_", "SENTRY_")

FIXPOINT = str(Path(sys.executable).with_name("fixpoint"))


class Failed(Exception):
    """A measured program did not do its work, so its figures mean nothing."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process cost from its start to its end.

    Attributes:
        seconds: Wall time.
        cpu_seconds: Of it and of every process that it waited for.
        peak_bytes: Resident memory of the largest of these processes.
        exit_code: Of the process.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    exit_code: int


async def cost_of(
    *argv: str,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    exit_codes: Collection[int] = (0,),
) -> Cost:
    """Run a program in `folder` to its end.

    Raises:
        Failed: When it exits with another status than one of these; the text is its last words.
    """
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", str(_LAUNCHER), *argv),
        cwd=folder,
        env=clean_environment(environment or {}),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, said = await process.communicate()
    cost = Cost(**json.loads(out)) if out else None
    if cost is None or cost.exit_code not in exit_codes:
        raise Failed(f"{argv[0]}: {said.decode(errors='replace')[-2000:].strip()}")
    return cost


def processor_seconds(pid: int) -> float:
    """Return the processor time that the threads of a process had which still run.

    See https://docs.kernel.org/scheduler/sched-stats.html.
    """
    nanoseconds = 0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            nanoseconds += int((thread / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9


def clean_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a measured program: no keys and settings of whoever measures."""
    return {name: os.environ[name] for name in _PASSED_ON if name in os.environ} | dict(extra)


def without_settings() -> dict[str, str]:
    """Return our environment without settings of Fixpoint: those of package clients stay."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
