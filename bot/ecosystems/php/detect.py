"""How a Composer project is set up and tested."""

from __future__ import annotations

from bot.ecosystems.base import Detected
from bot.ecosystems.php.programs import composer_json, composer_scripts
from bot.ecosystems.php.runners import RUNNERS
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection

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
