"""Run the failing tests on inputs near their own, and tell what the program does there.

So patches that all pass are told apart: the tests say nothing more, what lies near them does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.model import Observation, Patch
from bot.repair.harness.client import driver_shell, question
from bot.repair.harness.driver.protocol import PATIENCE, Perturb
from bot.repair.harness.suite_command import suite_command
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.forgery.must_fail import doomed_by
from bot.repair.verification.tree_files import decided

_SECONDS = 5.0
"""Processor time for the variants of all tests."""

_GRACE = 30.0
"""For collecting the tests."""

_SEED = 20


@dataclass(frozen=True, slots=True)
class Record:
    """What one run of a test showed.

    Attributes:
        place: Which of its values was varied.
        inputs: Digest of what went from the test into the program.
        outputs: Digests of what came out, of what its assertions looked at, and of what its
            statements raised, in order.
    """

    place: str
    inputs: str
    outputs: tuple[str, ...]


Records = Mapping[str, Sequence[Record]]
"""By test: its run as it is, twice, and those of its variants."""


def records(answer: Mapping[str, Any]) -> Records:
    """Return what the driver in the sandbox told."""
    return {
        test: tuple(Record(text["place"], text["inputs"], tuple(text["outputs"])) for text in told)
        for test, told in answer.get("tests", {}).items()
    }


class PerturbedInputs:
    """Looks at the neighbourhood of failing tests: Python's pytest and unittest."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room

    async def behaviour(
        self, name: str, patch: Patch, red: Observation, green: Observation
    ) -> Records:
        """Return what the tests that a patch turned green show on inputs near their own.

        Nothing where the tests are in another language than Python, or are run in another way.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        tests = sorted(doomed_by(red, green))
        if not tests:
            return {}
        choose = partial(suite_command, green.command)
        command = await decided(choose, self._room.store, self._room.base_tree)
        if command is None:
            return {}
        asked = question(command, Perturb(tests, _SEED, _SECONDS))
        seconds = _SECONDS * PATIENCE + _GRACE
        told = await self._room.answer(name, patch, asked, driver_shell(command), seconds)
        return records(json.loads(told)) if told is not None else {}
