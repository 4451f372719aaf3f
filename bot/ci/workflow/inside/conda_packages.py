"""Runs inside a sandbox: print what conda is asked to install, as pip takes it.

    conda_packages.py ARGUMENT...

The arguments are those behind `conda install`, `conda create` or `conda env update`. The first line
is the version of Python, empty where none is named; each further one is an argument for pip.
Standard library alone, any Python from 3.8 on. Files are read line by line, as conda's own examples
write them: https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-environments.html
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Iterator

_ENTRY = re.compile(r"(?:[\w.-]+::)?(?P<name>[\w.-]+)\s*(?P<rest>[=<>!~].*)?$")
_CALLED_OTHERWISE = {"pytorch": "torch", "matplotlib-base": "matplotlib", "pytables": "tables"}
_VALUES = frozenset({"-c", "--channel", "-n", "--name", "-p", "--prefix", "-r", "--root-prefix"})
"""Options that take the next word."""

_FILES = frozenset({"-f", "--file"})
_LINE = re.compile(r"^(?P<indent> *)(?:- *)?(?P<text>.*?)\s*(?:#.*)?$")


def python_and_packages(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the version of Python that conda is asked for, or "", and the packages for pip."""
    python, packages = "", []
    for spec, is_pip in _specs(arguments):
        if is_pip:
            packages += pip_words(spec)
        elif (match := _ENTRY.match(spec)) is not None and match["name"] == "python":
            python = version(match["rest"])
        elif match is not None and match["name"] != "pip":
            packages.append(requirement(match["name"], match["rest"]))
    return python, packages


def version(rest: str | None) -> str:
    """Return a version as setup-python takes it, of `=3.11`, `==3.11.*` or `>=3.9`."""
    text = (rest or "").replace(" ", "")
    return text.lstrip("=").rstrip(".*") if text.startswith("=") else text


def requirement(name: str, rest: str | None) -> str:
    """Return a package of conda and its version as pip takes them."""
    wanted = (rest or "").replace(" ", "")
    exact = re.match(r"=(?!=)([^=,<>]+)", wanted)  # a build behind a second `=` is conda's own
    if exact:
        number = exact[1].rstrip("*.")
        wanted = f"=={number}.*"
    return f"{_CALLED_OTHERWISE.get(name, name)}{wanted}"


def pip_words(entry: str) -> list[str]:
    """Return the words of a line that an environment file hands to pip."""
    return shlex.split(entry) if entry.startswith("-") else [entry]


def _specs(arguments: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield each package with whether it is pip's."""
    words = iter(arguments)
    for word in words:
        option, equals, value = word.partition("=")
        if option in _FILES:
            yield from _file(value if equals else next(words, ""))
        elif word in _VALUES:
            next(words, "")
        elif not word.startswith("-"):
            yield word, False


def _file(name: str) -> Iterator[tuple[str, bool]]:
    """Yield the packages of an environment file, or of a plain list."""
    try:
        lines = Path(name).read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    if not name.endswith((".yml", ".yaml")):
        yield from (
            (line.strip(), False) for line in lines if line.strip()[:1] not in ("", "#", "@")
        )
        return
    section, pip_indent = "", -1
    for match in filter(None, map(_LINE.match, lines)):
        text, indent = match["text"].strip("\"'"), len(match["indent"])
        if indent == 0 and not match[0].startswith("-"):
            section = text.partition(":")[0]
        elif section == "dependencies" and text == "pip:":
            pip_indent = indent
        elif section == "dependencies" and text:
            pip_indent = pip_indent if indent > pip_indent else -1
            yield text, pip_indent >= 0


if __name__ == "__main__":
    _python, _packages = python_and_packages(sys.argv[1:])
    sys.stdout.write("\n".join([_python, *_packages, ""]))
