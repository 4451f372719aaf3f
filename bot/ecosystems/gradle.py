"""Java, Kotlin and other languages of the JVM by Gradle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bot.ecosystems.base import Detected, Ecosystem, Looks, Runner, manager_by_file
from bot.ecosystems.commands.invocations import Programs
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection, setup_repair

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


_ID = re.compile(r"(?P<case>(?:[\w$]+\.)*[\w$]+)(?:::(?P<method>[\w$]+)(?:[(\[].*)?)?", re.DOTALL)
_TASK = re.compile(r"(?:[\w.:-]*:)?(?P<name>\w+)")
_RUNS_TESTS = frozenset({"test", "check", "build"})


def runs_tests(arguments: tuple[str, ...]) -> bool:
    """Whether one of the tasks runs tests."""
    tasks = (_TASK.fullmatch(word) for word in arguments)
    return any(task["name"] in _RUNS_TESTS for task in tasks if task)


def gradle_test(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://docs.gradle.org/current/userguide/java_testing.html#test_filtering.

    Only behind a task of type Test is `--tests` an option, which `check` and `build` are not.
    """
    named = [_ID.fullmatch(test) for test in tests]
    place = [n for n, word in enumerate(arguments) if word.rpartition(":")[2] == "test"]
    if not all(named) or len(place) != 1 or "--tests" in arguments:
        return None
    names = dict.fromkeys(
        ".".join(filter(None, match.group("case", "method"))) for match in named if match
    )
    chosen = (part for name in names for part in ("--tests", name))
    front, behind = arguments[: place[0] + 1], arguments[place[0] + 1 :]
    return (*front, *chosen, *(word for word in behind if word != "--fail-fast"))


_WRAPPERS = frozenset({"gradlew", "./gradlew"})


def _in_front(words: Sequence[str]) -> int:
    """Return how many words start the wrapper: one for `sh gradlew`."""
    return int(len(words) > 1 and words[0] in {"sh", "bash"} and words[1] in _WRAPPERS)


def _name_of(program: str) -> str:
    return "gradle" if program in _WRAPPERS else program


PROGRAMS = Programs(in_front=_in_front, name_of=_name_of)

_CLASS_FILE = re.compile(r"Unsupported class file major version (?P<major>\d+)")
_ABOVE_JAVA = 44
"""Java N writes class files of version N + 44 (JVM specification, table 4.1-A)."""

_TOOLCHAIN = re.compile(
    r"languageVersion=(?P<toolchain>\d+)"
    r"|(?:invalid (?:source|target) release|release version): ?(?P<release>\d+)"
    r"|requires at least JVM runtime version (?P<runtime>\d+)|requires Java (?P<java>\d+)"
)
_OFFLINE = re.compile(
    r"No cached version (?:of|listing for) (?P<artifact>\S+) available for offline"
)
_ANDROID = re.compile(r"SDK location not found\. Define a valid SDK location")


def missing_of_gradle(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the artifacts, the Java and the SDK that Gradle lacks."""
    if not any(map(tree.exists, MARKS)):
        return
    if _ANDROID.search(symptoms.output):
        why = setup_repair.toolchain("sdkmanager", "Android SDK")
        yield Remedy("Android SDK", why, outside=True)
    if compiled := _CLASS_FILE.search(symptoms.output):
        version = str(int(compiled["major"]) - _ABOVE_JAVA)
        yield Remedy("older Java", setup_repair.gradle_too_old(version), outside=True)
    elif asked := _TOOLCHAIN.search(symptoms.output):
        needed = next(filter(None, asked.groups()))
        yield Remedy("newer Java", setup_repair.toolchain_too_old("Java", needed), outside=True)
    if (absent := _OFFLINE.search(symptoms.output)) and not symptoms.in_setup:
        online = symptoms.command.replace(" --offline", "")
        if online != symptoms.command:
            why = setup_repair.artifact_of_gradle(absent["artifact"].rstrip("."))
            yield Remedy("artifacts that tests resolve", why, (f"{online} || true",))


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
