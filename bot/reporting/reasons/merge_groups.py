"""What is said of the pull requests of a merge group that fails."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.series import series

CONFLICTS = "These pull requests can't be merged without the others."
OWN_SETUP = "These pull requests together need packages that no state of the queue installs."
NOT_COMPARABLE = "Something else than the failing tests keeps the command from running there."
NOT_PROVEN = "For a proof, the tests would have to run more often."
_NAMED = 8


@example([], [7, 8, 9])
@example([7, 8, 9], [])
@example([7], [8, 9])
@example([7, 8], [9, 10])
@example([7, 9, 10], [8])
def combination(merged: Sequence[int], left: Sequence[int]) -> str:
    """Return what a state with some pull requests of a group is called."""
    if not merged:
        return "the base alone"
    if not left:
        return "the whole group"
    if len(left) < len(merged):
        return f"the group without {numbers(left)}"
    return f"the base with {numbers(merged)}"


@example([7, 8, 9])
def numbers(pulls: Sequence[int]) -> str:
    """Return pull requests by their numbers."""
    return series([f"#{number}" for number in pulls], most=_NAMED)


@example(3, "the group without #8")
def step(n: int, name: str) -> str:
    return f"Run {n}: {name}"


@example(1)
@example(3)
def on_base(tests: int) -> str:
    verb = "fails" if tests == 1 else "fail"
    return f"{count(tests, 'test').capitalize()} {verb} on the group's base, too, with none of its pull requests."


@example(("tests/test_app.py::test_index",))
def unsteady(tests: Sequence[str]) -> str:
    verb = "both fails and passes" if len(tests) == 1 else "both fail and pass"
    return f"{series(list(tests), most=3)} {verb} on the same tree."


@example("`tests/test_app.py::test_index`", [8], (9, 9), (10, 10))
@example("`test_a`", [8], (2, 2), (3, 3), has_rest=False)
@example("`test_a` and `test_b`", [8, 9], (2, 2), (3, 3), is_one=False, is_whole=False)
def caused(
    tests: str,
    pulls: Sequence[int],
    failed: tuple[int, int],
    passed: tuple[int, int],
    *,
    is_one: bool = True,
    is_whole: bool = True,
    has_rest: bool = True,
) -> str:
    """Return how tests end with pull requests and without them.

    Args:
        tests: Their names.
        pulls: Numbers of the pull requests.
        failed: Runs with them that failed, and all.
        passed: Runs without them that passed, and all.
        is_one: Whether it is one test.
        is_whole: Whether the whole group ran with and without them, else the queue up to them.
        has_rest: Whether the group has any others.
    """
    fails, passes = ("fails", "passes") if is_one else ("fail", "pass")
    named = numbers(pulls)
    state, other = "the group", f"the group without {named}" if has_rest else "its base"
    if not is_whole:
        state, other = f"the queue up to #{pulls[-1]}", f"the queue before #{pulls[0]}"
    return (
        f"{tests} {fails} in {failed[0]} of {count(failed[1], 'run')} of {state}, and {passes} in "
        f"{passed[0]} of {count(passed[1], 'run')} of {other}."
    )


@example(8, 1, 1)
def alone(pull: int, failed: int, runs: int) -> str:
    """Return that a pull request needs none of the others to fail."""
    return f"With #{pull} alone on the base, that fails in {failed} of {count(runs, 'run')}."


@example(8, 5, 1, 1)
def together(pull: int, other: int, passed: int, runs: int) -> str:
    """Return that a pull request fails with another one before it, and not without."""
    return (
        f"With #{pull} alone on the base, that passes in {passed} of {count(runs, 'run')}; it fails once #{other} "
        "is merged before it."
    )


@example([8])
def rest_passes(pulls: Sequence[int]) -> str:
    """Return that what failed passes without the causes, said to another pull request of the group."""
    return f"In the group without {numbers(pulls)}, with this pull request in it, that passes."


@example(1)
@example(3)
def not_told(tests: int) -> str:
    verb = "comes" if tests == 1 else "come"
    return f"Which pull request {count(tests, 'failing test')} {verb} from could not be told."
