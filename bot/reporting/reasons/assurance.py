"""How sure a search is of its patch, what speaks against it, and which test would decide."""

from __future__ import annotations

from bot.model import Guess
from bot.model.assurance import Assurance, Witnesses
from bot.model.mutation import MutantResults, Survivor
from bot.reporting.example import example
from bot.reporting.figures import count

_ASSURANCE = Assurance(
    0.42, 0.8, Witnesses(6, 2, 1, 0.5, 3, 1, 0.9, 40, 900),
    ("Another patch passes the same tests and may behave differently.",),
)  # fmt: skip
_SURVIVORS = (Survivor("src/a.py", 3, "has `<` instead of `<=`"),)


@example(0.91, 0.8)
def likely(probability: float, required: float) -> str:
    return (
        f"Estimated probability that the patch is right: {probability:.0%} "
        f"({required:.0%} required)."
    )


@example(MutantResults(2, _SURVIVORS))
@example(MutantResults(2, _SURVIVORS * 3))
def survivors(results: MutantResults) -> str:
    return (
        f"The tests hardly constrain the changed lines: {len(results.survivors)} of "
        f"{count(results.total, 'mutant')} pass too."
    )


NO_MUTANTS = "It is unknown how much the tests constrain the changed lines."


@example(1)
@example(4)
def rivals(patches: int) -> str:
    """Other patches pass as well, and are as likely."""
    if patches == 1:
        return "Another patch passes the same tests and may behave differently."
    return f"{patches:,} other patches pass the same tests and may behave differently."


ONLY_FAILING_TESTS = "No test that passed before runs the changed place."


@example(1)
@example(3)
def neighbours(answers: int) -> str:
    """A little more of the same change passes as well: another number, operator or name."""
    if answers == 1:
        return "A slightly different patch passes the same tests and gives other results."
    return (
        f"Slightly different patches pass the same tests and give {answers} other sets of results."
    )


NOTHING_COMPARED = "It is unknown which other results the patch changes: none could be compared."


@example(0)
@example(1)
@example(4)
def vague(answers: int) -> str:
    """Whatever gives this answer passes: a constant, a formula for one number, an early return."""
    if not answers:
        return "Of the results that were compared, the patch changes none that the tests check."
    many = "only 1 of the results"
    if answers > 1:
        many = f"{answers} of the results, all of them the same,"
    return f"The tests check {many} that the patch changes, which says little."


@example(140, of=150, known=1)
def shifting(answers: int, *, of: int, known: int) -> str:
    """The patch changes most results, and tests say what a few of them are to be."""
    return (
        f"The patch changes {answers:,} of {count(of, 'result')} that were compared, and the tests "
        f"check {known:,} of them."
    )


@example(1, of=1)
@example(5, of=7)
def silenced(statements: int, *, of: int) -> str:
    """The patch may pass only because code that failed is no longer run."""
    many = "the one other statement" if of == 1 else f"{statements} of the {of} other statements"
    return f"Without the patch, the failing tests also run {many} in that function; with it, no test does."


@example("price(count=1)", patch="3", other="4")
@example("price(count=1)", patch="3", other=None)
def deciding_input(call: str, *, patch: str | None, other: str | None) -> str:
    """A test of that input would tell the patch from another one that passes."""
    mine, theirs = (f"`{item}`" if item else "no result in time" for item in (patch, other))
    return (
        f"A test of `{call}` would decide: it gives {mine} with this patch, and {theirs} with "
        "another one that passes."
    )


@example(_SURVIVORS[0])
def deciding_mutant(survivor: Survivor) -> str:
    return f"A test that fails when `{survivor.file}:{survivor.line}` {survivor.says} would decide."


@example(_ASSURANCE)
def hint(assurance: Assurance) -> str:
    """Why a patch that passes was not accepted, for whoever tries next."""
    said = (
        "It passes all tests and may even be right, but the tests say too little of it: its "
        f"estimated probability is {assurance.probability:.0%}. Make the same change again if you "
        "find that it is right."
    )
    return " ".join(filter(None, (said, *assurance.doubts, assurance.deciding)))


@example(Guess("src/a.py", "get_thing", "set_thing"))
def unconfirmed(guess: Guess) -> str:
    return (
        f"No test runs the place in `{guess.file}` where `{guess.unknown}` became "
        f"`{guess.written}`: the name is a guess from its spelling."
    )


NOT_DELIVERED = (
    "Nothing was changed, because the patch is only suggested: check it, then apply it yourself."
)
