"""How a Gradle project is set up and tested."""

from __future__ import annotations

from bot.ecosystems.base import Detected
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

MARKS = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a Gradle project is set up and tested, or None without its build files.

    The setup runs the tests, whatever they say: a configuration is resolved when a task needs it,
    and no command fetches all of them
    (https://docs.gradle.org/current/userguide/dependency_caching.html#sec:controlling-dependency-caching-command-line).
    """
    if not any(map(tree.exists, MARKS)):
        return None
    gradle = "sh gradlew" if tree.exists("gradlew") else "gradle"
    options = "--no-daemon --console=plain"
    return Detected(
        ecosystem="gradle",
        setup=(
            f"{gradle} {options} testClasses",
            f"{gradle} {options} test --continue || true",
        ),
        test=f"{gradle} {options} --offline test --continue",
        setup_why=(detection.GRADLE_FETCHES,),
        test_why=detection.GRADLE_TESTS,
        tools=frozenset({"gradle", "kotlinc"}),
    )
