"""What every provider promises when it fails, over HTTP and through its own SDK."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from bot.errors import (
    CredentialsRefused,
    ProviderOverloaded,
    ProviderRefused,
    ProviderUnreachable,
    RequestTooLong,
)
from bot.llm.base import (
    Ask,
)
from bot.llm.retries import ProviderRetries
from tests.contract.providers import (
    KEY,
    Make,
    anthropic,
    ask,
    conversation,
    failure,
    making,
    openai,
)
from tests.fakes.model import (
    Call,
    CutStream,
    ErrorMidStream,
    ModelServer,
    Overloaded,
    Rejected,
    Request,
    Say,
    ServerError,
    Slow,
    Step,
    TooLong,
    Unauthorized,
    Window,
    by_turn,
)


@pytest.fixture(params=[anthropic, openai])
async def make(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Each provider in turn."""
    async with making(request.param) as make:
        yield make


async def test_an_overloaded_provider_is_asked_again(make: Make) -> None:
    """The wait it asks for is capped, and the note says what happened."""
    turn, server = await ask(make, [Overloaded(retry_after=3600), Overloaded(), Say("Done.")])
    assert turn.text == "Done."
    assert len(server.requests) == 3
    assert "overloaded" in turn.notes[0]


async def test_overload_ends_after_the_tries(make: Make) -> None:
    """The error names the provider and the tries, and cost nothing."""
    error = await failure(make, by_turn(Overloaded()))
    assert isinstance(error, ProviderOverloaded)
    assert "Gave up after 3 tries." in str(error)
    assert error.spent is not None
    assert error.spent.cost_usd == Decimal(0)


async def test_a_server_error_is_tried_again(make: Make) -> None:
    """It may be gone."""
    turn, _ = await ask(make, [ServerError(500), ServerError(502), Say("Done.")])
    assert turn.text == "Done."
    assert isinstance(await failure(make, by_turn(ServerError(500))), ProviderUnreachable)


async def test_refused_credentials_are_final(make: Make) -> None:
    """The same key will be refused again, so it is asked once."""
    async with ModelServer([Unauthorized(), Say("never")]) as server:
        with pytest.raises(CredentialsRefused):
            await make(server).respond(conversation(), Ask())
        assert len(server.requests) == 1


async def test_an_unknown_model_is_refused_once(make: Make) -> None:
    """And says which."""
    async with ModelServer([], models=["another"]) as server:
        with pytest.raises(ProviderRefused, match="404: model: ") as caught:
            await make(server).respond(conversation(), Ask())
        assert not isinstance(caught.value, CredentialsRefused)
        assert len(server.breaches) == 1


async def test_a_conversation_that_is_too_long_is_told_apart(make: Make) -> None:
    """No other call will help, at most one for a shorter answer; a shorter conversation will."""
    assert isinstance(await failure(make, [TooLong(), TooLong()]), RequestTooLong)
    assert isinstance(await failure(make, [Rejected("too big", status=413)]), RequestTooLong)


@pytest.mark.parametrize("abrupt", [False, True])
@pytest.mark.parametrize(
    ("maker", "events"),
    [*((anthropic, events) for events in range(1, 10)), *((openai, e) for e in range(1, 5))],
)
async def test_a_cut_stream_is_no_answer(*, maker: Make, events: int, abrupt: bool) -> None:
    """Wherever it is cut before its stop reason, however complete its call looks."""
    parts = (Say("I look."), Call("bash", {"command": "rm -rf build"}))
    error = await failure(maker, by_turn(CutStream(parts, events=events, abrupt=abrupt)))
    assert isinstance(error, ProviderUnreachable)


async def test_a_cut_stream_is_paid_for(make: Make) -> None:
    """What the failed tries cost is part of the turn, or of the error."""
    cut = CutStream(Say("word " * 400), events=5)
    turn, _ = await ask(make, [cut, Say("Done.")])
    plain, _ = await ask(make, [Say("Done.")])
    assert turn.usage.calls == 2
    assert turn.usage.cost_usd is not None
    assert plain.usage.cost_usd is not None
    assert turn.usage.cost_usd > plain.usage.cost_usd
    error = await failure(make, by_turn(cut))
    assert error.spent is not None
    assert error.spent.calls == 3
    assert (error.spent.cost_usd or 0) > 0
    assert pickle.loads(pickle.dumps(error)).spent == error.spent


async def test_an_overload_in_the_middle_of_an_answer_is_an_overload(make: Make) -> None:
    """The status was 200 by then; the event says what it is."""
    fault = ErrorMidStream(Say("I look."), kind="overloaded_error")
    assert isinstance(await failure(make, by_turn(fault)), ProviderOverloaded)
    turn, _ = await ask(make, [fault, Say("Done.")])
    assert turn.text == "Done."


async def test_an_unknown_error_in_the_middle_is_unreachable(make: Make) -> None:
    """And tried again."""
    fault = ErrorMidStream(Say("I look."), kind="api_error")
    assert isinstance(await failure(make, by_turn(fault)), ProviderUnreachable)


async def test_silence_is_given_up(make: Make) -> None:
    """A server that says nothing does not hold a run for ever."""
    error = await failure(
        make, by_turn(Slow(5, Say("late"))), silence=0.05, patience=ProviderRetries(tries=1)
    )
    assert isinstance(error, ProviderUnreachable)


async def test_a_refused_connection_names_the_host(make: Make) -> None:
    """So that a person sees what to check."""
    async with ModelServer([]) as server:
        model = make(server)
        host = server.anthropic_url.removeprefix("http://")
    with pytest.raises(ProviderUnreachable, match=host):
        await model.respond(conversation(), Ask())


async def test_the_key_stays_out_of_messages(make: Make) -> None:
    """Some providers repeat it in their refusal."""
    words = f"Incorrect API key provided: {KEY.get_secret_value()}."
    error = await failure(make, [Rejected(words, status=401)])
    assert "[key]" in str(error)


async def test_a_cancelled_question_leaves_nothing_behind(make: Make) -> None:
    """The connection is closed, and the next question is answered."""

    def script(request: Request) -> Step:
        return Slow(30, Say("late")) if request.first == "slow" else Say("Done.")

    async with ModelServer(script) as server:
        model = make(server)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(model.respond(conversation(text="slow"), Ask()), 0.3)
        assert (await model.respond(conversation(), Ask())).text == "Done."


async def test_a_full_window_gets_a_shorter_answer_first(make: Make) -> None:
    """Learned from the refusal, and asked for at once the next time."""
    long = conversation(text="word " * 10_000)
    async with ModelServer(by_turn(Say("Done.")), window=Window(32_000)) as server:
        model = make(server)
        for _ in range(2):
            assert (await model.respond(long, Ask())).text == "Done."
        short = await model.respond(conversation(), Ask())
        assert short.text == "Done."
    assert server.too_long == 1
    assert [4_000 < request.max_tokens < 16_000 for request in server.requests] == [
        True,
        True,
        False,
    ]


async def test_a_conversation_that_leaves_no_room_says_how_much_of_it_fits(make: Make) -> None:
    """So that whoever has it knows how far to shorten it."""
    long = conversation(text="word " * 40_000)
    async with ModelServer([], window=Window(32_000)) as server:
        with pytest.raises(RequestTooLong) as caught:
            await make(server).respond(long, Ask())
    assert server.too_long == 1
    assert caught.value.fits is not None
    assert 0.2 < caught.value.fits < 0.5
    assert pickle.loads(pickle.dumps(caught.value)).fits == caught.value.fits


async def test_a_model_with_shorter_answers_is_asked_for_those(make: Make) -> None:
    """It is no reason to give up."""
    refusal = Rejected(
        "max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens"
    )

    def script(request: Request) -> Step:
        return refusal if request.max_tokens > 8_192 else Say("Done.")

    turn, server = await ask(make, script)
    assert turn.text == "Done."
    assert [request.max_tokens for request in server.requests] == [16_000, 8_192]


async def test_llama_cpp_names_its_window_beside_the_message() -> None:
    """The message alone says nothing of how much is too much."""
    told = "the request exceeds the available context size. try increasing the context size"
    fields = {"n_prompt_tokens": 40_000, "n_ctx": 32_000}
    error = await failure(openai, [Rejected(told, kind="exceed_context_size_error", fields=fields)])
    assert isinstance(error, RequestTooLong)
    assert error.fits == pytest.approx((32_000 - 4_000 - 64) / 40_000)
