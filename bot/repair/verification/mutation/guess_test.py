"""Put the name that a rule replaced by a guess back: does a test notice?

A linter is content with any name that is defined. Where the unknown name stands again, a test that
runs the place fails; where none does, nothing shows that the guess is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ci.failure_identity import SubjectKind, identity_of
from bot.code.change import FileDiff
from bot.model import Guess, Observation, Patch
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import PatchEvidence

MOST = 5
"""Guesses of a patch that are tried, each with a run of the tests; the others stay unconfirmed."""


class GuessTest:
    """Tries the guesses of an accepted patch."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room

    async def unconfirmed(self, evidence: PatchEvidence) -> tuple[Guess, ...]:
        """Return the guesses that no test runs.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        name, patch, changes = evidence.name, evidence.patch, evidence.changes
        tests = [run for run in evidence.runs if run.ok and (run.passed or run.counts)]
        files = {change.path: change for change in changes}
        left = []
        for n, guess in enumerate(evidence.guesses):
            change = files.get(guess.file)
            data = without_guess(change, guess) if change is not None else None
            if (
                data is None
                or n >= MOST
                or not await self._noticed(f"{name}-guess-{n}", patch, {guess.file: data}, tests)
            ):
                left.append(guess)
        return tuple(left)

    async def _noticed(
        self, name: str, patch: Patch, files: dict[str, bytes], tests: Sequence[Observation]
    ) -> bool:
        for n, passing in enumerate(tests):
            seen = await self._room.observe_mutant(f"{name}-{n}", passing.command, patch, files)
            if any(identity_of(failure).kind is SubjectKind.TEST for failure in seen.named):
                return True
        return False


def without_guess(change: FileDiff, guess: Guess) -> bytes | None:
    """Return a patched file with the unknown name where it stood; None where it stands nowhere."""
    lines = list(change.lines_after)
    written = re.compile(rf"(?<!\w){re.escape(guess.written)}(?!\w)")
    for number in change.added.numbers:
        lines[number - 1] = written.sub(guess.unknown, lines[number - 1])
    return "\n".join(lines).encode() if lines != change.lines_after else None
