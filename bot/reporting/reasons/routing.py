"""Which model an attempt asks, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType

from bot.model.route import ModelStrength, RungRecord
from bot.reporting.example import example
from bot.reporting.figures import money
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


@example("claude-sonnet-5-5", "nothing makes the failure look easy or hard")
@example("claude-opus-5-5", "two attempts with claude-sonnet-5-5 brought no progress")
def chosen(model: str, why: str) -> str:
    """The model that the next attempt asks."""
    return f"The next attempt asks {model}: {why}."


@example(2, "claude-opus-5-5", "claude-sonnet-5-5 left no patch")
@example(2, "", "claude-sonnet-5-5 left no patch")
def asked(attempt: int, model: str, why: str) -> str:
    """Why an attempt asked its model; no model is named where none answered."""
    return f"Attempt {attempt} asked {model or 'another model'}: {why}."


@example([])
@example(["tool errors"])
@example(["many failures", "many files", "large files"])
def looks(signals: Sequence[str]) -> str:
    """How the failure looks before a model is asked for the first time."""
    if not signals:
        return "nothing makes the failure look easy or hard"
    return series([_LOOKS[one] for one in signals])


@example(RungRecord(ModelStrength.SMALL, 7, 6))
@example(RungRecord(ModelStrength.SMALL, 7, 6, merged=4, undone=1))
def mostly_accepted(record: RungRecord) -> str:
    """A smaller model was enough in earlier runs of the repository."""
    return (
        f"{record.accepted} of its last {record.tried} attempts in this repository were accepted"
        f"{_became(record)}"
    )


@example("claude-haiku-5-5", RungRecord(ModelStrength.SMALL, 6, 0))
@example("claude-haiku-5-5", RungRecord(ModelStrength.SMALL, 6, 4, undone=4))
def rarely_accepted(model: str, record: RungRecord) -> str:
    """The model that would have been asked rarely succeeds in this repository."""
    return (
        f"{record.accepted} of the last {record.tried} attempts with {model} in this repository "
        f"were accepted{_became(record)}"
    )


def _became(record: RungRecord) -> str:
    """Return what became of the accepted ones, as far as people have decided."""
    decided = [f"{record.merged} merged"] if record.merged else []
    decided += [f"{record.undone} closed or reverted"] if record.undone else []
    return f" ({', '.join(decided)})" if decided else ""


@example()
def made_progress() -> str:
    """The attempt before mended some of the failures."""
    return "its last patch mended some of the failures"


@example()
def once_more() -> str:
    """One patch in vain is no reason for a larger model."""
    return "its first patch didn't help, and it now knows why"


@example()
def nothing_larger() -> str:
    """The largest model was asked already."""
    return "no larger model is configured"


@example("claude-sonnet-5-5")
def no_patch(model: str) -> str:
    """The attempt before left no patch."""
    return f"{model} left no patch"


@example("claude-sonnet-5-5", 2)
def no_progress(model: str, attempts: int) -> str:
    """Patches of the smaller model mended nothing."""
    return f"{attempts} attempts with {model} brought no progress"


@example("claude-opus-5-5", Decimal("0.28"), Decimal("0.11"))
def not_covered(model: str, usd: Decimal | None, left: Decimal | None) -> str:
    """The money that is left doesn't cover a call of the model that should be asked."""
    return f"a call of {model} could cost {money(usd)}, and {money(left)} of the budget is left"
