"""How a search went, what it proposes and why, or why it proposes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count, duration
from bot.reporting.series import series

_MOST_TESTS = 3
"""Fixed tests that the summary names."""


@example()
def needs_model() -> str:
    """A report came without a failing test, and a search can't write one."""
    return "Writing a test requires a model."


@example("sh check.sh")
def unknown_runner(command: str) -> str:
    """The failing command can't be looked behind."""
    return f"`{command}` does not appear to run pytest or unittest."


@example("INTERNALERROR\nImportError: No module named 'x'\n")
def uncollected(output: str) -> str:
    """The test runner printed an error instead of its tests."""
    return f"The tests could not be collected one by one: {_last_line(output)}"


@example("INTERNALERROR\nImportError: No module named 'x'\n")
def suite_uncollected(output: str) -> str:
    """Only the failing command's tests decide which edits are plausible."""
    return (
        "the full test suite could not be taken into account during the search, because its "
        f"tests could not be collected one by one: {_last_line(output)}"
    )


@example()
def all_pass() -> str:
    """The command fails, but none of its tests does."""
    return "Every test passes when the search runs them one by one."


@example(0, [], edits=0)
@example(1, ["src/a.py:3"], edits=1)
@example(1204, ["src/a.py:3", "src/a.py:7", "src/b.py:1"], edits=6200)
def places(lines: int, first: Sequence[str], *, edits: int) -> str:
    """The search knows where to try edits, and begins."""
    start = f", starting with {series(first)}" if first else ""
    return f"{count(lines, 'suspicious line')}{start}; {count(edits, 'edit')} to try."


@example(1, plausible=0, fixed=0, failing=1, rate=0.4)
@example(1204, plausible=3, fixed=2, failing=2, rate=130.2)
def standing(edits: int, *, plausible: int, fixed: int, failing: int, rate: float) -> str:
    """The search goes on."""
    return (
        f"{count(edits, 'edit')} tried, {plausible} plausible; the best fixes {fixed} of "
        f"{failing} failing tests; {rate:.0f} edits per second."
    )


@example()
def one_at_a_time() -> str:
    """Edits can't be tried in parallel."""
    return "tests write to the work tree, so only one edit is tried at a time."


@example(1, plausible=6)
@example(2, plausible=6, missed=40)
def break_suite(edits: int, *, plausible: int, missed: int = 0) -> str:
    """Edits that pass the failing command were tried on the other tests."""
    left = f"; {missed:,} of its tests could not be run in time" if missed else ""
    broken = f"{'breaks' if edits == 1 else 'break'} other tests in the full test suite"
    return f"{edits} of {plausible} plausible edits {broken}{left}."


@example(0.42)
def goes_on(probability: float) -> str:
    """A patch passes, and is doubtful."""
    return (
        f"an edit passes, but is right with an estimated probability of {probability:.0%} only; "
        "looking for a better one."
    )


@example("compares with `<=` instead of `<`", file="src/a.py", line=3)
def fix(says: str, *, file: str, line: int) -> str:
    """The summary of a fix begins with it."""
    return f"In `{file}`, line {line}, the fix {says}."


@example(["tests/test_a.py::test_one"])
@example(["test_one", "test_two", "test_three", "test_four", "test_five"])
def fixes(tests: Sequence[str]) -> str:
    """The failing tests pass with it."""
    return f"It fixes {series([f'`{test}`' for test in tests], most=_MOST_TESTS)}."


@example(1)
@example(12)
def still_pass(tests: int) -> str:
    """The full test suite has other tests for the function, and they were run."""
    if tests == 1:
        return "The other test in the suite that runs this function still passes."
    return f"{tests:,} other tests in the suite that run this function still pass."


@example(1, 0.4)
@example(1204, 12)
@example(1204, 600, cut=True)
def found(edits: int, seconds: float, *, cut: bool = False) -> str:
    """The search ended with a fix."""
    said = f"Found by search, without a model: {_effort(edits, seconds)}."
    return f"{said} {time_up()}" if cut else said


@example()
def time_up() -> str:
    """Time ended the search, and not the number of edits: a quieter machine may find more."""
    return "Its time was up before all edits were tried; with more time it may find another fix."


@example(1)
@example(3)
def alike(edits: int) -> str:
    """The comparison could not tell other edits from the fix."""
    if edits == 1:
        return "1 other edit also passes and behaves the same on every input tried."
    return f"{edits:,} other edits also pass and behave the same on every input tried."


@example(["- In `a.py`, line 3, this one adds `n += 1`."])
@example(["- In `a.py`, line 3, this one adds `n += 1`."], more=2)
def alternatives(patches: Sequence[str], *, more: int = 0) -> str:
    """The tests leave open which fix is right, so a person may know better."""
    rest = [f"- and {more} more"] if more else []
    heading = "Other patches also pass the tests, but behave differently:"
    return "\n".join([heading, "", *patches, *rest])


@example("adds `n += 1`", file="src/a.py", line=3)
@example("adds `n += 1`", file="a.py", line=3, differs="They differ on `f(1)`: `3` with the fix.")
def alternative(says: str, *, file: str, line: int, differs: str = "") -> str:
    """Another patch that passes, in the list of them."""
    return f"- In `{file}`, line {line}, this one {says}. {differs}".strip()


@example("price(count=1)", fix="3", other="raises TypeError")
@example("price(count=1)", fix="3", other=None)
@example("price(count=1)", fix=None, other="2")
def differ(call: str, *, fix: str | None, other: str | None) -> str:
    """One input tells the fix from another patch."""
    with_fix, with_other = (f"`{one}`" if one else "no result in time" for one in (fix, other))
    return f"They differ on `{call}`: {with_fix} with the fix, {with_other} with this one."


@example()
def nothing_read() -> str:
    """No edits could be made."""
    return (
        "There is nothing to edit: the failing tests run no source file of the project in their "
        "own process, or none that can be read as Python."
    )


@example(1204, 12)
def none_fixes(edits: int, seconds: float) -> str:
    """No edit came near."""
    return f"No edit fixes a failing test: {_effort(edits, seconds)}."


@example(1, edits=1204, seconds=12)
@example(3, edits=1204, seconds=12)
def all_refused(passing: int, *, edits: int, seconds: float) -> str:
    """Edits passed the tests one by one, but not what came after."""
    one = passing == 1
    return (
        f"{count(passing, 'edit')} passed when the tests ran one by one, but "
        f"{'it did not pass' if one else 'none of them passed'} both the failing command and "
        f"verification: {_effort(edits, seconds)}."
    )


@example(1204, 12)
def none_fixes_all(edits: int, seconds: float) -> str:
    """Edits came near; the best one follows."""
    return f"No edit fixes every failing test without breaking others: {_effort(edits, seconds)}."


@example("src/a.py", 3, fixed=1, failing=2)
@example("src/a.py", 3, fixed=2, failing=2, breaks="test_b")
def best(file: str, line: int, *, fixed: int, failing: int, breaks: str = "") -> str:
    """The edit that comes nearest leaves a test failing or breaks another one."""
    harm = f" and breaks `{breaks}`" if breaks else ""
    return (
        f"The best one, in `{file}`, line {line}, fixes {fixed} of {failing} failing tests{harm}."
    )


@example("src/a.py", 3, breaks="test_b", edits=1204, seconds=12)
@example("src/a.py", 3, edits=1204, seconds=12)
def harmful(file: str, line: int, *, edits: int, seconds: float, breaks: str = "") -> str:
    """The best edit breaks a test that the failing command does not run."""
    harm = f"breaks `{breaks}`" if breaks else "keeps a test from finishing"
    return (
        "No edit fixes the failing tests without breaking others in the full test suite: "
        f"{_effort(edits, seconds)}. The best one, in `{file}`, line {line}, {harm}."
    )


@example("adds `n += 1`", place="src/a.py:3", fixed=1, failing=2, breaks=[])
@example("adds `n += 1`", place="src/a.py:3", fixed=2, failing=2, breaks=["test_b"])
def near_miss(says: str, *, place: str, fixed: int, failing: int, breaks: Sequence[str]) -> str:
    """An edit that others may build on, in the list of clues."""
    harm = f" and breaks {series([f'`{test}`' for test in breaks])}" if breaks else ""
    return f"- A near miss: at {place}, an edit that {says} fixes {fixed} of {failing} failing tests{harm}."


def _effort(edits: int, seconds: float) -> str:
    rate = f" ({edits / seconds:,.0f} per second)" if seconds > 1 else ""
    return f"{count(edits, 'edit')} tried in {duration(seconds)}{rate}"


def _last_line(output: str) -> str:
    return output.strip().rpartition("\n")[2]
