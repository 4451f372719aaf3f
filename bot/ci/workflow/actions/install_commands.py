"""Divide a step's script into what installs, which needs the network, and what checks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.ecosystems.commands.shell import simple_commands

_INSTALLS: tuple[tuple[str, ...], ...] = (
    *(("pip", "install"), ("pip3", "install"), ("pip", "download"), ("pipx", "install")),
    *(("uv", "sync"), ("uv", "pip", "install"), ("uv", "pip", "sync"), ("uv", "tool", "install")),
    *(("uv", "python", "install"), ("poetry", "install"), ("pdm", "install"), ("pdm", "sync")),
    *(("pipenv", "install"), ("pipenv", "sync"), ("hatch", "env", "create"), ("rye", "sync")),
    *(("npm", "ci"), ("npm", "install"), ("npm", "i"), ("pnpm", "install"), ("pnpm", "i")),
    *(("yarn", "install"), ("bun", "install"), ("corepack", "enable"), ("corepack", "prepare")),
    *(("apt-get",), ("apt",), ("brew", "install"), ("apk", "add"), ("dnf", "install")),
    *(("go", "mod", "download"), ("go", "install"), ("go", "get")),
    *(("cargo", "install"), ("cargo", "fetch"), ("cargo", "binstall"), ("rustup",)),
    *(("bundle", "install"), ("gem", "install"), ("composer", "install"), ("conda", "install")),
    *(("conda", "env"), ("mamba", "install"), ("pre-commit", "install"), ("playwright", "install")),
)
"""How commands begin that install; what stands behind them is theirs."""

_DOWNLOADS: tuple[tuple[str, ...], ...] = (
    *(("curl",), ("wget",), ("git", "clone"), ("git", "fetch"), ("git", "pull")),
    *(("git", "submodule"), ("git", "remote")),
)
"""How commands begin that fetch what may be missing without harm."""

_LOOKS = frozenset({"command", "which", "type", "hash", "test", "["})
"""Programs that look whether something is there; `which tox || pip install tox` installs."""

_CONTROL = re.compile(
    r"^\s*(?:if|for|while|until|case|function|select)\b|<<|\(\)\s*\{|\\$|[({]\s*$"
)
_PYTHON_M = re.compile(r"(?:python|python3|py)(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Divided:
    """A script in two.

    Attributes:
        preparing: Lines to run beforehand with network, or "": everything up to the last install.
        checking: What is left to check, without the installs.
    """

    preparing: str
    checking: str


def divide(script: str) -> Divided:
    """Return a script with its installs apart, or whole where it can't be divided safely.

    A script is divided line by line, and only when it has no control structures; a script that
    does nothing but install stays whole, because then the install is the check.
    """
    lines = _lines(script)
    if any(_CONTROL.search(line) for line in lines):
        return Divided("", script)
    installs = [_is_install(line) for line in lines]
    works = [_works(line) and not install for line, install in zip(lines, installs, strict=True)]
    if not any(installs) or not any(works):
        return Divided("", script)
    last = max(n for n, install in enumerate(installs) if install)
    if any(works[:last]):  # a check that stands before an install may need what it did
        last = max((n for n in range(works.index(True)) if installs[n]), default=-1)
    if last < 0:
        return Divided("", script)
    kept = [line for n, line in enumerate(lines) if n > last or not installs[n]]
    return Divided("\n".join(lines[: last + 1]), "\n".join(kept))


def installs(script: str) -> bool:
    """Whether a script has a command that installs."""
    return any(_begins(command.words, _INSTALLS) for command in simple_commands(script))


def downloads(script: str) -> bool:
    """Whether a script has a command that fetches what is no package, as curl does."""
    return any(_begins(command.words, _DOWNLOADS) for command in simple_commands(script))


def must_succeed(script: str) -> bool:
    """Whether later steps can't work when a script fails: it installs, whatever the circumstances."""
    return installs(script) and not any(_CONTROL.search(line) for line in _lines(script))


def fetches(words: tuple[str, ...]) -> bool:
    """Whether a command installs or downloads."""
    return _begins(words, _INSTALLS) or _begins(words, _DOWNLOADS)


_COPIES = re.compile(
    r"(?P<install>\b(?:pip3?|uv\s+pip)\s+install\b(?:[ \t]+(?!-e\b|--editable\b|install\b)[^\s;&|]+)*?)"
    r"[ \t]+(?P<place>(?P<quote>['\"]?)\.(?:\[[\w, -]+\])?(?P=quote))(?=\s|$|[;&|])"
)


_WORD = r"""(?:"[^"\n]*"|'[^'\n]*'|`[^`\n]*`|\$\([^()\n]*\)|[^\s;&|"'`$])+"""
_BUILT = re.compile(rf"(?<![ \t])[ \t]+--installpkg(?:=|[ \t]+){_WORD}")
"""The option with which tox installs a package that an earlier job built."""


def editable(script: str) -> str:
    """Return a script that installs the work tree itself instead of a copy.

    So do `pip install .`, and tox with the package of an earlier job. A copy is what the commit
    had: neither a repair nor another commit would show in it.
    """
    return _BUILT.sub("", _COPIES.sub(r"\g<install> -e \g<place>", script))


def one_line(script: str) -> str:
    """Return a script of plain lines as a person would type it: joined with `&&`."""
    lines = [line.strip() for line in _lines(script) if line.strip()]
    if any(_CONTROL.search(line) or line.endswith("&") for line in lines):
        return script.strip("\n")
    return " && ".join(lines)


def _lines(script: str) -> list[str]:
    """Return the lines of a script, those joined by `&&` apart; comments and blank ones left out."""
    joined = re.sub(r"(?<![ \t])[ \t]*\\\n[ \t]*", " ", script)
    found: list[str] = []
    for line in joined.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        plain = not re.search(r"[\"'|(){};#]", line)
        found += line.split(" && ") if plain else [line]
    return found


def _is_install(line: str) -> bool:
    commands = simple_commands(line)
    if "||" in line and commands and commands[0].words[0] in _LOOKS:
        commands = commands[1:]
    return bool(commands) and all(fetches(command.words) for command in commands)


def _begins(words: tuple[str, ...], beginnings: tuple[tuple[str, ...], ...]) -> bool:
    if words[:1] == ("sudo",):
        words = _behind_sudo(words)
    if len(words) > 2 and _PYTHON_M.fullmatch(words[0]) and words[1] == "-m":  # noqa: PLR2004 - python -m pip
        words = words[2:]
    program = words[0].rpartition("/")[2] if words else ""
    plain = (program, *(word for word in words[1:] if not word.startswith("-")))
    return any(plain[: len(beginning)] == beginning for beginning in beginnings)


def _behind_sudo(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the command that sudo is given, without sudo's options and variables."""
    first = next(
        (n for n, w in enumerate(words[1:], 1) if not w.startswith("-") and "=" not in w), 1
    )
    return words[first:]


def _works(line: str) -> bool:
    """Whether a line does more than set the shell up (`cd`, `export`, `set`, `source`, `echo`)."""
    commands = simple_commands(line)
    if not commands:
        return "=" not in line
    quiet = {"cd", "export", "set", "source", ".", "echo", "true", ":", "ulimit", "umask", "unset"}
    return any(command.words[0] not in quiet for command in commands)
