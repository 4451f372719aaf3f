"""Run `fixpoint fix` on a case, as its users do."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import Case
from bench.processes import FIXPOINT, without_settings
from tests.fakes.model import ModelServer


@dataclass(frozen=True, slots=True)
class CaseRun:
    """One run that ended.

    Attributes:
        exit_code: Of the program.
        report: What `--json` printed; None where that is no JSON.
        said: On stderr.
    """

    exit_code: int
    report: dict[str, Any] | None
    said: str


def variables(scratch: Path, model: ModelServer | None = None) -> dict[str, str]:
    """Return the environment of a run: data of its own, and a scripted model or none."""
    own = without_settings() | {"FIXPOINT_DATA": str(scratch / "data")}
    if model is None:
        return own
    return own | {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": model.anthropic_url}


async def run_case(
    case: Case, folder: Path, environment: Mapping[str, str], *options: str
) -> CaseRun:
    """Let the command line work on a case that is checked out in `folder`, to its end."""
    process = await asyncio.create_subprocess_exec(
        *(FIXPOINT, "fix", str(folder), *case.options, *options, "--json"),
        env=environment,
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=PIPE,
    )
    out, said = await process.communicate()
    return CaseRun(await process.wait(), _report(out), said.decode("utf-8", "replace"))


def _report(out: bytes) -> dict[str, Any] | None:
    try:
        report: dict[str, Any] = json.loads(out)
    except ValueError:
        return None
    return report
