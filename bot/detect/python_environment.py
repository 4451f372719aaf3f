"""Choose the Python and write the command that makes the environment at `~/.venv`."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from bot.detect.scripts import pyproject
from bot.detect.tree import Tree

ENVIRONMENT = "~/.venv"
"""Its `bin` is the first folder of every sandbox's `PATH`."""

MAKES_ENVIRONMENT = f"test -x {ENVIRONMENT}/bin/python || "
"""How the command begins that makes it."""

_REQUIRES = re.compile(r"python_requires\s*=\s*[\"']?(?P<range>[^\"'\n]+)")
_VERSION = re.compile(r"(?:cpython-|python-)?(?P<minor>3\.\d+)(?:\.\d+)?")
_CARET = re.compile(r"\^(?P<major>\d+)(?:\.(?P<minor>\d+))?")


@dataclass(frozen=True, slots=True)
class WantedPython:
    """A version or range that `uv venv --python` takes, and the file that asks for it."""

    request: str
    origin: str


def wanted_python(tree: Tree) -> WantedPython | None:
    """Return the Python that the project asks for, or None when it does not say."""
    pinned = _VERSION.match((tree.read(".python-version") or "").strip())
    if pinned:
        return WantedPython(pinned["minor"], ".python-version")
    data = pyproject(tree.read)
    poetry = data.get("tool", {}).get("poetry", {}).get("dependencies", {})
    stated = (
        ("pyproject.toml", data.get("project", {}).get("requires-python")),
        ("pyproject.toml", poetry.get("python")),
        *((name, _in_setup(tree, name)) for name in ("setup.cfg", "setup.py")),
    )
    for origin, text in stated:
        request = _range(text) if isinstance(text, str) else None
        if request:
            return WantedPython(request, origin)
    return None


def make_environment(wanted: WantedPython | None, *, pip: bool = True) -> str:
    """Return the shell command that makes the environment, once, with the best Python there is.

    The sandbox may lack uv, and may lack the version: then its own `python3` has to do.

    Args:
        wanted: Which Python.
        pip: Whether anything may need pip in there; to leave it out saves half a second.
    """
    make = f"UV_PYTHON_DOWNLOADS=never uv venv{' --seed' if pip else ''}"
    tries = []
    if wanted:
        tries.append(f"{make} --python {shlex.quote(wanted.request)} {ENVIRONMENT}")
    tries += [f"{make} {ENVIRONMENT}", f"python3 -m venv {ENVIRONMENT}"]
    return MAKES_ENVIRONMENT + " || ".join(tries)


def _in_setup(tree: Tree, name: str) -> str | None:
    match = _REQUIRES.search(tree.read(name) or "")
    return match["range"].strip() if match else None


def _range(text: str) -> str | None:
    """Return a range in the words of PEP 440, poetry's caret translated; None if not readable."""
    caret = _CARET.fullmatch(text.strip())
    if caret:
        text = f">={caret['major']}.{caret['minor'] or 0},<{int(caret['major']) + 1}"
    try:
        return ",".join(sorted((str(part) for part in SpecifierSet(text)), reverse=True))
    except InvalidSpecifier:
        return None
