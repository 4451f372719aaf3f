"""Does the patch work beside the inputs of the tests that it turns green?"""

from __future__ import annotations

from bot.apart import TooMuch, apart
from bot.model import GuardFinding
from bot.model.guard_rules import PatchRules, configured
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.findings import near_inputs_matter
from bot.repair.verification.generalisation import Reached
from bot.repair.verification.perturbation.perturbed_inputs import PerturbedInputs
from bot.repair.verification.perturbation.unneeded_conditions import UnneededConditions
from bot.repair.verification.question import PatchEvidence, Proved


async def reach(
    room: CleanRoom, evidence: PatchEvidence, findings: tuple[GuardFinding, ...]
) -> Reached:
    """Return how far the effect of a patch goes, as far as that can change what is said of it."""
    try:  # a program can be written so that reading it takes long
        matters = await apart(near_inputs_matter, findings, evidence.changes)
    except TooMuch:
        matters = True
    name, patch = evidence.name, evidence.patch
    near = PerturbedInputs(room)
    return await near.reach(name, patch, evidence.red, evidence.green, near_too=matters)


async def conditions(room: CleanRoom, rules: PatchRules, evidence: PatchEvidence) -> Proved:
    """Look for conditions that restrict the patch although no test needs them."""
    return Proved(configured(await UnneededConditions(room).findings(evidence), rules.guards))
