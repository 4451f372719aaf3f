"""Choose the Python and write the command that makes the environment at `~/.venv`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from bot.ecosystems.base import ENVIRONMENT, MAKES_ENVIRONMENT
from bot.ecosystems.python.task_runners import pyproject
from bot.ecosystems.tree import Tree
from bot.model import Commands
from bot.reporting.reasons import package_dates

_REQUIRES = re.compile(r"python_requires\s*=\s*[\"']?(?P<range>[^\"'\n]+)")
_VERSION = re.compile(r"(?:cpython-|python-)?(?P<minor>3\.\d+)(?:\.\d+)?")
_POETRY = re.compile(r"(?P<kind>[\^~])\s*(?P<major>\d+)(?:\.(?P<minor>\d+))?(?:\.\d+)*")


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
        request = python_range(text) if isinstance(text, str) else None
        if request:
            return WantedPython(request, origin)
    return None


_BUNDLED = (
    f"{{ uv venv -q --clear {ENVIRONMENT} && uv pip install -q --offline --no-index -p {ENVIRONMENT} "
    f"$({ENVIRONMENT}/bin/python -c 'import ensurepip; print(*ensurepip.__path__)')/_bundled/*.whl; }}"
)
"""An environment with the pip that Python brings, for want of an index: as ensurepip has it, in a tenth
of its time."""


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
    tries += [
        f"{make} {ENVIRONMENT}",
        *([_BUNDLED] if pip else []),
        f"python3 -m venv {ENVIRONMENT}",
    ]
    return MAKES_ENVIRONMENT + " || ".join(tries)


def _in_setup(tree: Tree, name: str) -> str | None:
    match = _REQUIRES.search(tree.read(name) or "")
    return match["range"].strip() if match else None


def python_range(text: str) -> str | None:
    """Return a range in the words of PEP 440, poetry's `^` and `~` translated; None if not readable.

    Source: https://python-poetry.org/docs/dependency-specification/
    """
    if bound := _POETRY.fullmatch(text.strip()):
        major, minor = int(bound["major"]), bound["minor"]
        next_minor = bound["kind"] == "~" and minor is not None
        text = f">={major}.{minor or 0},<{f'{major}.{int(minor) + 1}' if next_minor else major + 1}"
    try:
        return ",".join(sorted((str(part) for part in SpecifierSet(text)), reverse=True))
    except InvalidSpecifier:
        return None


_RELEASED = {
    6: date(2016, 12, 23),
    7: date(2018, 6, 27),
    8: date(2019, 10, 14),
    9: date(2020, 10, 5),
    10: date(2021, 10, 4),
    11: date(2022, 10, 24),
    12: date(2023, 10, 2),
    13: date(2024, 10, 7),
    14: date(2025, 10, 7),
}
"""When each Python 3.N came out: https://devguide.python.org/versions/"""

_SETTLES = 120
"""Days after which packages work with a new Python."""

_MAKES = re.compile(rf"test -x {re.escape(ENVIRONMENT)}/bin/python \|\| ")


def with_python_of(commands: Commands, tree: Tree, moment: datetime) -> Commands:
    """Return the commands with an environment of a Python that was there then, if there is one here.

    A project that names its version keeps it; so does one whose environment is made in another way.
    """
    makes = next((n for n, item in enumerate(commands.setup) if _MAKES.match(item)), None)
    minors = _minors(tree, moment)
    if makes is None or not minors:
        return commands
    setup = (*commands.setup[: makes + 1], _older(minors), *commands.setup[makes + 1 :])
    said = package_dates.python_of_day(f"3.{minors[0]}", moment)
    return replace(commands, setup=setup, explanation=(*commands.explanation, said))


def _minors(tree: Tree, moment: datetime) -> tuple[int, ...]:
    """Return the Pythons 3.N that were there and that the project takes, the newest first."""
    day = moment.astimezone(UTC).date()
    there = [minor for minor, born in _RELEASED.items() if (day - born).days >= _SETTLES]
    if len(there) == len(_RELEASED):
        return ()
    wanted = wanted_python(tree)
    try:
        range_ = SpecifierSet(wanted.request) if wanted else SpecifierSet()
    except InvalidSpecifier:  # one version
        return ()
    return tuple(minor for minor in reversed(there) if range_.contains(f"3.{minor}.99"))[:4]


def _older(minors: Sequence[int]) -> str:
    """Return the command that makes the environment anew where its Python came later."""
    newest = minors[0]
    tries = " ".join(f"3.{minor}" for minor in minors)
    made = f"UV_PYTHON_DOWNLOADS=never uv venv -q --clear --seed --python $v {ENVIRONMENT}"
    return (
        f"{ENVIRONMENT}/bin/python -c 'import sys; sys.exit(sys.version_info[:2] > (3, {newest}))'"
        f" || for v in {tries}; do {made} 2>/dev/null && break; done; {ENVIRONMENT}/bin/python -V"
    )
