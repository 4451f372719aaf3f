"""What a repair does about the release since which tests fail."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.culprit import (
    ApiChange,
    ApiChangeKind,
    Certainty,
    ChangeEvent,
    Culprit,
    EventKind,
    RunCounts,
    VersionBound,
)
from bot.reporting.example import example
from bot.reporting.markdown import code, escape
from bot.reporting.what_changed import api_change, both_sides, release_of

_GONE = ApiChange(
    ApiChangeKind.REMOVED,
    "werkzeug.security.safe_str_cmp",
    instead=("hmac.compare_digest",),
    uses=(("flask_httpauth.py", 17),),
)
_BROKEN = Culprit(
    ChangeEvent(EventKind.RELEASE, "lxml", "5.1.1", "5.2.0", date="2024-03-30T00:00:00+00:00"),
    Certainty.PROVEN,
    (),
    RunCounts(6),
    RunCounts(passed=6),
    bound=VersionBound("lxml<5.2", "", RunCounts(passed=2)),
)


@example(_GONE, "hmac.compare_digest")
def trying(change: ApiChange, instead: str) -> str:
    """What the release changed is tried on the code that uses it."""
    becomes = f" becomes {instead}" if instead else ""
    return f"Adapting to the release: {change.name} ({change.kind.value}){becomes}."


def _opening(culprit: Culprit) -> str:
    proof = both_sides(
        culprit.with_it.failed,
        culprit.with_it.failed + culprit.with_it.passed,
        culprit.without_it.passed,
        culprit.without_it.failed + culprit.without_it.passed,
    )
    release = escape(release_of(culprit))
    return f"The tests fail since {release}. All other packages at the same versions, {proof}"


@example(_BROKEN)
def required(culprit: Culprit) -> str:
    """The pull request declares what is required of a package."""
    requirement = culprit.bound.requirement if culprit.bound is not None else ""
    if culprit.bound is not None and not culprit.bound.keeps_out:
        return (
            f"{code(requirement)} is required: a part of it is an extra now.\n\n{_opening(culprit)}"
        )
    event = culprit.event
    return (
        f"{code(requirement)} keeps the release out.\n\n{_opening(culprit)}\n\nThe bound can go once "
        f"the code works with {code(event.name)} {event.after}, or a later release mends it: take it "
        "out, and see the tests pass."
    )


@example(_BROKEN, [_GONE])
def adapted_to(culprit: Culprit, changes: Sequence[ApiChange]) -> str:
    """The pull request adapts the code: what it does comes first, the cause stands elsewhere as well."""
    event = culprit.event
    listed = "\n".join(f"- {escape(api_change(change), starts_line=False)}" for change in changes)
    return (
        f"The code is adapted to {code(event.name)} {event.after}.\n\n{_opening(culprit)}\n\n"
        f"What that changed for this code:\n\n{listed}"
    )
