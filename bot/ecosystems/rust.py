"""Rust: cargo."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence

from bot.ecosystems.base import (
    Detected,
    Ecosystem,
    Looks,
    Runner,
    compiled_ahead,
    manager_by_file,
    subcommand,
)
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import detection, setup_repair


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


_ALL = "--no-fail-fast"


def cargo_test(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://doc.rust-lang.org/rustc/tests/index.html#--exact."""
    if any(not re.fullmatch(r"[\w:]+", test) for test in tests):  # examples in documentation
        return None
    place = arguments.index("--") if "--" in arguments else len(arguments)
    front, behind = arguments[:place], arguments[place + 1 :]
    whole = () if _ALL in front else (_ALL,)  # the tests may be in several programs
    return (*front, *whole, "--", *behind, "--exact", *tests)


_CARGO_SUBCOMMAND = re.compile(r"error: no such (?:sub)?command: `(?P<name>[\w-]+)`")
_RUST_VERSION = re.compile(
    r"(?:requires|package `[^`]+` cannot be built because it requires) rustc (?P<version>[\d.]+)"
)


def missing_of_cargo(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the subcommand or the toolchain that cargo lacks."""
    if not tree.exists("Cargo.toml"):
        return
    if command := _CARGO_SUBCOMMAND.search(symptoms.output):
        name = f"cargo-{command['name']}"
        install = f"cargo install --locked {name}"
        yield Remedy(f"program {name}", setup_repair.program_from("crates.io", name), (install,))
    if version := _RUST_VERSION.search(symptoms.output):
        yield Remedy("newer Rust", setup_repair.toolchain_too_old("Rust", version["version"]))


RUST = Ecosystem(
    name="rust",
    sought="Cargo.toml",
    detect=find,
    marks=("Cargo.toml",),
    hosts=("crates.io", "index.crates.io", "static.crates.io", "static.rust-lang.org"),
    manager=manager_by_file({"Cargo.toml": "cargo"}),
    toolchains={"cargo": "Rust", "rustc": "Rust"},
    looks=Looks(setup=(missing_of_cargo,), tests=(missing_of_cargo,)),
    compiled_by_tests=frozenset({".rs"}),
    runners=(Runner("cargo", select=cargo_test, runs_tests=subcommand("test")),),
)
