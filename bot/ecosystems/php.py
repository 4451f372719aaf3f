"""PHP: Composer with PHPUnit or Pest."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bot.ecosystems.base import Detected, Ecosystem, Looks, Runner, manager_by_file
from bot.ecosystems.commands.invocations import Launcher, Programs
from bot.ecosystems.commands.task_runners import Read, Script
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection, setup_repair

_CONFIGURATIONS = ("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml")
"""https://docs.phpunit.de/en/11.5/configuration.html"""

_SCRIPTS = ("test", "tests", "phpunit", "test:unit", "test-unit")
_PACKAGES = {"pestphp/pest": "pest", "phpunit/phpunit": "phpunit"}
"""Pest brings PHPUnit along, which some projects require as well."""

INSTALL = "composer install --no-interaction --no-progress --prefer-dist"


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a Composer project is set up and tested, or None without a `composer.json`.

    Composer ends scripts after 300 seconds unless told otherwise:
    https://getcomposer.org/doc/articles/scripts.md#managing-the-process-timeout.
    """
    if not tree.exists("composer.json"):
        return None
    test, why = _test(tree)
    return Detected(
        ecosystem="php",
        setup=(INSTALL,),
        test=test,
        setup_why=(detection.COMPOSER_INSTALLS,),
        test_why=why,
        tools=frozenset({"php", "composer", *(runner.name for runner in RUNNERS)}),
    )


def _test(tree: Tree) -> tuple[str | None, str]:
    """Return the runner that is declared, else the script that a person would run, and why."""
    declared = composer_json(tree.read)
    required = {
        name
        for key in ("require", "require-dev")
        for name in (declared.get(key) if isinstance(declared.get(key), dict) else None) or {}
    }
    scripts = composer_scripts(tree.read)
    if name := next((script for script in _SCRIPTS if script in scripts), None):
        return f"composer run-script --timeout=0 {name}", detection.composer_script(name)
    runner = next((name for package, name in _PACKAGES.items() if package in required), "")
    if runner:
        return f"vendor/bin/{runner}", detection.composer_runner(runner)
    if file := next(filter(tree.exists, _CONFIGURATIONS), None):
        return "phpunit", detection.configured_runner(file, "PHPUnit")
    return None, ""


_ID = re.compile(r"(?P<case>[A-Za-z_\\][\w\\.]*)::(?P<method>\w+)(?: with data set .*)?", re.DOTALL)
_STOPS = tuple(
    f"--stop-on-{event}"
    for event in (
        *("failure", "error", "defect", "risky", "warning", "notice", "deprecation"),
        *("skipped", "incomplete"),
    )
)
"""https://docs.phpunit.de/en/11.5/textui.html"""


def filtered(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: all data sets of a method, since their names may hold anything."""
    named = [_ID.fullmatch(test) for test in tests]
    if not all(named) or any(word.startswith("--filter") for word in arguments):
        return None
    names = dict.fromkeys(
        rf"{re.escape(match['case'].replace('.', chr(92)))}::{match['method']}"
        for match in named
        if match
    )
    kept = (word for word in arguments if word not in _STOPS)
    return (*kept, "--filter", f"/^(?:{'|'.join(names)})(?: with data set .*)?$/s")


RUNNERS = (
    Runner("phpunit", select=filtered, stops_early=_STOPS, start="vendor/bin/phpunit"),
    Runner("pest", stops_early=("--bail", *_STOPS), start="vendor/bin/pest"),
)

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

_EXTENSION = re.compile(
    r"requires (?:PHP extension )?ext-(?P<name>[\w-]+) .{0,80}(?:is missing from your system|missing)"
    r"|PHP Startup: Unable to load dynamic library '(?P<library>[\w-]+)"
    r"|The (?P<asked>[\w-]+) extension is (?:not available|not loaded|required)"
)
_VERSION = re.compile(
    r"requires php (?P<range>\S[^\n]{0,60}?) (?:->|but) your php version"
    r"|requires a PHP version \"(?P<checked>[^\"\n]+)\""
)
_AUTOLOAD = re.compile(
    r"vendor/autoload\.php\W{1,3}: [Ff]ailed to open"
    r"|Could not open input file: vendor/bin/\w+|vendor/bin/\w+: (?:not found|No such file)"
)


def missing_of_php(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the extensions and the PHP that Composer lacks, and its packages where none were installed."""
    if not tree.exists("composer.json"):
        return
    for match in matches(_EXTENSION, symptoms.output):
        name = next(filter(None, match.groups()))
        why = setup_repair.system_package(f"ext-{name}", f"php-{name}")
        yield Remedy(f"extension {name}", why, outside=True)
    if version := _VERSION.search(symptoms.output):
        needed = next(filter(None, version.groups()))
        yield Remedy("newer PHP", setup_repair.toolchain_too_old("PHP", needed), outside=True)
    elif _AUTOLOAD.search(symptoms.output) and INSTALL not in symptoms.setup:
        why = setup_repair.packages_not_installed("composer.json")
        yield Remedy("packages of composer.json", why, (INSTALL,))


PHP = Ecosystem(
    name="php",
    sought="composer.json with a test script, PHPUnit or Pest",
    detect=find,
    marks=("composer.json",),
    hosts=("packagist.org", "repo.packagist.org", "api.github.com"),
    manager=manager_by_file({"composer.lock": "composer", "composer.json": "composer"}),
    toolchains={"php": "PHP", "composer": "Composer"},
    looks=Looks(setup=(missing_of_php,), tests=(missing_of_php,)),
    runners=RUNNERS,
    programs=PROGRAMS,
)
