"""What one ecosystem's files say about setup and tests."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Detected:
    """How one ecosystem of the repository is set up and tested.

    Attributes:
        ecosystem: `python`, `node`, `rust`, `go`, `maven`, `cmake`, `autotools`, `make`, `pre-commit`.
        setup: Shell commands, in order.
        test: The command that runs its tests, or None when there seem to be none.
        setup_why: One sentence per decision about the setup.
        test_why: The sentence about the test command.
        tools: Programs whose presence in a given command asks for this ecosystem.
        at_root: Whether `setup` runs at the root of the repository, where this is about a folder.
    """

    ecosystem: str
    setup: tuple[str, ...]
    test: str | None
    setup_why: tuple[str, ...] = ()
    test_why: str = ""
    tools: frozenset[str] = frozenset()
    at_root: bool = False
