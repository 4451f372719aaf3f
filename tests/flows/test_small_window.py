"""Attempts of models with a small context window, over HTTP: they go on until their turns are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import count
from pathlib import Path

import pytest

from bot.errors import RequestTooLong
from bot.model import (
    Comment,
    Failure,
    Limits,
    Observation,
    Patch,
    Problem,
    Proposal,
    Usage,
)
from bot.model.money.budget import own_balance
from bot.model.money.reservations import Money, OwnReservations
from bot.repair.proposers.agent.failure_judge import ModelFailureJudge
from bot.repair.proposers.agent.reviewer import ModelReviewer
from bot.repair.proposers.agent.specifier import ModelSpecifier
from tests.contract.providers import closing, openai
from tests.fakes.model import Call, ModelServer, Request, Say, Step, Window
from tests.flows.agent_world import FILES, world

NUMBERS = "".join(f"{n} {' '.join(str(n * k) for k in range(2, 8))}\n" for n in range(4_000))
WORDS = "".join(f"def name_{n}(value: int) -> int:  # looks at {n}\n" for n in range(4_000))
LARGE = {**FILES, "numbers.txt": NUMBERS, "words.py": WORDS}
FOUND = "the cause is in app.txt"
PLAN = [{"step": "mend the word", "check": "sh check.sh", "status": "todo"}]

Part = Say | Call


def editor(command: str, path: str, **fields: object) -> Call:
    return Call("str_replace_based_edit_tool", {"command": command, "path": path, **fields})


def view(path: str, first: int, lines: int) -> Call:
    return editor("view", path, view_range=[first, first + lines])


def shell(command: str) -> Call:
    return Call("bash", {"command": command})


def turn_of_a_long_attempt(n: int) -> list[Part]:
    """Return what a model does in its turn `n`: mostly several looks of all that its tools give."""
    first = 1 + n * 17 % 3_000
    whole_views = [view("words.py", first, 400), view("numbers.txt", first, 400)]
    outputs = [shell(f"head -n {first + k} numbers.txt | tail -n 200") for k in (300, 500, 700)]
    written = "".join(f"line {k} of try {n}\n" for k in range(300))
    turns: Sequence[list[Part]] = (
        [Say(f"I view a part of {n}."), view("words.py", first, 60)],
        [Say(f"I view much of {n}."), *whole_views],
        [Say(f"I run {n}."), *outputs],
        [Call("search_code", {"query": f"name_{n}[0-9]*", "kind": "text"}), *whole_views, *outputs],
        [editor("create", f"tries/{n}.txt", file_text=written), shell(f"cat tries/{n}.txt")],
        [Call("run_tests", {"command": f"echo FAIL: case {n}; exit 1"})],
    )
    return turns[n % len(turns)]


def long_attempt(turns: int) -> Callable[[Request], Step]:
    """Return a script that notes, looks around in `turns` - 3 turns, mends and ends."""
    numbers = count(1)

    def script(request: Request) -> Step:
        n = next(numbers)
        assert request.system
        assert "It should be right." in request.messages[0].text
        if n > 2:
            assert FOUND in str(request.body), f"the note is out of sight in turn {n}"
            assert "mend the word" in str(request.body), f"the plan is out of sight in turn {n}"
        if n == 1:
            return [Say("I plan."), Call("notes", {"note": FOUND, "plan": PLAN})]
        if n == turns - 1:
            return editor("str_replace", "app.txt", old_str="wrong", new_str="right")
        return Say("Done.") if n == turns else turn_of_a_long_attempt(n)

    return script


async def attempted(
    folder: Path, window: Window, script: Callable[[Request], Step], **task: object
) -> tuple[Proposal, ModelServer]:
    """Return what an attempt leaves, and the server that it asked."""
    story = world(folder, LARGE, **task)
    async with ModelServer(script, window=window) as server, closing(openai(server)) as model:
        return await story.attempt(model), server


@pytest.mark.slow
async def test_two_hundred_turns_fit_a_window_of_32k(tmp_path: Path) -> None:
    """With the prompt and the longest answer in it, whatever the tools return in a turn.

    Task, plan and notes are never left out, and little is tried in vain.
    """
    limits = Limits(turns=210, cost_usd=Decimal(100))
    proposal, server = await attempted(
        tmp_path, Window(32_000), long_attempt(200), limits=limits, deadline=10**9
    )
    assert (proposal.ended, proposal.summary) == ("", "Done.")
    assert "app.txt" in proposal.patch.files
    assert len(server.requests) == 200
    assert not server.breaches
    assert server.too_long <= 20
    assert min(request.max_tokens for request in server.requests) >= 4_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "window",
    [
        Window(32_000, counts_answer=False),
        Window(32_000, says="at least"),
        Window(32_000, says="nothing"),
        Window(32_000, counts_answer=False, says="nothing"),
        Window(16_000),
        Window(12_000, says="nothing"),
    ],
    ids=["prompt alone", "at least", "no figures", "prompt alone, no figures", "16k", "12k"],
)
async def test_however_a_server_counts_and_refuses(window: Window, tmp_path: Path) -> None:
    """What it says is used; where it says nothing, shorter ones are tried."""
    proposal, server = await attempted(tmp_path, window, long_attempt(40))
    assert (proposal.ended, proposal.summary) == ("", "Done.")
    assert len(server.requests) == 40
    assert server.too_long <= 20


async def test_the_newest_results_are_cut_when_they_alone_are_too_much(tmp_path: Path) -> None:
    """Every one keeps its beginning and its end, and says what is missing."""
    looks = [view("words.py", 1 + 400 * k, 400) for k in range(8)]

    def script(request: Request) -> Step:
        return [Say("I view everything."), *looks] if request.turn == 1 else Say("Done.")

    _, server = await attempted(tmp_path, Window(32_000), script)
    results = server.requests[-1].results
    assert len(results) == 8
    for k, result in enumerate(results):
        assert result.text.startswith("(cut to fit into your context window")
        assert f"def name_{400 * k}(" in result.text
        assert f"def name_{400 * k + 400}(" in result.text or "not shown" in result.text
        assert "characters omitted" in result.text


LONG = Problem(
    "It is wrong",
    "It should be right. " + "What is this? " * 1_500,
    comments=tuple(Comment("ada", f"Again {n}. {'So it is. ' * 350}") for n in range(20)),
    instructions="Mend the word, and nothing else.",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("window", "depth"),
    [
        (Window(32_000), 3),
        (Window(16_000), 1),
        (Window(16_000, says="at least"), 1),
        (Window(16_000, says="nothing"), 1),
    ],
    ids=["32k", "16k", "at least", "no figures"],
)
async def test_what_a_task_quotes_is_cut_where_it_does_not_fit(
    window: Window, depth: int, tmp_path: Path
) -> None:
    """The longest most; the report says so. What the person wrote who asked stays whole.

    Half of the window is left for the work: at 32k, whole turns stay in sight.
    """
    proposal, server = await attempted(tmp_path, window, long_attempt(40), problem=LONG)
    assert (proposal.ended, proposal.summary) == ("", "Done.")
    assert len(server.requests) == 40
    for request in server.requests:
        assert "Mend the word, and nothing else." in request.first
        assert "- app\n  it is wrong" in request.first
        assert all(f"Again {n}. " in request.first for n in range(20))
    depths = sorted(request.turn for request in server.requests)
    assert depths[len(depths) // 2] >= depth
    assert any("don't fit into the model's context window" in note for note in proposal.notes)


async def test_a_task_that_never_fits_ends_with_what_helps(tmp_path: Path) -> None:
    """Rules and tools alone are longer than the window."""
    with pytest.raises(
        RequestTooLong, match=r"too long for the model; use one with a larger .* 2000"
    ):
        await attempted(tmp_path, Window(2_000), long_attempt(10), problem=LONG)


async def test_questions_of_one_answer_fit_as_well() -> None:
    """Specification, choice of failures, review of a test: what they quote is cut."""
    seen = Observation("sh check.sh", 1, (Failure("app", message="wrong"),), output="no\n" * 9_000)
    patch = Patch(b"+right\n" * 4_000, ("app.txt",), 4_000, 0)
    money = Money(OwnReservations(), "a question", own_balance(Limits(), Usage()))
    said = '{"points": [{"expected": "right"}], "shows_problem": true, "about": [1]}'
    async with (
        ModelServer(lambda _: Say(said), window=Window(8_000)) as server,
        closing(openai(server)) as model,
    ):
        drafted = await ModelSpecifier(model).specify(LONG, money)
        review = await ModelReviewer(model).shows_problem(LONG, seen, patch, None, money)
        choice = await ModelFailureJudge(model).choose(LONG, seen, money)
    assert drafted.specification is not None
    assert (review.shows, choice.tests) == (True, frozenset({"app"}))
    assert [len(request.messages) for request in server.requests] == [1, 1, 1]
    assert "Again 19. " in server.requests[0].first
