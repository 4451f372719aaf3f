"""How a patch was verified, and what its tests notice of faults and of wrong fixes."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.mutation import MutantResults, Survivor
from bot.reporting.example import example
from bot.reporting.figures import count

_SUITE = "make test"


ONLY_PROTECTED_CONFIGURATION = "The patch changes only protected configuration."
ONLY_EXISTING_TESTS = "The patch changes only existing tests."
EMPTY = "The patch changes nothing."
FORBIDDEN_PATHS = "The patch changes paths that it must not change."


@example("The test test_shout was removed or renamed.")
def rejected_by_guards(finding: str) -> str:
    return f"The guards reject the patch: {finding}"


DOES_NOT_APPLY = "The patch does not apply."
FAILS_WITH_ITS_TESTS = (
    "The command passes with the patch, but fails once its changes to tests are included."
)


@example("make test", 90.0, 60.0)
def ran_once(command: str, seconds: float, longest: float) -> str:
    return (
        f"`{command}` ran only once with the patch because it takes {seconds:.0f} s; "
        f"only commands that take less than {longest:.0f} s are repeated."
    )


@example(1)
def exited(exit_code: int) -> str:
    return f"exited with {exit_code}"


@example(_SUITE, 600.0)
def suite_too_slow(suite: str, seconds: float) -> str:
    return (
        f"The full test suite `{suite}` does not finish within {seconds:.0f} s even without the patch, "
        "so it can't show what the patch may have broken."
    )


@example(_SUITE, 2)
def suite_names_no_test(suite: str, exit_code: int) -> str:
    return (
        f"The full test suite `{suite}` also fails without the patch (exit code {exit_code}) and names "
        "no test, so it can't show what the patch may have broken."
    )


@example(_SUITE)
def suite_passes_nothing(suite: str) -> str:
    return (
        f"The full test suite `{suite}` has no test that passes without the patch, "
        "so it can't show what the patch may have broken."
    )


NO_ORDERING_PLUGIN_KNOWN = (
    "Its tests ran in their default order: no plugin that shuffles them is known."
)


@example("pytest-randomly")
def shuffled(plugin: str) -> str:
    return f"Its tests ran in random order, using {plugin}."


NO_ORDERING_PLUGIN = (
    "Its tests ran in their default order: the project has neither pytest-randomly nor "
    "pytest-random-order."
)


_LONG = 60
_SHOWN = 3


@example("<", "<=")
def instead(text: str, old: str) -> str:
    return f"has `{short(text)}` instead of `{short(old)}`"


@example("ready")
def turned_round(condition: str) -> str:
    return f"has the opposite of the condition `{short(condition)}`"


@example("total += 1")
def left_out(statement: str) -> str:
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
    return f"The tests also pass when {described(survivors)}." if survivors else ""


@example([Survivor("src/a.py", 3, "has `<` instead of `<=`")])
def described(survivors: Sequence[Survivor]) -> str:
    """What the mutants do, as the end of a sentence; nothing where there are none."""
    shown = [f"`{mutant.file}:{mutant.line}` {mutant.says}" for mutant in survivors[:_SHOWN]]
    more = len(survivors) - len(shown)
    return "; ".join([*shown, *([f"{more} more"] if more else [])])


@example("return  a >= b\n")
def short(text: str) -> str:
    """Return a piece of a program on one line, cut where it is long."""
    line = " ".join(text.replace("`", "'").split())
    return f"{line[:_LONG]}…" if len(line) > _LONG else line


_SURVIVOR = Survivor("src/a.py", 3, "has `<` instead of `<=`")


@example(MutantResults(3))
@example(MutantResults(2, (_SURVIVOR,)))
@example(MutantResults(0, (_SURVIVOR,)))
def wrong_fixes_caught(results: MutantResults) -> str:
    """The new tests ran with wrong fixes, made from the accepted one."""
    said = f"Wrong fixes: {results.caught} of {results.total} caught by the new tests."
    left = described(results.survivors)
    return f"{said} They also pass when {left}." if left else said


@example("total = 0")
def part_left_out(text: str) -> str:
    return f"leaves out the part of the fix at `{short(text)}`"


@example(3, "src/a.py:3")
def accepts_all(wrong: int, place: str) -> str:
    return (
        f"The new tests also pass with all {wrong} wrong fixes that were made from this patch, at "
        f"`{place}`, so they hardly show that it is right."
    )


@example(3)
def to_be_strengthened(wrong: int) -> str:
    return (
        f"The new tests also pass with all {wrong} wrong fixes that were made from the accepted one; "
        "the agent has one round to strengthen them."
    )


STRENGTHENED = "The new tests accepted every wrong fix at first, and were strengthened."


@example("The model wrote no test.")
def not_strengthened(reason: str) -> str:
    return f"The new tests could not be strengthened: {reason}"


NO_BETTER = "They still accept every wrong fix."
FIX_FAILS = "The accepted fix fails the strengthened tests."
