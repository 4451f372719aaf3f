"""How a cargo project is set up and tested."""

from __future__ import annotations

import tomllib

from bot.ecosystems.base import Detected, compiled_ahead
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection


def find(tree: Tree, _: frozenset[str]) -> Detected | None:
    """Return how a cargo project is set up and tested, or None without a `Cargo.toml`.

    What the setup compiles, no later sandbox has to: each starts from what it leaves.
    """
    text = tree.read("Cargo.toml")
    if text is None:
        return None
    try:
        workspace = "workspace" in tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        workspace = False
    test = "cargo test --workspace" if workspace else "cargo test"
    kept = "git check-ignore -q target/debug"  # else all of it would count as files of the project
    return Detected(
        ecosystem="rust",
        setup=("cargo fetch", f"{kept} && {compiled_ahead(f'{test} --no-run')} || true"),
        test=test,
        setup_why=(detection.CRATES_FETCHED, detection.COMPILED_AHEAD),
        test_why=detection.cargo_tests(workspace=workspace),
        tools=frozenset({"cargo", "rustc", "rustfmt"}),
    )
