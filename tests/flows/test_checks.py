"""Stories that begin with a failed check."""

from __future__ import annotations

from pathlib import Path

from inline_snapshot import snapshot

from tests.flows.world import CONFIG, FILES, RIGHT, attempts, open_world

AUTO = {
    **FILES,
    ".github/fixpoint.yml": f"{CONFIG}proposers: [agent]\nchecks: {{auto: all, settle: 0}}\n",
}


async def test_a_failed_check_of_the_default_branch_is_repaired(tmp_path: Path) -> None:
    """One run, however many webhooks tell of it; a check run shows it; a pull request ends it."""
    async with open_world(tmp_path, attempts(RIGHT), files=AUTO) as world:
        await world.check_ends("test")
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        assert pull.pull.base_ref == "main"
        assert world.repaired() == "right\n"
        assert [world.shown(check) for check in world.our_checks()] == snapshot(
            [
                """\
Fixpoint: success: Fixed in #2 [Stop]

Fixed in https://github.test/acme/app/pull/2

It failed on the untouched commit and passes with this patch, in a clean sandbox that the proposer can't reach.

<!-- fixpoint:run=RUN kind=progress -->\
"""
            ]
        )
        assert len(await world.server.runs.list()) == 1
