"""What Ruby projects miss, by the words of Bundler and RubyGems."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.ruby.detect import INSTALL
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_VERSION = re.compile(
    r"Your Ruby version is [\d.p]+, but your Gemfile specified (?P<gemfile>[^\n]{1,40})"
    r"|requires Ruby version (?P<gem>[^\n]{1,40}?)\. The current ruby version is"
    r"|rbenv: version `(?P<rbenv>[\w.-]+)' is not installed"
)
_BUNDLER = re.compile(
    r"Could not find '?bundler'? \(=? ?(?P<version>\d+(?:\.\d+)+)\) required by your",
)
_ABSENT = re.compile(
    r"Could not find [\w-]+-[\d.]+[^\n]{0,200} in (?:locally installed gems|any of the sources)"
    r"|bundler: command not found: [\w-]+|Bundler::GemNotFound"
)
_PLATFORM = re.compile(r"Your bundle only supports platforms \[")  # what follows is wrapped


def missing_of_bundler(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the Ruby, the Bundler or the gems that are not there."""
    if not tree.exists("Gemfile") and not tree.glob("*.gemspec"):
        return
    if version := _VERSION.search(symptoms.output):
        needed = next(filter(None, version.groups())).strip()
        yield Remedy("newer Ruby", setup_repair.toolchain_too_old("Ruby", needed), outside=True)
    for match in matches(_BUNDLER, symptoms.output):
        name = f"bundler {match['version']}"
        install = f"gem install --user-install bundler -v {match['version']}"
        why = setup_repair.program_from("rubygems.org", name)
        yield Remedy(f"program {name}", why, (install,), first=True)
    if _PLATFORM.search(symptoms.output):
        why = setup_repair.lock_differs("Bundler")
        added = "bundle lock --add-platform ruby"
        yield Remedy("platform of the lock file", why, (added, INSTALL), first=True)
    elif _ABSENT.search(symptoms.output) and INSTALL not in symptoms.setup:
        why = setup_repair.packages_not_installed("Gemfile")
        yield Remedy("gems of the Gemfile", why, (INSTALL,))
