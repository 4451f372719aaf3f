"""Read from the project's files what is its own, and what it expects to run beside it."""

from __future__ import annotations

from functools import cache, partial

from bot.ci.workflow.services.missing_services import described_ports
from bot.ecosystems.tree import DirectoryTree
from bot.repair.goal.environment import Surroundings
from bot.repair.repair_context import RepairContext


async def surroundings_of(context: RepairContext) -> Surroundings:
    """Return what the prepared tree tells of them."""
    paths = await context.source.store.paths(context.prepared.tree)
    parts = {part.removesuffix(".py") for path in paths for part in path.split("/")}
    tree = DirectoryTree(context.source.directory)
    return Surroundings(parts.__contains__, cache(partial(described_ports, tree)))
