"""Decide whether a pull request is proved. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from bot.code.files import is_document, is_lock, is_manifest, is_test_file
from bot.config.proof import ProofSection
from bot.config.values import Proved
from bot.github.values import PullRequest
from bot.reporting.reasons import deliveries, simulation

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

    @property
    def rule(self) -> str:
        """What would have to be so for this not to be the reason, in words."""
        return _RULES[self]


_RULES: Mapping[WhyNot, str] = MappingProxyType(
    {
        WhyNot.CLOSED: simulation.PULL_IS_OPEN,
        WhyNot.OFF: simulation.PROOFS_ON,
        WhyNot.NO_LABEL: simulation.PROOF_LABEL,
        WhyNot.AUTHOR: simulation.PROOF_AUTHOR,
        WhyNot.DRAFT: simulation.PROOF_DRAFT,
        WhyNot.NO_FIX: simulation.IS_A_FIX,
    }
)


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
    refused = refusals(pull, config, default=default, us=us)
    why = next((why for why, holds in refused.items() if holds), None)
    if why is not None:
        return NotProved(why)
    if is_wanted(pull, config, default=default):
        return Prove()
    if files is None:
        return LookAtFiles()
    return Prove() if _with_tests(files) else NotProved(WhyNot.NO_FIX)


def refusals(
    pull: PullRequest, config: ProofSection, *, default: Proved, us: str
) -> Mapping[WhyNot, bool]:
    """Return whether each reason holds, the first one first; see `decide_proof`."""
    on, labelled = config.on or default, _labelled(pull, config)
    unfinished = pull.draft and pull.author.lower() != us.lower()
    return {
        WhyNot.CLOSED: pull.state != "open",
        WhyNot.OFF: on == "off",
        WhyNot.NO_LABEL: on == "labelled" and not labelled,
        WhyNot.AUTHOR: not labelled and not config.counts(pull.author),
        WhyNot.DRAFT: not labelled and unfinished,
    }


def is_wanted(pull: PullRequest, config: ProofSection, *, default: Proved) -> bool:
    """Whether a pull request that nothing refuses is proved, whatever files it changes."""
    return _labelled(pull, config) or (config.on or default) == "all" or claims_fix(pull)


def _labelled(pull: PullRequest, config: ProofSection) -> bool:
    return config.label.lower() in {label.lower() for label in pull.labels}


def claims_fix(pull: PullRequest) -> bool:
    """Whether a pull request links an issue that it closes, or its title says that it is a fix."""
    return bool(pull.closes) or _SAYS_SO.search(pull.title) is not None


def _with_tests(files: Collection[str]) -> bool:
    """Whether tests and source are changed together."""
    tests = {path for path in files if is_test_file(path)}
    return bool(tests) and any(_is_source(path) for path in files if path not in tests)


def _is_source(path: str) -> bool:
    return not (is_document(path) or is_manifest(path) or is_lock(path))
