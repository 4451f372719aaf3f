"""C, C++ and others by Meson, tested by `meson test`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.base import (
    ENVIRONMENT,
    MAKES_ENVIRONMENT,
    Detected,
    Ecosystem,
    Runner,
    subcommand,
)
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

_TEST = re.compile(r"^[ \t]*test[ \t]*\(", re.MULTILINE)
_SWITCH = re.compile(
    r"^[ \t]*option\(\s*'(?P<name>\w*tests?\w*)'\s*,[^()]{0,200}\bvalue\s*:\s*false\b",
    re.MULTILINE | re.IGNORECASE,
)
_BUILD = "~/.meson-build"
"""Where Meson builds, for a shell: outside of the work tree."""

_HAS_MESON = (
    "{ command -v meson && command -v ninja; } >/dev/null || "
    f"{{ {MAKES_ENVIRONMENT}python3 -m venv {ENVIRONMENT}; "
    f"{ENVIRONMENT}/bin/python -m pip install meson ninja; }}"
)
"""Both are packages of Python: https://mesonbuild.com/Getting-meson.html."""


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a Meson project with tests is set up and tested, or None where there is none.

    The setup builds it once, with the subprojects that it downloads; `meson test` builds what has
    changed since.
    """
    top = tree.read("meson.build")
    if top is None:
        return None
    below = (*tree.glob("*/meson.build"), *tree.glob("*/*/meson.build"))
    texts = [top, *(tree.read(path) or "" for path in below if not path.startswith("subprojects/"))]
    if not any(map(_TEST.search, texts)):
        return None
    file = next(filter(tree.exists, ("meson.options", "meson_options.txt")), "")
    switches = dict.fromkeys(_SWITCH.findall(tree.read(file) or "" if file else ""))
    options = "".join(f" -D{name}=true" for name in switches)
    return Detected(
        ecosystem="meson",
        setup=(
            _HAS_MESON,
            f"meson setup {_BUILD}{options}",
            f"meson compile -C {_BUILD} || true",
        ),
        test=f"meson test -C {_BUILD} --print-errorlogs",
        setup_why=(detection.MESON_CONFIGURED,),
        test_why=detection.MESON_TESTS,
        tools=frozenset({"meson"}),
    )


def meson_test(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name, `project:test`: https://mesonbuild.com/Unit-tests.html#testing-tool."""
    if any(not re.fullmatch(r"[\w.+-]+(?::[\w.+-]+)?", test) for test in tests):
        return None
    return (*arguments, *tests)


MESON = Ecosystem(
    name="meson",
    sought="meson.build with tests",
    detect=find,
    marks=("meson.build",),
    hosts=("pypi.org", "files.pythonhosted.org"),
    compiled_by_tests=frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}),
    runners=(Runner("meson", select=meson_test, runs_tests=subcommand("test"), runs_apart=True),),
)
