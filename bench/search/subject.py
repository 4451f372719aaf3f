"""What a repair is tried on."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol


class Subject(Protocol):
    """A project with one fault, the tests that show it, and what the right program is."""

    @property
    def id(self) -> str:
        """Its name in tables."""
        ...

    @property
    def group(self) -> str:
        """The program or project that it belongs to."""
        ...

    @property
    def test(self) -> str:
        """The command that fails."""
        ...

    @property
    def setup(self) -> tuple[str, ...]:
        """Commands that prepare the environment; none: Fixpoint finds them."""
        ...

    @property
    def source(self) -> str:
        """The file that has the fault, relative to the project."""
        ...

    @property
    def tests(self) -> str:
        """The file or folder of the tests, relative to the project."""
        ...

    def plant(self, folder: Path) -> None:
        """Write the faulty project to an empty folder."""
        ...

    def behaves(self, folder: Path) -> bool:
        """Whether the repaired project in a folder answers like the right one."""
        ...
