"""When circuits open and close, when a person is told, how many runs work at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from bot.health.circuit import CallPermit, CircuitRules
from bot.health.concurrency import (
    DISK,
    LATE,
    MEMORY,
    SANDBOXES_FAIL,
    Concurrency,
    ConcurrencyRules,
    MachineSigns,
)
from bot.health.events import Escalated, EscalationOver, HealthEvent, ServiceChanged
from bot.health.service import ServiceFailure, ServiceKind
from bot.health.services import Services
from bot.model.progress import Noticed, Progress
from bot.runs.durability.gate import RunGate
from bot.runs.service_notes import ServiceNotes
from bot.server.machine import Machine
from bot.web.health import ServiceHealth

BAD = ServiceFailure("anthropic is overloaded.")
PROBE = CallPermit(is_probe=True)
BUSY = MachineSigns(lag=3.0)
CALM = MachineSigns()


class Clinic:
    """Services whose time is told."""

    def __init__(self, **rules: float) -> None:
        self.now = 0.0
        self.heard: list[HealthEvent] = []
        self.services = Services(
            replace(CircuitRules(), **rules),  # type: ignore[arg-type]
            escalate_seconds=600,
            clock=lambda: self.now,
        )
        self.services._listeners.append(self.heard.append)
        self.first = self.services.circuit(ServiceKind.MODEL, "anthropic")
        self.second = self.services.circuit(ServiceKind.MODEL, "openai")

    def fail(self, times: int = 3) -> None:
        for _ in range(times):
            self.first.failed(BAD)

    @property
    def state(self) -> str:
        return self.first.view().state.value

    def told(self) -> list[HealthEvent]:
        return [item for item in self.heard if isinstance(item, Escalated | EscalationOver)]


def test_it_opens_when_half_of_the_last_calls_failed() -> None:
    """Not sooner: a provider that mostly answers is used."""
    clinic = Clinic()
    for _ in range(5):
        clinic.first.succeeded(1.0)
    clinic.fail(4)
    assert clinic.state == "closed"
    clinic.fail(1)
    assert clinic.state == "open"
    assert clinic.first.admit() is None
    [change] = clinic.heard
    assert isinstance(change, ServiceChanged)
    assert (change.view.figures.failed, change.view.figures.calls) == (5, 10)
    assert change.instead == "openai"


def test_a_few_calls_say_nothing_unless_they_are_certain() -> None:
    """A key that is refused will be refused again."""
    clinic = Clinic()
    clinic.fail(2)
    assert clinic.state == "closed"
    clinic.first.failed(ServiceFailure("The key is refused.", certain=True))
    assert clinic.state == "open"


def test_calls_are_judged_by_count_and_by_age() -> None:
    """Neither what was before the window nor what was before the last twenty calls counts."""
    clinic = Clinic(window_seconds=100)
    clinic.fail(2)
    clinic.now = 101
    clinic.fail(2)
    assert clinic.state == "closed"
    busy = Clinic()
    for _ in range(500):
        busy.first.succeeded(1.0)
    busy.fail(10)
    assert busy.state == "open"


def test_one_probe_decides() -> None:
    """Others are turned away meanwhile; a failure doubles the wait, up to the longest."""
    clinic = Clinic(probe_seconds=30, longest_probe_seconds=100)
    clinic.fail()
    waits = []
    for _ in range(4):
        wait = clinic.first.probe_in()
        assert wait is not None
        waits.append(wait)
        clinic.now += wait
        assert clinic.first.admit() == PROBE
        assert clinic.first.admit() is None
        assert clinic.first.refuses
        clinic.first.failed(BAD, admission=PROBE)
    assert waits == [30, 60, 100, 100]
    clinic.now += 100
    assert clinic.first.admit() == PROBE
    clinic.first.succeeded(1.0, admission=PROBE)
    assert clinic.state == "closed"
    clinic.fail(2)  # what failed before counts no more
    assert clinic.state == "closed"


def test_a_probe_that_tells_nothing_is_made_again() -> None:
    """Its caller was stopped, or asked for nonsense."""
    clinic = Clinic()
    clinic.fail()
    clinic.now = 30
    assert clinic.first.admit() == PROBE
    clinic.first.released(PROBE)
    assert clinic.state == "open"
    assert clinic.first.admit() == PROBE


def test_calls_that_began_before_it_opened_change_nothing() -> None:
    """They end when they end, and only the probe decides."""
    clinic = Clinic()
    clinic.fail()
    clinic.first.succeeded(1.0, admission=CallPermit(is_probe=False))
    clinic.first.failed(BAD, admission=CallPermit(is_probe=False))
    assert (clinic.state, clinic.first.probe_in()) == ("open", 30)


def test_slow_is_measured_by_what_is_usual() -> None:
    """It ends when the calls of the window are gone, or as fast as before."""
    clinic = Clinic(window_seconds=100)
    for clinic.now, seconds in ((0.0, 4.0), (200.0, 30.0)):
        for _ in range(25):
            clinic.first.succeeded(seconds)
    view = clinic.first.view()
    assert (view.slow, view.figures.latency, view.figures.usual) == (True, 30.0, 4.0)
    assert clinic.services.in_place(ServiceKind.MODEL) == "openai"
    clinic.now = 301
    clinic.services.look()
    assert not clinic.first.view().slow


def test_cost_is_that_of_the_window() -> None:
    """Failed calls may have cost something, too."""
    clinic = Clinic(window_seconds=100)
    clinic.first.succeeded(1.0, Decimal("0.25"))
    clinic.now = 50
    clinic.first.failed(BAD, 1.0, Decimal("0.5"))
    assert clinic.first.view().figures.usd == Decimal("0.75")
    clinic.now = 120
    assert clinic.first.view().figures.usd == Decimal("0.5")


def test_a_person_is_told_once_of_what_stays_open_and_once_of_its_end() -> None:
    """Sooner would be noise: the other provider stands in."""
    clinic = Clinic()
    clinic.fail()
    clinic.now = 599
    clinic.services.look()
    assert clinic.told() == []
    for clinic.now in (600, 1200):
        clinic.services.look()
    [told] = clinic.told()
    assert isinstance(told, Escalated)
    assert (told.services, told.all_out, told.seconds) == (("anthropic",), False, 600)
    assert clinic.services.escalated == (told,)
    assert clinic.first.admit() == PROBE
    clinic.first.succeeded(1.0, admission=PROBE)
    assert clinic.told()[1:] == [EscalationOver(ServiceKind.MODEL, ("anthropic",))]
    assert not clinic.services.escalated


def test_a_person_is_told_at_once_when_nothing_is_left() -> None:
    """And told of the end when one of them works again."""
    clinic = Clinic()
    clinic.fail()
    for _ in range(3):
        clinic.second.failed(BAD)
    [told] = clinic.told()
    assert isinstance(told, Escalated)
    assert (told.services, told.all_out) == (("anthropic", "openai"), True)
    clinic.now = 30
    assert clinic.second.admit() == PROBE
    clinic.second.succeeded(1.0, admission=PROBE)
    assert clinic.told()[1:] == [EscalationOver(ServiceKind.MODEL, ("openai",))]


def test_a_person_is_told_again_when_the_last_one_goes_too() -> None:
    """It is another thing that nothing works than that one has failed for long."""
    clinic = Clinic()
    clinic.fail()
    clinic.now = 600
    clinic.services.look()
    for _ in range(3):
        clinic.second.failed(BAD)
    assert [text.all_out for text in clinic.told() if isinstance(text, Escalated)] == [False, True]


def test_a_run_hears_what_concerns_it_once() -> None:
    """Probes are no news, nor are providers to a run without a model, nor other sandboxes."""
    clinic = Clinic()
    shown: list[Progress] = []
    asking = ServiceNotes(shown.append, asks_models=True)
    other = ServiceNotes(shown.append, asks_models=False)
    other.works_in("bubblewrap")
    with clinic.services.heard(asking), clinic.services.heard(other):
        clinic.fail()
        clinic.services.circuit(ServiceKind.SANDBOX, "docker").failed(
            ServiceFailure("Docker is away.", certain=True)
        )
        for clinic.now in (30, 90):
            clinic.first.admit()
            clinic.first.failed(BAD, admission=PROBE)
        clinic.now = 300
        clinic.first.admit()
        clinic.first.succeeded(1.0, admission=PROBE)
    assert asking.kept == [
        "anthropic is failing (3 of 3 calls). openai is used until it recovers.",
        "No sandbox works (docker), so runs wait. "  # noqa: ISC004 - one sentence after the other
        "Whoever runs this server has been told. Docker is away.",
        "anthropic has recovered and is used again.",
    ]
    assert other.kept == asking.kept[1:2]
    assert shown.count(Noticed(asking.kept[0])) == 1


def test_a_run_that_begins_later_hears_what_fails_already() -> None:
    """It would wonder else who answers."""
    clinic = Clinic()
    clinic.fail()
    notes = ServiceNotes(lambda _: None, asks_models=True)
    notes.begin(clinic.services)
    assert notes.kept == ["anthropic is failing (3 of 3 calls). openai is used until it recovers."]


def limits(most: int, looks: Sequence[tuple[float, MachineSigns]]) -> list[int]:
    """Return the limit after each look at the machine, at these moments."""
    now = 0.0
    concurrency = Concurrency(most, ConcurrencyRules(settle_seconds=30), lambda: now)
    seen = []
    for now, signs in looks:  # noqa: B007 - the clock reads it
        concurrency.look(signs)
        seen.append(concurrency.limit)
    return seen


def test_trouble_halves_the_runs_and_good_times_add_one() -> None:
    """Each step has time to show its effect, and one bad look is no trouble."""
    looks = [(0, BUSY), (5, CALM), (10, BUSY), (15, BUSY), (20, BUSY), (46, BUSY), (80, BUSY),
             (111, CALM), (115, CALM), (142, CALM), (173, BUSY), (174, CALM), (205, CALM)]  # fmt: skip
    assert limits(8, looks) == [8, 8, 8, 4, 4, 2, 1, 2, 2, 3, 3, 4, 5]


@pytest.mark.parametrize(
    ("signs", "why"),
    [
        (MachineSigns(sandbox_calls=4, sandbox_failures=1), SANDBOXES_FAIL),
        (MachineSigns(sandboxes_out=True), SANDBOXES_FAIL),
        (MachineSigns(lag=1.5), LATE),
        (MachineSigns(memory_left=0.01), MEMORY),
        (MachineSigns(disk_left=0.01), DISK),
    ],
)
def test_every_trouble_has_its_name(signs: MachineSigns, why: str) -> None:
    """People are told what is scarce."""
    concurrency = Concurrency(4, ConcurrencyRules(), lambda: 0.0)
    assert concurrency.look(signs) is None
    change = concurrency.look(signs)
    assert change is not None
    assert (change.limit, change.why, concurrency.why) == (2, (why,), (why,))


async def test_the_gate_holds_runs_back_in_order() -> None:
    """Fewer from now on, never those that work already; who leaves the line takes no place."""
    gate, began, may_end = RunGate(2), list[int](), asyncio.Event()

    async def run(number: int) -> None:
        async with gate:
            began.append(number)
            await may_end.wait()

    runs = [asyncio.create_task(run(number)) for number in range(5)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (began, gate.working, gate.waiting) == ([0, 1], 2, 3)
    gate.limit_to(1)
    runs[2].cancel()
    runs[0].cancel()
    await asyncio.wait({runs[0], runs[2]})
    assert (began, gate.working, gate.waiting) == ([0, 1], 1, 2)
    gate.limit_to(2)
    may_end.set()
    await asyncio.wait(runs)
    assert (began, gate.working) == ([0, 1, 3, 4], 0)


def test_memory_is_that_of_the_container_if_it_has_less(tmp_path: Path) -> None:
    """Without a limit, and without such files, that of the machine."""
    meminfo, cgroup = tmp_path / "meminfo", tmp_path / "cgroup"
    machine = Machine(tmp_path, meminfo=meminfo, cgroup=cgroup)
    assert machine.memory_left() == 1.0
    meminfo.write_text("MemTotal:  1000 kB\nMemFree: 1 kB\nMemAvailable:  600 kB\n")
    assert machine.memory_left() == 0.6
    cgroup.mkdir()
    (cgroup / "memory.max").write_text("max\n")
    (cgroup / "memory.current").write_text("900\n")
    (cgroup / "memory.stat").write_text("anon 1\ninactive_file 200\n")
    assert machine.memory_left() == 0.6
    (cgroup / "memory.max").write_text("1000\n")
    assert machine.memory_left() == pytest.approx(0.3)


def test_the_queue_says_what_holds_runs_back() -> None:
    """Why fewer start, and why none does: nothing while another service of the kind works."""
    services, at_once = Services(), Concurrency(4, ConcurrencyRules(in_a_row=1), lambda: 100.0)
    docker, e2b = (services.circuit(ServiceKind.SANDBOX, name) for name in ("docker", "e2b"))
    health = ServiceHealth(services, at_once)
    assert (health.runs_at_once(), health.holds_back()) == ("Up to 4 runs at once.", ())

    broken = ServiceFailure("Docker does not answer.", certain=True)
    docker.failed(broken)
    assert health.holds_back() == ()

    e2b.failed(broken)
    at_once.look(MachineSigns(sandboxes_out=True))
    assert "because" in health.runs_at_once()
    assert (
        health.holds_back()
        == ("Docker does not answer. Not called until a probe succeeds. Runs wait.",) * 2
    )
