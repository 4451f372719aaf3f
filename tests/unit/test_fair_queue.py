"""The queue: fair at every level, never past a limit, and nobody waits for ever."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.model.fair_queue import (
    LONG_SECONDS,
    OTHERS_FIRST,
    ConcurrencyLimits,
    FairQueue,
    Priority,
    QueuedRun,
    QueueTurn,
)
from bot.model.waiting_time import position

PEOPLE, CHECKS, LAST = Priority.PERSON, Priority.CHECKS, Priority.FOLLOW_UP


@dataclass
class Company:
    """Everything that waits and works, with a clock of its own."""

    places: ConcurrencyLimits
    now: float = 1000.0
    waiting: list[QueuedRun] = field(default_factory=list)
    working: list[QueuedRun] = field(default_factory=list)
    turns: dict[str, QueueTurn] = field(default_factory=dict)
    let_through: list[QueuedRun] = field(default_factory=list)

    def ask(
        self,
        run_id: str,
        installation: int = 1,
        repository: str = "a/a",
        thread: int = 1,
        priority: Priority = PEOPLE,
    ) -> None:
        """Somebody asks for a run."""
        run = QueuedRun(run_id, installation, repository, thread, priority, self.now)
        self.waiting.append(run)

    def admit(self) -> list[str]:
        """Let through whatever has a place; return the ids."""
        queue = FairQueue(self.waiting, self.working, self.turns, self.places, self.now)
        found = []
        for choice in queue.admitted():
            self.turns |= choice.turns
            self.waiting.remove(choice.run)
            self.working.append(replace(choice.run, since=self.now))
            self.let_through.append(choice.run)
            found.append(choice.run.run_id)
        return found

    def end(self, which: int = 0) -> None:
        """A run ends: the oldest, or another one."""
        if self.working:
            self.working.pop(which % len(self.working))

    def one_after_the_other(self, runs: int) -> list[str]:
        """Let runs through, of which each ends before the next."""
        for _ in range(runs):
            self.admit()
            self.now += 1
            self.end()
        return [run.run_id for run in self.let_through]

    def order(self) -> list[str]:
        """Return all that waits, in order."""
        queue = FairQueue(self.waiting, self.working, self.turns, self.places, self.now)
        return [run.run_id for run in queue.in_order()]


def test_a_company_with_hundreds_of_red_repositories_keeps_nobody_waiting() -> None:
    """Another company's `/fix` waits for one run of the first, and its second one for one more."""
    company = Company(ConcurrencyLimits(1))
    for n in range(500):
        company.ask(f"red-{n}", 1, f"big/{n}")
    company.admit()
    company.now += 1
    company.ask("small-1", 2, "small/a", 1)
    company.ask("small-2", 2, "small/a", 2)
    assert company.order()[:4] == ["red-1", "small-1", "red-10", "small-2"]
    company.end()
    assert company.one_after_the_other(4)[1:] == ["red-1", "small-1", "red-10", "small-2"]


def test_repositories_and_threads_take_turns_as_well() -> None:
    """Within an installation, and within a repository."""
    company = Company(ConcurrencyLimits(1))
    for n in range(3):
        company.ask(f"busy-{n}", repository="a/busy", thread=n)
    company.ask("quiet", repository="a/quiet")
    assert company.one_after_the_other(2) == ["busy-0", "quiet"]
    company = Company(ConcurrencyLimits(1))
    for n in range(3):
        company.ask(f"first-{n}", thread=1)
    company.ask("second", thread=2)
    assert company.one_after_the_other(2) == ["first-0", "second"]


def test_who_has_fewer_runs_at_work_goes_first() -> None:
    """Long runs count for as long as they last."""
    company = Company(ConcurrencyLimits(3))
    for n in range(4):
        company.ask(f"a-{n}", 1, thread=n)
    company.admit()
    for n in range(3):
        company.ask(f"b-{n}", 2, "b/b", thread=n)
    company.end()
    company.admit()
    company.end(2)
    company.admit()
    assert [run.run_id for run in company.let_through[3:]] == ["b-0", "b-1"]


def test_people_go_before_checks_and_those_before_what_follows() -> None:
    """Whoever came first."""
    company = Company(ConcurrencyLimits(1))
    company.ask("last", 1, priority=LAST)
    company.ask("check", 2, priority=CHECKS)
    company.ask("person", 3)
    assert company.order() == ["person", "check", "last"]


def test_what_has_waited_for_long_has_one_turn_in_four() -> None:
    """People who keep coming leave that to checks, and checks leave three turns to people."""
    company = Company(ConcurrencyLimits(1))
    for n in range(2):
        company.ask(f"check-{n}", 1, thread=n, priority=CHECKS)
    company.now += LONG_SECONDS
    for n in range(8):
        company.ask(f"person-{n}", 1, repository=f"a/{n}")
    told = [item.split("-")[0] for item in company.one_after_the_other(8)]
    assert told == [*["person"] * OTHERS_FIRST, "check", *["person"] * OTHERS_FIRST, "check"]


def test_limits_leave_places_to_others() -> None:
    """An installation at its limit waits, although there are places."""
    company = Company(ConcurrencyLimits(4, installation=2, repository=1))
    for n in range(3):
        company.ask(f"a-{n}", 1, "a/a", n)
        company.ask(f"b-{n}", 1, f"a/b{n}", n)
    company.ask("c", 2, "c/c")
    assert company.admit() == ["a-0", "c", "b-0"]
    assert set(company.order()) == {"a-1", "a-2", "b-1", "b-2"}


Asked = tuple[int, int, int, Priority]
Event = Asked | int | float

ASKS = st.tuples(
    st.integers(1, 3), st.integers(1, 2), st.integers(1, 2), st.sampled_from(list(Priority))
)
EVENTS = st.lists(
    st.one_of(ASKS, st.integers(0, 5), st.sampled_from([1.0, LONG_SECONDS])), max_size=60
)
PLACES = st.builds(
    ConcurrencyLimits,
    st.integers(1, 4),
    st.one_of(st.none(), st.integers(1, 3)),
    st.one_of(st.none(), st.integers(1, 2)),
)


def happen(company: Company, events: Sequence[Event]) -> None:
    """Let things happen: somebody asks, a run ends, time passes; places are filled each time."""
    for n, event in enumerate(events):
        match event:
            case int(which):
                company.end(which)
            case float(seconds):
                company.now += seconds
            case (installation, repository, thread, priority):
                name = f"{installation}/{repository}"
                company.ask(f"run-{n}", installation, name, thread, priority)
        company.admit()
        within_limits(company)


def within_limits(company: Company) -> None:
    """Assert that no limit is exceeded, and that no place is free that somebody could have."""
    places = company.places
    assert len(company.working) <= places.total
    of_installation = Counter(run.installation for run in company.working)
    of_repository = Counter(run.repository for run in company.working)
    most = places.installation or places.total, places.repository or places.total
    assert max(of_installation.values(), default=0) <= most[0]
    assert max(of_repository.values(), default=0) <= most[1]
    if len(company.working) < places.total:
        assert all(
            of_installation[run.installation] >= most[0] or of_repository[run.repository] >= most[1]
            for run in company.waiting
        )


@settings(max_examples=40, deadline=None)
@given(PLACES, EVENTS)
def test_no_limit_is_exceeded_and_no_place_left_empty(
    places: ConcurrencyLimits, events: list[Event]
) -> None:
    """Whoever asks, and whatever ends when."""
    happen(Company(places), events)


@settings(max_examples=40, deadline=None)
@given(PLACES, EVENTS)
@example(
    ConcurrencyLimits(1),
    [(1, 1, 1, PEOPLE), (1, 1, 1, PEOPLE), (2, 1, 1, PEOPLE), (2, 1, 1, PEOPLE)],
)
def test_the_order_names_everything_once(places: ConcurrencyLimits, events: list[Event]) -> None:
    """And the first of it is what is let through when the oldest run ends."""
    company = Company(places)
    happen(company, events)
    order = company.order()
    assert sorted(order) == sorted(run.run_id for run in company.waiting)
    while order and company.working:
        company.end()
        for admitted in company.admit():
            assert admitted == order.pop(0)


@settings(max_examples=12, deadline=None)
@given(PLACES, EVENTS, st.lists(ASKS, min_size=1, max_size=4))
def test_nobody_waits_for_ever(
    places: ConcurrencyLimits, events: list[Event], stream: list[Asked]
) -> None:
    """Although people keep asking, more than there are places, and the youngest run ends first."""
    company = Company(places)
    happen(company, events)
    company.ask("patient", 1, "1/1", 1, LAST)
    ahead = len(company.waiting)
    flows = 3 * 2 * 2
    for n in range((OTHERS_FIRST + 1) * (flows * places.total + ahead) + 4 * flows):
        for more, (installation, repository, thread, _) in enumerate(stream):
            name = f"{installation}/{repository}"
            company.ask(f"more-{n}-{more}", installation, name, thread)
        company.now += LONG_SECONDS / 4
        company.end(n)
        company.admit()
        if any(run.run_id == "patient" for run in company.let_through):
            return
    raise AssertionError("it waits still")


@settings(max_examples=40, deadline=None)
@given(EVENTS)
def test_a_new_installation_waits_for_one_turn_of_each_other(events: list[Event]) -> None:
    """And for one in four of those that have waited for long."""
    company = Company(ConcurrencyLimits(2))
    happen(company, events)
    company.ask("new", 9, "new/new")
    before = len(company.let_through)
    while not any(run.run_id == "new" for run in company.let_through):
        company.end()
        company.now += 1
        company.admit()
    others = len(company.let_through) - before - 1
    assert others <= 3 + 3 // OTHERS_FIRST + 2


def test_a_position_is_told_in_the_time_that_runs_take() -> None:
    """Two places let through two runs in the time of one."""
    assert position(3, 2, [60.0, 180.0]).seconds == 180.0
    assert position(3, 2, []).seconds is None
