"""The test runners of JavaScript: how each is started, told to run some tests, and to run all of them."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

from bot.ecosystems.base import Runner
from bot.ecosystems.node.select import by_files, chosen_files, jest, mocha, node, tap, vitest


def _tests_itself(arguments: tuple[str, ...]) -> bool:
    """Whether Node.js runs tests, and no program that has an option of that name."""
    front = arguments[: arguments.index("--test")] if "--test" in arguments else ("",)
    return all(
        word.startswith("-") or before.startswith("-") for before, word in pairwise(("", *front))
    )


RUNNERS = (
    Runner(
        "vitest",
        select=vitest,
        stops_early=("--bail=1",),
        start="npx vitest run",
        files=partial(chosen_files, "vitest"),
        named=lambda file, titles: " > ".join((file, *titles)),
    ),
    Runner(
        "jest",
        select=jest,
        stops_early=("-b", "--bail", "--bail=1"),
        start="npx jest",
        files=partial(chosen_files, "jest"),
        named=lambda _, titles: " › ".join(titles),  # noqa: RUF001 - jest prints it
    ),
    Runner(
        "mocha",
        select=mocha,
        stops_early=("-b", "--bail"),
        start="npx mocha",
        files=partial(chosen_files, "mocha"),
        named=lambda _, titles: " > ".join(titles),
    ),
    Runner("ava", select=by_files, start="npx ava"),
    Runner("tap", select=tap, start="npx tap"),
    Runner("jasmine", select=by_files, files=partial(chosen_files, "jasmine")),
    Runner("tape", select=by_files, files=partial(chosen_files, "tape")),
    *(Runner(name, select=by_files) for name in ("qunit", "borp", "poku", "lab")),
    *(Runner(name) for name in ("uvu", "bnt")),
    Runner(
        "node",
        select=node,
        runs_tests=_tests_itself,
        files=partial(chosen_files, "node"),
        named=lambda _, titles: " > ".join(titles),
    ),
)
NAMES = frozenset(runner.name for runner in RUNNERS) - {"node"}
"""Programs that do nothing but run tests."""
