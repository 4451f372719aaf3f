"""Which model an attempt asks, how attempts ended, and why one of several patches was taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from bot.model.route import ModelStrength, RungRecord
from bot.reporting.example import example
from bot.reporting.figures import cap, money
from bot.reporting.series import series

_LOOKS: Mapping[str, str] = MappingProxyType(
    {
        "tool errors": "only a tool's errors are left",
        "suspicious lines": "a search found suspicious lines",
        "partial patch": "a partial patch exists",
        "many failures": "many tests fail",
        "many files": "the failures are in many files",
        "large files": "the files are large",
        "no test": "no test of the project showed the problem",
        "no end": "the failing command doesn't end",
    }
)


@example("claude-sonnet-5-5", "nothing suggests that the failure is easy or hard")
@example("claude-opus-5-5", "two attempts with claude-sonnet-5-5 brought no progress")
def chosen(model: str, why: str) -> str:
    return f"The next attempt asks {model}: {why}."


@example(2, "claude-opus-5-5", "claude-sonnet-5-5 left no patch")
@example(2, "", "claude-sonnet-5-5 left no patch")
def asked(attempt: int, model: str, why: str) -> str:
    return f"Attempt {attempt} asked {model or 'another model'}: {why}."


@example([])
@example(["tool errors"])
@example(["many failures", "many files", "large files"])
def looks(signals: Sequence[str]) -> str:
    """How the failure looks before a model is asked for the first time."""
    if not signals:
        return "nothing suggests that the failure is easy or hard"
    return series([_LOOKS[signal] for signal in signals])


@example(RungRecord(ModelStrength.SMALL, 7, 6))
@example(RungRecord(ModelStrength.SMALL, 7, 6, merged=4, undone=1))
def mostly_accepted(record: RungRecord) -> str:
    return (
        f"{record.accepted} of its last {record.tried} attempts in this repository were accepted"
        f"{_became(record)}"
    )


@example("claude-haiku-5-5", RungRecord(ModelStrength.SMALL, 6, 0))
@example("claude-haiku-5-5", RungRecord(ModelStrength.SMALL, 6, 4, undone=4))
def rarely_accepted(model: str, record: RungRecord) -> str:
    return (
        f"{record.accepted} of the last {record.tried} attempts with {model} in this repository "
        f"were accepted{_became(record)}"
    )


def _became(record: RungRecord) -> str:
    """Return what became of the accepted ones, as far as people have decided."""
    decided = [f"{record.merged} merged"] if record.merged else []
    decided += [f"{record.undone} closed or reverted"] if record.undone else []
    return f" ({', '.join(decided)})" if decided else ""


MADE_PROGRESS = "its last patch mended some of the failures"
ONCE_MORE = "its first patch didn't help, and it now knows why"
NOTHING_LARGER = "no larger model is configured"


@example("claude-sonnet-5-5")
def no_patch(model: str) -> str:
    return f"{model} left no patch"


@example("claude-sonnet-5-5", 2)
def no_progress(model: str, attempts: int) -> str:
    return f"{attempts} attempts with {model} brought no progress"


@example("claude-opus-5-5", Decimal("0.28"), Decimal("0.11"))
def not_covered(model: str, usd: Decimal | None, left: Decimal | None) -> str:
    return f"a call of {model} could cost {money(usd)}, and {money(left)} of the budget is left"


@example(2, 4, Decimal("0.50"))
@example(1, 3, None)
def begun(first: int, last: int, share: Decimal | None) -> str:
    """Attempts begin side by side, each with its share of what is left."""
    told = f"Attempts {first} to {last} are made side by side"
    return f"{told}." if share is None else f"{told}, each with {cap(share)} of the budget."


@example(2)
def stopped(accepted: int) -> str:
    return f"Stopped, because attempt {accepted} was accepted first."


@example(3, "smallest patch")
def preferred(chosen: int, why: str) -> str:
    return f"attempt {chosen} was preferred: {why}"


ONLY_ONE = "no other patch passes"
PASSES_TESTS = "it passes more of the other attempts' tests"
AGREES = "it behaves like most of the others where they differ"
LEAVES_LESS = "it leaves less for a person to check"
NOTICES_MORE = "the tests cover its lines better"
SMALLEST = "smallest patch"
FIRST = "first of equals"


@example("mechanical", "No formatter or linter is configured.")
def nothing_found(proposer: str, summary: str) -> str:
    return f"{proposer}: {summary}"
