"""The smallest part of a change: nothing that is left can be left out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bot.repair.culprit.commit_parts import smallest


@pytest.mark.parametrize("needed", [{0}, {7}, {2, 3}, {0, 7}, {1, 4, 6}, set(range(8))])
async def test_only_what_decides_is_left(needed: set[int]) -> None:
    """Wherever it stands, alone or together; with fewer tries than there are sets."""
    tries = []

    async def decide(some: Sequence[int]) -> bool:
        tries.append(some)
        return needed <= set(some)

    assert set(await smallest(range(8), decide)) == needed
    assert len(tries) <= 64
