"""How the release was looked for that tests fail since."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.reporting.example import example
from bot.reporting.series import series

_MOST = 6
_DAY = datetime(2023, 11, 8, tzinfo=UTC)

ABSENT = "absent"
AGAIN = "again"
BEFORE_UPDATE = "before the update"
NO_PYTHON = "What is installed there can't be told, so no release was looked for."
FAILS_BEFORE_UPDATE = (
    "The tests fail with the packages from before the update too, so the update is not the cause."
)
UNCLEAR_BEFORE_UPDATE = "With the packages from before the update, the tests don't pass each time, or fail for another reason."
UNCLEAR = "The failing tests did not run there, or fail at one time and pass at another."
OTHERWISE = "The tests fail there for another reason."
FAILS_OTHERWISE_WITHOUT = "Without it the tests fail as well, for another reason."
NOT_INSTALLABLE = "Nothing could be installed as of that moment."
PASSES = "The tests pass there."
NO_UPLOAD_TIMES = "The package index told no upload times, so no release could be looked for."
NEVER_GREEN = "No earlier day was found with whose packages the tests pass."
VARIES = "With the same packages, the tests fail at one time and pass at another."
NO_TIME_FOR_PROOF = "The time was up before the tests ran often enough with it and without it."
NOT_ALONE = "It decides only together with other releases."
RELEASES_SKIPPED = "Between the two there are releases that could not be installed or tested."


@example(_DAY)
def nothing_newer(moment: datetime) -> str:
    """What is installed was there before the commit."""
    return (
        f"All packages that are installed were uploaded before {moment:%Y-%m-%d %H:%M}, "
        "so no later release is the cause."
    )


@example(_DAY, PASSES)
def with_packages_of(moment: datetime, why: str) -> str:
    """Nothing can be concluded from what these packages show."""
    return f"With the packages of {moment:%Y-%m-%d}: {why}"


@example(_DAY)
def fails_with_packages_of(moment: datetime) -> str:
    return f"The tests fail with the packages of {moment:%Y-%m-%d} too, so no later release is the cause."


@example(["attrs", "idna"])
def no_package_decides(names: Sequence[str]) -> str:
    """What could be installed of the older versions does not make the tests pass."""
    shown = series([f"`{name}`" for name in names], most=_MOST)
    return (
        f"No older versions of {shown} were found that make the tests pass."
        if names
        else NEVER_GREEN
    )


@example(["attrs", "idna"])
def do_not_decide(names: Sequence[str]) -> str:
    """Packages whose new versions do no harm."""
    shown = series([f"`{name}`" for name in names], most=_MOST)
    return f"With the newer versions of {shown} alone, the tests pass."


@example(_DAY, datetime(2024, 2, 1, tzinfo=UTC), ["attrs", "idna"])
def between(green: datetime, red: datetime, names: Sequence[str]) -> str:
    """The time was up before one release was left."""
    shown = series([f"`{name}`" for name in names], most=_MOST)
    return f"The cause lies between {green:%Y-%m-%d} and {red:%Y-%m-%d}, among {shown}."


@example(2, 1)
def too_few_runs(failed: int, passed: int) -> str:
    """A proof lacks runs."""
    return (
        f"The tests failed {failed} times with it and passed {passed} times without it; "
        "a proof takes two of each."
    )
