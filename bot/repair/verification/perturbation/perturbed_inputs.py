"""Run the failing tests on inputs near their own, with a patch and without it."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from bot.code.change import FileDiff
from bot.code.syntax import parsed
from bot.concurrency import both
from bot.model import Observation, Patch
from bot.repair.harness.client import driver_shell, question
from bot.repair.harness.driver.protocol import PATIENCE, Perturb, Request, Settle
from bot.repair.harness.suite_command import SuiteCommand, suite_command
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.forgery.must_fail import doomed_by
from bot.repair.verification.generalisation import (
    NOT_TRIED,
    Reached,
    Records,
    may_wear_off,
    reached,
    records,
)
from bot.repair.verification.perturbation.guarded_conditions import (
    NOTHING,
    BothTrees,
    shown_on_both,
)
from bot.repair.verification.perturbation.new_conditions import functions_in, is_program
from bot.repair.verification.tree_files import decided
from sandbox.base import WORKSPACE

Place = tuple[str, int, str]
"""File, line in which the code of a function begins, and its name."""


def changed_functions(changes: Sequence[FileDiff]) -> tuple[list[Place], list[Place]]:
    """Return the functions that a patch changes or removes, and those that it changes or brings."""
    before: list[Place] = []
    after: list[Place] = []
    for change in filter(is_program, changes):
        old, new = _functions(change.before), _functions(change.after)
        before += _others(change.path, old, new)
        after += _others(change.path, new, old)
    return before, after


def _functions(data: bytes | None) -> list[tuple[str, ast.AST]]:
    tree = parsed(data)
    return list(functions_in(tree)) if tree is not None else []


def _others(
    path: str, these: Sequence[tuple[str, ast.AST]], those: Sequence[tuple[str, ast.AST]]
) -> Iterator[Place]:
    """Yield the places of functions that are not among those as they are."""
    known = Counter((name, ast.dump(node)) for name, node in those)
    for name, node in these:
        known[name, ast.dump(node)] -= 1
        if known[name, ast.dump(node)] < 0:
            yield path, _first_line(node), name.rpartition(".")[2]


def _first_line(node: ast.AST) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([getattr(node, "lineno", 1), *(decorator.lineno for decorator in decorators)])


_SETTLED_SECONDS = 3.0
"""Processor time for each of two trees in one sandbox."""

_SECONDS = 5.0
"""For the variants of all tests, on each of the two trees."""

_FIRST_SECONDS = 0.6
"""For the first variants: most repairs show with one of them that they are none of a single input."""

_GRACE = 30.0
"""For collecting the tests."""

_SEED = 20


class PerturbedInputs:
    """Compares the neighbourhood of failing tests: Python's pytest and unittest."""

    def __init__(self, room: CleanRoom) -> None:
        self._room = room

    async def reach(
        self,
        name: str,
        patch: Patch,
        red: Observation | None,
        green: Observation,
        *,
        near_too: bool = True,
    ) -> Reached:
        """Return how far the effect of a patch goes beyond the tests' own inputs.

        Args:
            name: Of the sandbox.
            patch: What is verified.
            red: The command without the patch, or None.
            green: The same with it: it passed.
            near_too: Whether inputs near those of the tests can decide anything; otherwise only
                many calls of them are tried, and the untouched tree only where these do.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        tests = sorted(doomed_by(red, green)) if red is not None else []
        if red is None or not tests:
            return NOT_TRIED
        command = await self._command(green.command)
        if command is None:
            return NOT_TRIED
        with_it = partial(self._records, f"{name}-near", command, tests, patch, worn=True)
        without = partial(self._records, f"{name}-near-b", command, tests, Patch(), worn=False)
        if not near_too:
            after = await with_it(varied=0.0)
            before = await without(varied=0.0) if may_wear_off(after) else {}
            return reached(before, after) if any(after.values()) else NOT_TRIED
        told = NOT_TRIED
        for seconds in (_FIRST_SECONDS, _SECONDS):
            after, before = await both(with_it(varied=seconds), without(varied=seconds))
            told = reached(before, after) if any(after.values()) else NOT_TRIED
            if told.is_settled or not any(after.values()):
                break
        return told

    async def behaviour(
        self, name: str, patch: Patch, red: Observation, green: Observation
    ) -> Records:
        """Return what the tests that a patch turned green show on inputs near their own.

        Nothing where the tests are in another language than Python, or are run in another way.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        tests = sorted(doomed_by(red, green))
        command = await self._command(green.command) if tests else None
        if command is None:
            return {}
        return await self._records(name, command, tests, patch, worn=False, varied=_SECONDS)

    async def _records(
        self,
        name: str,
        command: SuiteCommand,
        tests: list[str],
        patch: Patch,
        *,
        worn: bool,
        varied: float,
    ) -> Records:
        """Return what the tests of one tree show; only with the patch can many calls wear it out.

        `varied` is the processor time for variants.
        """
        request = Perturb(tests, _SEED, _SECONDS, worn, varied)
        return records(await self._told(name, command, request, patch))

    async def _told(
        self,
        name: str,
        command: SuiteCommand,
        request: Request,
        patch: Patch,
        files: Mapping[str, bytes] = MappingProxyType({}),
    ) -> Mapping[str, Any]:
        """Return what the driver told; `files` replace those of the patched tree."""
        changed = {f"{WORKSPACE}/{path}": data for path, data in files.items()}
        asked = {**question(command, request), **changed}
        told = await self._room.answer(
            name, patch, asked, driver_shell(command), _SECONDS * PATIENCE + _GRACE
        )
        return json.loads(told) if told is not None else {}

    async def on_both_trees(
        self,
        name: str,
        patch: Patch,
        tests: Sequence[str],
        command: str,
        changes: Sequence[FileDiff],
        files: Mapping[str, bytes],
        *,
        brings: bool,
    ) -> BothTrees:
        """Return what the tests, and calls of theirs into changed code, show near their inputs.

        Args:
            name: Of the sandbox: one for both trees.
            patch: What is verified.
            tests: That it turned green.
            command: That runs them.
            changes: Files of the patch.
            files: Its programs, their conditions watched.
            brings: Whether it brings values, so that its effect near the tests' inputs counts.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        suite = await self._command(command) if tests else None
        if suite is None:
            return NOTHING
        before, after = changed_functions(changes)
        programs = [change for change in changes if is_program(change)]
        request = Settle(
            sorted(tests),
            _SEED,
            _SETTLED_SECONDS,
            brings=brings,
            before={
                program.path: program.before.decode("utf-8", "replace")
                for program in programs
                if program.before is not None
            },
            functions={"before": before, "after": after},
            changed=[program.path for program in programs],
        )
        told = await self._told(f"{name}-held", suite, request, patch, files)
        return shown_on_both(told)

    async def _command(self, command: str) -> SuiteCommand | None:
        """Return how the tests behind a command are collected, None where that is not known."""
        choose = partial(suite_command, command)
        return await decided(choose, self._room.store, self._room.base_tree)
