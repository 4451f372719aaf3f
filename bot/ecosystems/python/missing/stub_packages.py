"""Do without a Python package that can't be built here: a package of that name with nothing in it.

A package without a wheel for this Python needs headers and programs of the system to be built. One
of them that fails takes the whole installation with it, and most often the tests that matter don't
need it. A wheel that is empty satisfies whoever resolves, whatever it was started by: pip, uv, tox
and nox all look where variables tell them. Who imports the package is told that it is missing.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

FOLDER = '"$HOME/.fixpoint-empty-packages"'
"""Where the wheels are, for a shell: outside of the work tree."""

_SOURCE = re.compile(
    r"^[ \t]*(?:Downloading|Using cached)[ \t]+(?:https?://\S*/)?"
    r"(?P<name>[A-Za-z0-9][\w.]*(?:-[A-Za-z_][\w.]*)*)-(?P<version>\d[\w.+!]*?)\.(?:tar\.\w+|tgz|zip)(?=\s|$)",
    re.MULTILINE,
)
"""Pip's line about the source of a package."""

_BROKEN = re.compile(
    r"^[ \t]*\S (?:Getting requirements to build wheel|Preparing metadata|python setup\.py egg_info"
    r"|pip subprocess to install build dependencies)\b",
    re.MULTILINE,
)
"""Pip's line about a step of the build that failed: that of the source named last."""

_WHEELS = re.compile(
    r"^[ \t]*(?:ERROR: )?Failed building (?:editable )?wheel for (?P<name>[\w.-]+)", re.MULTILINE
)
_BY_UV = re.compile(r"Failed to (?:download and )?build `(?P<name>[\w.-]+)==(?P<version>[\w.+!]+)`")


@dataclass(frozen=True, slots=True, order=True)
class Unbuilt:
    """A package that could not be built.

    Attributes:
        name: As the index calls it, normalised.
        version: That was tried.
    """

    name: str
    version: str

    @property
    def wheel(self) -> str:
        """The file name of a wheel of it that fits every Python."""
        return f"{self.name.replace('-', '_')}-{self.version}-py3-none-any.whl"


def unbuilt_packages(output: str) -> tuple[Unbuilt, ...]:
    """Return the packages of an index whose build failed, by the words of pip and uv."""
    sources = [(match.start(), _package(match)) for match in _SOURCE.finditer(output)]
    found = [_package(match) for match in _BY_UV.finditer(output)]
    for broken in _BROKEN.finditer(output):
        found += [package for start, package in sources if start < broken.start()][-1:]
    failed = {_normalised(match["name"]) for match in _WHEELS.finditer(output)}
    found += [package for _, package in sources if package.name in failed]
    return tuple(dict.fromkeys(found))


def standing_in(packages: Iterable[Unbuilt], folder: str) -> str:
    """Return a shell command that puts empty wheels into a folder.

    Args:
        packages: To have wheels of.
        folder: As the shell is to read it, quoted if need be.
    """
    words = [
        word for package in packages for word in (package.name, package.version, package.wheel)
    ]
    return f"python3 -c {shlex.quote(_WRITER)} {folder} {shlex.join(words)}"


def unbuilt(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:  # noqa: ARG001 - as all
    """Yield the setup command with stand-ins for what could not be built."""
    if not symptoms.in_setup:
        return
    for package in unbuilt_packages(symptoms.output):
        words = f"{standing_in([package], FOLDER)} && export {looking_in(FOLDER)}"
        yield Remedy(
            f"package {package.name}",
            setup_repair.stands_in(package.name, package.version),
            instead=(symptoms.command, f"{words} && {{ {symptoms.command}; }}"),
            way="empty",
        )


def looking_in(folder: str) -> str:
    """Return assignments that have pip and uv look for wheels in a folder, too."""
    return f'PIP_FIND_LINKS="${{PIP_FIND_LINKS:-}} "{folder} UV_FIND_LINKS="${{UV_FIND_LINKS:+$UV_FIND_LINKS,}}"{folder}'


_WRITER = """\
import os, sys, zipfile
folder, words = sys.argv[1], iter(sys.argv[2:])
os.makedirs(folder, exist_ok=True)
for name, version, wheel in zip(words, words, words):
    info = "-".join(wheel.split("-")[:2]) + ".dist-info/"
    files = {
        "METADATA": "Metadata-Version: 2.1\\nName: %s\\nVersion: %s\\n" % (name, version),
        "WHEEL": "Wheel-Version: 1.0\\nGenerator: fixpoint\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    }
    record = "".join("%s%s,,\\n" % (info, each) for each in (*files, "RECORD"))
    with zipfile.ZipFile(os.path.join(folder, wheel), "w") as out:
        for each, text in {**files, "RECORD": record}.items():
            out.writestr(info + each, text)
"""
"""Source of the format: https://packaging.python.org/specifications/binary-distribution-format/"""


def _package(match: re.Match[str]) -> Unbuilt:
    return Unbuilt(_normalised(match["name"]), match["version"])


def _normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
