"""What PHP projects miss, by the words of Composer and PHP."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.php.detect import INSTALL
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

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
