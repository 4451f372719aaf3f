"""How a story of the demo ended."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model import Verdict
from bot.storage.runs import RunRecord
from demo.stories import Story
from tests.fakes.github import Issue
from tests.fakes.github.model import Comment


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of a story.

    Attributes:
        story: The story.
        run: As the server's database has it at the end, with its report.
        pull: The pull request that was opened, if any.
        diff: What the pull request changes.
        said: The last word on the issue.
        seconds: From the comment to the end.
        url: Of the pull request, or of the last word.
    """

    story: Story
    run: RunRecord
    pull: Issue | None
    diff: str
    said: Comment
    seconds: float
    url: str

    def missed(self, *, has_model: bool) -> str | None:
        """Return how this is not what it must be, or None when it is."""
        right = self.story.with_model if has_model else self.story.keyless
        if self.run.verdict not in right:
            return f"it ended with the verdict `{self.run.verdict}`: {self.run.reason}"
        if self.run.verdict is Verdict.FIXED and not self.diff:
            return "it is said to be fixed, but there is no pull request that changes anything"
        commands = self.run.report.commands if self.run.report is not None else None
        if self.pull is None and (commands is None or commands.failing not in self.said.body):
            return "the report does not show what was run"
        return None
