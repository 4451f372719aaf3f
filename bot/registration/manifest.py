"""The manifest of the App: what it may do and what it hears, as `app.yml` has it.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

from bot.errors import UsageError
from bot.web.access import is_loopback

DESCRIPTION = (
    "Reproduces a failure in a sandbox, repairs it, proves the repair and opens a pull request."
)
PERMISSIONS = {
    "actions": "read",
    "checks": "write",
    "contents": "write",
    "issues": "write",
    "merge_queues": "read",
    "metadata": "read",
    "pull_requests": "write",
    "statuses": "read",
}
EVENTS = (
    "check_run",
    "check_suite",
    "issue_comment",
    "merge_group",
    "pull_request",
    "pull_request_review",
    "pull_request_review_comment",
    "push",
    "repository",
    "status",
    "workflow_job",
    "workflow_run",
)

GITHUB = "https://github.com"
_ORGANIZATION = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,98}[A-Za-z0-9])?")
_LONGEST_NAME = 34
"""Of an App: https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app."""


@dataclass(frozen=True, slots=True)
class Registration:
    """What a person chose.

    Attributes:
        name: Of the App; unique on GitHub, where it can still be changed.
        server: Address of this server, as browsers and GitHub know it, without a slash at its end.
        github: Address of GitHub, without a slash at its end.
        organization: That will own the App; empty for the person's own account.
        smee: Channel to which GitHub delivers where it can't reach the server; may be empty.
    """

    name: str
    server: str
    github: str = GITHUB
    organization: str = ""
    smee: str = ""

    @property
    def form(self) -> str:
        """Return the page of GitHub that takes the manifest."""
        owner = f"organizations/{quote(self.organization)}/" if self.organization else ""
        return f"{self.github}/{owner}settings/apps/new"

    @property
    def api(self) -> str:
        """Return the address of GitHub's API: Enterprise Server has it below its own."""
        return "https://api.github.com" if self.github == GITHUB else f"{self.github}/api/v3"

    def manifest(self, redirect: str) -> dict[str, Any]:
        """Return what GitHub registers; it sends the person to `redirect` with a code."""
        return {
            "name": self.name,
            "description": DESCRIPTION,
            "url": self.server,
            "public": False,
            "redirect_url": redirect,
            "callback_urls": [f"{self.server}/login/github/callback"],
            "hook_attributes": {"url": self.smee or f"{self.server}/webhook", "active": True},
            "default_permissions": PERMISSIONS,
            "default_events": list(EVENTS),
        }


def registration_of(
    name: str, server: str, github: str = "", organization: str = "", smee: str = ""
) -> Registration:
    """Return what a person entered, without blanks.

    Raises:
        UsageError: With a sentence about the first thing that can't be so.
    """
    name, organization = name.strip(), organization.strip()
    if not name or len(name) > _LONGEST_NAME:
        raise UsageError(f"An App needs a name of at most {_LONGEST_NAME} characters.")
    if organization and not _ORGANIZATION.fullmatch(organization):
        raise UsageError(
            f"{organization!r} is no name of an organization. It is the last part of the "
            "organization's address on GitHub."
        )
    chosen = Registration(
        name,
        _address(server, "The server's address"),
        _address(github or GITHUB, "GitHub's address"),
        organization,
        _address(smee, "The channel") if smee.strip() else "",
    )
    if (
        chosen.github == GITHUB
        and not chosen.smee
        and is_loopback(urlsplit(chosen.server).hostname or "")
    ):
        raise UsageError(
            f"github.com can't deliver to {chosen.server}. Enter the address under which it reaches "
            "this server, or a channel of smee.io."
        )
    return chosen


def _address(text: str, what: str) -> str:
    try:
        parts = urlsplit(text.strip())
        complete = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        complete = False
    if not complete or parts.username is not None or parts.query or parts.fragment:
        raise UsageError(f"{what} must be a URL such as https://fixpoint.example.com.")
    return text.strip().rstrip("/")
