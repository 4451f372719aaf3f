"""Find who owns tests, by the files and the history of a commit that is at hand."""

from __future__ import annotations

from functools import partial

import structlog

from bot.code.owners import CODEOWNERS, code_owner, main_author
from bot.errors import FixpointError
from bot.limited_process import run_limited
from bot.model import Failure, Report
from bot.model.observation import names_test
from bot.model.quarantine import CodeOwner
from bot.repair.flaky.test_marks import marked, path_of
from bot.runs.remote_checkout import RemoteCheckout
from bot.runs.starting_state import Brief
from sandbox.git import GitError, ObjectStore

_MOST = 10
"""Failing tests of a run whose owners are looked for."""

_log = structlog.get_logger(__name__)


async def owners_of(brief: Brief, report: Report, checkout: RemoteCheckout) -> dict[str, str]:
    """Return who owns the failing tests of a run, by their ids, as far as that is known."""
    seen = report.reproduction.observation if report.reproduction is not None else None
    tests = [failure for failure in seen.named if names_test(failure.test)] if seen else []
    if not tests or not report.head:
        return {}
    try:
        store = (await checkout.provide(report.head)).store
        paths = frozenset(await store.paths(report.head))
        rules = await _rules(store, brief.trusted)
        found = [
            (failure.test, await _owner(store, rules, report.head, failure, paths))
            for failure in tests[:_MOST]
        ]
    except (FixpointError, GitError) as error:
        _log.warning("owners of tests not known", problem=str(error))
        return {}
    return {test: ", ".join(owner.names) for test, owner in found if owner is not None}


async def _owner(
    store: ObjectStore, rules: bytes, commit: str, failure: Failure, paths: frozenset[str]
) -> CodeOwner | None:
    path = path_of(failure.test, failure.file, paths)
    owner = code_owner(rules, path) if path else None
    data = await store.show(commit, path) if path and owner is None else None
    if data is None:
        return owner
    try:  # a test that could be marked is one whose lines are known
        found = await run_limited(partial(marked, path, data, failure.test, ""))
    except FixpointError:
        return None
    return await _author(store, commit, path, found.first, found.last)


async def owner_of(
    store: ObjectStore, trusted: str, commit: str, path: str, first: int, last: int
) -> CodeOwner | None:
    """Return who owns a file, by CODEOWNERS; else who wrote most of some of its lines.

    Args:
        store: Has the commits.
        trusted: Commit of the base branch: its CODEOWNERS holds.
        commit: That has the lines.
        path: Of the file.
        first: Of the lines, from 1; 0 where they are not known.
        last: Of them.
    """
    owner = code_owner(await _rules(store, trusted), path)
    if owner is not None or not first:
        return owner
    return await _author(store, commit, path, first, last)


async def _rules(store: ObjectStore, trusted: str) -> bytes:
    """Return the CODEOWNERS of a commit."""
    files = await store.files(trusted, CODEOWNERS)
    return next((files[place] for place in CODEOWNERS if place in files), b"")


async def _author(
    store: ObjectStore, commit: str, path: str, first: int, last: int
) -> CodeOwner | None:
    try:
        return main_author(await store.authors(commit, path, first, last))
    except GitError as error:
        _log.warning("author of a test not known", problem=str(error))
        return None
