"""What parts of the agent cost in tokens: the same scripted repair with each of them turned off.

    python -m bench.parts

The model does the same 40 steps each time, so that a part shows what it adds to requests and nothing
of what it is good for: only a real model could show that. The peer's line is not run here.
"""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from bench.agent import WORKS, billed, fix_once
from bench.tables import print_machine, print_table
from tests.fakes.model import Counts, ModelServer

PARTS = {
    "as it is": "",
    "without the repository map": "tools: {map_tokens: 0}",
    "without `try_edits`": "tools: {try_edits: false}",
    "without `search_code`": "tools: {named: {search_code: deny}}",
    "without notes and plan": "tools: {named: {notes: deny}}",
    "without parallel reads": "tools: {parallel: false}",
    "without pruning": "tools: {pruning: false}",
    "without references to earlier results": "tools: {refer_back: false}",
    "without recovery": "recovery: false",
    "without memory": "memory: {enabled: false}",
}
"""What is turned off, and by which line of `.github/fixpoint.yml`."""


async def main() -> None:
    """Print the table."""
    counts = {name: await _counted(line) for name, line in PARTS.items()}
    whole = billed(counts["as it is"])
    rows = [
        (name, f"{len(count)}", f"{billed(count):,.0f}", f"{billed(count) / whole - 1:+.1%}")
        for name, count in counts.items()
    ]
    work = WORKS[0]
    heads = ("", "requests", "billed", "against it")
    print_table(f"{work.steps} steps: {work.title}", heads, rows)


async def _counted(line: str) -> list[Counts]:
    """Return the tokens of each request, with a line more in the repository's config."""

    def made(folder: Path) -> Path:
        repository = WORKS[0].make(folder)
        with (repository / ".github" / "fixpoint.yml").open("a") as config:
            config.write(f"{line}\n")
        who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        commit = ("git", *who, "commit", "--quiet", "--all", "--allow-empty", "--message=config")
        subprocess.run(commit, cwd=repository, check=True)
        return repository

    with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as place:
        async with ModelServer(WORKS[0].said, keep=False) as model:
            await fix_once(replace(WORKS[0], make=made), Path(place), model)
            return model.counts


if __name__ == "__main__":
    print_machine()
    asyncio.run(main())
