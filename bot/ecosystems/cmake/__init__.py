"""C and C++ by CMake, tested by CTest."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Runner
from bot.ecosystems.cmake.detect import find
from bot.ecosystems.cmake.select import ctest

CMAKE = Ecosystem(
    name="cmake",
    sought="CMakeLists.txt with tests",
    detect=find,
    compiled_by_tests=frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}),
    runners=(Runner("ctest", select=ctest, runs_apart=True),),
)
