"""What a model does in its attempt, and why the attempt ended early."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code
from bot.reporting.prose import line
from bot.reporting.series import series


@example(1)
@example(60)
def turns_used(turns: int) -> str:
    """The attempt's turns are used."""
    return (
        "The attempt used its only turn." if turns == 1 else f"The attempt used all {turns} turns."
    )


@example()
def declined() -> str:
    """The model refused to answer."""
    return "The model declined to continue."


@example(5)
def repeated(times: int) -> str:
    """The model is stuck."""
    return f"The model repeated the same action {times} times."


@example(6)
def stalled(times: int) -> str:
    """The model edits, and what it runs shows no difference."""
    return (
        f"The commands that the model ran failed in the same way {times} times, whatever it edited."
    )


@example(3)
def cut_off(answers: int) -> str:
    """Answers were too long, one after the other."""
    return f"{answers} answers in a row were cut off at the token limit."


@example(1, 4_200)
@example(23, 61_000)
def told_shorter(results: int, characters: int) -> str:
    """Results that repeated earlier ones were sent as references or diffs."""
    return (
        f"{count(results, 'tool result')} repeated earlier ones, so the model got references or "
        f"diffs instead: {characters:,} characters less."
    )


@example(41_000)
def task_cut(characters: int) -> str:
    """What the task quotes did not fit into a small window as a whole."""
    return (
        "The issue, its comments and the output of the tests don't fit into the model's context "
        f"window, so the model was shown {characters:,} characters less of them."
    )


@example("The conversation is too long for openai (400: maximum context length is 4000 tokens).")
def task_too_long(refusal: str) -> str:
    """Nothing of a conversation can be left out any more, and the model still refuses it."""
    return (
        f"The task alone is too long for the model; use one with a larger context window. {refusal}"
    )


@example([])
@example(["src/a.py", "src/b.py"])
def no_summary(changed: Sequence[str]) -> str:
    """The model is done and said nothing."""
    return f"The model left no summary. {_changed(changed)}"


@example([])
@example(["src/a.py", "src/b.py"])
@example(["src/a.py"], "The cause is in `parse`.")
def unfinished(changed: Sequence[str], last_message: str = "") -> str:
    """The attempt ended before the model was done."""
    whole = f"The model did not finish. {_changed(changed)}"
    return f"{whole} Its last message: {last_message}" if last_message else whole


@example()
def no_clear_answer() -> str:
    """The model that reviews written tests said neither yes nor no."""
    return "The model that reviewed the test gave no clear answer."


@example("pytest -q tests/test_a.py")
def ran(command: str) -> str:
    """A shell command, in the progress of a run."""
    return f"$ {command}"


@example("src/a.py")
def read(path: str) -> str:
    """The model looks at a file or a folder."""
    return f"read {path}"


@example("parse_amount")
def searched(query: str) -> str:
    """The model looks for a name or a text."""
    return f"search for {query}"


@example("src/a.py", 24)
def tried_edits(path: str, number: int) -> str:
    """Name an action of the model."""
    return f"try {count(number, 'edit')} of {path}"


@example("src/a.py")
def edited(path: str) -> str:
    """The model creates or changes a file."""
    return f"edit {path}"


@example()
@example("pytest -q tests/test_a.py")
def ran_tests(command: str | None = None) -> str:
    """The model runs the failing command, or other tests."""
    return f"run tests: {command}" if command else "run the tests"


@example(0, 3, "Find where the total is rounded")
@example(2, 3, "Run the tests of the callers")
@example(3, 3, "")
def planned(done: int, steps: int, next_step: str) -> str:
    """The model wrote or changed its plan."""
    return f"plan {done}/{steps}: {next_step}" if next_step else f"plan {done}/{steps}"


@example("`total` is rounded before tax is added.")
def noted(note: str) -> str:
    """The model wrote something down."""
    return f"note: {note}"


@example()
def restarted() -> str:
    """The model wants a new shell, which every command has anyway."""
    return "restart the shell"


@example("open_browser")
def not_understood(tool: str) -> str:
    """The model called a tool that does not exist, or in a wrong way."""
    return f"{tool} (invalid call)"


@example("tickets_comment")
def use_of_tool(tool: str) -> str:
    """What a question is about."""
    return f"the use of {code(tool)}"


@example("tickets_comment")
def tool_waits(tool: str) -> str:
    """Say why the run waits."""
    return f"The agent asks to use {code(tool)}."


@example("tickets_comment", "ann")
def tool_approved(tool: str, by: str) -> str:
    """A person let the agent use a tool."""
    return f"{code(by)} allowed the agent to use {code(tool)}."


@example("tickets_comment")
def tool_expired(tool: str) -> str:
    """Nobody answered the question whether the agent may use a tool."""
    return f"Nobody allowed {code(tool)} in time, so the agent worked without it."


@example("tickets_comment")
def tool_not_asked(tool: str) -> str:
    """A tool needs a person's approval where there is nobody to ask."""
    return f"{code(tool)} needs an approval, and nobody can be asked here."


@example("tickets_comment")
def tool_denied(tool: str) -> str:
    """The repository refuses a tool that the agent called."""
    return f"This repository's config does not allow {code(tool)}."


@example("tickets", "it took more than 60 s")
def mcp_unreachable(server: str, reason: str) -> str:
    """Say that a server's tools were not there."""
    return f"The tools of the MCP server {code(server)} were not available: {line(reason)}."


@example()
def finished() -> str:
    """The model stopped calling tools."""
    return "finish"


def _changed(files: Sequence[str]) -> str:
    return f"It changed {series(files)}." if files else "It changed nothing."
