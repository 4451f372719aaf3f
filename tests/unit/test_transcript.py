"""The conversation of an attempt stays short enough, and its prefix stays equal for long."""

from __future__ import annotations

from bot.llm.base import Message, Opaque, StopReason, Text, ToolCall, ToolResult, Turn
from bot.model import Usage
from bot.repair.proposers.agent.context_compaction import shortened
from bot.repair.proposers.agent.transcript import MOST_CHARACTERS, Transcript
from tests.flows.agent_world import characters


def result(size: int, call_id: str = "1") -> Message:
    return Message("user", (ToolResult(call_id, "x" * size), Text("A note of ours.")))


def say(*blocks: Text | ToolCall | Opaque) -> Turn:
    return Turn(blocks, StopReason.TOOL_CALLS, "m", "p", Usage())


def test_the_oldest_output_goes_first() -> None:
    """Only as much as needed, never the newest messages, nothing but tool output."""
    messages = tuple(result(1_000) for _ in range(8))
    short = shortened(messages, 1_500, keep=4)
    assert [isinstance(m.blocks[0], ToolResult) and len(m.blocks[0].text) for m in short] == [
        71, 71, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000,
    ]  # fmt: skip
    assert all(message.blocks[1] == Text("A note of ours.") for message in short)
    assert shortened(messages, 10**6, keep=4)[-4:] == messages[-4:]


def test_short_output_and_errors_keep_their_sense() -> None:
    """What is small stays; what is dropped says how much it was and whether it was an error."""
    small, error = result(50), Message("user", (ToolResult("1", "e" * 900, is_error=True),))
    short = shortened((small, error, *(result(9),) * 4), 10**6, keep=4)
    assert short[0] == small
    assert short[1].blocks == (
        ToolResult(
            "1",
            "(900 characters of older output dropped; run it again if you need it)",
            is_error=True,
        ),
    )


def test_shortening_comes_in_large_strides() -> None:
    """Between two shortenings every turn only appends, so that the provider's cache stays warm."""
    transcript = Transcript("system", ("opening",), ())
    rewritten = 0
    before = transcript.conversation
    for number in range(200):
        transcript.add_turn(say(ToolCall(str(number), "bash", {"command": "make"})))
        transcript.add_answer([ToolResult(str(number), "x" * 10_000)])
        transcript.shorten_when_long()
        after = transcript.conversation
        rewritten += after.messages[: len(before.messages)] != before.messages
        before = after
        size = sum(len(block.text) for m in after.messages for block in m.blocks
                   if isinstance(block, ToolResult))  # fmt: skip
        assert size <= MOST_CHARACTERS
    assert rewritten <= 200 * 10_000 // (MOST_CHARACTERS // 2)


def test_equal_histories_make_equal_conversations() -> None:
    """A restarted run asks exactly what the run before it asked."""

    def grown() -> Transcript:
        transcript = Transcript("system", ("opening",), ())
        for number in range(60):
            transcript.add_turn(say(Text("hm"), Opaque("p", {"signature": "s" * number})))
            transcript.add_answer([ToolResult(str(number), "y" * 9_000)], note="hurry")
            transcript.shorten_when_long()
        return transcript

    assert grown().conversation == grown().conversation


def test_a_conversation_that_cannot_be_shortened_says_so() -> None:
    """When nothing is left to drop, asking again would be in vain."""
    transcript = Transcript("system", ("opening" * 1_000,), ())
    assert not transcript.shorten()


def _long_attempt(transcript: Transcript, window: int) -> list[int]:
    """Take 200 turns with a model that reads at most `window` characters; return what it read."""
    read = []
    for number in range(200):
        transcript.shorten_when_long("- the cache is stale")
        while (size := characters(transcript.conversation)) > window:
            assert transcript.shorten("- the cache is stale")
        read.append(size)
        call = ToolCall(str(number), "bash", {"command": f"sed -n {number}p big.py # {'x' * 300}"})
        transcript.add_turn(say(Text(f"I look at line {number}. {'Hm. ' * 100}"), call))
        transcript.add_answer([ToolResult(str(number), "y" * 2_000 + "\n(exit code 1)")])
    return read


def test_two_hundred_turns_fit_into_a_small_window() -> None:
    """Whole turns are folded into a line each; task, newest turns and notes stay in sight."""
    transcript = Transcript("system", ("The task: " + "t" * 20_000,), ())
    read = _long_attempt(transcript, window=90_000)
    assert max(read) <= 90_000
    asked = transcript.conversation.messages
    assert [message.role for message in asked] == ["user", "assistant"] * (len(asked) // 2) + [
        "user"
    ]
    opening, folded = asked[0].blocks
    assert isinstance(opening, Text)
    assert isinstance(folded, Text)
    assert opening.text.startswith("The task: ")
    assert "earlier turns of yours were folded away to save space; the last 60:" in folded.text
    assert "I look at line 150. Hm." in folded.text
    assert "→ exit code 1" in folded.text
    assert folded.text.endswith("Your plan and notes:\n- the cache is stale")


def test_the_window_of_a_small_model_is_learned_once() -> None:
    """What was refused is not tried again: later conversations stay below it."""
    transcript = Transcript("system", ("opening",), ())
    refused = 0
    for number in range(200):
        transcript.shorten_when_long()
        if characters(transcript.conversation) > 50_000:
            refused += 1
            assert transcript.shorten()
        transcript.add_turn(say(ToolCall(str(number), "bash", {"command": "make"})))
        transcript.add_answer([ToolResult(str(number), "z" * 3_000)])
    assert refused == 1


def test_how_a_command_ended_outlives_its_output() -> None:
    """Whether old tests passed is what the model asks for first."""
    old = Message("user", (ToolResult("1", "x" * 900 + "\n(exit code 2)"),))
    short = shortened((old, *(result(9),) * 4), 10**6, keep=4)
    dropped = short[0].blocks[0]
    assert isinstance(dropped, ToolResult)
    assert dropped.text.endswith("run it again if you need it)\n(exit code 2)")
