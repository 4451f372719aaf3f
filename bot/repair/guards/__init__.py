"""Decide what in a patch a maintainer would want to know before trusting it.

All of it is pure. Each module knows one family of cheats, and `examine` asks them all.
"""

from bot.code.files import is_restored, is_test_file
from bot.repair.guards.paths import (
    ALWAYS_PROTECTED,
    on_request,
    outside_allowed,
    path_findings,
    protected_paths,
    restored,
    steering,
)

__all__ = [
    "ALWAYS_PROTECTED",
    "is_restored",
    "is_test_file",
    "on_request",
    "outside_allowed",
    "path_findings",
    "protected_paths",
    "restored",
    "steering",
]
