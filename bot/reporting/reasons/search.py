"""Which lines a search suspects, how it went, and what it proposes or why nothing."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count, duration
from bot.reporting.reasons.verification import short
from bot.reporting.series import series

_MOST_TESTS = 3
"""Fixed tests that the summary names."""


NEEDS_MODEL = "Writing a test requires a model."


@example("sh check.sh")
def unknown_runner(command: str) -> str:
    return f"`{command}` does not appear to run pytest or unittest."


@example("INTERNALERROR\nImportError: No module named 'x'\n")
def uncollected(output: str) -> str:
    return f"The tests could not be collected one by one: {_last_line(output)}"


@example("INTERNALERROR\nImportError: No module named 'x'\n")
def suite_uncollected(output: str) -> str:
    return (
        "the full test suite could not be taken into account during the search, because its "
        f"tests could not be collected one by one: {_last_line(output)}"
    )


ALL_PASS = "Every test passes when the search runs them one by one."


@example(0, [], edits=0)
@example(1, ["src/a.py:3"], edits=1)
@example(1204, ["src/a.py:3", "src/a.py:7", "src/b.py:1"], edits=6200)
def places(lines: int, first: Sequence[str], *, edits: int) -> str:
    """The search knows where to try edits, and begins."""
    start = f", starting with {series(first)}" if first else ""
    return f"{count(lines, 'suspicious line')}{start}; {count(edits, 'edit')} to try."


@example(1, plausible=0, fixed=0, failing=1, rate=0.4)
@example(1204, plausible=3, fixed=2, failing=2, rate=130.2)
@example(40, plausible=1, fixed=None, failing=2, rate=9.6)
def standing(edits: int, *, plausible: int, fixed: int | None, failing: int, rate: float) -> str:
    """How a search stands; `fixed` is None where only all tests together were looked at."""
    best = "" if fixed is None else f" the best fixes {fixed} of {failing} failing tests;"
    return (
        f"{count(edits, 'edit')} tried, {plausible} plausible;{best} {rate:.0f} edits per second."
    )


ONE_AT_A_TIME = "tests write to the work tree, so only one edit is tried at a time."


@example(1, plausible=6)
@example(2, plausible=6, missed=40)
def break_suite(edits: int, *, plausible: int, missed: int = 0) -> str:
    """Edits that pass the failing command were tried on the other tests."""
    left = f"; {missed:,} of its tests were not run" if missed else ""
    broken = f"{'breaks' if edits == 1 else 'break'} other tests in the full test suite"
    return f"{edits} of {plausible} plausible edits {broken}{left}."


@example(0.42)
def goes_on(probability: float) -> str:
    return f"an edit passes, but is only {probability:.0%} likely to be right; looking for a better one."


@example("compares with `<=` instead of `<`", file="src/a.py", line=3)
def fix(says: str, *, file: str, line: int) -> str:
    return f"In `{file}`, line {line}, the fix {says}."


@example("if (!text) return '';")
def adds(code: str) -> str:
    return f"adds `{short(code)}`"


@example(["tests/test_a.py::test_one"])
@example(["test_one", "test_two", "test_three", "test_four", "test_five"])
def fixes(tests: Sequence[str]) -> str:
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
    return f"{said} {TIME_UP}" if cut else said


TIME_UP = "Its time was up before all edits were tried; with more time it may find another fix."


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
    heading = "Other patches also pass the tests, and may behave differently:"
    return "\n".join([heading, "", *patches, *rest])


@example("adds `n += 1`", file="src/a.py", line=3)
@example("adds `n += 1`", file="a.py", line=3, differs="They differ on `f(1)`: `3` with the fix.")
def alternative(says: str, *, file: str, line: int, differs: str = "") -> str:
    return f"- In `{file}`, line {line}, this one {says}. {differs}".strip()


@example("price(count=1)", fix="3", other="raises TypeError")
@example("price(count=1)", fix="3", other=None)
@example("price(count=1)", fix=None, other="2")
def differ(call: str, *, fix: str | None, other: str | None) -> str:
    """One input tells the fix from another patch."""
    with_fix, with_other = (f"`{item}`" if item else "no result in time" for item in (fix, other))
    return f"They differ on `{call}`: {with_fix} with the fix, {with_other} with this one."


NOT_WATCHED = (
    "There was nothing to try: no line of the project was seen to be run by the failing tests, "
    "which could not all be watched."
)

NOTHING_READ = (
    "There is nothing to edit: the failing tests run no source file of the project in their "
    "own process, or none that can be read as Python."
)


@example(1204, 12)
def none_fixes(edits: int, seconds: float) -> str:
    return f"No edit fixes a failing test: {_effort(edits, seconds)}."


@example(1, edits=1204, seconds=12)
@example(3, edits=1204, seconds=12)
def all_refused(passing: int, *, edits: int, seconds: float) -> str:
    """Edits passed the failing tests by themselves, but not what came after."""
    one = passing == 1
    return (
        f"{count(passing, 'edit')} passed the failing tests, but "
        f"{'it did not pass' if one else 'none of them passed'} both the whole command and "
        f"verification: {_effort(edits, seconds)}."
    )


@example(1204, 12)
def none_fixes_all(edits: int, seconds: float) -> str:
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


_NONE = "No line is suspected"


@example(1, failing=1, passing=0)
@example(1, failing=4, passing=1)
@example(3, failing=4, passing=12)
@example(4, failing=4, passing=0)
@example(1, failing=1, passing=0, traced_all=False)
@example(3, failing=4, passing=0, traced_all=False)
def run_by(ran: int, *, failing: int, passing: int, traced_all: bool = True) -> str:
    """Tests were counted that run the line; of many failing tests, only some are traced."""
    verb = "runs" if ran == 1 else "run"
    if failing == 1:
        who = "the failing test" if traced_all else "the one failing test that was traced"
    else:
        whole = "all" if ran == failing else f"{ran} of"
        traced = "" if traced_all else " that were traced"
        who = f"{whole} {failing} failing tests{traced}"
    others = {0: "no passing test does", 1: "so does 1 passing test"}
    also = others.get(passing, f"so do {passing:,} passing tests")
    return f"{who} {verb} it, {'and' if passing else 'but'} {also}"


@example("ValueError")
@example("")
def raised(error: str) -> str:
    return f"{_named(error)} was raised there"


@example("ValueError")
@example("")
def passed_through(error: str) -> str:
    return f"{_named(error)} passed through it"


HOT = "it runs over and over in a test that never ends"
RECENT = "it changed recently"
DECIDES = "the tests pass without what the commit that broke them changed here"
RUNS_TESTS = "but it is part of the code that runs the tests"


@example("ValueError was raised there")
def suspected(reason: str) -> str:
    return f"That line was suspected because {reason}."


RANKING = "Suspicious lines, most suspicious first:"


@example("src/a.py:3", 0.75, "return n", ["the failing test runs it", "it changed recently"])
def ranked(place: str, score: float, code: str, reasons: Sequence[str]) -> str:
    return f"- {place} ({score:.2f}) `{code}`: {'; '.join(reasons)}"


@example(1)
@example(12)
def examined(lines: int) -> str:
    return f"{count(lines, 'line')} {'is' if lines == 1 else 'are'} suspected."


@example(["tests/test_a.py"])
@example(["tests/test_a.py", "tests/test_b.py"], "ModuleNotFoundError: No module named 'x'")
def uncollectable(tests: Sequence[str], error: str = "") -> str:
    """Tests fail before they run, and the tracebacks show nothing to suspect."""
    broken = f"{_listed(tests)} can't be collected"
    return (
        f"{_NONE}: {broken}, and no source file of the project is involved"
        f"{f': {error}' if error else '.'}"
    )


@example(["test_one"])
@example(["test_one", "test_two", "test_three", "test_four", "test_five"])
def no_source_run(tests: Sequence[str]) -> str:
    """The fault is in the tests, or in another process."""
    verb = "fails" if len(tests) == 1 else "fail"
    return f"{_NONE}: {_listed(tests)} {verb} without running any source file of the project."


@example(1)
@example(204)
def none_fails(collected: int) -> str:
    return (
        f"{_NONE}: no test fails when the tests run one by one ({collected:,} collected). "
        "The command fails for another reason, such as what it does before or after its tests."
    )


NONE_COLLECTED = f"{_NONE}: no tests were collected."


def _named(error: str) -> str:
    return error or "the error"


def _listed(tests: Sequence[str]) -> str:
    return series([f"`{test}`" for test in tests], most=_MOST_TESTS)


@example(["adds > two numbers"])
def no_script_run(tests: Sequence[str]) -> str:
    """Nothing that V8 saw is a source file of the repository, as where tests run a bundle."""
    verb = "fails" if len(tests) == 1 else "fail"
    return (
        f"Search has nothing to edit: where {_listed(tests)} {verb}, V8's coverage names no JavaScript "
        "or TypeScript file of the repository besides tests."
    )
