"""Tell stories to a company of servers while disasters happen, and compare what people see."""

from __future__ import annotations

import asyncio
import difflib
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.chaos.company import ROLES, Company
from bench.chaos.plan import Disaster
from bench.chaos.stories import Plot, Stories, Story
from bench.chaos.weather import GitHubWeather, ModelWeather, SandboxWeather, Weather
from tests.contract.postgres import PostgresServer
from tests.fakes.e2b import E2BServer
from tests.fakes.github import Event, GitHubServer, GitHubState
from tests.fakes.model import ModelServer

HEARTBEAT = 1.0
"""Seconds; a server is dead after four."""
EXPIRY = 4 * HEARTBEAT

_LOOK_SECONDS = 0.25
_LATE_SECONDS = 5.0


@dataclass(slots=True)
class Findings:
    """What came out.

    Attributes:
        stories: How many were told.
        lost: Names of stories that did not end as they should, with the difference.
        doubled: Likewise of those that show something twice.
        extra_calls: Answers of models beyond those of an undisturbed run.
        takeovers: How often a run was taken up beyond the first time.
        disasters: How often each kind happened.
        odd: What no server should do.
    """

    stories: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    extra_calls: int = 0
    takeovers: int = 0
    disasters: dict[str, int] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)


class Chaos:
    """One GitHub, one model, one PostgreSQL, and servers that die."""

    def __init__(
        self, stories: Stories, company: Company, weather: Weather, patience: float
    ) -> None:
        self.stories = stories
        self.company = company
        self.weather = weather
        self.findings = Findings()
        self._patience = patience
        self._expected: dict[Plot, tuple[str, int]] = {}
        self._sending: set[asyncio.Task[None]] = set()
        self._begun: list[Story] = []

    async def learn(self, plots: Sequence[Plot]) -> None:
        """See how each plot goes when nothing is in its way."""
        told = [self.stories.add(plot) for plot in dict.fromkeys(plots)]
        for story in told:
            await self._deliver(story.begin())
        for story in told:
            await self._quiet(story)
            self._expected[story.plot] = (story.picture(), story.asked.total())

    async def _quiet(self, story: Story) -> None:
        """Wait until nothing of an undisturbed story changes any more."""
        async with asyncio.timeout(self._patience):
            seen, since = "", time.monotonic()
            while time.monotonic() - since < _LATE_SECONDS or "queued" in seen.lower():
                await self._deliver(story.go_on())
                picture = await asyncio.to_thread(story.picture)
                if picture != seen or not _looks_over(picture, story.plot):
                    seen, since = picture, time.monotonic()
                await asyncio.sleep(_LOOK_SECONDS)

    async def suffer(
        self, plots: Sequence[Plot], disasters: Iterable[Disaster], width: int, least: int
    ) -> None:
        """Keep so many stories going until all disasters have happened, and at least some."""
        self.weather.bad = True
        happening = asyncio.create_task(self._happen(disasters))
        open_: list[Story] = []
        number = 0
        while not happening.done() or number < least:
            while len(open_) < width:
                open_.append(await self._begin(plots[number % len(plots)]))
                number += 1
            await asyncio.sleep(_LOOK_SECONDS)
            open_ = [story for story in open_ if not await self._over(story)]
        await happening
        self.weather.bad = False
        await self._all_over()

    async def _begin(self, plot: Plot) -> Story:
        story = self.stories.add(plot)
        self._begun.append(story)
        await self._deliver(await asyncio.to_thread(story.begin))
        return story

    async def _over(self, story: Story) -> bool:
        await self._deliver(story.go_on())
        if not _maybe_over(story):
            return False
        return await asyncio.to_thread(story.picture) == self._expected[story.plot][0]

    async def _all_over(self) -> None:
        """Wait until all stories have ended as they should, and look once more a little later."""
        until = time.monotonic() + self._patience
        left = list(self._begun)
        while left and time.monotonic() < until:
            left = [story for story in left if not await self._over(story)]
            await asyncio.sleep(_LOOK_SECONDS)
        await asyncio.sleep(_LATE_SECONDS)
        for task in self._sending:
            task.cancel()
        self._judge()

    def _judge(self) -> None:
        found, calls = self.findings, 0
        for story in self._begun:
            picture, asked = self._expected[story.plot]
            calls += story.asked.total() - asked
            seen = story.picture()
            if seen == picture:
                continue
            difference = "\n".join(
                difflib.unified_diff(picture.splitlines(), seen.splitlines(), lineterm="", n=1)
            )
            twice = len(seen.splitlines()) > len(picture.splitlines())
            (found.doubled if twice else found.lost).append(f"{story.name}: {difference}")
        found.stories, found.extra_calls = len(self._begun), calls
        runs = sum(_RUNS[story.plot] for story in self.stories.told.values())
        found.takeovers = self.company.taken_up() - runs
        found.odd = self.company.odd

    async def _happen(self, disasters: Iterable[Disaster]) -> None:
        counts = self.findings.disasters
        for disaster in disasters:
            await asyncio.sleep(disaster.after)
            counts[disaster.kind.value] = counts.get(disaster.kind.value, 0) + 1
            await self.company.suffer(disaster)
            self._point()

    def _point(self) -> None:
        """Let GitHub send what it sends by itself to somebody who listens."""
        webhooks = self.company.webhooks
        self.stories.github.webhook_url = self.weather.chance.choice(webhooks) if webhooks else None

    async def _deliver(self, events: Sequence[Event]) -> None:
        """Let GitHub deliver some events: on a bad day late, twice, or in another order."""
        chance = self.weather.chance
        if not self.weather.bad:
            self._point()
            for event in events:
                await self.stories.github.deliver(event)
            return
        for event in chance.sample(list(events), len(events)):
            late = chance.choice((0.0, 0.0, 1.0, _LATE_SECONDS))
            task = asyncio.create_task(self._send(event, late, twice=chance.random() < 0.2))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _send(self, event: Event, late: float, *, twice: bool) -> None:
        await asyncio.sleep(late)
        github = self.stories.github
        self._point()
        if github.webhook_url is None:
            github.webhook_url = "http://127.0.0.1:9/webhook"  # nobody listens there
        sent = await github.deliver(event)
        if twice:
            self._point()
            await github.deliver(event, github.webhook_url, guid=sent.guid)


_RUNS = {
    Plot.FIXED: 1,
    Plot.MOVED: 1,
    Plot.GAVE_UP: 1,
    Plot.APPROVED: 2,
    Plot.CHECKED: 1,
    Plot.STRANGER: 0,
    Plot.HELPED: 0,
}
"""How often a run of an undisturbed story is taken up."""


def _maybe_over(story: Story) -> bool:
    """Whether it is worth a closer look."""
    scene = story.scene
    if story.plot is Plot.CHECKED:
        ours = [run for run in scene.repository.check_runs.values() if not run.app]
        return any("conclusion" in run.fields for run in ours)
    if story.plot in {Plot.STRANGER, Plot.HELPED}:
        return bool(scene.said())
    [asked, *_] = [comment for comment in scene.issue.comments if comment.author.login == "ada"]
    return bool({"rocket", "confused"} & set(scene.reactions(asked)))


def _looks_over(picture: str, plot: Plot) -> bool:
    if plot in {Plot.STRANGER, Plot.HELPED}:
        return "fixpoint[bot]" in picture
    if plot is Plot.CHECKED:
        return "Fixpoint: success" in picture
    return "rocket" in picture or "confused" in picture


@asynccontextmanager
async def chaos(
    root: Path,
    postgres: PostgresServer,
    *,
    seed: int,
    rate: float,
    patience: float,
    roles: tuple[str, ...] = ROLES,
    sandbox: str = "bubblewrap",
    more: Mapping[str, str] | None = None,
) -> AsyncIterator[Chaos]:
    """Open everything, with all servers up and good weather.

    Args:
        root: Folder for everything.
        postgres: The database of all servers.
        seed: Of all that is left to chance.
        rate: Of calls that go wrong on a bad day.
        patience: Seconds until a story has to be over once the disasters are.
        roles: Of the servers.
        sandbox: Kind of sandbox.
        more: Further variables of the servers.
    """
    weather = Weather(Random(seed), rate)
    state = GitHubState(root / "github")
    state.faults = GitHubWeather(weather)
    # What GitHub shows is compared every few seconds here, which asks for an hour's calls in minutes.
    state.calls_allowed = 1_000_000
    async with AsyncExitStack() as stack:
        github = await stack.enter_async_context(GitHubServer(state))
        stories = Stories(github)
        script = ModelWeather(weather, stories.script)
        model = await stack.enter_async_context(ModelServer(script, keep=False))
        stories.model = model
        first = stories.add(Plot.HELPED)
        variables = first.scene.variables(root) | {
            "DATABASE_URL": postgres.empty_database(),
            "FIXPOINT_HEARTBEAT_SECONDS": f"{HEARTBEAT:g}",
            "FIXPOINT_MISSED_SECONDS": "5",
            "FIXPOINT_RECONCILE_SECONDS": "20",
            "FIXPOINT_SANDBOX": sandbox,
        }
        if sandbox == "e2b":
            e2b = await stack.enter_async_context(E2BServer(root / "e2b", mounts=()))
            e2b.state.faults = SandboxWeather(weather)
            variables |= e2b.settings
        company = Company(root, variables | dict(more or {}), postgres, roles)
        await stack.enter_async_context(company)
        yield Chaos(stories, company, weather, patience)
