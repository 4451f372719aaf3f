"""How a Ruby project is set up and tested."""

from __future__ import annotations

import re

from bot.ecosystems.base import Detected
from bot.ecosystems.ruby.runners import RUNNERS
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

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
