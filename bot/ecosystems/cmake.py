"""C and C++ by CMake, tested by CTest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.base import Detected, Ecosystem, Runner
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

_CTEST = re.compile(
    r"^[ \t]*(?:enable_testing|add_test|gtest_(?:discover|add)_tests|catch_discover_tests"
    r"|include\s*\(\s*CTest\b)",
    re.MULTILINE | re.IGNORECASE,
)
_TEST_SWITCH = re.compile(
    r"^[ \t]*option\s*\(\s*(?P<name>\w*TEST\w*)\s+(?:\"[^\"]{0,300}\"|\w+)\s+OFF\b",
    re.MULTILINE | re.IGNORECASE,
)
_BUILD = "~/.cmake-build"
"""Where CMake builds, for a shell: outside of the work tree."""


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a CMake project with tests is set up and tested, or None where there is none.

    The setup builds it once, with what that downloads; the tests build what has changed since.
    """
    top = tree.read("CMakeLists.txt")
    if top is None:
        return None
    lists = [top, *(tree.read(path) or "" for path in tree.glob("*/CMakeLists.txt"))]
    if not any(map(_CTEST.search, lists)):
        return None
    switches = dict.fromkeys(name for text in lists for name in _TEST_SWITCH.findall(text))
    options = " ".join(f"-D{name}=ON" for name in ("BUILD_TESTING", *switches))
    build = f"cmake --build {_BUILD} --parallel 2"
    return Detected(
        ecosystem="cmake",
        setup=(f"cmake -S . -B {_BUILD} {options}", f"{build} || true"),
        test=f"{build} && ctest --test-dir {_BUILD} --output-on-failure",
        setup_why=(detection.CMAKE_CONFIGURED,),
        test_why=detection.CTEST,
        tools=frozenset({"cmake", "ctest"}),
    )


def ctest(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://cmake.org/cmake/help/latest/manual/ctest.1.html#cmdoption-ctest-R."""
    if any(not re.fullmatch(r"[\w.-]+", test) for test in tests):
        return None
    return (*arguments, "-R", f"^({'|'.join(tests)})$")


CMAKE = Ecosystem(
    name="cmake",
    sought="CMakeLists.txt with tests",
    detect=find,
    compiled_by_tests=frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}),
    runners=(Runner("ctest", select=ctest, runs_apart=True),),
)
