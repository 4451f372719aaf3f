"""Why a flaky test gets no mark, and what a run says of those that it proposes to quarantine."""

from __future__ import annotations

from bot.reporting.example import example
from bot.reporting.markdown import code

NO_WAY = "No mark is known for tests in this language."
NOT_FOUND = "The test was not found in its file; it may be inherited, or made by a program."
NOT_SURE = "Several tests of the file may be meant."
HAS_A_MARK = "The test already has a mark that skips it or lets it fail."
BESIDE_OTHERS = "The test shares its line with other code."
SUBTEST = "A mark would also skip the other subtests."
NO_FILE = "It is not known in which file the test stands."
STILL_FAILS = "With the mark, the test still fails."
OTHERS_CHANGE = "With the mark, other tests end differently."
CHANGED_FILE = "On the default branch, the file has other content than the one that was tested."


@example("tests/test_app.py")
def not_read(path: str) -> str:
    return f"{code(path)} can't be parsed."


@example("tests/test_app.py::test_index")
def tries(test: str) -> str:
    return f"Tests the mark that quarantines {test}."


@example("The budget of 30 minutes is used up.")
def not_tried(why: str) -> str:
    return f"No mark was tested. {why}"


@example("tests/test_app.py::test_index", 12, 13)
@example("tests/test_app.py::test_index", 12, None)
def proposed(test: str, issue: int, pull: int | None) -> str:
    by = f"; #{pull} marks it" if pull is not None else ""
    return f"Quarantine of {code(test)}: #{issue}{by}."


@example("tests/test_app.py::test_index", 12)
def there_already(test: str, issue: int | None) -> str:
    where = f" (#{issue})" if issue is not None else ""
    return f"{code(test)} is already in quarantine{where}."


@example("tests/test_app.py::test_index", "The App may not create issues.")
def refused(test: str, why: str) -> str:
    return f"{code(test)} could not be put into quarantine. {why}"
