"""PHP: Composer with PHPUnit or Pest."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Looks, manager_by_file
from bot.ecosystems.php.detect import find
from bot.ecosystems.php.missing import missing_of_php
from bot.ecosystems.php.programs import PROGRAMS
from bot.ecosystems.php.runners import RUNNERS

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
