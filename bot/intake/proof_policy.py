"""Decide whether a pull request is proved. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from bot.code.files import is_document, is_lock, is_manifest, is_test_file
from bot.config.proof import ProofSection
from bot.config.values import Proved
from bot.github.values import PullRequest
from bot.reporting.reasons import deliveries

_SAYS_SO = re.compile(
    r"\b(?:fix(?:e[sd]|ing)?|bug(?:s|fix(?:es)?)?|hotfix(?:es)?|repair(?:s|ed)?|resolve[sd]?"
    r"|regressions?|crash(?:es)?|CVE-\d+-\d+)\b",
    re.IGNORECASE,
)
"""In a title: the change says that it repairs something."""


class WhyNot(StrEnum):
    """Why a pull request is not proved."""

    CLOSED = deliveries.PULL_REQUEST_CLOSED
    OFF = deliveries.PROOFS_OFF
    AUTHOR = deliveries.AUTHOR_NOT_PROVED
    NO_LABEL = deliveries.NO_PROOF_LABEL
    DRAFT = deliveries.DRAFT_NOT_PROVED
    NO_FIX = deliveries.NO_FIX_CLAIMED


@dataclass(frozen=True, slots=True)
class Prove:
    """Prove it."""


@dataclass(frozen=True, slots=True)
class LookAtFiles:
    """It depends on which files it changes."""


@dataclass(frozen=True, slots=True)
class NotProved:
    """Prove nothing."""

    why: WhyNot


ProofDecision = Prove | LookAtFiles | NotProved


def decide_proof(
    pull: PullRequest,
    config: ProofSection,
    *,
    default: Proved,
    us: str,
    files: Collection[str] | None = None,
) -> ProofDecision:
    """Return whether a pull request is proved.

    Args:
        pull: As it is now. What a stranger writes there decides nothing but this.
        config: Of its base branch.
        default: What `on` is where the config does not say.
        us: Our own login: drafts of ours are finished work that waits for a person.
        files: Paths that it changes; None where nobody looked.
    """
    on = config.on or default
    labelled = config.label.lower() in {label.lower() for label in pull.labels}
    unfinished = pull.draft and pull.author.lower() != us.lower()
    refusals = {
        WhyNot.CLOSED: pull.state != "open",
        WhyNot.OFF: on == "off",
        WhyNot.NO_LABEL: on == "labelled" and not labelled,
        WhyNot.AUTHOR: not labelled and not config.counts(pull.author),
        WhyNot.DRAFT: not labelled and unfinished,
    }
    why = next((why for why, refused in refusals.items() if refused), None)
    if why is not None:
        return NotProved(why)
    if labelled or on == "all" or claims_fix(pull):
        return Prove()
    if files is None:
        return LookAtFiles()
    return Prove() if _with_tests(files) else NotProved(WhyNot.NO_FIX)


def claims_fix(pull: PullRequest) -> bool:
    """Whether a pull request links an issue that it closes, or its title says that it is a fix."""
    return bool(pull.closes) or _SAYS_SO.search(pull.title) is not None


def _with_tests(files: Collection[str]) -> bool:
    """Whether tests and source are changed together."""
    tests = {path for path in files if is_test_file(path)}
    return bool(tests) and any(_is_source(path) for path in files if path not in tests)


def _is_source(path: str) -> bool:
    return not (is_document(path) or is_manifest(path) or is_lock(path))
