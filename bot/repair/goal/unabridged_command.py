"""Make a command that stops early run all of its tests. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from bot.ci.failures.runners.pytest_console import CRASHED
from bot.ecosystems.commands.shell import simple_commands
from bot.ecosystems.invocations import Invocation, unwrapped
from bot.ecosystems.python.select import unhurried
from bot.ecosystems.registry import RUNNERS
from bot.model import Observation

_PYTEST_STOPPED = re.compile(
    r"^!+ (?:Interrupted: \d+ errors? during collection|stopping after \d+ failures) !+$",
    re.MULTILINE,
)
_INTERNAL = "INTERNALERROR> "
_STARTED = " test session starts "
_KILLED = 128
"""Of an exit status of a shell: what lies above says which signal ended a program."""

_TELLING = "-vv"
"""Names each test before it runs, so that the last line tells which one broke the runner down."""

_CARGO_STOPPED = re.compile(r"^error: \d* ?(?:test|target)s? failed, to rerun pass ", re.MULTILINE)
_MAVEN_STOPPED = re.compile(r"^\[INFO\] .* SKIPPED$", re.MULTILINE)
_PYTEST_ENDED = re.compile(r" in \d+\.\d+s\b|no tests ran|^ERROR: |^usage: ", re.MULTILINE)
_UNITTEST_ENDED = re.compile(r"^Ran \d+ tests? in ", re.MULTILINE)
_GO_DIED = re.compile(r"^(?:panic: |fatal error: |exit status \d|signal: )", re.MULTILINE)
_SIGNAL = "(signal: "
_ALL = "--continue-on-collection-errors"


def complete(seen: Observation, runners: Collection[str] = ()) -> str | None:
    """Return a command that runs the tests which an observed one left out, None where it did not.

    pytest is told through its variable where something else starts it; it reads that variable
    behind the project's own options, and before those of the command line.
    """
    direct = direct_tool(seen.command)
    if broke_down(seen):
        return _of_pytest(direct, seen.command, (_TELLING,))
    if not seen.named and (telling := _telling(direct, seen, runners)):
        return telling
    if _PYTEST_STOPPED.search(seen.output):
        return _of_pytest(direct, seen.command, ("--maxfail=0", _ALL))
    return _of_direct(direct, seen) if direct is not None else None


def _of_direct(direct: Invocation, seen: Observation) -> str | None:
    if direct.tool == "cargo" and _CARGO_STOPPED.search(seen.output):
        return _with(direct, "--no-fail-fast")
    if direct.tool == "mvn" and _MAVEN_STOPPED.search(seen.output):
        return _with(direct, "--fail-at-end")
    runner = RUNNERS.get(direct.tool)
    hurried = runner.stops_early if runner is not None else ()
    left = tuple(word for word in direct.arguments if word not in hurried)
    return None if left == direct.arguments else replace(direct, arguments=left).command()


def _of_pytest(direct: Invocation | None, command: str, options: tuple[str, ...]) -> str:
    """Return a command whose pytest has these options, and none that stop it early."""
    if direct is None or direct.tool not in {"pytest", "py.test"}:
        return f'export PYTEST_ADDOPTS="$PYTEST_ADDOPTS {" ".join(options)}"; {command}'
    kept = tuple(filter(None, map(unhurried, direct.arguments)))
    return replace(direct, arguments=(*kept, *options)).command()


def broke_down(seen: Observation) -> bool:
    """Whether pytest crashed or was killed, so that nothing tells which test did that."""
    crashed = seen.failing_ids <= {CRASHED, seen.command} and _INTERNAL in seen.output
    return crashed or (seen.exit_code > _KILLED and not seen.named and _STARTED in seen.output)


def _telling(direct: Invocation | None, seen: Observation, runners: Collection[str]) -> str | None:
    """Return a command that names each test before it runs, where the runner came to no end."""
    output, command = seen.output, seen.command
    if {*runners} & {"pytest", "py.test"} and not _PYTEST_ENDED.search(output):
        return _of_pytest(direct, command, (_TELLING,))
    if "go" in runners and _GO_DIED.search(output):
        return f'export GOFLAGS="$GOFLAGS -v"; {command}'
    if direct is None:
        return None
    if "cargo" in runners and _SIGNAL in output:
        place = () if "--" in direct.arguments else ("--",)
        one_by_one = (*direct.arguments, *place, "--test-threads=1")
        return replace(direct, arguments=one_by_one).command()
    if "unittest" in runners and not _UNITTEST_ENDED.search(output):
        told = replace(direct, arguments=(*direct.arguments, "-v")).command()
        return f"PYTHONFAULTHANDLER=1 {told}"
    return None


def _with(invocation: Invocation, option: str) -> str | None:
    """Return the command with an option in front of what its tests get, None if it has it."""
    arguments = invocation.arguments
    if option in arguments or {"-fae", "-fn"} & {*arguments}:
        return None
    place = arguments.index("--") if "--" in arguments else len(arguments)
    return replace(invocation, arguments=(*arguments[:place], option, *arguments[place:])).command()


def direct_tool(command: str) -> Invocation | None:
    """Return the one tool that a command starts by itself, or None."""
    simple = simple_commands(command)
    return unwrapped(simple[0]) if len(simple) == 1 else None
