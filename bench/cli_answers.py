"""What the command line answers as JSON: asked once and kept, so that a bench can go on later."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.processes import FIXPOINT, without_settings


@dataclass(frozen=True, slots=True)
class CliAnswer:
    """What a command came to.

    Attributes:
        found: The JSON on its stdout; None where there is none.
        problem: Why there is none: its last line, or that its time was up.
        told: Its stderr.
    """

    found: dict[str, Any] | None
    problem: str = ""
    told: str = ""


def cli_answer(*arguments: str, scratch: Path, seconds: float) -> CliAnswer:
    """Run `fixpoint` with these arguments, its data in a folder, for at most so many seconds."""
    try:
        done = subprocess.run(
            (FIXPOINT, *arguments),
            env=without_settings() | {"FIXPOINT_DATA": str(scratch / "data")},
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return CliAnswer(None, "no answer in time")
    if not done.stdout.strip():
        problem = next(reversed(done.stderr.strip().splitlines()), "")
        return CliAnswer(None, problem, done.stderr)
    return CliAnswer(json.loads(done.stdout), told=done.stderr)


def kept_answer(file: Path | None, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what was answered, with `took`, the seconds; from its file if it was asked before."""
    if file is not None and file.exists():
        kept: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return kept
    began = time.perf_counter()
    found = ask() | {"took": time.perf_counter() - began}
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=2), "utf-8")
    return found
