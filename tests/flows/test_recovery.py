"""A model that declines, repeats itself or gets no further, as stories of one attempt."""

from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from pathlib import Path

from bot.llm.base import Opaque, StopReason, Text
from bot.model.progress import Noticed
from bot.model.route import ModelStrength, Rung
from bot.repair.proposers.agent.stuck_model import SAME_OUTCOMES
from bot.reporting.reasons import agent
from tests.flows.agent_world import (
    FIX,
    JournaledSteps,
    Killed,
    ScriptedModel,
    bash,
    edit,
    notes,
    run_tests,
    says,
    world,
)

RUNGS = (
    Rung(ModelStrength.DEFAULT, "middle-1", Decimal("0.1")),
    Rung(ModelStrength.STRONGER, "large-1", Decimal("0.3")),
)


def opened(model: ScriptedModel) -> str:
    """Return the first message of the last conversation."""
    first = model.asked[-1][0].messages[0]
    return "\n".join(block.text for block in first.blocks if isinstance(block, Text))


async def test_a_model_that_declines_gets_a_narrower_instruction(tmp_path: Path) -> None:
    """Its refusal is taken back, so that it is not held to it; the report says what happened."""
    story = world(tmp_path, rungs=RUNGS)
    model = ScriptedModel(
        says(bash("ls")), says("I won't.", stop=StopReason.REFUSAL), says(FIX), says("Done.")
    )
    proposal = await story.attempt(model)
    assert (proposal.ended, bool(proposal.patch)) == ("", True)
    told = agent.taken(agent.DECLINED, "tighter")
    assert proposal.notes == (told,)
    assert Noticed(told) in story.events
    conversation = model.asked[2][0]
    assert "I won't." not in str(conversation)
    assert [message.role for message in conversation.messages] == ["user", "assistant", "user"]
    assert "You declined the last step" in str(conversation.messages[-1])


async def test_a_model_that_repeats_itself_is_followed_by_another_one_and_a_fresh_start(
    tmp_path: Path,
) -> None:
    """Then only a person can help: the attempt ends, and says what was tried."""
    story = world(tmp_path, rungs=RUNGS)
    thinking = Opaque("scripted", {"thinking": "hm", "signature": "x"})
    model = ScriptedModel(
        says(notes(note="The word is in app.txt.")), says(thinking, bash("echo same"))
    )
    proposal = await story.attempt(model)
    asked = [ask.strength for _, ask in model.asked]
    assert asked == [*[ModelStrength.DEFAULT] * 6, *[ModelStrength.STRONGER] * 10]
    assert "hm" not in str(model.asked[6][0]), "another model can't read these thoughts"
    assert "Another model worked on this" in str(model.asked[6][0].messages[-1])
    reason = agent.repeated(5)
    assert proposal.ended == reason
    assert proposal.notes == (
        agent.taken(reason, "other model", "large-1"),
        agent.taken(reason, "fresh start"),
        agent.person_needed(["other model", "fresh start"]),
    )
    assert "That conversation got no further." in opened(model)
    assert "- The word is in app.txt." in opened(model), "what it noted is kept"


async def test_edits_that_change_nothing_are_noticed(tmp_path: Path) -> None:
    """The same test results, edit after edit, end in other instructions; work that helps doesn't."""
    edits = [
        says(edit("create", f"note{number}.txt", file_text="x"), run_tests())
        for number in range(SAME_OUTCOMES)
    ]
    model = ScriptedModel(*edits, says(FIX, run_tests()), says("Done."))
    proposal = await world(tmp_path, rungs=RUNGS).attempt(model)
    assert (proposal.ended, bool(proposal.patch)) == ("", True)
    assert proposal.notes == (agent.taken(agent.stalled(SAME_OUTCOMES), "tighter"),)
    assert "Stop editing." in str(model.asked[SAME_OUTCOMES][0].messages[-1])


async def test_so_are_edits_that_other_commands_show_no_difference_of(tmp_path: Path) -> None:
    """Whatever runs them, whatever stands behind them: what passes, or looks, is no standstill."""
    for command in ("sh check.sh", "sh check.sh | cat", "echo {number} > note; sh check.sh"):
        folder = tmp_path / str(len(command))
        edits = [
            says(
                edit("create", f"note{number}.txt", file_text="x"),
                bash(command.format(number=number)),
                bash(f"cat note{number}.txt; grep -c nothing app.txt || true"),
            )
            for number in range(SAME_OUTCOMES)
        ]
        model = ScriptedModel(*edits, says(FIX, bash("sh check.sh")), says("Done."))
        proposal = await world(folder, rungs=RUNGS).attempt(model)
        assert proposal.notes == (agent.taken(agent.stalled(SAME_OUTCOMES), "tighter"),), command
        assert "Stop editing." in str(model.asked[SAME_OUTCOMES][0].messages[-1])


async def test_help_can_be_turned_off(tmp_path: Path) -> None:
    """Then the attempt ends at once, as the config asks for."""
    model = ScriptedModel(says(bash("echo same")))
    proposal = await world(tmp_path, rungs=RUNGS, recovery=False).attempt(model)
    assert (len(model.asked), proposal.ended, proposal.notes) == (5, agent.repeated(5), ())


async def test_a_restarted_attempt_is_helped_in_the_same_way(tmp_path: Path) -> None:
    """What was done about a model follows from the kept turns alone."""
    lines = [*[says(bash("echo same"))] * 7, says(FIX), says("Done.")]
    whole = await world(tmp_path / "whole", rungs=RUNGS).attempt(ScriptedModel(*lines))
    journal: list[tuple[str, object]] = []
    story = world(tmp_path / "restarted", rungs=RUNGS)
    model = ScriptedModel(*lines)
    lives, restarted = 0, None
    while restarted is None:
        lives += 1
        # A turn whose answer was lost is asked for again, and gets the same answer.
        del model.asked[sum("." not in name for name, _ in journal) :]
        with suppress(Killed):
            restarted = await story.attempt(model, steps=JournaledSteps(journal, 5))
    assert lives > 2
    assert (restarted.notes, restarted.ended) == (whole.notes, whole.ended)
    assert restarted.patch.files == whole.patch.files
