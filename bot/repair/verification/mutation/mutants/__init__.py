"""Small faults in the lines that a patch changes: tests that miss them say little of the patch."""

from bot.repair.verification.mutation.mutants.lines import (
    changed_lines,
    mutants_of_change,
)
from bot.repair.verification.mutation.mutants.mutant import Mutant
from bot.repair.verification.mutation.mutants.spread import mutants_of

__all__ = ["Mutant", "changed_lines", "mutants_of", "mutants_of_change"]
