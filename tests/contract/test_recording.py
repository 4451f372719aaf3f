"""What is kept of a run while it happens."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.model import (
    Attempt,
    Cause,
    Commands,
    Failure,
    Observation,
    Patch,
    Proposal,
    Report,
    Reproduction,
    Usage,
    Verdict,
    Verification,
)
from bot.model.events import EventType, KeptEvent
from bot.model.problem import Problem
from bot.model.progress import (
    AttemptFinished,
    CommandOutput,
    CommandsFound,
    Noticed,
    Phase,
    PhaseStarted,
    Progress,
    Reproduced,
    RunFinished,
    ToolUsed,
    TurnFinished,
    Verified,
)
from bot.redaction import Redactor
from bot.runs.event_recorder import Recorder
from bot.storage.database import open_database
from bot.storage.events import EventStore

SECRET = "sk-ant-0123456789abcdefghij"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EventStore]:
    """Open an empty table."""
    async with await open_database(SecretStr(f"sqlite:///{tmp_path}/events.db")) as database:
        yield EventStore(database)


async def recorded(store: EventStore, *told: Progress) -> tuple[KeptEvent, ...]:
    """Return what is kept once a run told that."""
    async with Recorder(store, "run", Redactor()) as recorder:
        for text in told:
            recorder(text)
    return await store.after("run")


EVERY = (
    PhaseStarted(Phase.ATTEMPT, 1, "search"),
    CommandsFound(Commands(setup=(), test="pytest", failing="pytest -x")),
    Reproduced(Reproduction(Cause.REAL, None, reason="It fails.")),
    TurnFinished(
        1,
        2,
        "claude",
        "edit a.py",
        Usage(10, 5, cost_usd=Decimal("0.25")),
        "I think so.",
        thought="Where may that be?",
    ),
    ToolUsed(1, 2, "bash", "$ ls", {"command": "ls"}, "a.py", failed=False),
    Noticed("Something."),
    Verified(1, Verification(None, problem="It does not apply.")),
    AttemptFinished(Attempt(1, "agent", Proposal(Patch(b"diff"), "Done."), None, ("t",), 1.5)),
    RunFinished(Report("run", Verdict.GAVE_UP, "No.", Problem(), "ab" * 20)),
)


async def test_every_event_has_a_form(store: EventStore) -> None:
    """Each kind is kept, in order, as JSON."""
    kept = await recorded(store, *EVERY)
    assert [event.type for event in kept] == [
        EventType.PHASE, EventType.COMMANDS, EventType.REPRODUCED, EventType.TURN, EventType.TOOL,
        EventType.NOTE, EventType.VERIFIED, EventType.ATTEMPT, EventType.FINISHED,
    ]  # fmt: skip
    by_type = {event.type: event.data for event in kept}
    assert by_type[EventType.PHASE] == {"phase": "attempt", "attempt": 1, "detail": "search"}
    assert by_type[EventType.TURN]["said"] == "I think so."
    assert by_type[EventType.TURN]["thought"] == "Where may that be?"
    assert by_type[EventType.TURN]["cost_usd"] == 0.25
    assert by_type[EventType.TOOL]["asked"] == {"command": "ls"}
    assert by_type[EventType.ATTEMPT]["patch"] == "diff"
    assert by_type[EventType.VERIFIED]["accepted"] is False
    assert by_type[EventType.FINISHED]["verdict"] == "gave_up"


async def test_a_run_that_is_taken_up_again(store: EventStore) -> None:
    """Tells what it told before; that is kept once."""
    first = await recorded(store, *EVERY[:5])
    again = await recorded(store, *EVERY)
    assert again[:5] == first
    assert len(again) == len(EVERY)


async def test_what_is_new_is_told_once(store: EventStore) -> None:
    """Whoever counts hears of each event when it is kept, and not of one that is repeated."""
    heard: list[Progress] = []
    for told in (EVERY[:5], EVERY):
        async with Recorder(
            store, "run", Redactor(), lambda event, _: heard.append(event)
        ) as recorder:
            for event in told:
                recorder(event)
    assert tuple(heard) == EVERY


async def test_output_is_joined_and_redacted(store: EventStore) -> None:
    """Also where a secret comes in two pieces; what follows comes behind it."""
    kept = await recorded(
        store,
        CommandOutput(f"key: {SECRET[:10]}"),
        CommandOutput(f"{SECRET[10:]}\nmore"),
        Noticed("over"),
    )
    assert [event.data["text"] for event in kept] == ["key: [redacted]\nmore", "over"]


async def test_a_line_is_shown_when_it_ends(store: EventStore) -> None:
    """Lines come while the command runs; one that has not ended waits a second."""
    async with Recorder(store, "run", Redactor()) as recorder:
        recorder(CommandOutput("one\ntw"))
        shown: list[str] = []
        async with asyncio.timeout(20), contextlib.aclosing(store.follow("run")) as news:
            async for batch in news:
                shown += [event.data["text"] for event in batch]
                if len(shown) == 2:
                    break
    assert shown == ["one\n", "tw"]


async def test_names_are_bounded(store: EventStore) -> None:
    """Programs name their own tests: hundreds of them, each as long as a book, made 30 MB."""
    failing = tuple(Failure("n" * 60_000) for _ in range(600))
    observation = Observation("true", 1, failing=failing)
    [kept] = await recorded(store, Reproduced(Reproduction(Cause.REAL, observation)))
    assert len(kept.data["failing"]) == 500
    assert len(str(kept.data)) < 1_500_000


async def test_output_is_bounded(store: EventStore) -> None:
    """What comes at once loses its middle; of too much, the rest is left out and that is said."""
    kept = await recorded(
        store, CommandOutput("a" * 100_000), Noticed("x"), *[CommandOutput("b" * 1_000_000)] * 6
    )
    assert len(kept[0].data["text"]) < 20_000
    assert kept[-1].data["text"] == "This run printed a lot, so its further output isn't kept."
    assert sum(len(str(event.data)) for event in kept) < 100_000
