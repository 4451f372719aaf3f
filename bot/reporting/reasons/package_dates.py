"""How installing packages as of a date went."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from bot.reporting.example import example
from bot.reporting.series import series

_HOSTS = 5
_CHECK = "test"
_RAN = datetime(2023, 11, 8, 12, 30, tzinfo=UTC)


@example(["pypi.example.com"])
@example(["pypi.example.com", "npm.example.com"])
def undated(hosts: Sequence[str]) -> str:
    """Package indexes tell no upload times."""
    names = series([f"`{host}`" for host in hosts], most=_HOSTS)
    verb = "does" if len(hosts) == 1 else "do"
    return (
        f"{names} {verb} not say when packages were uploaded, so newer packages were not left out."
    )


LEFT_TO_CLIENTS = (
    "This kind of sandbox leaves package dates to the package clients: only uv, npm, and pip "
    "from 26.0 leave newer packages out."
)


@example(_RAN)
def commit_is_old(moment: datetime) -> str:
    return (
        f"This ran with today's packages. The commit is from {moment:%Y-%m-%d}; `--as-of commit` "
        "uses the packages of that day."
    )


@example("3.11", _RAN)
def python_of_day(version: str, moment: datetime) -> str:
    return (
        f"The packages are those of {moment:%Y-%m-%d}, so Python {version} or older is used if it "
        "is installed here."
    )


@example("18", _RAN)
def node_of_day(version: str, moment: datetime) -> str:
    return (
        f"The packages are those of {moment:%Y-%m-%d}, so Node.js {version}, which was current then, "
        "is installed if the one here is newer."
    )


@example(_CHECK, _RAN)
def trying_as_of(check: str, moment: datetime) -> str:
    return (
        f"`{check}`: GitHub's failure does not show with today's packages. Trying those of "
        f"{moment:%Y-%m-%d}, the day of the run."
    )


@example(_CHECK, _RAN)
def trying_for_less(check: str, moment: datetime) -> str:
    return (
        f"`{check}`: with today's packages, more fails here than on GitHub. Trying those of "
        f"{moment:%Y-%m-%d}, the day of the run."
    )


@example(_CHECK, _RAN)
def trying_for_skipped(check: str, moment: datetime) -> str:
    return (
        f"`{check}`: the repair has to pass steps that GitHub skipped. Trying the packages of "
        f"{moment:%Y-%m-%d}, the day of the run, because newer ones may find more in them."
    )


@example(_RAN)
def skipped_as_of(moment: datetime) -> str:
    return (
        f"The repair uses the packages of {moment:%Y-%m-%d}, the day of the run, because it has to "
        "pass steps that GitHub skipped."
    )


@example(_CHECK, _RAN)
def less_as_of(check: str, moment: datetime) -> str:
    return (
        f"With today's packages, `{check}` fails with more than on GitHub; the repair uses those of "
        f"{moment:%Y-%m-%d}, the day of the run."
    )


@example(_CHECK, _RAN)
def fails_as_of(check: str, moment: datetime) -> str:
    return (
        f"With today's packages, `{check}` does not fail as on GitHub; with those of "
        f"{moment:%Y-%m-%d}, the day of the run, it does. The repair uses the latter."
    )


@example(_RAN)
def not_then_either(moment: datetime) -> str:
    """Today's packages do not show GitHub's failure; what those of the run's day show follows."""
    return f"With the packages of {moment:%Y-%m-%d}, the day of the run:"


@example("pytest -q", _RAN)
def trying_commit(command: str, moment: datetime) -> str:
    return (
        f"`{command}` does not get far with today's packages. Trying those of {moment:%Y-%m-%d}, "
        "the day of the commit."
    )


@example(_RAN)
def commit_used(moment: datetime) -> str:
    return (
        "With today's packages, less of the project can be tested; the repair uses those of "
        f"{moment:%Y-%m-%d}, the day of the commit, as `--as-of commit` does."
    )


@example("pytest -q", _RAN)
def commit_passes(command: str, moment: datetime) -> str:
    return (
        f"With the packages of {moment:%Y-%m-%d}, the day of the commit, `{command}` passes: newer "
        "packages make it fail."
    )
