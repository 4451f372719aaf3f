"""What the demo plays: a broken project, what somebody says about it, and how that must end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bot.model import Verdict

PROJECTS = Path(__file__).parent / "projects"

_CACHES = frozenset({"__pycache__", ".pytest_cache", ".ruff_cache"})

_MANIFEST = "pyproject.toml"

ANYHOW = frozenset(Verdict)
"""Whatever a model makes of it is shown as it is."""


@dataclass(frozen=True, slots=True)
class Story:
    """One issue or pull request, and the comment that asks for its repair.

    Attributes:
        title: What it shows, in a few words.
        project: Name of the repository, and of its folder below `projects`.
        reporter: Who opened the issue; may only read, or is a bot.
        issue: The issue's title.
        body: Its text.
        maintainer: Who comments; may write.
        comment: What they write.
        keyless: Verdicts that are right where no model is configured.
        with_model: Verdicts that are right where one is.
        update: What a bot's pull request makes of `pyproject.toml`: what it replaces, and with what; None
            where it is an issue.
    """

    title: str
    project: str
    reporter: str
    issue: str
    body: str
    maintainer: str
    comment: str
    keyless: frozenset[Verdict]
    with_model: frozenset[Verdict]
    update: tuple[str, str] | None = None

    def updated(self) -> dict[str, str | bytes | None]:
        """Return the files that the pull request changes."""
        old, new = self.update or ("", "")
        text = (PROJECTS / self.project / _MANIFEST).read_text("utf-8")
        return {_MANIFEST: text.replace(old, new)}

    def files(self) -> dict[str, str | bytes]:
        """Return the project's files by their paths, without what tools left there."""
        root = PROJECTS / self.project
        paths = (path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file())
        return {
            str(path): (root / path).read_bytes()
            for path in paths
            if _CACHES.isdisjoint(path.parts)
        }


STORIES = (
    Story(
        title="checks that the project's own tools can repair",
        project="measures",
        reporter="grace",
        issue="`make check` is red since knots came in",
        body=(
            "It was green before. Now ruff complains about `measures/table.py`, and the tests say "
            "that nobody knows what a knot is, although `units.toml` has it."
        ),
        maintainer="ada",
        comment="/fix",
        keyless=frozenset({Verdict.FIXED}),
        with_model=frozenset({Verdict.FIXED}),
    ),
    Story(
        title="a logic bug, found and repaired by search",
        project="rooms",
        reporter="alan",
        issue="The room is taken, although nobody is in it",
        body=(
            "Ten to eleven is booked. From nine to ten the room is free, but booking that raises "
            "`Taken`. The README says that a booking ends where the next may begin."
        ),
        maintainer="ada",
        comment="/fix",
        keyless=frozenset({Verdict.FIXED}),
        with_model=frozenset({Verdict.FIXED}),
    ),
    Story(
        title="a red update, which the code is adapted to",
        project="doors",
        reporter="dependabot[bot]",
        issue="Bump werkzeug from 2.0.3 to 2.1.0",
        body="Bumps [werkzeug](https://github.com/pallets/werkzeug) from 2.0.3 to 2.1.0.",
        maintainer="ada",
        comment="/fix",
        keyless=frozenset({Verdict.FIXED}),
        with_model=frozenset({Verdict.FIXED}),
        update=("werkzeug==2.0.3", "werkzeug==2.1.0"),
    ),
    Story(
        title="a bug that takes understanding",
        project="shares",
        reporter="linus",
        issue="A cent gets lost when three people split 10.00",
        body=(
            "`split(1000, ['ann', 'bo', 'cy'])` gives everybody 333, so a cent is missing. The "
            "README promises that those who come first pay one cent more. There is a test for it "
            "now, which fails."
        ),
        maintainer="ada",
        comment="/fix",
        keyless=frozenset({Verdict.GAVE_UP}),
        with_model=ANYHOW,
    ),
)
