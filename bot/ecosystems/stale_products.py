"""Find what a build makes of the sources and the tests read: a patch shows there after another build."""

from __future__ import annotations

from collections.abc import Iterator

from bot.ecosystems.node.products import node_product
from bot.ecosystems.python.products import SOURCES, python_product
from bot.ecosystems.rebuilding import PROGRAMS, STAMP, rebuilding
from bot.ecosystems.remedy import Remedy
from bot.ecosystems.tree import Tree, repository_of
from bot.model import Commands
from bot.reporting.reasons import setup_repair


def stale_products(commands: Commands, tree: Tree) -> Iterator[Remedy]:
    """Yield the build that the tests of a project need anew whenever a patch changes its sources.

    Args:
        commands: As detected.
        tree: The work tree, untouched, or the package in it whose tests run.
    """
    folder = repository_of(tree)[1]
    if "node" in commands.ecosystems and (made := node_product(tree, commands.test)) is not None:
        why = setup_repair.built_again(made.path, made.command)
        left_out = tuple(folder for folder in made.folders if folder != "src")
        again = rebuilding(made.command, PROGRAMS, folder, left_out)
        yield Remedy("build", why, (f"{made.command} && touch {STAMP}",), before=again).located(
            folder
        )
    if "python" in commands.ecosystems and (built := python_product(tree)) is not None:
        why = setup_repair.compiled_again(built.source)
        setup = f"{built.tools} && {built.command} && touch {STAMP}"
        again = rebuilding(built.command, SOURCES, folder)
        yield Remedy("compiled modules", why, (setup,), before=again).located(folder)
