"""All ecosystems, in the order of weight where a repository has tests of several."""

from __future__ import annotations

from bot.ecosystems.autotools import AUTOTOOLS
from bot.ecosystems.base import Ecosystem
from bot.ecosystems.bats import BATS
from bot.ecosystems.cmake import CMAKE
from bot.ecosystems.go import GO
from bot.ecosystems.gradle import GRADLE
from bot.ecosystems.make import MAKE
from bot.ecosystems.maven import MAVEN
from bot.ecosystems.meson import MESON
from bot.ecosystems.node import NODE
from bot.ecosystems.php import PHP
from bot.ecosystems.pre_commit import PRE_COMMIT
from bot.ecosystems.python import PYTHON
from bot.ecosystems.ruby import RUBY
from bot.ecosystems.rust import RUST
from bot.model import Commands

ECOSYSTEMS: tuple[Ecosystem, ...] = (
    *(PYTHON, RUST, GO, MAVEN, GRADLE, PHP, RUBY, NODE, CMAKE, MESON, AUTOTOOLS),
    *(MAKE, BATS, PRE_COMMIT),
)
BY_NAME = {ecosystem.name: ecosystem for ecosystem in ECOSYSTEMS}
PROGRAMS = tuple(ecosystem.programs for ecosystem in ECOSYSTEMS)
RUNNERS = {runner.name: runner for ecosystem in ECOSYSTEMS for runner in ecosystem.runners}
TOOLCHAINS = {
    program: name for ecosystem in ECOSYSTEMS for program, name in ecosystem.toolchains.items()
}
"""Programs that a machine has or has not; no package index brings them in the right version."""


def ecosystems_of(commands: Commands) -> tuple[Ecosystem, ...]:
    """Return the ecosystems of a repository, in the order of weight."""
    return tuple(BY_NAME[name] for name in commands.ecosystems if name in BY_NAME)
