"""Make the pictures of the README from a real run: `python -m tests.pictures [FOLDER]`.

The demo's project *rooms* is repaired by the real server against the stand-in for GitHub; the pull
request that it opens and the page of its run are photographed in Chromium. In another folder than
the README's, every page is, for a desktop and a phone.
"""

from __future__ import annotations

import asyncio
import html
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

from markdown_it import MarkdownIt
from playwright.async_api import Page

from demo.stories import STORIES
from tests.fakes.github import GitHubServer, GitHubState, Issue
from tests.flows.test_browser import browsing
from tests.flows.world import Scene, World, entered

FOLDER = Path("docs/pictures")
_STORY = 1
"""Of the demo's: the one that search repairs."""

_WIDE = {"width": 1060, "height": 700}
_NARROW = {"width": 390, "height": 844}
_STYLE = """
body { margin: 0; padding: 24px 32px; background: #fff; color: #1f2328; max-width: 860px;
  font: 15px/1.5 -apple-system, "Segoe UI", "Noto Sans", system-ui, sans-serif; }
h1 { font-weight: 400; font-size: 27px; margin: 0 0 6px; } h1 span { color: #59636e; }
.state { background: #59636e; color: #fff; border-radius: 2em; padding: 4px 12px; font-size: 14px; }
.by { color: #59636e; margin-left: 8px; } .box { border: 1px solid #d1d9e0; border-radius: 6px; margin-top: 18px; }
.box header { background: #f6f8fa; border-bottom: 1px solid #d1d9e0; padding: 8px 16px; border-radius: 6px 6px 0 0; }
.box main { padding: 6px 16px; } code { background: #eff1f3; padding: 2px 5px; border-radius: 5px; font-size: 85%;
  font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
table { border-collapse: collapse; } td, th { border: 1px solid #d1d9e0; padding: 5px 12px; text-align: left; }
summary { cursor: pointer; }
"""


def _as_github_shows(pull: Issue) -> str:
    """Return a page with the pull request, in the manner of GitHub's."""
    branches = pull.pull
    assert branches is not None
    written = MarkdownIt("commonmark", {"html": True}).enable("table").render(pull.body or "")
    state = "Draft" if branches.draft else "Open"
    return (
        f'<!doctype html><meta charset="utf-8"><style>{_STYLE}</style>'
        f"<h1>{html.escape(pull.title)} <span>#{pull.number}</span></h1>"
        f'<span class="state">{state}</span><span class="by"><b>{html.escape(pull.author.login)}</b>'
        f" wants to merge 1 commit into <code>{html.escape(branches.base_ref)}</code> from"
        f" <code>{html.escape(branches.head_ref)}</code></span>"
        f'<div class="box"><header><b>{html.escape(pull.author.login)}</b> commented</header>'
        f"<main>{written}</main></div>"
    )


async def _photograph(world: World, folder: Path) -> None:
    run = await world.run()
    folder.mkdir(parents=True, exist_ok=True)
    [pull] = world.pulls()
    async with browsing() as browser:
        page = await browser.new_page(viewport=_WIDE, device_scale_factor=1.5)  # type: ignore[arg-type] # a TypedDict
        await page.set_content(_as_github_shows(pull))
        await page.screenshot(path=folder / "pull-request.png", full_page=True)
        await _pages(page, world, run.id, folder)
        if folder == FOLDER:
            return
        phone = await browser.new_page(viewport=_NARROW)  # type: ignore[arg-type] # likewise
        await _pages(phone, world, run.id, folder, "-phone")


async def _pages(page: Page, world: World, run_id: str, folder: Path, suffix: str = "") -> None:
    others = (
        ("runs", "/"),
        ("settings", "/settings"),
        ("money", "/money"),
        ("api", "/api/docs"),
        ("new", "/new"),
        ("repositories", "/repositories"),
    )
    for name, path in (("run", f"/runs/{run_id}"), *(() if folder == FOLDER else others)):
        await page.goto(str(world.web.make_url(path)), wait_until="domcontentloaded")
        await page.screenshot(path=folder / f"{name}{suffix}.png")


async def make(folder: Path) -> None:
    """Let the run happen and photograph it.

    Args:
        folder: Where the pictures go; made if need be.
    """
    story = STORIES[_STORY]
    async with AsyncExitStack() as stack:
        root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixpoint-pictures-")))
        state = GitHubState(root / "github")
        roles = {story.maintainer: "admin", story.reporter: "read"}
        repository = state.add_repository(f"acme/{story.project}", story.files(), roles=roles)  # type: ignore[arg-type] # roles
        state.install("acme")
        issue = state.open_issue(repository, story.reporter, story.issue, story.body)
        github = await stack.enter_async_context(GitHubServer(state))
        scene = Scene(state, github, None, repository, issue)
        world = await stack.enter_async_context(entered(scene, root, {"HOST": "127.0.0.1"}))
        await world.comment(story.comment, by=story.maintainer)
        await world.settled()
        await _photograph(world, folder)


if __name__ == "__main__":
    asyncio.run(make(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
