"""Which steps before the failing one build what it runs: a patch shows there after another build."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from bot.ci.workflow.actions.preparing import installs
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.invocations import Invocation, invocations
from bot.ecosystems.node.programs import COMPILERS
from bot.ecosystems.python.products import SOURCES
from bot.ecosystems.rebuilding import PROGRAMS, rebuilding
from bot.ecosystems.tree import Tree

_BUILDERS = COMPILERS | {
    "cmake",
    "ninja",
    "meson",
    "cython",
    "cythonize",
    "gcc",
    "g++",
    "cc",
    "javac",
}
_BUILDS = (
    *(("cargo", "build"), ("go", "build"), ("go", "generate"), ("maturin", "develop")),
    *(("turbo", "build"), ("nx", "build"), ("lerna", "build"), ("gulp", "build")),
    *(("make", "build"), ("make", "all"), ("ng", "build"), ("next", "build")),
)
"""How commands begin that build, options and the words `run` and `run-many` left out."""

_SETUP_PY = frozenset({"build", "build_ext", "build_py", "develop"})


def built_again(before: Sequence[Command], tree: Tree) -> str:
    """Return the shell text that repeats the builds among earlier steps for a patch, "" without any.

    Args:
        before: The scripts of the steps before the failing one.
        tree: The files that tell what they run in the end.
    """
    builds = [command.text() for command in before if _builds(command, tree)]
    again = " && ".join(f"bash -c {shlex.quote(text)}" for text in builds)
    return rebuilding(again, (*PROGRAMS, *SOURCES)) if builds else ""


def _builds(command: Command, tree: Tree) -> bool:
    if installs(command.script):  # which takes the network
        return False
    return any(_makes(invocation) for invocation in invocations(command.script, tree.read))


def _makes(invocation: Invocation) -> bool:
    words = tuple(word for word in invocation.arguments if not word.startswith("-"))
    plain = tuple(word for word in words if word not in {"run", "run-many"})
    if invocation.tool == "python":
        return words[:1] == ("setup.py",) and bool(_SETUP_PY & {*words})
    if invocation.tool in {"tsc", "tsgo", "vue-tsc"}:
        return "--noEmit" not in invocation.arguments
    if invocation.tool == "make" and not words:
        return True
    return invocation.tool in _BUILDERS or (invocation.tool, *plain[:1]) in _BUILDS
