"""Find the command that runs a Python project's tests."""

from __future__ import annotations

import configparser
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from bot.ecosystems.commands.invocations import Invocation, expanded
from bot.ecosystems.commands.shell import name_value
from bot.ecosystems.python.install import sources
from bot.ecosystems.python.pytest_suite import OPTIONS_WITH_VALUE
from bot.ecosystems.python.task_runners import PROGRAMS, pyproject, tox_sections, tox_variables
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

_TEST_FILES = (
    "tests/test_*.py",
    "test/test_*.py",
    "testing/test_*.py",
    "tests/*/test_*.py",
    "tests/*_test.py",
    "test_*.py",
    "*_test.py",
    "*/test_*.py",
    "*/tests/test_*.py",
    "*/test/test_*.py",
    "src/*/tests/test_*.py",
    "src/*/test/test_*.py",
    "*/*/tests/test_*.py",
    "*/*/test/test_*.py",
)
_SINGLE_FILES = (
    *("test.py", "tests.py", "tests/tests.py", "tests/test.py", "test/test.py"),
    *("*/tests.py", "*/test.py", "src/*/tests.py", "src/*/test.py"),
)
"""Names that pytest takes only when it is told to."""

_IMPORTING_FILES = (
    "test*/*.py",
    "test*/*/*.py",
    "test*/*/*/*.py",
    "src/*/tests/*.py",
    "*/tests/*.py",
)
_MOST_IMPORTING = 400
_IMPORT = re.compile(r"^[ \t]*(?:import|from) (?P<module>[A-Za-z_]\w*)", re.MULTILINE)

_OWN_RUNNERS = ("runtests.py", "run_tests.py", "tests/runtests.py", "tests/run_tests.py")

_DEFINES_TESTS = re.compile(r"^[ \t]*(?:async )?def test|\bTestCase\b", re.MULTILINE)

# Options of pytest that a plugin brings, and the plugin. One that another package brings along is
# installed twice at most.
_PLUGINS = {
    "pytest-cov": re.compile(r"--(?:no-)?cov\b"),
    "pytest-xdist": re.compile(r"(?:^|\s|[\"'])(?:-n[ =]?(?:\d|auto)|--numprocesses|--dist)"),
    "pytest-timeout": re.compile(r"--timeout\b|^[ \t]*timeout\s*=", re.MULTILINE),
    "pytest-asyncio": re.compile(r"asyncio_mode|asyncio_default"),
    "pytest-django": re.compile(r"DJANGO_SETTINGS_MODULE|--ds\b"),
    "pytest-randomly": re.compile(r"-p[ =]randomly|--randomly"),
    "pytest-mypy": re.compile(r"--mypy\b"),
}
_PYTEST = frozenset({"pytest", "py.test"})
_PLAIN_VALUE = re.compile(r"[A-Z][A-Z0-9_]*=[\w.:/-]+")
_PYTEST_BELOW = re.compile(r"\bpytest\b[^\n<]{0,80}<(\d+)")
_FIRST_PYTEST = 6
"""Earlier ones don't start on Python 3.10: https://docs.pytest.org/en/stable/changelog.html"""

_TEST_SCRIPTS = ("test", "tests", "unit", "unittest", "pytest")


@dataclass(frozen=True, slots=True)
class TestsFound:
    """A test command, why it is the one, and the packages that it needs."""

    command: str
    why: str
    needs: tuple[str, ...] = ()


def find_tests(tree: Tree) -> TestsFound | None:
    """Return the test command, pytest directly where the project uses it, or None."""
    return (
        _configured_pytest(tree) or _django(tree) or _behind_tox(tree) or _behind_scripts(tree)
    ) or (_own_runner(tree) or _files(tree) or _behind_nox(tree) or _runner(tree))


def test_files(tree: Tree) -> Iterator[str]:
    """Yield files that are called like tests of Python, whatever runs them."""
    return (path for pattern in _TEST_FILES for path in tree.glob(pattern))


def test_imports(tree: Tree) -> frozenset[str]:
    """Return the top-level modules that test files import."""
    paths = [path for pattern in _IMPORTING_FILES for path in tree.glob(pattern)]
    texts = (tree.read(path) or "" for path in paths[:_MOST_IMPORTING])
    return frozenset(match["module"] for text in texts for match in _IMPORT.finditer(text))


def _configured_pytest(tree: Tree) -> TestsFound | None:
    evidence = _pytest_evidence(tree)
    if evidence is None:
        return None
    origin, settings = evidence
    plugins = tuple(name for name, option in _PLUGINS.items() if option.search(settings))
    command = shlex.join(["python", "-m", "pytest", *_collected_by_runner(tree, settings)])
    return TestsFound(command, _pytest_sentence(tree, origin), ("pytest", *plugins))


def _collected_by_runner(tree: Tree, settings: str) -> tuple[str, ...]:
    """Return the folders and files that tox or `make test` has pytest collect, () for everything.

    Beside the tests there may be benchmarks and examples that need more.
    """
    if "testpaths" in settings:
        return ()
    for runner in ("tox", "make test"):
        found = [step for step in _started(runner, tree) if step.tool in _PYTEST]
        named = [tuple(filter(tree.exists, _paths(step))) for step in found if not step.folder]
        if named and all(named):
            return tuple(dict.fromkeys(path for paths in named for path in paths))
    return ()


def _started(command: str, tree: Tree) -> tuple[Invocation, ...]:
    found = expanded(command, tree.read, (PROGRAMS,))
    return tuple(invocation for invocation, is_last in found if is_last)


def variants(tree: Tree, command: str) -> tuple[str, ...]:
    """Return the other ways in which tox or `make test` runs the tests: with other variables.

    Args:
        tree: The work tree.
        command: The test command that was detected.
    """
    tools = {step.tool for step in _started(command, tree)}
    steps = (step for runner in ("tox", "make test") for step in _started(runner, tree))
    settings = (
        " ".join(
            name_value(assignment)
            for assignment in step.assignments
            if _PLAIN_VALUE.fullmatch(assignment)
        )
        for step in steps
        if step.tool in tools and not step.folder
    )
    return tuple(dict.fromkeys(f"{words} {command}" for words in settings if words))


def _paths(pytest: Invocation) -> Iterator[str]:
    """Yield the arguments of pytest that are neither options nor values of some."""
    for n, word in enumerate(pytest.arguments):
        before = pytest.arguments[n - 1] if n else ""
        if not word.startswith("-") and before not in OPTIONS_WITH_VALUE:
            yield word.partition("::")[0].rstrip("/")


def _django(tree: Tree) -> TestsFound | None:
    if not tree.exists("manage.py"):
        return None
    return TestsFound("python manage.py test", detection.DJANGO_TESTS)


def _own_runner(tree: Tree) -> TestsFound | None:
    """Return the program of the project that runs its tests: pytest may not find them."""
    path = next(filter(tree.exists, _OWN_RUNNERS), None)
    return TestsFound(f"python {path}", detection.own_runner(path)) if path else None


def _files(tree: Tree) -> TestsFound | None:
    path = next((path for pattern in _TEST_FILES for path in tree.glob(pattern)), None)
    if path is not None:
        return TestsFound("python -m pytest", detection.pytest_finds(path), ("pytest",))
    for path in (path for pattern in _SINGLE_FILES for path in tree.glob(pattern)):
        if _DEFINES_TESTS.search(tree.read(path) or ""):
            return TestsFound(
                f"python -m pytest {path}", detection.tests_in_file(path), ("pytest",)
            )
    return None


def _runner(tree: Tree) -> TestsFound | None:
    if tree.exists("tox.ini"):
        return TestsFound("tox run", detection.runner_configured("tox.ini"), ("tox",))
    if tree.exists("noxfile.py"):
        return TestsFound("nox", detection.runner_configured("noxfile.py"), ("nox",))
    return None


def _pytest_evidence(tree: Tree) -> tuple[str, str] | None:
    """Return the file that shows that pytest is used, and pytest's settings in it."""
    configured = pyproject(tree.read).get("tool", {}).get("pytest")
    if configured is not None:
        return "pyproject.toml", _section_text(tree.read("pyproject.toml") or "")
    for name, section in (
        ("pytest.ini", "pytest"),
        ("tox.ini", "pytest"),
        ("setup.cfg", "tool:pytest"),
    ):
        parser = configparser.ConfigParser(interpolation=None, strict=False)
        try:
            parser.read_string(tree.read(name) or "")
        except configparser.Error:
            continue
        if parser.has_section(section):
            items = parser.items(section, raw=True)
            return name, "\n".join(f"{key} = {value}" for key, value in items)
    if tree.exists("pytest.ini"):
        return "pytest.ini", ""
    for path in ("conftest.py", "tests/conftest.py", "test/conftest.py", "testing/conftest.py"):
        if tree.exists(path):
            return path, ""
    source = next((s for s in sources(tree) if "pytest" in s.packages), None)
    if source is None:
        return None
    return ("pyproject.toml" if source.kind in {"extra", "group"} else source.name), ""


def _section_text(text: str) -> str:
    """Return the lines of the pytest tables of a `pyproject.toml`."""
    parts = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
    return "\n".join(part for part in parts if part.startswith("[tool.pytest"))


def _pytest_sentence(tree: Tree, origin: str) -> str:
    via = next((name for name in ("tox.ini", "noxfile.py") if tree.exists(name)), None)
    if via and via != origin:
        return detection.pytest_without_runner(origin, via)
    return detection.uses_pytest(origin)


def _behind_tox(tree: Tree) -> TestsFound | None:
    """Return the one command that tox would run, when there is one that needs no tox."""
    if not tree.exists("tox.ini"):
        return None
    found = [step for step in _started("tox", tree) if step.tool != "tox"]
    if any(step.tool in _PYTEST for step in found):
        other = _other_than_old_pytest(tree, found)
        if other is not None:
            return TestsFound(other, detection.OLD_PYTEST_AVOIDED)
        words = ("python", "-m", "pytest", *_collected_by_runner(tree, ""))
        return TestsFound(shlex.join(words), detection.TOX_RUNS_PYTEST, ("pytest",))
    command = _one_test(found)
    if command is None:
        return None
    settings = (f"{name}={shlex.quote(value)}" for name, value in tox_variables(tree.read).items())
    return TestsFound(" ".join((*settings, command)), detection.command_of_runner("tox.ini"))


def _other_than_old_pytest(tree: Tree, found: Iterable[Invocation]) -> str | None:
    """Return how tox runs the tests besides, where it wants a pytest that Pythons of today lack."""
    bounds = _PYTEST_BELOW.findall(tox_sections(tree.read).get("testenv", "deps", fallback=""))
    if not bounds or max(map(int, bounds)) > _FIRST_PYTEST:
        return None
    return next((step.command() for step in found if step.tool == "unittest"), None)


def _behind_scripts(tree: Tree) -> TestsFound | None:
    """Return the one test command of a script in `pyproject.toml` that is named after tests."""
    for runner in _script_runners(pyproject(tree.read).get("tool", {})):
        command = _one_test(_started(runner, tree))
        if command:
            why = detection.command_of_runner("pyproject.toml")
            return TestsFound(command, why, ("pytest",) if "pytest" in command else ())
    return None


def _script_runners(tools: dict[str, Any]) -> Iterator[str]:
    """Yield the commands that run scripts named after tests, hatch's environment for tests first."""
    environments = tools.get("hatch", {}).get("envs", {})
    for name in sorted(environments, key=lambda name: "test" not in name):
        scripts = environments[name].get("scripts", {}) if name != "default" else {}
        yield from (f"hatch run {name}:{script}" for script in _TEST_SCRIPTS if script in scripts)
    tables = {
        "hatch run": environments.get("default", {}).get("scripts", {}),
        "pdm": tools.get("pdm", {}).get("scripts", {}),
        "poe": tools.get("poe", {}).get("tasks", {}),
        "task": tools.get("taskipy", {}).get("tasks", {}),
    }
    for runner, scripts in tables.items():
        yield from (f"{runner} {script}" for script in _TEST_SCRIPTS if script in scripts)


def _behind_nox(tree: Tree) -> TestsFound | None:
    """Return the one test command that nox would run, when there is one that needs no nox."""
    command = _one_test(step for step in _started("nox", tree) if step.tool != "nox")
    return TestsFound(command, detection.command_of_runner("noxfile.py")) if command else None


def _one_test(steps: Iterable[Invocation]) -> str | None:
    """Return the one command that seems to run tests, or None where there is none or a choice.

    The same command with further options, as for other databases, is no other choice.
    """
    tests = [command for step in steps if "test" in (command := step.command())]
    plain = min(tests, key=len, default=None)
    return plain if plain and all(test.startswith(plain) for test in tests) else None
