"""Read from the project's files what is its own, what it expects to run beside it, and what to download."""

from __future__ import annotations

from functools import cache, partial

from bot.ci.workflow.services.missing_services import described_ports
from bot.ecosystems.tree import DirectoryTree, Tree
from bot.repair.goal.environment import Surroundings, download_commands
from bot.repair.repair_context import RepairContext

_TELL = (
    ".github/workflows/*.y*ml", "tox.ini", "noxfile.py", "Makefile", "justfile", "package.json",
    "pyproject.toml", "Dockerfile", "CONTRIBUTING*", "README*",
)  # fmt: skip
"""Files that say how a project is set up, those that machines read first."""


async def surroundings_of(context: RepairContext) -> Surroundings:
    """Return what the prepared tree tells of them."""
    paths = await context.source.store.paths(context.prepared.tree)
    parts = {part.removesuffix(".py") for path in paths for part in path.split("/")}
    tree = DirectoryTree(context.source.directory)
    return Surroundings(
        parts.__contains__,
        cache(partial(described_ports, tree)),
        cache(partial(_downloads, tree)),
        any("download" in command for command in context.commands.setup),
    )


def _downloads(tree: Tree) -> tuple[str, ...]:
    texts = (tree.read(path) or "" for glob in _TELL for path in tree.glob(glob))
    return tuple(command for text in texts for command in download_commands(text))
