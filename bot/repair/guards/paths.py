"""Decide where a patch may go, by its paths alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pathspec import GitIgnoreSpec

from bot.code.files import is_steering, is_test_file
from bot.model import GuardFinding, Severity
from bot.model.guard_rules import found
from bot.repair.guards.requested import REQUESTED, is_requested, kept_on_request
from bot.reporting.reasons import guards, guards_code

ALWAYS_PROTECTED = (".git/", ".github/workflows/", ".github/actions/", ".github/fixpoint.yml")
"""Globs (gitignore syntax) that our patches never touch unasked, whatever the config says."""


def protected_paths(
    files: Sequence[str], globs: Sequence[str], requested: Sequence[str] = ()
) -> tuple[str, ...]:
    """Return the files that match a protected glob (gitignore syntax) without a request for them."""
    spec = GitIgnoreSpec.from_lines([*globs, *ALWAYS_PROTECTED])
    return tuple(
        file for file in files if spec.match_file(file) and not is_requested(file, requested)
    )


def outside_allowed(files: Sequence[str], globs: Sequence[str]) -> tuple[str, ...]:
    """Return the files that match none of the allowed globs; none when there are no globs."""
    if not globs:
        return ()
    spec = GitIgnoreSpec.from_lines(globs)
    return tuple(file for file in files if not spec.match_file(file))


def path_findings(
    files: Sequence[str],
    *,
    allowed: Sequence[str],
    protected: Sequence[str],
    requested: Sequence[str] = (),
) -> tuple[GuardFinding, ...]:
    """Return a rejecting finding for each file that the patch must not touch."""
    refused = [
        GuardFinding("protected-path", Severity.REJECT, guards.protected(file), file)
        for file in protected_paths(files, protected, requested)
    ]
    strayed = [
        GuardFinding("allowed-paths", Severity.REJECT, guards.outside_allowed(file), file)
        for file in outside_allowed(files, allowed)
    ]
    return (*refused, *strayed)


def on_request(
    files: Sequence[str], protected: Sequence[str], requested: Sequence[str]
) -> tuple[GuardFinding, ...]:
    """Return a finding for each protected file that the patch changes on request."""
    return tuple(
        found(
            REQUESTED,
            guards.changed_on_request(file),
            file,
        )
        for file in kept_on_request(files, protected, requested)
    )


def restored(files: Sequence[str]) -> tuple[GuardFinding, ...]:
    """Return a note for each existing file whose change was left out of the verified patch."""
    return tuple(_restored(file) for file in files)


def _restored(file: str) -> GuardFinding:
    if is_test_file(file):
        return found("test-restored", guards.test_restored(file), file)
    return found("config-restored", guards.configuration_restored(file), file)


def steering(files: Sequence[str], command: str) -> tuple[GuardFinding, ...]:
    """Return a finding for each file with which a patch could make `command` pass without a fix.

    Those are files that configure test runners, and scripts that the command names.
    """
    named = {word.removeprefix("./") for word in re.split(r"[\s;&|()'\"=]+", command)}
    return tuple(
        found("test-setup", guards_code.setup_changed(file), file)
        for file in files
        if file in named or is_steering(file)
    )
