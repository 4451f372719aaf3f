"""Ruby: Bundler with RSpec, minitest or test-unit."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from bot.ecosystems.base import Detected, Ecosystem, Looks, Runner, manager_by_file, subcommand
from bot.ecosystems.commands.invocations import Programs
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection, setup_repair

_GEMS = "~/.bundle/gems"
INSTALL = "bundle install --jobs 4"
_TASK = re.compile(
    r"^[ \t]*(?:Rake::TestTask|Minitest::TestTask|Rails\.application\.load_tasks)\b"
    r"|(?:^|;)[ \t]*task[ (]+(?::test\b|['\"]test['\"]|test:)",
    re.MULTILINE,
)
_TEST_FILES = ("test/*_test.rb", "test/**/*_test.rb", "test/test_*.rb", "test/**/test_*.rb")
_SPEC_FILES = ("spec/*_spec.rb", "spec/**/*_spec.rb")


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a Ruby project is set up and tested, or None with neither a Gemfile nor a gemspec.

    Gems go to the home folder, which no patch can hold; without a Gemfile they are those that the
    gemspec declares, as a Gemfile with `gemspec` alone would ask for.
    """
    specification = next(iter(tree.glob("*.gemspec")), "")
    bundled = tree.exists("Gemfile")
    if not bundled and not specification:
        return None
    setup: tuple[str, ...] = (f"bundle config set --global path {_GEMS}", INSTALL)
    why = detection.GEMS_INSTALLED
    if not bundled:
        declared = "printf 'source \"https://rubygems.org\"\\ngemspec\\n' > Gemfile"
        setup, why = (setup[0], declared, setup[1]), detection.GEMS_OF_GEMSPEC
    test, test_why = _test(tree)
    return Detected(
        ecosystem="ruby",
        setup=setup,
        test=test,
        setup_why=(why,),
        test_why=test_why,
        tools=frozenset({"ruby", "bundle", "rubocop", *(runner.name for runner in RUNNERS)}),
    )


def _test(tree: Tree) -> tuple[str | None, str]:
    """Return the command that runs its specs or tests, and why; a task knows what its tests are called."""
    if any(tree.glob(pattern) for pattern in _SPEC_FILES):
        return "bundle exec rspec", detection.SPECS
    rakefile = next(filter(tree.exists, ("Rakefile", "rakefile", "Rakefile.rb")), "")
    if tree.exists("bin/rails") and tree.glob("test/**/*.rb"):
        return "bundle exec rails test", detection.RAILS_TESTS
    if rakefile and _TASK.search(tree.read(rakefile) or ""):
        return "bundle exec rake test", detection.make_target(rakefile, "test")
    files = next((pattern for pattern in _TEST_FILES if tree.glob(pattern)), None)
    if files is None:
        return None, ""
    every = f'Dir["./{files}"].sort.each {{ |file| require file }}'
    return f"bundle exec ruby -Ilib -Itest -e '{every}'", detection.TESTS_OF_RUBY


_METHOD = re.compile(r"[^#\n]+#[^\n]+")
"""An id of minitest, as its console has it: the class, or what `describe` says, and the method."""


def examples(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], _: Read
) -> tuple[str, ...] | None:
    """Select by full descriptions: https://rspec.info/features/3-13/rspec-core/command-line/example-option/.

    A file that can't be loaded goes by its path.
    """
    files = [test for test in tests if test in paths]
    if files and len(files) < len(tests):
        return None
    if any(word in {"-e", "-E"} or word.startswith("--example") for word in arguments):
        return None
    kept = [word for word in arguments if not word.startswith("--fail-fast")]
    if files:
        return (*(word for word in kept if word.startswith("-")), *files)
    return (*kept, *(part for test in tests for part in ("--example", test)))


def _by_name(tests: Sequence[str]) -> str:
    """Return the pattern of tests' names, "" where one has none."""
    if not all(map(_METHOD.fullmatch, tests)):
        return ""
    return f"/^(?:{'|'.join(map(re.escape, dict.fromkeys(tests)))})$/"


def of_rake(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name, through the variables that Rake's test task and minitest's own one read.

    Rake's goes to a shell as it is written.

    https://docs.ruby-lang.org/en/3.3/Rake/TestTask.html, https://docs.seattlerb.org/minitest/Minitest/TestTask.html
    """
    pattern = _by_name(tests)
    if not pattern or any(word.startswith(("TESTOPTS=", "N=", "A=")) for word in arguments):
        return None
    return (*arguments, f"TESTOPTS=--name={shlex.quote(pattern)}", f"N={pattern}")


def of_minitest(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://docs.seattlerb.org/minitest/."""
    pattern = _by_name(tests)
    if not pattern or any(word == "-n" or word.startswith("--name") for word in arguments):
        return None
    behind = () if "--" in arguments or arguments[:1] == ("test",) else ("--",)
    return (*arguments, *behind, "-n", pattern)


def _runs_tests(arguments: tuple[str, ...]) -> bool:
    return any(word == "-Itest" or "test" in word.split("/") for word in arguments)


RUNNERS = (
    Runner("rspec", select=examples, stops_early=("--fail-fast",)),
    Runner("rake", select=of_rake, runs_tests=subcommand("test")),
    Runner("rails", select=of_minitest, runs_tests=subcommand("test"), stops_early=("-f",)),
    Runner("ruby", select=of_minitest, runs_tests=_runs_tests),
)

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
