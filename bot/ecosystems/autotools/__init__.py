"""C and C++ by Autotools, tested by `make check`."""

from __future__ import annotations

from bot.ecosystems.autotools.detect import find
from bot.ecosystems.base import Ecosystem

AUTOTOOLS = Ecosystem(
    name="autotools",
    sought="configure.ac with tests",
    detect=find,
    compiled_by_tests=frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}),
)
