"""How far the tests constrain the lines that a patch changes."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.mutation import MutantResults, Survivor
from bot.reporting.example import example
from bot.reporting.figures import count

_LONG = 60
_SHOWN = 3


@example("<", "<=")
def instead(text: str, old: str) -> str:
    """What a mutant does: it exchanges a piece of a line."""
    return f"has `{short(text)}` instead of `{short(old)}`"


@example("ready")
def turned_round(condition: str) -> str:
    """What a mutant does: it turns a condition round."""
    return f"has the opposite of the condition `{short(condition)}`"


@example("total += 1")
def left_out(statement: str) -> str:
    """What a mutant does: it drops a statement."""
    return f"leaves out `{short(statement)}`"


@example(MutantResults(9, (Survivor("src/a.py", 3, "has `<` instead of `<=`"),)))
@example(MutantResults(10))
@example(MutantResults(4, left=6))
def caught(results: MutantResults) -> str:
    """Small faults were put into the changed lines, and the tests run on each."""
    said = f"Mutants of the changed lines: {results.caught} of {results.total} caught by the tests."
    if results.left:
        said += f" There was no time for {count(results.left, 'more mutant')}."
    return f"{said} {not_caught(results.survivors)}".rstrip()


@example([Survivor("src/a.py", 3, "has `<` instead of `<=`")])
def not_caught(survivors: Sequence[Survivor]) -> str:
    """The tests pass with these mutants too; nothing where there are none."""
    return f"The tests also pass when {described(survivors)}." if survivors else ""


@example([Survivor("src/a.py", 3, "has `<` instead of `<=`")])
def described(survivors: Sequence[Survivor]) -> str:
    """What the mutants do, as the end of a sentence; nothing where there are none."""
    shown = [f"`{one.file}:{one.line}` {one.says}" for one in survivors[:_SHOWN]]
    more = len(survivors) - len(shown)
    return "; ".join([*shown, *([f"{more} more"] if more else [])])


@example("return  a >= b\n")
def short(text: str) -> str:
    """Return a piece of a program on one line, cut where it is long."""
    line = " ".join(text.replace("`", "'").split())
    return f"{line[:_LONG]}…" if len(line) > _LONG else line
