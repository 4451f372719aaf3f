"""What people see and do on the dashboard, in a real Chromium without a window."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from axe_playwright_python.async_playwright import Axe
from inline_snapshot import snapshot
from playwright.async_api import Browser, Page, async_playwright, expect

from bot.model.memory import Lesson, LessonState
from bot.model.quarantine import MarkKind, Quarantine, QuarantineState
from bot.model.seen_tests import SeenResult
from bot.storage.lessons import LessonStore
from bot.storage.quarantines import QuarantineStore
from bot.storage.seen_tests import SeenTestStore
from tests.fakes.model import Say
from tests.flows.test_approval import REQUIREMENTS, RISKY
from tests.flows.test_dashboard import LOCAL, TOKEN
from tests.flows.test_github_login import open_world as open_world_with_login
from tests.flows.test_github_login import run_in
from tests.flows.world import FILES, RIGHT, WRONG, World, attempts, open_world

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE_MS = 300_000
"""For what takes seconds, and minutes beside eight other programs."""

LATE_MS = 5_000
"""An event that is later than that was not sent when it happened. How late events are, on a machine
that does nothing else, is measured in bench/dashboard.py."""

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed here")

OPEN_ALL = "document.querySelectorAll('details').forEach(one => one.open = true)"

HOSTILE = """\
#!/bin/sh
grep -qx right app.txt && exit 0
printf '<script>document.title = "owned"</script><img src=x onerror=document.title=1>\\033[31mred\\033[0m\\033]0;t\\007\\n'
echo "FAILED checks.sh::<b>app</b> - app.txt says $(cat app.txt)"
exit 1
"""


@asynccontextmanager
async def browsing() -> AsyncIterator[Browser]:
    """Open a browser."""
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def looking(browser: Browser, world: World, **how: object) -> AsyncIterator[Page]:
    """Open a page of the dashboard; nothing may go wrong in it."""
    wrong: list[str] = []
    address = str(world.web.make_url("/"))
    context = await browser.new_context(base_url=address, **how)  # type: ignore[arg-type] # options
    context.set_default_timeout(PATIENCE_MS)
    page = await context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text))
    page.on("requestfailed", lambda request: wrong.append(f"{request.url} {request.failure}"))
    try:
        yield page
    finally:
        await context.close()
    assert [item for item in wrong if "ERR_ABORTED" not in item] == []


@pytest.mark.slow
async def test_from_the_form_to_the_pull_request(tmp_path: Path) -> None:
    """A person starts a run, watches it without a reload, approves, and finds the pull request."""
    expect.set_options(timeout=PATIENCE_MS)
    script = attempts(WRONG, RISKY)
    async with (
        open_world(tmp_path, script, files=REQUIREMENTS, environ=LOCAL) as world,
        browsing() as browser,
        looking(browser, world) as page,
    ):
        await page.goto("/")
        await page.get_by_role("link", name="New run").first.click()
        await page.get_by_label("Repository", exact=True).fill("acme/app")
        await page.get_by_label("What is wrong").fill("It says wrong.")
        await page.get_by_role("button", name="Start").click()
        # the page goes on where somebody unfolded a part of it
        commands = page.locator("summary", has_text="Failing command:")
        await commands.click()
        await expect(page.get_by_role("heading", name="Attempt 2").first).to_be_visible()
        await expect(page.locator("#output")).to_contain_text("FAILED checks.sh::app")
        assert 0 <= float(str(await page.locator("html").get_attribute("data-lag"))) < LATE_MS
        await expect(commands).to_be_focused()
        await expect(page.locator("details[open]", has=commands)).to_be_visible()
        await page.get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("link", name=re.compile("Pull request"))).to_be_visible()
        await expect(page.get_by_role("button", name="Retry")).to_be_visible()
        await world.settled()
        assert world.repaired() == "right\n"


@pytest.mark.slow
async def test_requests_are_tried_on_the_api_page(tmp_path: Path) -> None:
    """Found by the contents, filled in, sent as whoever looks; what changes something is only shown."""
    expect.set_options(timeout=PATIENCE_MS)
    async with (
        open_world(tmp_path, environ=LOCAL) as world,
        browsing() as browser,
        looking(browser, world) as page,
    ):
        await page.goto("/api/docs")
        contents = page.get_by_role("navigation", name="Contents")
        await contents.get_by_role("link", name="GET /api/v1/runs", exact=True).click()
        form = page.get_by_role("form", name="Try list_runs")
        await form.get_by_label("status").select_option("done")
        await form.get_by_label("limit").fill("5")
        await form.get_by_role("button", name="Send").click()
        await expect(form.locator("output")).to_contain_text('200 OK\n\n{\n  "runs": [],')

        await page.goto("/api/docs#search_code")
        form = page.get_by_role("form", name="Try search_code")
        await form.get_by_label("Body").fill('{"repository": "acme/app", "query": "wrong"}')
        await form.get_by_role("button", name="Send").click()
        await expect(form.locator("output")).to_contain_text("app.txt:1: wrong")
        request = page.get_by_label("Request of create_run")
        assert await page.get_by_role("form", name="Try create_run").count() == 0
        assert await request.text_content() == snapshot("""\
curl -H "Authorization: Bearer $FIXPOINT_API_KEY" -H "Content-Type: application/json" \\
     -d '{"prompt": "Totals are off by one cent.", "repository": "acme/app"}' \\
     "$FIXPOINT_URL/api/v1/runs"\
""")


@pytest.mark.slow
async def test_hostile_output(tmp_path: Path) -> None:
    """It is shown, with its colours, and does nothing."""
    expect.set_options(timeout=PATIENCE_MS)
    async with (
        open_world(
            tmp_path,
            attempts([Say("I changed nothing.")], RIGHT),
            files={**FILES, "check.sh": HOSTILE},
            environ=LOCAL,
        ) as world,
        browsing() as browser,
        looking(browser, world) as page,
    ):
        await world.comment("/fix <img src=x onerror=document.title=1>")
        await world.until_started()
        await page.goto(f"/runs/{(await world.run()).id}")
        await expect(page.locator("#output")).to_contain_text('<script>document.title = "owned"')
        await expect(page.locator("#output .c1").first).to_have_text("red")
        await world.settled()
        await page.reload()
        await expect(page.locator("#output .c1").first).to_have_text("red")
        await page.evaluate(OPEN_ALL)
        await expect(page.get_by_text("checks.sh::<b>app</b>").first).to_be_visible()
        assert await page.title() == "The app says wrong · Fixpoint"
        assert await page.locator("main script, main img, #output b").count() == 0
        await page.set_viewport_size({"width": 320, "height": 640})
        assert await page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.slow
@pytest.mark.parametrize(
    "visits",
    [
        [("light", 1280, ""), ("dark", 360, "wes")],
        pytest.param(
            [("dark", 1280, "root"), ("light", 360, "root")], marks=pytest.mark.exhaustive
        ),
    ],
    ids=["with the token, and as a person", "as an administrator"],
)
async def test_everybody_can_use_every_page(
    tmp_path: Path, visits: Sequence[tuple[str, int, str]]
) -> None:
    """axe-core finds nothing, nothing is wider than the screen, hostile names do nothing.

    With the token, as somebody who logs in with GitHub and may not approve, as an administrator.
    """
    expect.set_options(timeout=PATIENCE_MS)
    async with open_world_with_login(tmp_path, {"FIXPOINT_ADMIN_TOKEN": TOKEN}) as world:
        await run_in(world, "acme/secret")
        await world.comment("/fix")
        await world.settled()
        await _remember(world)
        async with browsing() as browser:
            for visit in visits:
                await _use(browser, world, *visit)


PAGES = (
    "/", "/?q=x", "/new", "/repositories", "/repositories/acme/app", "/repositories/acme/secret",
    "/repositories/acme/app/memory", "/money", "/api/docs",
)  # fmt: skip
ADMIN_PAGES = ("/status", "/settings")


async def _use(browser: Browser, world: World, scheme: str, width: int, login: str) -> None:
    """Log in and look at every page, with all that is folded opened."""
    options = {
        "color_scheme": scheme,
        "viewport": {"width": width, "height": 800},
        "bypass_csp": True,  # for axe alone
    }
    waiting = (await world.run()).id
    async with looking(browser, world, **options) as page:
        await page.goto("/repositories")
        await _look_at(page, width)
        await _log_in(page, login)
        await expect(page.get_by_role("heading", name="Repositories")).to_be_visible()
        await page.goto("/repositories/acme/app")
        await expect(page.get_by_text("on the default branch has no problems")).to_be_visible()
        more = () if login == "wes" else ADMIN_PAGES
        for path in (*PAGES, f"/runs/{waiting}", *more):
            await page.goto(path)
            await page.evaluate(OPEN_ALL)
            await _look_at(page, width)
            assert await page.locator("main img, main script").count() == 0
            assert (await page.title()).endswith(" · Fixpoint")
        if login == "wes":
            await _forget(page)
        await page.goto(f"/runs/{waiting}")
        await expect(page.get_by_role("button", name="Reject")).to_be_visible()
        approve = page.get_by_role("button", name="Approve")
        assert await approve.count() == (0 if login == "wes" else 1)
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        assert await page.evaluate("document.activeElement.closest('main') !== null")


async def _remember(world: World) -> None:
    """Two people said something."""
    store = LessonStore(world.server.database)
    for n, text in enumerate(("We use <b>pathlib</b>.", "Never touch `vendor`.")):
        state = list(LessonState)[n]
        url = f"{world.github.web_url}/acme/app/pull/2#discussion_r{n}"
        lesson = Lesson(f"{n:08x}", text, url, "ada", state, datetime.now(UTC), "wes" * n)
        await store.propose(world.repo, lesson, n, most=9)


async def _forget(page: Page) -> None:
    """Somebody who may start runs forgets a lesson, and what was tried."""
    await page.goto("/repositories/acme/app/memory")
    await expect(page.get_by_text("We use <b>pathlib</b>.")).to_be_visible()
    await page.get_by_role("button", name="Forget the lesson 00000000").click()
    await expect(page.get_by_text("We use <b>pathlib</b>.")).not_to_be_visible()
    await page.get_by_role("button", name="Forget the attempt").first.click()
    await page.get_by_text("Forget everything").first.click()
    await page.get_by_role("button", name="Forget everything").click()
    await expect(page.get_by_text("No attempts yet")).to_be_visible()


async def _log_in(page: Page, login: str) -> None:
    """With the token; with a login at GitHub, as that person."""
    if not login:
        await page.get_by_label("Admin token").fill(TOKEN)
        await page.keyboard.press("Enter")
        return
    await page.get_by_role("link", name="Log in with GitHub").click()
    await page.get_by_label("Username").fill(login)
    await page.get_by_role("button", name="Authorize").click()


async def _look_at(page: Page, width: int) -> None:
    found = await Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert await page.evaluate("document.documentElement.scrollWidth") <= width, page.url


@pytest.mark.slow
async def test_how_tests_ended(tmp_path: Path) -> None:
    """The memory of a repository shows the tests that failed, the worst first, on a narrow screen too."""
    expect.set_options(timeout=PATIENCE_MS)
    async with (
        open_world(tmp_path, None, files=FILES, environ=LOCAL) as world,
        browsing() as browser,
    ):
        now = datetime.now(UTC)
        seen = [
            SeenResult(
                f"tests/test_shop.py::test_{name}", f"{n:040x}", "main", None, "test",
                failed=n % every == 0, message="AssertionError: <b>7</b> != 8", seen_at=now - timedelta(hours=9 - n), owner="@acme/shop",
            )
            for name, every in (("rare", 5), ("often", 2))
            for n in range(9)
        ]  # fmt: skip
        await SeenTestStore(world.server.database).keep(world.repo, seen)
        kept = Quarantine(
            "ab12", "tests.test_shop::test_often", "tests/test_shop.py", MarkKind.XFAIL, None,
            datetime(2099, 1, 2, tzinfo=UTC), QuarantineState.OPEN, now,
        )  # fmt: skip
        await QuarantineStore(world.server.database).begin(world.repo, kept)
        for width in (1280, 360):
            async with looking(browser, world, viewport={"width": width, "height": 900}) as page:
                await page.goto("/repositories/acme/app/memory")
                rows = page.get_by_role("row").filter(has_text="tests/test_shop.py")
                await expect(rows.first).to_contain_text("test_often")
                await expect(rows.first).to_contain_text("quarantine until 2099-01-02")
                await expect(rows.first).to_contain_text("@acme/shop")
                await expect(rows.last).to_contain_text("test_rare")
                await _look_at(page, width)


@pytest.mark.slow
async def test_the_picture_of_what_changed(tmp_path: Path) -> None:
    """The page of a run shows the commits that were looked at on a line, and marks the culprit."""
    expect.set_options(timeout=PATIENCE_MS)
    async with (
        open_world(tmp_path, None, files={**FILES, "app.txt": "right\n"}, environ=LOCAL) as world,
        browsing() as browser,
        looking(browser, world) as page,
    ):
        pushed = [
            world.state.push(
                world.repository,
                "main",
                {"n.txt": f"{n}\n", "app.txt": "right\n" if n < 5 else "wrong\n"},
            )
            for n in range(8)
        ]
        await world.comment("/fix explain")
        await world.settled()
        run = await world.run()
        await page.goto(f"/runs/{run.id}")
        await expect(page.get_by_role("heading", name="What changed")).to_be_visible()
        marked = page.locator("figure.looks g", has=page.locator("circle.mark"))
        await expect(marked.locator("circle.red")).to_have_count(1)
        await expect(marked.locator("title")).to_contain_text(pushed[5][:7])
        if place := os.environ.get("SURFACES_SHOT"):
            await page.set_viewport_size({"width": 1000, "height": 900})
            await page.screenshot(path=place, full_page=True)
