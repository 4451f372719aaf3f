"""What an issue, its two pull requests and the comments say of a flaky test in quarantine."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime

from bot.model.culprit import RunCounts
from bot.model.flaky import FlakyCause, FlakyClass, FlakyTest
from bot.model.quarantine import (
    CodeOwner,
    MarkKind,
    OwnerSource,
    Quarantine,
    QuarantineMark,
    QuarantineState,
)
from bot.reporting.commit_text import TitleStyle, plain, trailers
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.flaky import rate, told
from bot.reporting.markdown import LIMIT, code, table
from bot.reporting.marker import marker, signed
from bot.reporting.prose import line

_MARK = marker("3fa9c1d20b7e", "example")
_AT = datetime(2026, 12, 30, tzinfo=UTC)
_TEST = FlakyTest("tests/test_app.py::test_index", RunCounts(2, 3))
_TRIED = QuarantineMark(
    _TEST,
    "tests/test_app.py",
    MarkKind.XFAIL,
    runs=RunCounts(0, 4),
    suite="python -m pytest",
)  # fmt: skip
_OWNER = CodeOwner(("@acme/web",), OwnerSource.CODEOWNERS)
_KEPT = Quarantine(
    "3fa9c1d20b7e", _TEST.test, _TRIED.path, MarkKind.XFAIL, _OWNER, _AT, QuarantineState.OPEN,
    _AT, issue=12, pull=13,
)  # fmt: skip

ALL_PARAMETERS = (
    "Only one set of parameters was measured, but which one that is can't be told from the source: "
    "all of them are marked."
)

_ACCOUNT = re.compile(r"@[A-Za-z0-9-]+(?:/[\w.-]+)?")
_LONGEST = 100
"""Characters of a test's id in a title."""

_MARKED = {
    MarkKind.XFAIL: "`pytest.mark.xfail(strict=False)`",
    MarkKind.SKIP_METHOD: "`unittest.skip`",
    MarkKind.TODO: "`todo`",
    MarkKind.SKIP: "`skip`",
    MarkKind.FIXME: "`fixme`",
    MarkKind.GO_SKIP: "`t.Skip`",
}


@example(_OWNER)
@example(CodeOwner(("ada",), OwnerSource.BLAME))
@example(None)
def owner_line(owner: CodeOwner | None) -> str:
    """Return who owns a test; who is named in CODEOWNERS is notified."""
    if owner is None:
        return "nobody known"
    if owner.source is OwnerSource.BLAME:
        return f"{code(owner.names[0])} wrote most of its lines"
    names = [name if _ACCOUNT.fullmatch(name) else code(name) for name in owner.names]
    return f"{', '.join(names)} (CODEOWNERS)"


def names_of(owner: CodeOwner | None) -> str:
    """Return the names of owners, for a list."""
    return ", ".join(owner.names) if owner is not None else ""


@example("tests/test_app.py::test_index")
def issue_title(test: str) -> str:
    """Return the title of a quarantine's issue."""
    return f"Flaky test: {plain(test, _LONGEST)}"


@example(_KEPT, _TRIED, "3197138834b9", _MARK)
@example(
    replace(_KEPT, kind=None, owner=None),
    QuarantineMark(
        FlakyTest(
            "t.py::test_b",
            RunCounts(0, 5),
            (
                FlakyCause(
                    FlakyClass.VICTIM,
                    ("t.py::test_a",),
                    command="pytest t.py::test_a t.py::test_b",
                    red=RunCounts(20, 0),
                    green=RunCounts(0, 5),
                ),
            ),
        ),
        why_not="Several tests of the file may be meant.",
    ),
    "3197138834b9",
    _MARK,
    looked=True,
)
def issue(
    kept: Quarantine, tried: QuarantineMark, commit: str, mark: str, *, looked: bool = False
) -> str:
    """Return the description of a quarantine's issue.

    Args:
        kept: It.
        tried: The mark, with what was measured.
        commit: On which it was.
        mark: By which the issue is found again.
        looked: Whether it was looked for what decides how the test ends.
    """
    rows = [("Owner", owner_line(kept.owner)), ("Commit", commit)]
    if kept.kind is None:
        rest = [f"No pull request marks the test. {line(tried.why_not)}"]
    else:
        rows.append(("Until", f"{kept.until:%Y-%m-%d}"))
        end = (
            f"On {kept.until:%Y-%m-%d}, or once a repair by Fixpoint is merged, a second pull "
            "request takes the mark away. To end the quarantine without it, remove the mark, or "
            "close this issue."
        )
        rest = [
            f"A pull request marks the test with {_MARKED[kept.kind]}. {_effect(kept.kind)}",
            end,
        ]
    runs = tried.test.alone.failed + tried.test.alone.passed
    seen = told(tried.test)[: LIMIT // 2] if looked else (
        f"{code(kept.test)} {rate(tried.test.alone.failed, runs)}. What decides how it ends was not "
        "looked for."
    )  # fmt: skip
    parts = [
        "This test both fails and passes on the same commit.",
        seen,
        table(("", ""), rows),
        *rest,
    ]
    return signed("\n\n".join(parts), mark)


def _effect(kind: MarkKind) -> str:
    if kind.runs:
        return "It still runs, and its failures are counted, but fail no check."
    return (
        "Its runner has no mark with which a test runs and may fail: it does not run as long as "
        "the mark is there."
    )


@example("tests/test_app.py::test_index")
@example("tests/test_app.py::test_index", ends=True)
@example("tests/test_app.py::test_index", style=TitleStyle.CONVENTIONAL)
def title(test: str, style: TitleStyle = TitleStyle.PLAIN, *, ends: bool = False) -> str:
    """Return the title of a quarantine's pull request."""
    does = "End the quarantine of" if ends else "Quarantine"
    if style is TitleStyle.CONVENTIONAL:
        does = f"test: {does[0].lower()}{does[1:]}"
    return f"{does} {plain(test, _LONGEST)}"


def commit_message(
    subject: str, kept: Quarantine, signed_off_by: str = "", *, ends: bool = False
) -> str:
    """Return the message of a quarantine's commit."""
    said = (
        f"Takes the mark away that kept a flaky test in quarantine, see #{kept.issue}."
        if ends
        else f"The test both fails and passes on the same commit, see #{kept.issue}."
    )
    return f"{subject}\n\n{said}\n\n{trailers(kept.run_id, signed_off_by)}\n"


@example(_KEPT, _TRIED, _MARK)
@example(
    replace(_KEPT, kind=MarkKind.SKIP, owner=None),
    replace(_TRIED, kind=MarkKind.SKIP, whole=True),
    _MARK,
)
def marking(kept: Quarantine, tried: QuarantineMark, mark: str) -> str:
    """Return the description of the pull request that marks a test."""
    assert kept.kind is not None  # noqa: S101 - or there is no pull request
    runs = tried.runs.failed + tried.runs.passed
    lead = (
        f"Marks the flaky test {code(kept.test)} with {_MARKED[kept.kind]}. {_effect(kept.kind)} "
        f"#{kept.issue} has the cause."
    )
    proof = (
        f"With the mark, the command that showed the failure passed in {tried.runs.passed} of "
        f"{count(runs, 'run')}, and in {code(tried.suite)} all other tests ended as before."
    )
    end = (
        f"Owner: {owner_line(kept.owner)}. On {kept.until:%Y-%m-%d}, or once a repair by Fixpoint "
        "is merged, another pull request takes the mark away."
    )
    parts = [lead, ALL_PARAMETERS if tried.whole else "", proof, end]
    return signed("\n\n".join(filter(None, parts)), mark)


@example(_KEPT, _MARK)
@example(replace(_KEPT, repaired_by=17), _MARK)
def unmarking(kept: Quarantine, mark: str) -> str:
    """Return the description of the pull request that takes a mark away."""
    if kept.repaired_by is not None:
        why = f"#{kept.repaired_by} repaired it."
    else:
        why = (
            f"It was to last until {kept.until:%Y-%m-%d}. The test was not seen to be repaired: it "
            "may still be flaky. Comment `/fix flaky` here to have it measured without the mark, or "
            "close this pull request to leave the mark where it is."
        )
    said = f"Takes the mark away that keeps {code(kept.test)} in quarantine (#{kept.issue}). {why}"
    return signed(f"{said}\n\nOwner: {owner_line(kept.owner)}.", mark)


@example(_KEPT, 18, _MARK)
@example(replace(_KEPT, repaired_by=17), 18, _MARK)
def ending(kept: Quarantine, pull: int, mark: str) -> str:
    """Return the comment that tells of that pull request."""
    why = (
        f"#{kept.repaired_by} repaired the test"
        if kept.repaired_by is not None
        else f"The quarantine was to last until {kept.until:%Y-%m-%d}"
    )
    return signed(f"{why}: #{pull} takes the mark away.", mark)


@example(18, _MARK)
def ended(pull: int, mark: str) -> str:
    """Return the comment with which an issue is closed."""
    return signed(f"#{pull} was merged: the test is no longer in quarantine.", mark)


@example(_KEPT, _MARK)
@example(replace(_KEPT, repaired_by=17), _MARK)
def not_needed(kept: Quarantine, mark: str) -> str:
    """Return the comment with which a pull request is closed that was not merged in time."""
    why = (
        f"#{kept.repaired_by} repaired the test"
        if kept.repaired_by is not None
        else f"The quarantine was to last until {kept.until:%Y-%m-%d}"
    )
    return signed(f"{why}: the mark is no longer needed.", mark)
