"""Which model is asked, and several attempts side by side: the stories."""

from __future__ import annotations

from pathlib import Path

from bot.model.route import ModelStrength
from tests.fakes.model import Request, Say, Step
from tests.flows.world import RIGHT, attempts, open_world


async def test_a_model_that_finds_nothing_is_followed_by_a_larger_one(tmp_path: Path) -> None:
    """The pull request says which model each attempt asked, and why."""
    asked: list[str] = []
    played = attempts([Say("I don't see it.")], RIGHT)

    def script(request: Request) -> Step:
        asked.append(request.model)
        return played(request)

    async with open_world(tmp_path, script) as world:
        await world.comment("/fix")
        await world.settled()
        [pull] = world.pulls()
        told = "- Attempt 2 asked claude-opus-5-5: claude-sonnet-5-5 left no patch."
        assert told in (pull.body or "")
        report = (await world.run()).report
        assert report is not None
        routes = [one.route.strength for one in report.attempts if one.route]
    assert routes == [ModelStrength.DEFAULT, ModelStrength.STRONGER]
    assert asked == ["claude-sonnet-5-5", *["claude-opus-5-5"] * 3]
