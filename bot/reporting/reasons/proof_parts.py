"""What a proof card says of the parts of a change: needed, noticed, newly able, stable."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code
from bot.reporting.series import series

NOTHING_TO_PUT_BACK = (
    "The change has nothing but tests and documentation, so no part of it is tried."
)
NOTHING_TO_PLANT = "The changed lines have nothing in which a fault could be planted."
NO_TESTS = "No test was read from what ran, so nothing could notice a fault."
NOTHING_NEW = "Nothing that the change does is new to the program: no process, network, file, credential or dependency."
NO_NEW_TESTS = "No test shows the change, so there is none to repeat."


@example("app.py", 3, 5)
def place(file: str, line: int | None, end_line: int | None) -> str:
    """Return where something stands, as code."""
    if line is None:
        return code(file)
    return code(f"{file}:{line}" if end_line in {None, line} else f"{file}:{line}-{end_line}")


@example(3, 1, 1, 0, 0)
@example(7, 0, 0, 0, 0)
@example(1, 0, 0, 0, 0)
@example(5, 0, 0, 3, 0)
@example(5, 1, 2, 3, 1)
@example(0, 0, 1, 0, 0)
def parts_needed(needed: int, unneeded: int, unread: int, untried: int, stuck: int) -> str:
    """Sum up which parts of a change tests need.

    Args:
        needed: Parts without which a test fails.
        unneeded: Parts without which none fails.
        unread: Files that no run opened.
        untried: Parts that the time did not reach.
        stuck: Parts without which nothing compiles.
    """
    said = []
    if unneeded:
        said.append(f"No test needs {count(unneeded, 'part')} of the change.")
    if unread:
        it = "it does" if unread == 1 else "they do"
        said.append(f"No run opened {count(unread, 'changed file')}, so nothing shows what {it}.")
    if needed:
        kept = f"{count(needed, 'part')} of the change {'was' if needed == 1 else 'were'} put back"
        said.append(f"{kept}, one at a time, and a test failed each time.")
    if untried:
        said.append(f"The time ended before {count(untried, 'other part')} could be tried.")
    if stuck:
        said.append(f"{count(stuck, 'part')} can't be put back alone: nothing compiles without it.")
    return " ".join(said)


@example("app.py", 12, 14, 'if token == "magic":', removed=False)
@example("app.py", 12, 12, "check(token)", removed=True)
def not_needed(file: str, line: int, end_line: int, shown: str, *, removed: bool) -> str:
    if removed:
        return f"No test fails when {code(shown, 100)} is back at {place(file, line, None)}."
    return f"No test fails without {place(file, line, end_line)}: {code(shown, 100)}"


@example("app.py", 12, 14, 'if token == "magic":')
def not_needed_by_proving(file: str, line: int, end_line: int, shown: str) -> str:
    where = place(file, line, end_line)
    return f"None of the tests that show the change fails without {where}: {code(shown, 100)}"


@example("tools/extra.py")
def file_not_needed(file: str) -> str:
    return f"No test fails without the change to {code(file)}."


@example("Dockerfile", "a changed file")
@example(".github/workflows/release.yml", "it settles how tests, checks or CI run")
def not_opened(file: str, kind: str) -> str:
    return f"No run opened {code(file)} ({kind}), so nothing shows what its change does."


@example(8, 10, 0, 0)
@example(4, 4, 2, 0)
@example(0, 0, 1, 3)
def tests_notice(caught: int, total: int, unrun: int, untried: int) -> str:
    """Sum up what the tests notice.

    Args:
        caught: Faults that a test noticed.
        total: Faults that were tried.
        unrun: Changed lines that no test runs.
        untried: Faults that the time did not reach.
    """
    said = []
    if total:
        planted = count(total, "fault")
        said.append(f"The tests notice {caught} of {planted} planted in the changed lines.")
    if unrun:
        said.append(f"No test runs {count(unrun, 'changed line')}.")
    if untried:
        said.append(f"The time ended before {count(untried, 'other fault')} could be planted.")
    return " ".join(said)


@example("app.py", 12, "has `<` instead of `<=`")
def fault_unnoticed(file: str, line: int, says: str) -> str:
    return f"No test fails when {place(file, line, None)} {says}."


@example("app.py", 12, 14)
@example("app.py", 12, 12)
def lines_unrun(file: str, line: int, end_line: int) -> str:
    return f"No test runs {place(file, line, end_line)}."


@example(3)
@example(1)
def newly_able(findings: int) -> str:
    verb = "is" if findings == 1 else "are"
    return f"{count(findings, 'thing')} that the change brings {verb} for a person to judge."


@example("subprocess.run(cmd)", "subprocess.run(cmd, shell=True)")
def arguments_changed(before: str, after: str) -> str:
    return (
        f"A call that can do more than compute has other arguments: {code(before)} -> {code(after)}"
    )


@example("os.remove(path)")
def call_added(text: str) -> str:
    return f"A call that can do more than compute is new: {code(text)}"


@example("setup.cfg")
def build_changed(file: str) -> str:
    return f"{code(file)} settles how the program is built, tested or checked."


AGAIN = "under another hash seed"
REVERSED = "in another order"
BESIDE = "beside another run of itself"


@example(6, 2, [AGAIN, BESIDE, REVERSED])
@example(3, 1, [AGAIN])
def stable(runs: int, tests: int, ways: Sequence[str]) -> str:
    them = "The new test gives" if tests == 1 else f"The {tests} new tests give"
    return f"{them} the same result in {count(runs, 'more run')}: {series(ways)}."


@example(2, 6)
def unstable(failed: int, runs: int) -> str:
    return f"The new tests fail in {failed} of {count(runs, 'run')}, although nothing differs but how they run."


@example(2)
def stability_cut(runs: int) -> str:
    return f"The time ended after {count(runs, 'run')} of the new tests."


@example("tests.test_app.test_a", AGAIN, "AssertionError: 1 != 2")
@example("tests.test_app.test_a", BESIDE, "")
def flaky(test: str, how: str, message: str) -> str:
    return f"{code(test)} fails {how}" + (f": {code(message)}" if message else ".")


@example("tests.test_app.test_a", "tests.test_app.test_ab")
def test_renamed(old: str, new: str) -> str:
    return f"{code(old)} is now called {code(new)}, or another test is in its place."


@example("cast(int, value)")
def cast_added(text: str) -> str:
    return f"A type checker is told what to believe: {code(text)}"


@example("stubs/app.pyi")
def stub_changed(file: str) -> str:
    return f"{code(file)} tells a type checker what to believe of a program."
