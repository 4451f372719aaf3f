"""What a Python project compiles: extensions that its tests import, and how they are made again.

Installed in place, a module in C, Cython or Rust is built once; a patch to its source shows only
after another build: https://peps.python.org/pep-0660/.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from bot.ecosystems import rebuild_commands
from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.python.task_runners import pyproject
from bot.ecosystems.remedy import Remedy
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

SOURCES = ("*.c", "*.cc", "*.cpp", "*.cxx", "*.h", "*.hpp", "*.pyx", "*.pxd", "*.pxi", "*.rs")
_PLACES = ("{0}", "*/{0}", "*/*/{0}", "*/*/*/{0}")
_EXTENSIONS = re.compile(
    r"\bext_modules\b|\bExtension\(|\bcythonize\b|\bcffi_modules\b|\bRustExtension\("
)
_BUILD_SCRIPTS = ("setup.py", "build.py", "hatch_build.py", "pdm_build.py")
"""Where setuptools, Poetry, Hatch and PDM look for what a project compiles."""

_BACKENDS = ("maturin", "mesonpy", "scikit_build_core", "scikit-build-core", "setuptools_rust")
"""Backends of projects that compile: `build-backend` or what `requires` names."""

_IN_PLACE = "--no-deps --no-build-isolation -e ."
_PLAIN = ("setuptools", "wheel")
"""What a project requires that does not say: https://peps.python.org/pep-0518/."""


@dataclass(frozen=True, slots=True)
class PythonProduct:
    """How extensions are built again.

    Attributes:
        source: One of their sources.
        tools: Shell command that installs what the build needs; it needs an index.
        command: Builds them where they are imported from; it needs no network.
    """

    source: str
    tools: str
    command: str


def python_product(tree: Tree) -> PythonProduct | None:
    """Return what has to be compiled again for a patch, None where nothing is compiled."""
    build = pyproject(tree.read).get("build-system", {})
    if not _compiles(tree, build):
        return None
    found = (
        path for suffix in SOURCES for place in _PLACES for path in tree.glob(place.format(suffix))
    )
    source = next(found, None)
    if source is None:
        return None
    requires = [item for item in build.get("requires", ()) if isinstance(item, str)] or [*_PLAIN]
    if source.endswith((".pyx", ".pxd")):  # a backend may ask for it only when it builds
        requires = list(dict.fromkeys((*requires, "cython")))
    install = f"uv pip install -q --python {ENVIRONMENT}"
    return PythonProduct(
        source,
        f"{install} {shlex.join(requires)}",
        f"{install} --offline {_IN_PLACE} || pip install -q --no-index {_IN_PLACE}",
    )


def _compiles(tree: Tree, build: object) -> bool:
    paths = build.get("backend-path", ()) if isinstance(build, dict) else ()
    own = [tree.glob(f"{path}/{place}") for path in paths for place in ("*.py", "*/*.py")]
    for path in (*_BUILD_SCRIPTS, *chain.from_iterable(own)):
        if _EXTENSIONS.search(tree.read(path) or ""):
            return True
    table = pyproject(tree.read).get("tool", {}).get("setuptools", {})
    return "ext-modules" in table or any(name in str(build) for name in _BACKENDS)


def stale_extensions(_: str, tree: Tree) -> Iterator[Remedy]:
    """Yield the build that the tests need anew whenever a patch changes sources of extensions."""
    if (built := python_product(tree)) is not None:
        yield rebuild_commands.built_again(
            tree,
            "compiled modules",
            setup_repair.compiled_again(built.source),
            setup=f"{built.tools} && {built.command}",
            build=built.command,
            sources=SOURCES,
        )
