"""Servers that all workers of a test run share: who comes first starts one, and ends it."""

from __future__ import annotations

import fcntl
import pickle
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from tests.workers import FOLDER_OF_RUN

T = TypeVar("T")


def folder_of_run(request: pytest.FixtureRequest, factory: pytest.TempPathFactory) -> Path:
    """Return a folder that every worker of this run finds."""
    return request.config.stash.get(FOLDER_OF_RUN, factory.getbasetemp())


@contextmanager
def shared(folder: Path, name: str, opened: Callable[[], AbstractContextManager[T]]) -> Iterator[T]:
    """Enter `opened()` in the first worker that asks; give the others what it gave.

    It is left when the last of them is done, or its worker is gone. What `opened` raises is raised
    in each worker that asks.
    """
    place = folder / f"{name}.shared"
    with (folder / f"{name}.users").open("ab") as users:
        with _locked(folder / f"{name}.lock"):
            server = None if place.exists() else opened()
            if server is not None:
                place.write_bytes(pickle.dumps(server.__enter__()))
            given: T = pickle.loads(place.read_bytes())
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield given
        finally:
            if server is not None:
                with _locked(folder / f"{name}.lock"):
                    place.unlink()  # who asks from now on starts another one
                fcntl.flock(users, fcntl.LOCK_EX)  # waits for the others
                server.__exit__(None, None, None)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
