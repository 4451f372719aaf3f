"""How Composer's scripts start other programs: https://getcomposer.org/doc/articles/scripts.md."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.ecosystems.commands.invocations import Launcher, Programs
from bot.ecosystems.commands.task_runners import Read, Script

_DEPTH = 4
_INSTALLED = re.compile(r"(?:\./)?vendor/bin/(?P<name>[\w-]+)")
_CALLBACK = re.compile(r"[\w\\]+::\w+")
_OPTION_WITH_VALUE = frozenset({"-d", "-c", "-z"})
"""Of `php` itself: https://www.php.net/manual/en/features.commandline.options.php"""


def composer_json(read: Read) -> dict[str, Any]:
    """Return what `composer.json` holds; nothing where it is missing or can't be read."""
    try:
        data = json.loads(read("composer.json") or "{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def composer_scripts(read: Read) -> dict[str, tuple[str, ...]]:
    """Return the scripts of `composer.json`, each as its commands in order."""
    scripts = composer_json(read).get("scripts")
    if not isinstance(scripts, dict):
        return {}
    listed = {
        str(name): [script] if isinstance(script, str) else script
        for name, script in scripts.items()
    }
    return {
        name: tuple(command for command in commands if isinstance(command, str))
        for name, commands in listed.items()
        if isinstance(commands, list)
    }


def composer_script(_: str, arguments: tuple[str, ...], read: Read) -> Script | None:
    """Return the script that Composer runs; what is behind `--` goes to each of its commands."""
    own, _, extra = " ".join(map(shlex.quote, arguments)).partition(" -- ")
    words = [word for word in shlex.split(own) if not word.startswith("-")]
    if words[:1] in (["run-script"], ["run"]):
        words = words[1:]
    scripts = composer_scripts(read)
    if not words or words[0] not in scripts:
        return None
    lines = [f"{line} {extra}".strip() for line in _lines(words[0], scripts, 0)]
    return Script("\n".join(lines), "composer.json") if lines else None


def _lines(name: str, scripts: Mapping[str, tuple[str, ...]], depth: int) -> Iterator[str]:
    """Yield the shell text of a script; callbacks and settings of PHP's own are none."""
    for command in scripts[name]:
        word, _, rest = command.partition(" ")
        other = word.removeprefix("@")
        if _CALLBACK.fullmatch(command) or word == "@putenv":
            continue
        if word in {"@php", "@composer"}:
            yield f"{other} {rest}"
        elif word.startswith("@") and other in scripts:
            if depth < _DEPTH:
                yield from _lines(other, scripts, depth + 1)
        else:
            yield command


def _in_front(words: Sequence[str]) -> int:
    """Return how many words start a program of `vendor/bin`: `php -d memory_limit=-1`."""
    if not words or words[0] != "php":
        return 0
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _OPTION_WITH_VALUE else 1
    return at if at < len(words) and _INSTALLED.fullmatch(words[at]) else 0


def _name_of(program: str) -> str:
    installed = _INSTALLED.fullmatch(program)
    return installed["name"] if installed else program


PROGRAMS = Programs(
    wrappers=(("composer", "exec"),),
    task_runners={"composer": composer_script},
    manifest="composer.json",
    installed=frozenset({"phpunit", "pest", "phpstan", "php-cs-fixer", "phpcs", "psalm"}),
    launcher=Launcher(("composer", "exec", "--"), frozenset({"composer", "php"})),
    in_front=_in_front,
    name_of=_name_of,
)
