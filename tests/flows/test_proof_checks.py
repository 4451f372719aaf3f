"""Stories of the check run *Proof* on pull requests, whoever wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.reporting import proof_check
from bot.storage.proofs import ProofState, ProofStore
from tests.fakes.github import Issue
from tests.fakes.github.events import PullAction
from tests.fakes.github.model import CheckRun
from tests.flows.gate import Gate
from tests.flows.server_process import ServerProcess
from tests.flows.world import World, open_scene, open_world

TEST = """\
import unittest

from app import clamp


class Clamp(unittest.TestCase):
    def test_inside(self):
        self.assertEqual(clamp(5, 1, 9), 5)
"""
MORE_TESTS = f"""\
{TEST}
    def test_above(self):
        self.assertEqual(clamp(12, 1, 9), 9)
"""
BROKEN = "def clamp(x, low, high):\n    return max(x, low)\n"
FIXED = "def clamp(x, low, high):\n    return min(max(x, low), high)\n"
CONFIG = ".github/fixpoint.yml"
SHOWN = (
    "| The tests show the change | shown | 1 test fails without the change and passes with it. |",
    (
        "| Nothing else broke | shown | The test that passed before still passes "
        "(`python3 -m unittest -v`). |"
    ),
    (
        "- `test_app.py:11` `test_app.Clamp.test_above` passes; without the change it fails: "
        "`AssertionError: 12 != 9`"
    ),
    "fixpoint verify . --base COMMIT",
)
"""Of the card of the fix with its test, whatever rows come behind these."""


def files(proof: str, test: str = "python3 -m unittest -v") -> dict[str, str | bytes]:
    """Return a repository with that section `proof`."""
    config = f"setup: 'true'\ntest: {test}\nproof: {{{proof}}}\n"
    return {"app.py": BROKEN, "test_app.py": TEST, CONFIG: config}


def offer(
    world: World,
    title: str = "Fix clamp",
    changes: dict[str, str | bytes | None] | None = None,
    *,
    branch: str = "work",
    author: str = "wes",
    body: str = "",
    draft: bool = False,
) -> Issue:
    """Somebody pushes a branch and opens a pull request from it."""
    changed = {"app.py": FIXED, "test_app.py": MORE_TESTS} if changes is None else changes
    world.state.push(world.repository, branch, changed, author=author)
    return world.state.open_pull_request(
        world.repository, author, title, head=branch, body=body, draft=draft
    )


async def told(world: World, pull: Issue, action: PullAction = "opened") -> None:
    """GitHub delivers what happened to a pull request, and all that follows is over."""
    await world.deliver(world.github.event(pull, action))
    await world.settled()


def proofs(world: World, sha: str | None = None) -> list[CheckRun]:
    """Return the check runs *Proof*, oldest first."""
    return [check for check in world.our_checks(sha) if check.fields["name"] == proof_check.NAME]


def ends(world: World, sha: str | None = None) -> list[tuple[str, str]]:
    """Return how each proof ended, and its title."""
    return [
        (check.fields["conclusion"], check.fields["output"]["title"])
        for check in proofs(world, sha)
        if "conclusion" in check.fields
    ]


async def notes(world: World) -> list[str]:
    """Return what became of the deliveries, oldest first."""
    stored = world.server.deliveries
    found = [await stored.get(delivery.guid) for delivery in world.state.deliveries]
    return [delivery.note for delivery in found if delivery is not None]


@pytest.mark.slow
async def test_a_fix_gets_a_card(tmp_path: Path) -> None:
    """Neutral, with what was shown; no comment, no run, nothing pushed. *Re-run*, or another base, makes another."""
    async with open_world(tmp_path, files=files("on: fixes")) as world:
        before = world.branches()
        pull = offer(world)
        await told(world, pull)
        [check] = proofs(world, world.head("work"))
        shown = world.shown(check)
        assert shown.startswith("Proof: neutral: ")
        for row in SHOWN:
            assert row in shown, shown
        assert {note["path"] for note in check.annotations} == {"app.py"}
        assert pull.comments == []
        assert await world.server.runs.list() == ()
        assert world.branches() == {**before, "work": world.head("work")}
        await told(world, pull, "edited")
        await world.deliver(world.github.rerequested(world.repository, check, "rea"))
        await world.settled()
        assert len(proofs(world)) == 1
        await world.deliver(world.github.rerequested(world.repository, check, "wes"))
        await world.settled()
        again = ends(world)
        assert again == [again[0], again[0]]
        world.state.push(world.repository, "next", {"note.txt": "x\n"})
        assert pull.pull is not None
        pull.pull.base_ref = "next"
        edited = world.github.event(pull, "edited")
        edited.payload["changes"] = {"base": {"ref": {"from": "main"}, "sha": {"from": "0" * 40}}}
        await world.deliver(edited)
        await world.settled()
        assert len(ends(world)) == 3


@pytest.mark.slow
async def test_a_fork_is_proved_without_secrets(tmp_path: Path) -> None:
    """What it runs reaches nothing, whatever the config allows to others."""
    config = files("on: all")
    config[CONFIG] = f"network: on\n{config[CONFIG]!s}"
    probe = (
        f"{MORE_TESTS}\n"
        "    def test_network(self):\n"
        "        import os, socket\n"
        "        with self.assertRaises(OSError):\n"
        f"            socket.create_connection(('127.0.0.1', {{port}}), 2)\n"
        "        self.assertFalse([k for k in os.environ if 'TOKEN' in k or 'KEY' in k])\n"
    )
    async with open_world(tmp_path, files=config) as world:
        fork = world.state.fork(world.repository, "stranger")
        port = world.github.api_url.rpartition(":")[2].partition("/")[0]
        change: dict[str, str | bytes | None] = {
            "app.py": FIXED,
            "test_app.py": probe.replace("{port}", port),
        }
        world.state.push(fork, "theirs", change, author="stranger")
        pull = world.state.open_pull_request(
            world.repository, "stranger", "Clamp", head="theirs", head_repo=fork
        )
        await told(world, pull)
        [check] = proofs(world)
        assert check.fields["conclusion"] == "neutral"
        assert "test_above" in world.shown(check)
        assert "Against the change" not in world.shown(check)


async def test_a_push_supersedes_the_proof_before_it(tmp_path: Path) -> None:
    """The old check run says so; the new head has its own, until the pull request is closed."""
    slow = "sh -c 'sleep 600; python3 -m unittest -v'"
    async with open_world(tmp_path, files=files("on: fixes", slow)) as world:
        pull = offer(world)
        old = world.head("work")
        await world.deliver(world.github.event(pull))
        await world.until_said("Setting up")
        world.state.push(world.repository, "work", {"note.txt": "more\n"}, author="wes")
        new = world.head("work")
        await world.deliver(world.github.event(pull, "synchronize"))
        await world.until(lambda: proofs(world, new) != [] and ends(world, old) != [])
        assert ends(world, old) == [("neutral", proof_check.ENDED)]
        assert proof_check.SUPERSEDED in world.shown(proofs(world, old)[0])
        pull.state = "closed"
        await told(world, pull, "closed")
        assert ends(world, new) == [("neutral", proof_check.ENDED)]
        assert proof_check.PULL_REQUEST_CLOSED in world.shown(proofs(world, new)[0])


@pytest.mark.exhaustive
async def test_required_rows_decide(tmp_path: Path) -> None:
    """Code without a test that shows it fails, whatever the head's own config says; words don't."""
    async with open_world(tmp_path, files=files("on: fixes, conclusion: required")) as world:
        off = "setup: 'true'\ntest: 'true'\nproof: {on: off}\n"
        await told(world, offer(world, changes={"app.py": FIXED, CONFIG: off}, branch="bare"))
        await told(world, offer(world, branch="proven"))
        await told(world, offer(world, "Fix a typo", {"README.md": "x\n"}, branch="words"))
        branches = ("bare", "proven", "words")
        sides = [ends(world, world.head(branch))[0][0] for branch in branches]
        assert sides == ["failure", "success", "success"]


@pytest.mark.slow
async def test_who_is_not_proved(tmp_path: Path) -> None:
    """Drafts, what claims no fix, authors that are not named: each has its note, and a label helps."""
    config = files("on: fixes, authors: [wes, 'dependabot[bot]']")
    async with open_world(tmp_path, files=config) as world:
        draft = offer(world, branch="draft", draft=True)
        await told(world, draft)
        await told(world, offer(world, "Add a note", {"note.md": "x\n"}, branch="note"))
        other = offer(world, branch="other", author="ada")
        await told(world, other)
        assert proofs(world) == []
        assert await notes(world) == snapshot(
            [
                "Not proved: Drafts are proved once they are ready for review.",
                "Not proved: The pull request does not say that it fixes something, and does not change tests and source together.",
                "Not proved: `proof.authors` in the repo config does not name the author.",
            ]
        )
        assert draft.pull is not None
        draft.pull.draft = False
        await told(world, draft, "ready_for_review")
        assert len(proofs(world, world.head("draft"))) == 1
        await world.deliver(world.github.labelled(other, "bug", "wes"))
        await world.settled()
        assert proofs(world, world.head("other")) == []
        await world.deliver(world.github.labelled(other, "Proof", "wes"))
        await world.settled()
        assert len(proofs(world, world.head("other"))) == 1


@pytest.mark.slow
async def test_what_can_not_be_set_up_is_neutral_or_fails_as_wanted(tmp_path: Path) -> None:
    """A setup that fails on both sides shows nothing; only `required` makes that a failure."""
    config = files("on: all")
    config[CONFIG] = str(config[CONFIG]).replace("'true'", "'echo no such thing; exit 3'")
    async with open_world(tmp_path, files=config) as world:
        await told(world, offer(world))
        [check] = proofs(world)
        assert world.shown(check) == snapshot("""\
Proof: neutral: The change could not be tested

The setup command `echo no such thing; exit 3` exited with 3.

<details>
<summary>End of the setup output</summary>

```
no such thing
```

</details>

- The base can't be set up, so it runs in the environment of the head. The setup command `echo no such thing; exit 3` exited with 3.\
""")
        [record] = await ProofStore(world.server.database).of_pull(world.repo, 2)
        assert record.state is ProofState.DONE


@pytest.mark.slow
async def test_a_proof_goes_on_after_its_server_died(tmp_path: Path) -> None:
    """What was set up and seen stays so; there is one check run, with the whole card."""
    async with Gate() as gate:
        config = files("on: all", f"{gate.command('check')} && python3 -m unittest -v")
        setup = f"setup: {gate.command('setup')!r}\nnetwork: on"
        config[CONFIG] = str(config[CONFIG]).replace("setup: 'true'", setup)
        async with open_scene(tmp_path, files=config) as scene:
            server = ServerProcess(scene.variables(tmp_path / "data") | gate.variables, tmp_path)
            scene.state.push(scene.repository, "work", {"app.py": FIXED, "test_app.py": MORE_TESTS})
            pull = scene.state.open_pull_request(scene.repository, "wes", "Clamp", head="work")
            try:
                await gate.close("check")
                await server.start()
                await scene.github.deliver(scene.github.event(pull), server.webhook)
                await gate.reached("check")
                await server.kill()
                await gate.deserted("check")
                await gate.open("check")
                await server.start()
                checks = scene.repository.check_runs
                await scene.until(
                    lambda: [run.fields["status"] for run in checks.values()] == ["completed"]
                )
                [check] = checks.values()
                assert "test_above" in check.fields["output"]["summary"]
                assert gate.passed.count("setup") == 1
            finally:
                await server.kill()
