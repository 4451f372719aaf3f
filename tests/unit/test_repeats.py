"""A result that the model has in sight is told by what is new in it."""

from __future__ import annotations

from bot.llm.base import StopReason, Text, ToolCall, ToolResult, Turn
from bot.model import Usage
from bot.repair.proposers.agent.repeats import Repeats
from bot.repair.proposers.agent.transcript import Transcript

TESTS = "\n".join(f"test_{n} ... ok" for n in range(100))
RUN = {"command": "pytest -v"}


def call(n: int, name: str = "bash", **given: object) -> ToolCall:
    return ToolCall(str(n), name, given or RUN)


async def told(
    *texts: str, name: str = "bash", in_sight: bool = True, is_error: bool = False
) -> list[str]:
    repeats = Repeats()
    results = [
        await repeats.told(call(n, name), ToolResult(str(n), text, is_error), n, lambda _: in_sight)
        for n, text in enumerate(texts, start=1)
    ]
    return [result.text for result in results]


async def test_the_same_result_is_referred_to() -> None:
    """Its first and its last line stay: what was shown, and how it ended."""
    whole = f"{TESTS}\n(exit code 0)"
    assert await told(whole, whole, whole) == [
        whole,
        "test_0 ... ok\n(… the same result as one turn ago: it is above …)\n(exit code 0)",
        "test_0 ... ok\n(… the same result as 2 turns ago: it is above …)\n(exit code 0)",
    ]


async def test_what_changed_is_shown() -> None:
    """The differences, and how it ended, which may be the same."""
    before = f"{TESTS}\nFAILED test_100\nRan in 0.9 s\n(exit code 1)"
    after = f"{TESTS}\ntest_100 ... ok\nRan in 0.8 s\n(exit code 0)"
    [_, shown] = await told(before, after)
    assert shown == (
        "(the same result as one turn ago, which is above, but for these lines:)\n"
        "@@ -100,4 +100,4 @@\n"
        " test_99 ... ok\n"
        "-FAILED test_100\n-Ran in 0.9 s\n-(exit code 1)\n"
        "+test_100 ... ok\n+Ran in 0.8 s\n+(exit code 0)\n"
        "(exit code 0)"
    )


async def test_what_the_model_needs_as_a_whole_is_whole() -> None:
    """A changed file, a result that mostly changed, a short one, a refusal, one that is gone."""
    changed = TESTS.replace("test_50", "test_x")
    editor = "str_replace_based_edit_tool"
    assert await told(TESTS, changed, name=editor) == [TESTS, changed]
    other = TESTS.replace("ok", "failed")
    assert await told(TESTS, other) == [TESTS, other]
    assert await told("short", "short") == ["short", "short"]
    assert await told(TESTS, TESTS, is_error=True) == [TESTS, TESTS]
    assert await told(TESTS, TESTS, in_sight=False) == [TESTS, TESTS]


async def test_another_call_is_not_the_same() -> None:
    """Nor does a reference lead to another one: it leads to what was shown as a whole."""
    repeats = Repeats()
    for n, given in enumerate(("a", "b"), start=1):
        tool_result = ToolResult(str(n), TESTS)
        assert (
            await repeats.told(call(n, command=given), tool_result, n, lambda _: True)
            == tool_result
        )
    again = await repeats.told(call(3, command="a"), ToolResult("3", TESTS), 3, lambda _: True)
    assert "2 turns ago" in again.text
    assert repeats.count == 1
    assert repeats.saved == len(TESTS) - len(again.text)


def test_in_sight_is_what_no_one_left_out() -> None:
    """Neither we, when the conversation grew too long, nor the provider by itself."""
    transcript = Transcript("system", ("opening",), ())
    result = ToolResult("1", TESTS)

    def turn(n: int, cleared: int = 0) -> None:
        blocks = (Text("hm"), call(n))
        transcript.add_turn(Turn(blocks, StopReason.TOOL_CALLS, "m", "p", Usage(), cleared=cleared))
        transcript.add_answer([result if n == 1 else ToolResult(str(n), f"{n}{TESTS}")])

    for n in range(1, 6):
        turn(n)
    assert transcript.shows(result)
    turn(6, cleared=1)
    assert not transcript.shows(result)
    turn(7)
    transcript.shorten()
    assert not transcript.shows(result)
