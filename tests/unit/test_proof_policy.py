"""Which pull requests are proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.config.proof import ProofSection
from bot.config.values import Proved
from bot.github.values import PullRequest
from bot.intake.proof_policy import (
    LookAtFiles,
    NotProved,
    ProofDecision,
    Prove,
    WhyNot,
    claims_fix,
    decide_proof,
)

PULL = PullRequest(
    number=7,
    title="Clamp at the top",
    url="https://github.test/acme/app/pull/7",
    state="open",
    draft=False,
    head_ref="work",
    head_sha="1" * 40,
    head_repository="acme/app",
    base_ref="main",
    is_fork=False,
    maintainer_can_modify=False,
    author="ada",
)
US = "fixpoint[bot]"


def decided(
    config: dict[str, Any],
    *,
    default: Proved = "off",
    files: tuple[str, ...] | None = None,
    **pull: Any,
) -> ProofDecision:
    """Return what becomes of a pull request with that section `proof` at its base."""
    section = ProofSection.model_validate(config)
    return decide_proof(replace(PULL, **pull), section, default=default, us=US, files=files)


@pytest.mark.parametrize(
    ("config", "pull", "decision"),
    [
        ({}, {}, NotProved(WhyNot.OFF)),
        ({"on": "off"}, {"labels": ("proof",)}, NotProved(WhyNot.OFF)),
        ({"on": "all"}, {}, Prove()),
        ({"on": "all"}, {"state": "closed"}, NotProved(WhyNot.CLOSED)),
        ({"on": "all"}, {"is_fork": True}, Prove()),
        ({"on": "all"}, {"draft": True}, NotProved(WhyNot.DRAFT)),
        ({"on": "all"}, {"draft": True, "author": "Fixpoint[bot]"}, Prove()),
        ({"on": "all"}, {"draft": True, "labels": ("Proof",)}, Prove()),
        ({"on": "all", "authors": ["wes"]}, {}, NotProved(WhyNot.AUTHOR)),
        ({"on": "all", "authors": ["wes"]}, {"labels": ("proof",)}, Prove()),
        ({"on": "all", "authors": "A*"}, {}, Prove()),
        ({"on": "labelled"}, {"title": "Fix it"}, NotProved(WhyNot.NO_LABEL)),
        ({"on": "labelled", "label": "show me"}, {"labels": ("show me",)}, Prove()),
        ({"on": "fixes"}, {}, LookAtFiles()),
        ({"on": "fixes"}, {"body": "resolves acme/lib#3"}, Prove()),
    ],
)
def test_the_config_of_the_base_decides(
    config: dict[str, Any], pull: dict[str, Any], decision: ProofDecision
) -> None:
    """`on`, the label, the authors, and whether the pull request is a draft or closed."""
    assert decided(config, **pull) == decision


@pytest.mark.parametrize("default", ["fixes", "all"])
def test_the_server_decides_where_the_config_says_nothing(default: Proved) -> None:
    """A repository's own word goes first, `off` too."""
    assert decided({}, default=default, title="Fix it") == Prove()
    assert decided({"on": "off"}, default=default, title="Fix it") == NotProved(WhyNot.OFF)


@pytest.mark.parametrize(
    ("files", "proved"),
    [
        (("src/a.py", "tests/test_a.py"), True),
        (("a.go", "a_test.go"), True),
        (("tests/test_a.py",), False),
        (("README.md", "tests/test_a.py"), False),
        (("package-lock.json", "package.json", "a.test.js"), False),
        (("src/a.py",), False),
    ],
)
def test_tests_and_source_together_are_a_fix(files: tuple[str, ...], *, proved: bool) -> None:
    """Documents, manifests and lock files are no source."""
    wanted: ProofDecision = Prove() if proved else NotProved(WhyNot.NO_FIX)
    assert decided({"on": "fixes"}, files=files) == wanted


@pytest.mark.parametrize(
    ("title", "body", "claims"),
    [
        ("fix(parser)!: empty input", "", True),
        ("Bugfix: empty input", "", True),
        ("Fixes #3", "", True),
        ("Handle empty input", "Closes: https://github.com/acme/app/issues/3", True),
        ("CVE-2026-1234: check the length", "", True),
        ("Regression in 2.1", "", True),
        ("Add a fixture and a prefix", "", False),
        ("Handle empty input", "Fix is in #3, see also #4", False),
        ("Debug logs", "closing remarks", False),
        ("Bump lib from 1 to 2", "", False),
    ],
)
def test_what_claims_to_be_a_fix(title: str, body: str, *, claims: bool) -> None:
    """It links an issue as GitHub reads it, or its title says so in a word of its own."""
    assert claims_fix(replace(PULL, title=title, body=body)) is claims
