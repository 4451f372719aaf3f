"""Stories with and without a part of the agent, by the one line that the page of the config names."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.storage.memory import MemoryStore
from tests.fakes.model import Request, Say, Step
from tests.flows import test_conflicts as conflicts
from tests.flows.test_memory import SHOPS, asked, break_again, merge
from tests.flows.test_test_first import BUILD, EXACT_VAT, VAT, added, play, report_of, says, verdict
from tests.flows.test_test_first import FILES as FEATURE
from tests.flows.world import CONFIG, FILES, RIGHT, attempts, open_world

pytestmark = pytest.mark.exhaustive


def configured(files: dict[str, str | bytes], line: str) -> dict[str, str | bytes]:
    """Return the files of a repository whose config has one line more."""
    config = str(files.get(".github/fixpoint.yml", CONFIG))
    return {**files, ".github/fixpoint.yml": f"{config}{line}\n"}


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ("", set()),
        ("spec: off", {"specification"}),
        ("wrong_fixes: false", {"wrong fixes"}),
        ("tools: {map_tokens: 0}", {"map"}),
    ],
)
async def test_parts_of_a_feature(tmp_path: Path, line: str, without: set[str]) -> None:
    """A specification, wrong fixes, and a map of the repository."""
    script = play(
        specify=[[says(VAT)]],
        test=[[added(EXACT_VAT), Say("A test.")]],
        judge=[[verdict([1])]],
        repair=[BUILD],
    )
    async with open_world(tmp_path, script, files=configured(FEATURE, line)) as world:
        await world.comment("/fix add a function for the tax")
        await world.settled()
        report = await report_of(world)
        attempt = report.accepted_attempt
        assert attempt is not None, report.reason
        assert attempt.verification is not None
        used = {
            "specification": report.specification is not None,
            "wrong fixes": attempt.verification.wrong_fixes is not None,
            "map": any("repository map" in item for item in attempt.proposal.used),
        }
        assert used == {part: part not in without for part in used}


@pytest.mark.parametrize(
    ("line", "without"),
    [
        ("", set()),
        ("memory: {enabled: false}", {"registry", "lesson", "again", "shown"}),
        ("memory: {lessons: false}", {"lesson"}),
        ("memory: {shown: 0}\nproposers: [agent]", {"again", "shown"}),
        ("proposers: [mechanical, search, revert, agent]", {"again"}),
    ],
)
async def test_parts_of_the_memory(tmp_path: Path, line: str, without: set[str]) -> None:
    """What was merged is kept, tried again, and shown; a remark is proposed as a lesson."""
    async with open_world(tmp_path, attempts(RIGHT), files=configured(SHOPS, line)) as world:
        first = await asked(world)
        rule = "We use lower case here, always."
        await world.deliver(world.github.review_comment(first, "wes", rule))
        await world.settled()
        lesson = any("Should Fixpoint remember" in text for text in world.said(first))
        await merge(world, first)
        kept = await MemoryStore(world.server.database).list(world.repo)
        break_again(world)
        await asked(world, world.state.open_issue(world.repository, "rea", "Again", "."))
        report = await report_of(world)
        again = "memory" in [attempt.proposer for attempt in report.attempts]
        assert {"registry": bool(kept), "lesson": lesson, "again": again} == {
            part: part not in without for part in ("registry", "lesson", "again")
        }
        shown = any(note.startswith("Shown to the model") for note in report.notes)
        assert shown == (not again and "shown" not in without)


@pytest.mark.parametrize(("line", "models"), [("", 2), ("routing: false", 1)])
async def test_routing(tmp_path: Path, line: str, models: int) -> None:
    """After an attempt in vain a larger model is asked, or the same one again."""
    named: set[str] = set()
    played = attempts([Say("I don't see it.")], RIGHT)

    def script(request: Request) -> Step:
        named.add(request.model)
        return played(request)

    files = configured(FILES, f"proposers: [agent]\n{line}")
    async with open_world(tmp_path, script, files=files) as world:
        await world.comment("/fix")
        await world.settled()
        assert len(named) == models


@pytest.mark.parametrize(
    ("line", "state", "runs"),
    [
        ("", "changes_requested", 1),
        ("", "commented", 0),
        ("reviews: all", "commented", 1),
        ("reviews: false", "changes_requested", 0),
    ],
)
async def test_reviews(tmp_path: Path, line: str, state: str, runs: int) -> None:
    """A review that requests changes starts a run, and one that comments if that is wanted."""
    async with open_world(tmp_path, attempts(RIGHT), files=configured(FILES, line)) as world:
        world.state.push(world.repository, "fixpoint/1-x", {"new.txt": "x\n"})
        bot = world.state.app.bot
        pull = world.state.open_pull_request(world.repository, bot, "Fix", head="fixpoint/1-x")
        remark = ("new.txt", "This is wrong.")
        await world.deliver(world.github.review(pull, "wes", "", state, remark))
        await world.settled()
        assert len(await world.server.runs.list()) == runs


@pytest.mark.parametrize(("line", "merges"), [("", True), ("conflicts: false", False)])
async def test_conflicts(tmp_path: Path, line: str, *, merges: bool) -> None:
    """A pull request that conflicts is redone."""
    files = configured(conflicts.FILES, line)
    async with open_world(tmp_path, attempts(conflicts.MEND), files=files) as world:
        pull = await conflicts.asked(world)
        await conflicts.move(world, conflicts.MOVED, told=0)
        await conflicts.compared(world)
        await conflicts.ended(world)
        assert conflicts.merges(world, pull) == merges
