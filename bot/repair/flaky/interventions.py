"""What is changed around a process in which tests run, one thing at a time. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model.flaky import FlakyClass
from bot.repair.harness.client import STEADY

_ZONES = "/usr/share/zoneinfo"


@dataclass(frozen=True, slots=True)
class Intervention:
    """One thing that is different for a process, and nothing else.

    Attributes:
        flaky_class: What a test is whose outcome it decides.
        front: Stands before the command, in a shell.
        needs: A shell command that succeeds where it can be tried; empty: everywhere.
        package: What brings that, as Debian calls it.
    """

    flaky_class: FlakyClass
    front: str
    needs: str = ""
    package: str = ""


def _clock(moment: str, zone: str = "") -> Intervention:
    front = f"faketime '{moment}'"
    if zone:
        front = f"TZ={zone} {front}"
    return Intervention(FlakyClass.TIME, front, "command -v faketime", "faketime")


def _zone(name: str) -> Intervention:
    return Intervention(FlakyClass.TIME, f"TZ={name}", f"test -e {_ZONES}/{name}", "tzdata")


INTERVENTIONS: tuple[Intervention, ...] = (
    Intervention(FlakyClass.SEED, "PYTHONHASHSEED=1"),
    Intervention(FlakyClass.SEED, "PYTHONHASHSEED=271828"),
    Intervention(FlakyClass.SEED, "PYTHONHASHSEED=3141592653"),
    _zone("Asia/Kolkata"),
    _zone("America/New_York"),
    _zone("Pacific/Kiritimati"),
    _clock("2037-06-17 12:00:00"),  # ten years ahead
    _clock("2018-06-13 12:00:00"),
    _clock("2028-02-29 12:00:00"),  # a leap day
    _clock("2027-01-31 12:00:00"),  # the end of a month
    _clock("2027-12-31 23:58:00"),  # shortly before another day, month and year
    _clock("2027-03-28 01:30:00", "Europe/Berlin"),  # before an hour that is left out
    _clock("2027-10-31 01:30:00", "Europe/Berlin"),  # before an hour that comes twice
    Intervention(FlakyClass.ENVIRONMENT, "LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0"),
    Intervention(FlakyClass.ENVIRONMENT, "LC_ALL=C.UTF-8 PYTHONUTF8=1"),
    Intervention(FlakyClass.ENVIRONMENT, "umask 077 &&"),
    Intervention(FlakyClass.ENVIRONMENT, "umask 000 &&"),
)
"""Cheapest and likeliest first; the orders of tests go before all of them, as they need one process."""


def at_commit(date: str) -> Intervention:
    """Return the clock of the day on which a commit was made: a test may have expired since.

    Args:
        date: Of the commit, as `2024-03-31`.
    """
    return _clock(f"{date} 12:00:00")


def in_front(intervention: Intervention) -> str:
    """Return what stands before the driver's Python: its hashes are steady unless they are changed."""
    steady = STEADY if intervention.flaky_class is not FlakyClass.SEED else ""
    if "faketime" in intervention.front:
        return f"{intervention.front} env {steady}".strip()
    return f"{intervention.front} {steady}".strip()
