"""When commands that fail in the same way are a standstill."""

from __future__ import annotations

from bot.llm.base import ToolCall, ToolResult
from bot.repair.proposers.agent.stuck_model import Standstill


def counts(*ran: tuple[str, str], tool: str = "bash") -> list[int]:
    """Return what is counted after each command and its result."""
    standstill = Standstill()
    return [
        standstill.count(ToolCall("1", tool, {"command": command}), ToolResult("1", text))
        for command, text in ran
    ]


def test_the_same_failure_counts_whatever_ran_it() -> None:
    """Times, addresses and line numbers don't tell two failures apart; counts and codes do."""
    fails = (
        "app.py:{}: AssertionError at 0x{}\nFile a.py, line {}\n1 failed in 0.{}s\n(exit code 1)"
    )
    assert counts(*((f"pytest{' ' * n}-q", fails.format(n, n, n, n)) for n in range(3))) == [
        1,
        2,
        3,
    ]
    assert counts(
        ("make", "2 failed\n(exit code 1)"), ("make", "1 failed\n(exit code 1)"),
        ("make", "1 failed\n(exit code 2)"),
    ) == [1, 1, 1]  # fmt: skip


def test_a_new_outcome_of_the_same_command_is_progress() -> None:
    """One that was seen before is not: that is going round in circles. Other commands say nothing."""
    one, two = "a is wrong\n(exit code 1)", "b is wrong\n(exit code 1)"
    ran = [("make", one), ("make", one), ("ruff x", "x has an error\n(exit code 1)"), ("make", one)]
    assert counts(*ran) == [1, 2, 1, 3]
    assert counts(*ran, ("make", two), ("make", one), ("make", two)) == [1, 2, 1, 3, 1, 1, 2]


def test_what_passes_or_prints_nothing_is_no_standstill() -> None:
    """Unless it says that something failed, as the same command does time and again."""
    looks = ("ls", "a\nb\n(exit code 0)")
    assert counts(looks, looks, ("grep x", "(no output)\n(exit code 1)")) == [0, 0, 0]
    hidden = "1 failed\n(exit code 0)"
    assert counts(("make | tail", hidden), ("make | tail", hidden), ("cat log", hidden)) == [
        1,
        2,
        1,
    ]


def test_tests_that_show_the_same_count_also_where_they_pass() -> None:
    """Whatever their command is called."""
    passes = "`pytest {}` passed: 0 failed, 3 passed, 0 skipped."
    assert counts(*(("", passes.format(n)) for n in "ab"), tool="run_tests") == [1, 2]
