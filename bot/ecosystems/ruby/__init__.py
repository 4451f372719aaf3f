"""Ruby: Bundler with RSpec, minitest or test-unit."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Looks, manager_by_file
from bot.ecosystems.commands.invocations import Programs
from bot.ecosystems.ruby.detect import find
from bot.ecosystems.ruby.missing import missing_of_bundler
from bot.ecosystems.ruby.runners import RUNNERS

RUBY = Ecosystem(
    name="ruby",
    sought="Gemfile or a gemspec with specs or tests",
    detect=find,
    marks=("Gemfile", "*.gemspec"),
    hosts=("rubygems.org", "index.rubygems.org"),
    manager=manager_by_file({"Gemfile.lock": "bundler", "Gemfile": "bundler"}),
    toolchains={"ruby": "Ruby", "bundle": "Bundler", "gem": "Ruby"},
    looks=Looks(setup=(missing_of_bundler,), tests=(missing_of_bundler,)),
    runners=RUNNERS,
    programs=Programs(wrappers=(("bundle", "exec"),)),
)
