"""Do the tests notice faults in what the patch changes?"""

from __future__ import annotations

from bot.model.guard_rules import PatchRules, configured, found
from bot.repair.test_proof import is_weak
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import PatchEvidence, Proved
from bot.repair.verification.mutation.guess_test import GuessTest
from bot.repair.verification.mutation.wrong_fix_test import WrongFixTest
from bot.reporting.reasons import verification as reasons


async def guesses(room: CleanRoom, _: PatchRules, evidence: PatchEvidence) -> Proved:
    """Put the names back that a rule replaced by guesses."""
    return Proved(unconfirmed=await GuessTest(room).unconfirmed(evidence))


async def wrong_fixes(room: CleanRoom, rules: PatchRules, evidence: PatchEvidence) -> Proved:
    """Try tests that were written first on wrong fixes."""
    results = await WrongFixTest(room).results(evidence)
    if results is None or not is_weak(results):
        return Proved(wrong_fixes=results)
    first = results.survivors[0]
    said = reasons.accepts_all(results.total, f"{first.file}:{first.line}")
    weak = configured([found("tests-weak", said, first.file, first.line)], rules.guards)
    return Proved(weak, wrong_fixes=results)
