"""Draw the repository's map for the first proposer that reads one: once in a run."""

from __future__ import annotations

from bot.model import Observation
from bot.model.proposers import ProposerTraits
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run

_TOLD_CHARACTERS = 20_000


async def map_repository(run: Run, context: RepairContext, who: ProposerTraits) -> None:
    """Have the map ready for `who`, if it reads one and the repository wants one."""
    index, tokens, known = run.tools.symbols, run.job.tool_rules.map_tokens, run.known
    if index is None or not tokens or not who.reads_map or known.repository_map is not None:
        return
    known.repository_map = await run.steps(
        "map the repository",
        index.draw, context.source.store, context.prepared.tree, _told(run), tokens,
    )  # fmt: skip


def _told(run: Run) -> str:
    """Return what is known of the failure: it names the files and names that matter."""
    problem, reproduction = run.job.problem, run.known.reproduction
    seen = reproduction.observation if reproduction is not None else None
    parts = (problem.title, problem.instructions, problem.body, _failures(seen), run.known.clues)
    return "\n".join(parts)[:_TOLD_CHARACTERS]


def _failures(seen: Observation | None) -> str:
    if seen is None:
        return ""
    said = [
        f"{failure.test} {failure.file or ''}\n{failure.message}\n{failure.detail}"
        for failure in seen.failing
    ]
    return "\n".join(said) or seen.output
