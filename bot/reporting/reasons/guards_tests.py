"""How a patch makes existing tests demand less."""

from __future__ import annotations

from bot.reporting.example import example

_TEST = "test_shout"
_OLD = "assert shout('a') == 'A'"
_NEW = "assert shout('a')"


@example("tests/__snapshots__/app.snap")
def snapshot_changed(path: str) -> str:
    """A stored snapshot has other content."""
    return f"The patch changes the snapshot {path}."


@example("tests/data/orders.csv")
def data_changed(path: str) -> str:
    """A file beside the tests changes."""
    return f"The patch changes {path}, which belongs to the tests."


@example(_TEST)
def test_removed(name: str) -> str:
    """No test has the name any more."""
    return f"The test {name} was removed or renamed."


@example(_TEST)
def asserts_nothing(name: str) -> str:
    """A new test has assertions, and all of them always hold."""
    return f"{name} asserts nothing."


@example(_TEST, "assert True")
def asserts_nothing_here(name: str, assertion: str) -> str:
    """An assertion always holds."""
    return f"{name} asserts nothing here: {assertion}"


@example("pytestmark = pytest.mark.skip")
def file_marked(code: str) -> str:
    """A mark at the top of a file holds for all of its tests."""
    return f"Every test in the file is marked: {code}"


@example("pytest.skip('later', allow_module_level=True)")
def file_skipped(code: str) -> str:
    """A whole file of tests is skipped."""
    return f"Every test in the file is skipped: {code}"


@example(_TEST, "@pytest.mark.skip")
def skipped(name: str, mark: str) -> str:
    """A test has a new mark."""
    return f"{name} is now skipped, expected to fail, or run alone: {mark}"


@example(_TEST)
def cut_short(name: str) -> str:
    """A test has a new return."""
    return f"{name} returns before its assertions."


@example(_TEST, "'A'", "'B'")
def value_changed(name: str, before: str, after: str) -> str:
    """A value in a test changed, and its assertions did not."""
    return f"{name} uses another value: {before} became {after}."


@example(_TEST, _OLD)
def assertion_removed(name: str, assertion: str) -> str:
    """A test has fewer assertions."""
    return f"{name} no longer has the assertion: {assertion}"


@example(_OLD, _NEW)
def assertion_weakened(before: str, after: str) -> str:
    """An assertion demands less."""
    return f"An assertion was weakened: {before} became {after}."


@example(_OLD, "assert shout('a') == 'B'")
def expectation_changed(before: str, after: str) -> str:
    """An assertion expects another value."""
    return f"The expected value changed: {before} became {after}."


@example("assert x == approx(1, abs=0.1)", "assert x == approx(1, abs=0.5)")
def tolerance_relaxed(before: str, after: str) -> str:
    """A tolerance or a time limit lets more pass."""
    return f"The tolerance or time limit was relaxed: {before} became {after}."
