"""The harness to be leaner than: mini-swe-agent, in a virtual environment of its own."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from bench.processes import Cost, Failed, cost_of
from bench.task import MODEL, TASK

VERSION = "2.4.6"
_PACKAGES = (f"mini-swe-agent=={VERSION}", "mcp")  # litellm needs mcp and does not ask for it


async def install() -> str | None:
    """Install it into the user's cache unless it is there; return its program, or None.

    About 700 MB, once. It can't be had without a package index.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = cache / "fixpoint" / f"mini-swe-agent-{VERSION}"
    program = folder / "bin" / "mini"
    if program.is_file():
        return str(program)
    uv = str(Path(sys.executable).with_name("uv"))
    python = str(folder / "bin" / "python")
    install = (uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python)
    for argv in ((uv, "venv", "--quiet", "--clear", str(folder)), (*install, *_PACKAGES)):
        process = await asyncio.create_subprocess_exec(*argv)
        if await process.wait():
            return None
    return str(program)


async def run(
    program: str,
    repository: Path,
    model_url: str,
    home: Path,
    *,
    model: str = MODEL,
    task: str = TASK,
) -> Cost:
    """Let it work on the repository without asking anybody; commands run outside any sandbox."""
    environment = {
        "HOME": str(home),
        "OPENAI_API_KEY": "none",
        "MSWEA_CONFIGURED": "true",
        "MSWEA_SILENT_STARTUP": "1",
        "MSWEA_COST_TRACKING": "ignore_errors",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    result = home / "trajectory.json"
    cost = await cost_of(
        *(program, "-y", "--exit-immediately", "-l", "0", "-m", f"openai/{model}"),
        *("-c", "mini.yaml", "-c", f"model.model_kwargs.api_base={model_url}"),
        *("-t", task, "-o", str(result)),
        folder=repository,
        environment=environment,
    )
    if '"Submitted"' not in result.read_text():
        raise Failed("mini-swe-agent ended without submitting.")
    return cost
