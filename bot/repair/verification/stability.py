"""Row *stability* of a proof card: do the tests that show the change always give the same result?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from bot.concurrency import both
from bot.model import Failure, Observation
from bot.model.proof_card import Fact, FactKind, Row, RowKind, RowState
from bot.repair.verification.base_and_head import Compared, Sides
from bot.repair.workspace.observe import read_apart
from bot.reporting.reasons import proof_parts as reasons
from sandbox.base import CommandResult

_SEEDS = ("1", "271828", "3141592653")
"""Of Python's hashes, https://docs.python.org/3/using/cmdline.html#envvar-PYTHONHASHSEED."""

_AGAIN = """\
export GOFLAGS="${{GOFLAGS:+$GOFLAGS }}-count=1"
for seed in {seeds}; do
export PYTHONHASHSEED=$seed
(
{command}
) || exit
done"""
_BESIDE = """\
export GOFLAGS="${{GOFLAGS:+$GOFLAGS }}-count=1"
other_log=$(mktemp)
(
unset PYTEST_ADDOPTS
{command}
) >"$other_log" 2>&1 & other=$!
(
{command}
); first=$?
wait $other; second=$?
[ $second = 0 ] || cat "$other_log"
[ $first = 0 ] || exit $first
exit $second"""


@dataclass(frozen=True, slots=True)
class _Way:
    """A way in which the tests run once more.

    Attributes:
        said: As the end of a sentence: "fails in another order".
        script: What the shell runs.
        runs: How often the tests run in it.
    """

    said: str
    script: str
    runs: int


async def prove(sides: Sides, compared: Compared, *, name: str, seconds: float) -> Row:
    """Run the tests that show the change again: with other hashes, in another order, side by side.

    Args:
        sides: Both sides of the change.
        compared: What the tests showed.
        name: Of the sandboxes.
        seconds: Wall time after which no other run is begun.

    Raises:
        PatchDoesNotApply: The tree is not what the change was made for.
    """
    command = compared.proving_command
    if not command:
        return Row(RowKind.STABILITY, RowState.NOT_ASKED, reasons.NO_NEW_TESTS)
    ends = time.monotonic() + seconds
    waiting = list(enumerate(await _ways(sides, compared)))
    seen: list[tuple[_Way, Observation]] = []

    async def some() -> None:
        while waiting and time.monotonic() < ends:
            number, way = waiting.pop(0)
            run = sides.after.observe(f"{name}-{number}", way.script)
            seen.append((way, await _read(await run, compared)))

    await both(some(), some())
    told = [(way, run) for way, run in seen if run.ok or _failing(run, compared)]
    runs = sum(way.runs for way, _ in told)
    facts = tuple(fact for way, run in told for fact in _facts(way, run, compared))
    if facts:
        failed = sum(not run.ok for _, run in told)
        state, said = RowState.REFUTED, reasons.unstable(failed, runs)
    elif waiting or not told:
        state, said = RowState.UNDECIDED, reasons.stability_cut(runs)
    else:
        state, said = (
            RowState.SHOWN,
            reasons.stable(runs, len(compared.proving), [way.said for way, _ in told]),
        )
    return Row(RowKind.STABILITY, state, said, facts, (command,))


async def _ways(sides: Sides, compared: Compared) -> list[_Way]:
    command = compared.proving_command
    again = _Way(reasons.AGAIN, _AGAIN.format(command=command, seeds=" ".join(_SEEDS)), len(_SEEDS))
    beside = _Way(reasons.BESIDE, _BESIDE.format(command=command), 2)
    tests = [*reversed(compared.proving)]
    turned = await sides.after.alone(compared.command, tests)
    if len(tests) == 1 or turned in {None, command}:
        return [again, beside]
    return [again, beside, _Way(reasons.REVERSED, turned or command, 1)]


async def _read(run: Observation, compared: Compared) -> Observation:
    """Return a run; where its report has no failing test, what it printed is read for one."""
    if run.ok or _failing(run, compared):
        return run
    result = CommandResult(run.exit_code, run.output, 0, run.seconds, run.timed_out)
    return await read_apart(compared.proving_command, result, ())


def _failing(run: Observation, compared: Compared) -> list[Failure]:
    """Return the failures of tests that show the change."""
    return [failure for failure in run.failing if failure.test in set(compared.proving)]


def _facts(way: _Way, run: Observation, compared: Compared) -> Iterator[Fact]:
    for failure in _failing(run, compared):
        said = reasons.flaky(failure.test, way.said, failure.message)
        yield Fact(FactKind.REFUTED, said, failure.test, failure.file, failure.line)
