"""How the packages of a registry are told in a sandbox, and swapped for other versions there."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.code.languages import TRAITS, Language
from bot.ecosystems.base import ENVIRONMENT

Versions = Mapping[str, str | None]
"""By package; None for one that is not to be there."""


@dataclass(frozen=True, slots=True)
class PackageClient:
    """One registry's.

    Attributes:
        registry: Its name.
        program: Runs the script.
        script: Of `bot/repair/workspace/inside`: tells what is installed, when it was uploaded, and its sources.
        swapping: Returns the commands that install some versions, or remove packages, and touch nothing else.
        programs: Ends of the names of files that may use what a package offers.
    """

    registry: str
    program: str
    script: str
    swapping: Callable[[Versions], tuple[str, ...]]
    programs: tuple[str, ...]


def _python(versions: Versions) -> tuple[str, ...]:
    wanted = [f"{name}=={version}" for name, version in sorted(versions.items()) if version]
    gone = sorted(name for name, version in versions.items() if version is None)
    python = f"--python {ENVIRONMENT}"
    words = shlex.join(wanted)
    pip = f"{ENVIRONMENT}/bin/python -m pip"
    install = f"uv pip install {python} --no-deps {words} || {pip} install --no-deps {words}"
    remove = (
        f"uv pip uninstall {python} {shlex.join(gone)} || {pip} uninstall -y {shlex.join(gone)}"
    )
    return (*([install] if wanted else []), *([remove] if gone else []))


def _node(versions: Versions) -> tuple[str, ...]:
    """Put packages in place of others, those that they require left as they are: npm would move these too."""
    return tuple(
        _unpacked(name, version) if version else f"rm -rf {shlex.quote(f'node_modules/{name}')}"
        for name, version in sorted(versions.items())
    )


def _unpacked(name: str, version: str) -> str:
    place, wanted = shlex.quote(f"node_modules/{name}"), shlex.quote(f"{name}@{version}")
    return (
        f'new=$(mktemp -d) && (cd "$new" && npm pack --silent {wanted} && tar -xf ./*.tgz && rm ./*.tgz) && '
        f"mkdir -p {place} && "
        f"find {place} -mindepth 1 -maxdepth 1 ! -name node_modules -exec rm -rf {{}} + && "
        f'cp -R "$new"/*/. {place}/'
    )


PYPI = PackageClient(
    "PyPI", f"{ENVIRONMENT}/bin/python", "installed_packages.py", _python, programs=(".py",)
)
NPM = PackageClient(
    "npm",
    "python3",
    "installed_node_packages.py",
    _node,
    programs=tuple(TRAITS[Language.JAVASCRIPT].grammars),
)
