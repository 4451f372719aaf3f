"""What a chat is told of a run: one line of what happened, where, why, and what to open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bot.model import Verdict
from bot.reporting.example import example
from bot.reporting.verdict_text import headline

_STATES = {
    "run.queued": "Queued",
    "run.started": "Started",
    "run.waiting": "Waiting for a person",
    "run.resumed": "Continued",
    "run.finished": "Finished",
}
_CARD = "application/vnd.microsoft.card.adaptive"


@example("run.waiting", None)
@example("run.finished", Verdict.FIXED)
@example("run.finished", Verdict.GAVE_UP)
def happened(kind: str, verdict: Verdict | None) -> str:
    """Return what happened to a run."""
    return headline(verdict) if verdict is not None else _STATES.get(kind, kind)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message, as plain text of which a part is a stranger's.

    Attributes:
        happened: What happened.
        title: Of the run.
        where: Repository, and the number of its issue or pull request.
        reason: Why it ended like this, or "".
        links: What to open: names and addresses.
    """

    happened: str
    title: str
    where: str
    reason: str = ""
    links: tuple[tuple[str, str], ...] = ()

    def for_slack(self) -> dict[str, Any]:
        """Return the body for an incoming webhook of Slack.

        https://docs.slack.dev/messaging/formatting-message-text
        """
        links = " · ".join(f"<{address}|{_slack(name)}>" for name, address in self.links)
        lines = [
            f"*{_slack(self.happened)}* {_slack(self.title)}",
            _slack(self.where),
            _slack(self.reason),
            links,
        ]
        return {"text": "\n".join(filter(None, lines)), "unfurl_links": False}

    def for_teams(self) -> dict[str, Any]:
        """Return the body for a workflow of Microsoft Teams that posts what a webhook gets.

        Text runs show their text as it is; text blocks would read it as Markdown.
        https://adaptivecards.io/explorer/RichTextBlock.html
        """
        body = [
            _rich((self.happened, "Bolder"), (f" {self.title}", "Default")),
            _rich((self.where, "Lighter")),
            *([_rich((self.reason, "Default"))] if self.reason else []),
        ]
        content = {
            "type": "AdaptiveCard",
            "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
            "version": "1.4",
            "body": body,
            "actions": [
                {"type": "Action.OpenUrl", "title": name, "url": address}
                for name, address in self.links
            ],
        }
        attachment = {"contentType": _CARD, "contentUrl": None, "content": content}
        return {"type": "message", "attachments": [attachment]}


def _slack(text: str) -> str:
    """Return text in which nothing is taken for a link, a mention or a format."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return escaped.replace("*", "∗").replace("`", "'").replace("~", "∼")  # noqa: RUF001 - look alike


def _rich(*runs: tuple[str, str]) -> dict[str, Any]:
    inlines = [{"type": "TextRun", "text": text, "weight": weight} for text, weight in runs]
    return {"type": "RichTextBlock", "inlines": inlines}
