"""Row *reproduction*: the snippet of the issue, where it has one that can be run, on both sides."""

from __future__ import annotations

import re
import shlex

from markdown_it import MarkdownIt

from bot.concurrency import both
from bot.model import Observation, Problem
from bot.model.proof_card import Answers, Fact, FactKind, Nearness, Row, RowKind, RowState
from bot.repair.run import Run
from bot.repair.verification.base_and_head import Side, Sides
from bot.reporting.reasons import proof_rows

_PROMPT = re.compile(r"^>>> ", re.MULTILINE)
_RUN = {
    "python": "python -c", "py": "python -c", "python3": "python -c", "pycon": "python -c",
    "javascript": "node -e", "js": "node -e", "ruby": "ruby -e", "php": "php -r",
}  # fmt: skip
"""How a program of each language is run; shell snippets are as often what somebody saw."""

_LONGEST = 8_000
"""Characters of a snippet that is run."""

_SHOWN = 300
"""Characters of an output that are shown, at its end: an error stands there."""

_CONSOLE = """\
import code
console = code.InteractiveConsole({{'__name__': '__console__'}})
for line in {lines!r}:
    console.push(line)
"""
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_LACKS = re.compile(r"ModuleNotFoundError|Cannot find module|LoadError|command not found")


def snippet_of(problem: Problem) -> str | None:
    """Return the command that runs the first snippet of an issue that is a program, or None."""
    for block in MarkdownIt("commonmark").disable("inline").parse(problem.body):
        if block.type != "fence":
            continue
        language, text = block.info.split(" ", 1)[0].strip().lower(), block.content
        if len(text) > _LONGEST:
            continue
        if _PROMPT.search(text):
            return f"python -c {shlex.quote(_as_typed(text))}"
        if language in _RUN:
            return f"{_RUN[language]} {shlex.quote(text)}"
    return None


def _as_typed(session: str) -> str:
    """Return a Python session as a program that prints what an interpreter shows for it."""
    marks = (">>> ", "... ", ">>>", "...")
    typed = [
        next(line[len(mark) :] for mark in marks if line.startswith(mark))
        for line in session.splitlines()
        if line.startswith(marks)
    ]
    return _CONSOLE.format(lines=[*typed, ""])


async def reproduction_row(run: Run, sides: Sides) -> Row:
    """Return the row."""
    command = snippet_of(run.job.problem)
    if command is None:
        return Row(RowKind.REPRODUCTION, RowState.NOT_ASKED, proof_rows.NO_STEPS)
    before, after = await both(
        _observe(run, "before", sides.before, command), _observe(run, "after", sides.after, command)
    )
    return compared_steps(before, after)


async def _observe(run: Run, where: str, side: Side, command: str) -> Observation:
    name = f"{run.job.run_id}-steps-{where}"
    return await run.steps(f"steps {where}", side.room.observe_plainly, name, command, side.patch)


def compared_steps(before: Observation, after: Observation) -> Row:
    """Return the row from what a snippet printed on both sides."""
    texts = [_ADDRESS.sub("0x", seen.output).strip() for seen in (before, after)]
    ran = (before.command,)
    if (before.timed_out and after.timed_out) or all(map(_LACKS.search, texts)):
        return Row(RowKind.REPRODUCTION, RowState.UNDECIDED, proof_rows.STEPS_NOT_RUN, ran=ran)
    if texts[0] == texts[1] and before.exit_code == after.exit_code:
        fact = Fact(FactKind.NOT_COVERED, proof_rows.steps_same(texts[0][-_SHOWN:]))
        state, said = RowState.NOT_SHOWN, proof_rows.STEPS_SAME
        return Row(RowKind.REPRODUCTION, state, said, (fact,), ran)
    answers = Answers("steps", texts[0][-_SHOWN:], texts[1][-_SHOWN:], Nearness.OWN)
    said = proof_rows.steps_differ(answers.before, answers.after)
    fact = Fact(FactKind.PROVEN, said, answers=answers)
    return Row(RowKind.REPRODUCTION, RowState.SHOWN, proof_rows.STEPS_DIFFER, (fact,), ran)
