"""Java, Kotlin and other languages of the JVM by Gradle."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Looks, Runner, manager_by_file
from bot.ecosystems.gradle.detect import MARKS, find
from bot.ecosystems.gradle.missing import missing_of_gradle
from bot.ecosystems.gradle.programs import PROGRAMS
from bot.ecosystems.gradle.select import gradle_test, runs_tests

GRADLE = Ecosystem(
    name="gradle",
    sought="build.gradle or build.gradle.kts",
    detect=find,
    marks=MARKS,
    hosts=(
        *("plugins.gradle.org", "services.gradle.org", "downloads.gradle.org"),
        *("repo.maven.apache.org", "repo1.maven.org", "maven.google.com"),
    ),
    manager=manager_by_file(dict.fromkeys(MARKS, "gradle")),
    toolchains={"gradle": "Gradle"},
    looks=Looks(setup=(missing_of_gradle,), tests=(missing_of_gradle,)),
    compiled_by_tests=frozenset({".java", ".kt", ".groovy", ".scala"}),
    runners=(Runner("gradle", gradle_test, runs_tests=runs_tests, stops_early=("--fail-fast",)),),
    programs=PROGRAMS,
)
