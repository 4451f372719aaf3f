"""What a model did and used in its attempt, why the attempt ended early, and what was done about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code
from bot.reporting.prose import line
from bot.reporting.series import series


@example(1)
@example(60)
def turns_used(turns: int) -> str:
    return (
        "The attempt used its only turn." if turns == 1 else f"The attempt used all {turns} turns."
    )


DECLINED = "The model declined to continue."


@example(5)
def repeated(times: int) -> str:
    return f"The model repeated the same action {times} times."


@example(6)
def stalled(times: int) -> str:
    return (
        f"The commands that the model ran failed in the same way {times} times, whatever it edited."
    )


@example(3)
def cut_off(answers: int) -> str:
    return f"{answers} answers in a row were cut off at the token limit."


@example(1, 4_200)
@example(23, 61_000)
def told_shorter(results: int, characters: int) -> str:
    return (
        f"{count(results, 'tool result')} repeated earlier ones, so the model got references or "
        f"diffs instead: {characters:,} characters less."
    )


@example(41_000)
def task_cut(characters: int) -> str:
    return (
        "The issue, its comments and the output of the tests don't fit into the model's context "
        f"window, so the model was shown {characters:,} characters less of them."
    )


@example("The conversation is too long for openai (400: maximum context length is 4000 tokens).")
def task_too_long(refusal: str) -> str:
    return (
        f"The task alone is too long for the model; use one with a larger context window. {refusal}"
    )


@example([])
@example(["src/a.py", "src/b.py"])
def no_summary(changed: Sequence[str]) -> str:
    return f"The model left no summary. {_changed(changed)}"


@example([])
@example(["src/a.py", "src/b.py"])
@example(["src/a.py"], "The cause is in `parse`.")
def unfinished(changed: Sequence[str], last_message: str = "") -> str:
    """The attempt ended before the model was done."""
    whole = f"The model did not finish. {_changed(changed)}"
    return f"{whole} Its last message: {last_message}" if last_message else whole


NO_CLEAR_ANSWER = "The model that reviewed the test gave no clear answer."


@example("pytest -q tests/test_a.py")
def ran(command: str) -> str:
    return f"$ {command}"


@example("src/a.py")
def read(path: str) -> str:
    return f"read {path}"


@example("parse_amount")
def searched(query: str) -> str:
    return f"search for {query}"


@example("src/a.py", 24)
def tried_edits(path: str, number: int) -> str:
    return f"try {count(number, 'edit')} of {path}"


@example("src/a.py")
def edited(path: str) -> str:
    return f"edit {path}"


@example()
@example("pytest -q tests/test_a.py")
def ran_tests(command: str | None = None) -> str:
    return f"run tests: {command}" if command else "run the tests"


@example(0, 3, "Find where the total is rounded")
@example(2, 3, "Run the tests of the callers")
@example(3, 3, "")
def planned(done: int, steps: int, next_step: str) -> str:
    return f"plan {done}/{steps}: {next_step}" if next_step else f"plan {done}/{steps}"


@example("`total` is rounded before tax is added.")
def noted(note: str) -> str:
    return f"note: {note}"


RESTARTED = "restart the shell"


@example("open_browser")
def not_understood(tool: str) -> str:
    return f"{tool} (invalid call)"


@example("tickets_comment")
def use_of_tool(tool: str) -> str:
    return f"the use of {code(tool)}"


@example("tickets_comment")
def tool_waits(tool: str) -> str:
    return f"The agent asks to use {code(tool)}."


@example("tickets_comment", "ann")
def tool_approved(tool: str, by: str) -> str:
    return f"{code(by)} allowed the agent to use {code(tool)}."


@example("tickets_comment")
def tool_expired(tool: str) -> str:
    return f"Nobody allowed {code(tool)} in time, so the agent worked without it."


@example("tickets_comment")
def tool_not_asked(tool: str) -> str:
    return f"{code(tool)} needs an approval, and nobody can be asked here."


@example("tickets_comment")
def tool_denied(tool: str) -> str:
    return f"This repository's config does not allow {code(tool)}."


@example("tickets", "it took more than 60 s")
def mcp_unreachable(server: str, reason: str) -> str:
    return f"The tools of the MCP server {code(server)} were not available: {line(reason)}."


FINISHED = "finish"


def _changed(files: Sequence[str]) -> str:
    return f"It changed {series(files)}." if files else "It changed nothing."


_MOST_TOOLS = 12


@example(1, ["3 tool calls (2 `bash`, 1 `run_tests`)", "2 notes"])
def attempt_used(n: int, parts: Sequence[str]) -> str:
    return f"Attempt {n} used {series(parts)}."


@example(1, ["3 tool calls (2 `bash`, 1 `run_tests`)", "2 notes"])
def try_used(n: int, parts: Sequence[str]) -> str:
    return f"Try {n} of writing tests used {series(parts)}."


@example({"bash": 2, "run_tests": 1})
def tool_calls(calls: Mapping[str, int]) -> str:
    """Its tools, the one that was called most first."""
    ranked = sorted(calls.items(), key=lambda call: (-call[1], call[0]))
    named = [f"{times} {code(tool, limit=60)}" for tool, times in ranked]
    listed = ", ".join(named[:_MOST_TOOLS])
    more = len(named) - _MOST_TOOLS
    rest = f", and {count(more, 'more tool')}" if more > 0 else ""
    return f"{count(sum(calls.values()), 'tool call')} ({listed}{rest})"


@example(7, 2)
def read_together(calls: int, turns: int) -> str:
    return f"parallel reads ({count(calls, 'call')} in {count(turns, 'turn')})"


@example(3, 4)
def plan(done: int, steps: int) -> str:
    return f"a plan ({done} of {count(steps, 'step')} done)"


@example(1)
@example(3)
def notes(number: int) -> str:
    return count(number, "note")


@example(34)
def repository_map(files: int) -> str:
    return f"a repository map ({count(files, 'file')})"


@example(2, 61_000)
def pruned(times: int, characters: int) -> str:
    return f"pruning ({count(times, 'time')}, {characters:,} characters left out)"


@example(54_000)
def cleared(tokens: int) -> str:
    return f"context editing ({tokens:,} tokens left out by the provider)"


@example(0.874)
def cached(share: float) -> str:
    return f"the provider's cache ({share:.0%} of its input tokens)"


_REMEDIES: Mapping[str, str] = MappingProxyType(
    {
        "tighter": "a narrower instruction",
        "other model": "another model",
        "fresh start": "a fresh start",
    }
)


@example("The model declined to continue.", "tighter")
@example("The model repeated the same action 5 times.", "other model", "claude-opus-5-5")
@example("The model repeated the same action 5 times.", "fresh start")
def taken(reason: str, remedy: str, model: str = "") -> str:
    """The attempt goes on after a remedy."""
    if remedy == "tighter":
        return f"{reason} It got a narrower instruction."
    if remedy == "other model":
        return f"{reason} {model} continued."
    return f"{reason} The conversation started afresh with a summary."


@example(["fresh start"])
@example(["tighter", "other model", "fresh start"])
def person_needed(remedies: Sequence[str]) -> str:
    """Nothing helped, and the attempt ends."""
    helped = series([_REMEDIES[remedy] for remedy in remedies])
    return f"The attempt was given {helped}, to no avail: a person has to look into it."
