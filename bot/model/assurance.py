"""How sure it is that a patch is right, beyond that every test passes with it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model.mutation import MutantResults


@dataclass(frozen=True, slots=True)
class Witnesses:
    """What speaks for and against a patch that a search found.

    Attributes:
        mutants: Small faults that were put into the changed lines.
        caught: Those that the tests notice.
        rivals: Other patches that pass as well, and that no input that was tried shows to behave the same.
        share: Of the weight of all plausible patches, what this one and those like it have: 0 to 1.
        passing: Tests that run the changed place and passed before as well.
        failing: Tests that it fixes.
        weight: How typical the edit is: 0 to 1.
        rank: Edits that were likelier and did not pass.
        lines: Of the files that failing tests run: the more, the more places for a lucky edit.
        reached: Other statements of the changed function that failing tests ran before.
        silenced: Those of them that no test runs with the patch.
        compared: Inputs of tests, and others near them, that the function answered before.
        shifted: Those of them that it answers differently with the patch.
        neighbours: Different answers that small further changes of the patch give, and pass as well.
        turned: Inputs of the tests whose answer the patch changes.
        outcomes: Different numbers and words in its answers to these.
    """

    mutants: int
    caught: int
    rivals: int
    share: float
    passing: int
    failing: int
    weight: float
    rank: int
    lines: int
    reached: int = 0
    silenced: int = 0
    compared: int = 0
    shifted: int = 0
    neighbours: int = 0
    turned: int = 0
    outcomes: int = 0


@dataclass(frozen=True, slots=True)
class Assurance:
    """How sure a proposer is of its patch.

    Attributes:
        probability: That it is right: 0 to 1.
        required: Below that, it is only suggested.
        witnesses: What the probability comes from.
        doubts: What speaks against it, one sentence each.
        deciding: Which test would decide whether it is right, as a sentence, or "".
        mutants: What the tests notice of small faults in the changed lines, or None.
    """

    probability: float
    required: float
    witnesses: Witnesses
    doubts: tuple[str, ...] = ()
    deciding: str = ""
    mutants: MutantResults | None = None

    @property
    def enough(self) -> bool:
        """Whether the patch may be called a repair."""
        return self.probability >= self.required
