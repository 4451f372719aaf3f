"""What a model used while it worked on an attempt, each as a part of one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code
from bot.reporting.series import series

_MOST_TOOLS = 12


@example(1, ["3 tool calls (2 `bash`, 1 `run_tests`)", "2 notes"])
def attempt_used(n: int, parts: Sequence[str]) -> str:
    """What an attempt used."""
    return f"Attempt {n} used {series(parts)}."


@example(1, ["3 tool calls (2 `bash`, 1 `run_tests`)", "2 notes"])
def try_used(n: int, parts: Sequence[str]) -> str:
    """What a try to write failing tests used."""
    return f"Try {n} of writing tests used {series(parts)}."


@example({"bash": 2, "run_tests": 1})
def tool_calls(calls: Mapping[str, int]) -> str:
    """Its tools, the one that was called most first."""
    ranked = sorted(calls.items(), key=lambda one: (-one[1], one[0]))
    named = [f"{times} {code(tool, limit=60)}" for tool, times in ranked]
    listed = ", ".join(named[:_MOST_TOOLS])
    more = len(named) - _MOST_TOOLS
    rest = f", and {count(more, 'more tool')}" if more > 0 else ""
    return f"{count(sum(calls.values()), 'tool call')} ({listed}{rest})"


@example(7, 2)
def read_together(calls: int, turns: int) -> str:
    """Calls that were made at the same time."""
    return f"parallel reads ({count(calls, 'call')} in {count(turns, 'turn')})"


@example(3, 4)
def plan(done: int, steps: int) -> str:
    """Its plan."""
    return f"a plan ({done} of {count(steps, 'step')} done)"


@example(1)
@example(3)
def notes(number: int) -> str:
    """Its notes."""
    return count(number, "note")


@example(34)
def repository_map(files: int) -> str:
    """The map in the first prompt."""
    return f"a repository map ({count(files, 'file')})"


@example(2, 61_000)
def pruned(times: int, characters: int) -> str:
    """How often its conversation was shortened."""
    return f"pruning ({count(times, 'time')}, {characters:,} characters left out)"


@example(54_000)
def cleared(tokens: int) -> str:
    """What its provider left out of the conversation by itself."""
    return f"context editing ({tokens:,} tokens left out by the provider)"


@example(0.874)
def cached(share: float) -> str:
    """How much of what it read came from its provider's cache."""
    return f"the provider's cache ({share:.0%} of its input tokens)"
