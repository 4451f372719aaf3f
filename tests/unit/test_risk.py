"""What must wait for a person before it is published."""

from __future__ import annotations

import pytest

from bot.model import (
    Attempt,
    GuardFinding,
    Patch,
    Problem,
    Proposal,
    Report,
    Severity,
    Verdict,
    Verification,
)
from bot.model import Observation as Seen
from bot.model.risk import Confidence, Tolerance
from bot.reporting.reasons import publication
from bot.runs.publishing.destination import is_dependency_file, risks, secret_places

TOKEN = "ghp_" + "a1B2" * 9
HEADING = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"


def report(patch: Patch, *findings: GuardFinding) -> Report:
    """Return a report whose patch is believed."""
    judged = Verification(Seen("make", 0), findings=findings)
    attempt = Attempt(1, "agent", Proposal(patch, "."), judged, ("a",), 1.0)
    return Report("run", Verdict.FIXED, ".", Problem(), "c" * 40, attempts=(attempt,), patch=patch)


def patch(*files: str, added: int = 1, removed: int = 1, text: str = "") -> Patch:
    return Patch(text.encode() or b"x", files, added, removed)


@pytest.mark.parametrize(
    ("changed", "reasons"),
    [
        (patch("src/app.py"), ()),
        (patch("uv.lock", "src/a.py"), (publication.changes_dependencies(["uv.lock"]),)),
        (patch("web/package.json"), (publication.changes_dependencies(["web/package.json"]),)),
        (
            patch("a/go.mod", "b/go.mod", "c/go.mod", "d/go.mod"),
            ("It changes dependencies: a/go.mod, b/go.mod, c/go.mod and 1 more.",),
        ),
        (
            patch(".github/dependabot.yml"),
            (publication.changes_automation([".github/dependabot.yml"]),),
        ),
        (
            patch("a.py", added=10, removed=311),
            (publication.deletes_lines(301, most=300),),
        ),
        (
            patch("a.py", text="deleted file mode 100644\n" * 4),
            (publication.deletes_files(4, most=3),),
        ),
        (
            patch("a.py", text=f"{HEADING}@@ -6,2 +7,2 @@\n keep\n-old\n+key = '{TOKEN}'\n"),
            (
                publication.looks_like_a_credential("a.py:8"),
            ),
        ),
    ],
)  # fmt: skip
def test_what_waits(changed: Patch, reasons: tuple[str, ...]) -> None:
    """And what does not; a repository without pull requests has nothing that could wait."""
    assert risks(report(changed), Confidence.DRAFT, Tolerance()) == reasons
    assert risks(report(changed), Confidence.SUGGEST, Tolerance()) == ()


def test_without_a_draft_in_between_a_person_looks_first() -> None:
    """What a guard wants a person to see waits where no draft would show it to one."""
    finding = GuardFinding("test-setup", Severity.NEEDS_PERSON, "tox.ini has a say.")
    note = GuardFinding("other", Severity.NOTE, "Nice.")
    believed = report(patch("a.py"), finding, note)
    assert risks(believed, Confidence.DRAFT, Tolerance()) == ()
    assert risks(believed, Confidence.PUSH, Tolerance()) == ("tox.ini has a say.",)


def test_somebodys_branch_waits_unless_the_config_approves_in_advance() -> None:
    """The rung `push` of the ladder is that approval."""
    believed = report(patch("src/app.py"))
    assert risks(believed, Confidence.DRAFT, Tolerance(), onto="work") == (
        publication.onto_your_branch("work"),
    )
    assert risks(believed, Confidence.PUSH, Tolerance(), onto="work") == ()


def test_only_added_lines_can_leak() -> None:
    """A patch that takes a credential out is welcome; headers are no lines."""
    text = f"--- a/a\n+++ b/a\n@@ -1,2 +1,1 @@\n-{TOKEN}\n keep {TOKEN}\n"
    assert secret_places(patch("a", text=text)) == ()
    two = f"diff --git a/x b/x\n+++ b/x\n@@ -0,0 +1 @@\n+{TOKEN}\ndiff --git a/y b/y\n+++ b/y\n@@ -0,0 +1,2 @@\n+++ {TOKEN}\n+{TOKEN}\n"
    assert secret_places(patch("x", "y", text=two)) == ("x:1", "y:1", "y:2")


def test_dependency_files() -> None:
    """By name, in any folder."""
    assert all(map(is_dependency_file, ["requirements-dev.txt", "a/Cargo.lock", "x.gemspec"]))
    assert not any(map(is_dependency_file, ["docs/requirements.md", "package.py", "lock"]))
