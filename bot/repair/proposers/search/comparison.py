"""Ask how plausible candidates behave on inputs that no test has, where trying did not tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bot.repair.proposers.search.laboratory import Laboratory, Unanswered
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.validate import Trials

_SECONDS = 15.0
COMPARISON: Mapping[str, float] = MappingProxyType({
    "seconds": _SECONDS, "seed": 0, "patience": 2.0,
})  # fmt: skip
"""How candidates are compared: seconds at most, of one test at most, and the chance.

What is tried in one go is compared in that process; the rest takes a question of its own.
"""


async def compare(
    lab: Laboratory, trials: Trials, comparable: Sequence[Candidate], n: int
) -> tuple[dict[str, Any], float]:
    """Return inputs and behaviour of candidates of one function, and the seconds that it took.

    Args:
        lab: Where they are run.
        trials: With what is known of the tests.
        comparable: The candidates.
        n: Tells this question from others of the same search.

    Raises:
        Unanswered: When they can't be compared.
    """
    queue = sorted(comparable, key=lambda one: one.number)
    asked = {**trials.request(queue), "compare": dict(COMPARISON)}
    answer = await lab.ask(f"compare {n}", "compare", _SECONDS, **asked)
    if answer["compared"] is None:
        raise Unanswered("There are no two candidates to compare.")
    return answer["compared"], answer["seconds"]
