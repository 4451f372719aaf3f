"""C, C++ and others by Meson, tested by `meson test`."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Runner, subcommand
from bot.ecosystems.meson.detect import find
from bot.ecosystems.meson.select import meson_test

MESON = Ecosystem(
    name="meson",
    sought="meson.build with tests",
    detect=find,
    marks=("meson.build",),
    hosts=("pypi.org", "files.pythonhosted.org"),
    compiled_by_tests=frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}),
    runners=(Runner("meson", select=meson_test, runs_tests=subcommand("test"), runs_apart=True),),
)
