"""Shell text that builds again what a build made of sources, once one of them is newer than that.

A build costs seconds to minutes, so nothing is built where no source has changed.
"""

from __future__ import annotations

import posixpath
import shlex

from bot.ecosystems.commands.shell import within
from bot.ecosystems.remedy import Remedy
from bot.ecosystems.tree import Tree, repository_of
from bot.reporting.reasons import setup_repair

PROGRAMS = (
    *("*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx", "*.json"),
    *("*.css", "*.vue", "*.svelte", "*.pegjs", "*.peggy", "*.y", "*.g4", "*.grammar"),
)
"""What builds of JavaScript and of parsers read."""

STAMP = "~/.fixpoint-built"
"""Its time is that of the last build; the home goes into every sandbox of a run with the tree."""

_LINES = 40
"""Of the output of a build that fails."""

_AGAIN = """\
fixpoint_sources() {{ find . {left_out} -type f \\( {names} \\) -newer {stamp} -print -quit; }}
if [ -n "$(fixpoint_sources 2>/dev/null)" ]; then
  ( {build} ) >{stamp}.log 2>&1 </dev/null || {{ echo {fails} >&2; tail -n {lines} {stamp}.log >&2; }}
  touch {stamp}
fi"""


def rebuilding(
    build: str, sources: tuple[str, ...], folder: str = "", products: tuple[str, ...] = ()
) -> str:
    """Return shell text that builds where a source is newer than what was built last.

    What is tested then may be what was built before: whoever reads the output has to know that a
    build failed, and a test that waits for the change fails as it did.

    Args:
        build: The shell command, as it runs in the package's folder.
        sources: Patterns of the names of files that it reads, wherever they are.
        folder: Of the package, "" for the root of the repository, where the text runs.
        products: Folders of the package that it writes to.
    """
    passed_over = (
        "*/node_modules",
        "*/.git",
        *(f"./{posixpath.join(folder, product)}" for product in products),
    )
    paths = " -o ".join(f"-path {shlex.quote(path)}" for path in passed_over)
    return _AGAIN.format(
        left_out=f"\\( {paths} \\) -prune -o",
        names=" -o ".join(f"-name {shlex.quote(name)}" for name in sources),
        stamp=STAMP,
        build=within(folder, build),
        fails=shlex.quote(setup_repair.BUILD_FAILS),
        lines=_LINES,
    )


def built_again(
    tree: Tree,
    missing: str,
    why: str,
    *,
    setup: str,
    build: str,
    sources: tuple[str, ...],
    products: tuple[str, ...] = (),
) -> Remedy:
    """Return the remedy that builds once in the setup, and again whenever a source is newer.

    Args:
        tree: The work tree, or the package in it whose tests run.
        missing: What it is about, as `compiled modules`.
        why: One sentence for a person.
        setup: The shell command that builds first; it has the registries in reach.
        build: The one that builds again; it needs no network.
        sources: Patterns of the names of files that it reads, wherever they are.
        products: Folders of the package that it writes to.
    """
    folder = repository_of(tree)[1]
    again = rebuilding(build, sources, folder, products)
    return Remedy(missing, why, (f"{setup} && touch {STAMP}",), before=again).located(folder)
