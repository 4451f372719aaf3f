"""Read what a command's output and reports say about what failed, what passed, what was skipped."""

from __future__ import annotations

import re
from dataclasses import replace

from bot.ci.failures import console, line_prefixes
from bot.ci.failures.base import DETAILED, Parser, Reading
from bot.ci.failures.runners import (
    ava,
    bun,
    cargo,
    ctest,
    go,
    gradle,
    jest,
    junit,
    maven,
    meson,
    minitest,
    mocha,
    nextest,
    node_spec,
    phpunit,
    pytest_console,
    pytest_stacks,
    rspec,
    tap,
    unittest_console,
    uvu,
    vitest,
)
from bot.ci.failures.tools import (
    diagnostics,
    diffs,
    eslint,
    formatters,
    precommit,
    rustc,
    script_linters,
    shellcheck,
)
from bot.model import Failure, TestCounts
from bot.reporting.reasons import job_target

_PARTS = re.compile(r"[.:]+")
"""What parts an id of a Python test."""

RUNNERS: tuple[Parser, ...] = (
    pytest_console.parse,
    unittest_console.parse,
    go.parse,
    nextest.parse,
    cargo.parse,
    jest.parse,
    vitest.parse,
    mocha.parse,
    ava.parse,
    uvu.parse,
    bun.parse,
    node_spec.parse,
    tap.parse,
    rspec.parse,
    minitest.parse,
    phpunit.parse,
    maven.parse,
    gradle.parse,
    ctest.parse,
    meson.parse,
)
"""Test runners. Output of the programs under test may look like any tool's, so these come first."""

TOOLS: tuple[Parser, ...] = (
    diagnostics.parse,
    rustc.parse,
    maven.parse_compiler,
    eslint.parse,
    script_linters.parse,
    shellcheck.parse,
    formatters.parse,
    precommit.parse,
)
"""Compilers, linters and formatters: asked when no runner names a failure."""

UNKNOWN_TOOLS: tuple[Parser, ...] = (diffs.parse, diagnostics.parse_unknown)
"""What many tools print in the same way: asked when none of those is recognised."""


def read(
    output: str,
    *,
    reports: tuple[bytes, ...] = (),
    as_printed: tuple[bytes, ...] = (),
    others: tuple[bytes, ...] = (),
    failed: bool = True,
    command: str = "command",
) -> Reading:
    """Return what is known of a command that ended.

    Args:
        output: Its console output, colours and all.
        reports: JUnit XML files that it was asked for; more precise than its console.
        as_printed: Those that it wrote by itself, with tests named as the console is read to name
            them: they say more of these tests, and of others, but take back no failure.
        others: Those that may name tests otherwise: read where the console tells of no runner, or
            of a failing test without its name.
        failed: Whether it exited with another status than zero. Then there is at least one
            failure, if need be the most telling line of its output; else there is none.
        command: Names that last failure.
    """
    text = line_prefixes.apart(console.plain(output))
    written = _parsed(reports)
    spoken = [reading for parser in RUNNERS if (reading := parser(text))]
    if any(reading.failing for reading in spoken if reading.is_whole):
        spoken = [reading for reading in spoken if reading.is_whole]
    if not written:
        spoken = _with_written(spoken, _parsed(as_printed), _parsed(others), failed=failed)
    tests = _joined(written) if any(reading.failing for reading in written) else None
    tests = tests or _joined([*written, *spoken])
    if not failed:
        return replace(tests, failing=())
    if (running := pytest_stacks.unfinished(text)) is not None:
        tests = _with_running(tests, running)
    if tests.failing:
        return tests
    tools = [reading for parser in TOOLS if (reading := parser(text))]
    found = _joined(sorted(tools, key=lambda reading: reading.start)).failing
    if not found:
        found = _joined([reading for parser in UNKNOWN_TOOLS if (reading := parser(text))]).failing
    found = found or console.most_telling(text, command).failing
    return replace(tests, failing=found)


def reported(output: str) -> tuple[Failure, ...]:
    """Return everything that compilers and linters report, several of the same id too.

    Args:
        output: What a command printed that runs no tests.
    """
    text = line_prefixes.apart(console.plain(output))
    return tuple(
        failure for parser in TOOLS if (found := parser(text)) for failure in found.failing
    )


def _parsed(reports: tuple[bytes, ...]) -> list[Reading]:
    return [reading for report in reports if (reading := junit.parse(report))]


def _with_written(
    spoken: list[Reading], as_printed: list[Reading], others: list[Reading], *, failed: bool
) -> list[Reading]:
    """Return what the console says together with the reports that its command wrote by itself.

    Tests that passed go by one kind of ids, whatever else is read: a run that is compared with this
    one has the same kind, and none of them would be missing there.
    """
    heard, reported = _joined(spoken), as_printed
    if not spoken:
        reported = [*as_printed, *others]
    elif failed and not any(reading.failing for reading in [heard, *as_printed]):
        unnamed = heard.counts is None or heard.counts.failed > 0
        reported = [*as_printed, *(Reading(each.failing) for each in others if unnamed)]
    if not reported:
        return spoken
    told = _summed(reported)
    printed = {each.test: each.message for each in heard.failing}
    failing: list[Failure] = []
    for each in told.failing:
        message = printed.get(each.test, "")  # consoles name the type of what was raised as well
        failing.append(replace(each, message=message) if message.endswith(each.message) else each)
    return [
        Reading(
            failing=tuple(failing),
            passed=told.passed - printed.keys(),
            skipped=told.skipped - printed.keys(),
            tolerated=told.tolerated - printed.keys(),
            counts=heard.counts or told.counts,
        ),
        *spoken,
    ]


def _summed(readings: list[Reading]) -> Reading:
    """Return the reports of the parts of one run as one."""
    found = _joined(readings)
    failing = {each.test for each in found.failing}
    passed = found.passed - failing
    counts = TestCounts(len(passed), len(failing), len(found.skipped))
    return replace(found, passed=passed, counts=counts)


def _with_running(tests: Reading, running: Failure) -> Reading:
    """Return the reading with the test that a crash ended; its runner may have named it already."""
    name = _PARTS.split(running.test)[-1]
    named = next((each for each in tests.failing if _PARTS.split(each.test)[-1] == name), None)
    if named is None or named.message != job_target.ENDED_IN_TEST:
        return _joined([tests, Reading((running,))])
    told = replace(running, test=named.test)
    return replace(
        tests, failing=tuple(told if failure is named else failure for failure in tests.failing)
    )


def _joined(readings: list[Reading]) -> Reading:
    """Return the readings as one; of the same id the first failure, of the counts the first."""
    failing: dict[str, Failure] = {}
    for reading in readings:
        for failure in reading.failing:
            detailed = len(failing) < DETAILED
            failing.setdefault(failure.test, failure if detailed else replace(failure, detail=""))
    counts: list[TestCounts] = [reading.counts for reading in readings if reading.counts]
    return Reading(
        failing=tuple(failing.values()),
        passed=frozenset().union(*(reading.passed for reading in readings)),
        skipped=frozenset().union(*(reading.skipped for reading in readings)),
        tolerated=frozenset().union(*(reading.tolerated for reading in readings)),
        counts=counts[0] if counts else None,
    )
