"""C and C++ by Autotools, tested by `make check`."""

from __future__ import annotations

import re

from bot.ecosystems.base import Detected, Ecosystem
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

_CHECKED = re.compile(
    r"^(?:TESTS|check_PROGRAMS|check_SCRIPTS)[ \t]*\+?=|^check-(?:local|am)\b", re.MULTILINE
)
"""What `make check` runs: https://www.gnu.org/software/automake/manual/html_node/Tests.html."""

_GENERATORS = ("autogen.sh", "bootstrap", "bootstrap.sh", "buildconf.sh")


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a project of Autotools with tests is set up and tested, or None where there is none."""
    if not any(map(tree.exists, ("configure.ac", "configure.in"))):
        return None
    lists = ("Makefile.am", *tree.glob("*/Makefile.am"))
    if not any(_CHECKED.search(tree.read(path) or "") for path in lists):
        return None
    own = next((name for name in _GENERATORS if tree.exists(name)), None)
    generate = "autoreconf --force --install"
    if own is not None:  # it may configure as well, or refuse to
        generate = f"{{ NOCONFIGURE=1 sh ./{own} && test -x configure; }} || {generate}"
    return Detected(
        ecosystem="autotools",
        setup=(f"test -x configure || {generate}", "./configure", "make -j2 || true"),
        test="make -j2 check VERBOSE=1",
        setup_why=(detection.AUTOTOOLS_CONFIGURED,),
        test_why=detection.MAKE_CHECK,
        tools=frozenset({"make", "gmake", "autoreconf"}),
    )


AUTOTOOLS = Ecosystem(
    name="autotools",
    sought="configure.ac with tests",
    detect=find,
    compiled_by_tests=frozenset({".c", ".cc", ".cpp", ".cxx", ".h", ".hpp"}),
)
