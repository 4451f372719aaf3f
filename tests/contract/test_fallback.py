"""What the chain of both providers promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.app.provider_outage import WaitingModel
from bot.errors import (
    ProviderError,
    ProviderOverloaded,
    RequestTooLong,
)
from bot.health.circuit import CircuitRules
from bot.health.events import HealthEvent, ServiceChanged
from bot.health.service import ServiceKind
from bot.health.services import Services
from bot.llm.base import (
    Ask,
)
from bot.llm.build import AnthropicAccess, OpenAIAccess, build_model
from bot.llm.chain import Chain
from tests.contract.providers import (
    KEY,
    answered,
    anthropic,
    conversation,
    openai,
)
from tests.fakes.model import (
    Call,
    CutStream,
    ModelServer,
    Overloaded,
    Rejected,
    Say,
    ServerError,
    Step,
    Think,
    TooLong,
    Unauthorized,
    by_turn,
)


def chain(main: ModelServer, spare: ModelServer) -> Chain:
    return Chain([anthropic(main), openai(spare)])


class Health:
    """Circuits whose time is told, and what became of them."""

    def __init__(self) -> None:
        self.now = 0.0
        self.states: list[str] = []
        services = Services(clock=lambda: self.now)
        self.anthropic = services.circuit(ServiceKind.MODEL, "anthropic")
        self.openai = services.circuit(ServiceKind.MODEL, "openai")
        services._listeners.append(self.hear)

    def hear(self, event: HealthEvent) -> None:
        if isinstance(event, ServiceChanged) and event.view.service.name == "anthropic":
            self.states.append(event.view.state.value)

    def chain(self, main: ModelServer, spare: ModelServer) -> Chain:
        return Chain([anthropic(main, circuit=self.anthropic), openai(spare, circuit=self.openai)])


async def test_a_fallback_says_why() -> None:
    """Overloaded, unreachable, refused: the next one answers, and the turn's note has the reason."""
    for fault, reason in (
        (Overloaded(), "anthropic is overloaded"),
        (ServerError(), "anthropic failed to answer (500"),
        (Unauthorized(), "anthropic rejected the credentials"),
        (Rejected("nonsense"), "anthropic rejected the request (400: nonsense)"),
    ):
        async with ModelServer(by_turn(fault)) as main, ModelServer(by_turn(Say("Here."))) as spare:
            model = chain(main, spare)
            turn = await model.respond(conversation(), Ask())
            await model.close()
        assert turn.provider == "openai"
        assert reason in turn.notes[0]
        assert turn.notes[0].endswith("openai answered instead.")


async def test_a_conversation_stays_with_whoever_answered() -> None:
    """Its cache is warm there; a new conversation begins with the first provider again."""
    steps: list[Step] = [*[Overloaded()] * 3, Say("Back."), Say("Back.")]
    async with ModelServer(steps) as main, ModelServer(by_turn(Call("run_tests"))) as spare:
        model, talk = chain(main, spare), conversation()
        for _ in range(3):
            turn = await model.respond(talk, Ask())
            assert turn.provider == "openai"
            talk = answered(talk, turn, "1 failed")
        other = await model.respond(conversation(text="Another one."), Ask())
        await model.close()
    assert other.provider == "anthropic"
    assert len(main.requests) == 4


async def test_thinking_survives_a_detour_by_another_provider() -> None:
    """Signed blocks go back to their author only, unchanged, when it answers again."""
    thought = (Think("Hm."), Call("bash", {"command": "ls"}))
    main_steps: list[Step] = [thought, *[Overloaded()] * 3, Say("Done.")]
    spare_steps: list[Step] = [Call("run_tests"), *[ServerError()] * 3]
    async with ModelServer(main_steps) as main, ModelServer(spare_steps) as spare:
        model, talk, providers = chain(main, spare), conversation(), []
        for _ in range(2):
            turn = await model.respond(talk, Ask())
            providers.append(turn.provider)
            talk = answered(talk, turn, "ok")
        last = await model.respond(talk, Ask())
        await model.close()
    assert [*providers, last.provider] == ["anthropic", "openai", "anthropic"]
    assert main.breaches == []
    assert spare.breaches == []


async def test_a_refused_key_rests_for_a_while() -> None:
    """Not asked by the next conversation either, until its time is up."""
    health = Health()
    steps: list[Step] = [Unauthorized(), Say("Renewed.")]
    async with ModelServer(steps) as main, ModelServer(by_turn(Say("Here."))) as spare:
        model, providers = health.chain(main, spare), []
        for text, health.now in (("one", 0.0), ("two", 29.0), ("three", 31.0)):
            providers.append((await model.respond(conversation(text=text), Ask())).provider)
        await model.close()
    assert providers == ["openai", "openai", "anthropic"]


async def test_a_provider_that_fails_is_left_alone_until_a_probe_succeeds() -> None:
    """One answer brings it back; a probe that fails costs one call, and the next comes later."""
    health = Health()
    steps: list[Step] = [*[Overloaded()] * 4, Say("Back."), Say("Back.")]
    async with ModelServer(steps) as main, ModelServer(by_turn(Say("Here."))) as spare:
        model, seen = health.chain(main, spare), []
        for text, health.now in enumerate([0.0, 10.0, 31.0, 60.0, 92.0, 93.0]):
            turn = await model.respond(conversation(text=f"{text}"), Ask())
            seen.append((turn.provider, len(main.requests)))
        await model.close()
    assert seen == [
        ("openai", 3),  # all its tries, which open the circuit
        ("openai", 3),
        ("openai", 4),  # the probe, without another try
        ("openai", 4),
        ("anthropic", 5),
        ("anthropic", 6),
    ]
    assert health.states == ["open", "half-open", "open", "half-open", "closed"]


async def test_a_request_of_ours_that_is_wrong_opens_nothing() -> None:
    """Neither what is too long nor what is refused says that a provider fails."""
    health = Health()
    steps: list[Step] = [*[Rejected("nonsense")] * 4, Say("Fine.")]
    async with ModelServer(steps) as main, ModelServer(by_turn(Say("Here."))) as spare:
        model = health.chain(main, spare)
        turns = [await model.respond(conversation(text=f"{n}"), Ask()) for n in range(5)]
        await model.close()
    assert [turn.provider for turn in turns] == [*["openai"] * 4, "anthropic"]
    assert health.states == []


async def test_a_slow_provider_gets_no_new_conversation() -> None:
    """It goes on with those that it has, while another one is as fast as usual."""
    health = Health()
    async with (
        ModelServer(by_turn(Say("Slow."))) as main,
        ModelServer(by_turn(Say("Here."))) as spare,
    ):
        model, talk = health.chain(main, spare), conversation(text="old")
        first = await model.respond(talk, Ask())
        for health.now, seconds in ((0.0, 5.0), (400.0, 60.0)):
            for _ in range(20):
                health.anthropic.succeeded(seconds)
        new = await model.respond(conversation(text="new"), Ask())
        old = await model.respond(answered(talk, first), Ask())
        await model.close()
    assert (new.provider, old.provider) == ("openai", "anthropic")


async def test_what_calls_cost_is_known_by_provider() -> None:
    """For the calls of the last minutes."""
    health = Health()
    async with (
        ModelServer(by_turn(Say("Here."))) as main,
        ModelServer(by_turn(Say("Here."))) as spare,
    ):
        model = health.chain(main, spare)
        turn = await model.respond(conversation(), Ask())
        await model.close()
        assert health.anthropic.view().figures.usd == turn.usage.cost_usd != 0


async def test_nobody_answers() -> None:
    """The error names everybody's reason and is of the last one's kind."""
    async with (
        ModelServer(by_turn(Unauthorized())) as main,
        ModelServer(by_turn(Overloaded())) as spare,
    ):
        model = chain(main, spare)
        with pytest.raises(ProviderOverloaded, match=r"anthropic rejected .* openai is overloaded"):
            await model.respond(conversation(), Ask())
        await model.close()


async def test_waiting_helps_where_any_provider_may_recover() -> None:
    """Whoever is asked last, and whether its circuit has opened or not."""
    services = Services(CircuitRules(probe_seconds=0.01))
    steps: list[Step] = [*[Overloaded()] * 3, Say("Back.")]
    async with ModelServer(steps) as main, ModelServer(by_turn(Unauthorized())) as spare:
        circuits = [services.circuit(ServiceKind.MODEL, name) for name in ("anthropic", "openai")]
        for _ in range(9):
            circuits[0].succeeded(1.0)
        both = Chain([anthropic(main, circuit=circuits[0]), openai(spare, circuit=circuits[1])])
        model = WaitingModel(both, services, most_seconds=600)
        turn = await model.respond(conversation(), Ask())
        await model.close()
    assert (turn.provider, circuits[0].works) == ("anthropic", True)


async def test_too_long_is_not_passed_on() -> None:
    """No other provider makes the conversation shorter."""
    async with ModelServer([TooLong()]) as main, ModelServer([Say("never")]) as spare:
        model = chain(main, spare)
        with pytest.raises(RequestTooLong):
            await model.respond(conversation(), Ask())
        await model.close()
    assert spare.requests == []


async def test_an_exact_model_is_asked_where_it_is_offered() -> None:
    """The others answer with their own model if they must."""
    async with ModelServer(by_turn(Say("."))) as main, ModelServer(by_turn(Overloaded())) as spare:
        model = chain(main, spare)
        turn = await model.respond(conversation(), Ask(model="gpt-5"))
        assert model.worst_case(conversation(), Ask(model="gpt-5")).usd is not None
        await model.close()
    assert spare.requests[0].model == "gpt-5"
    assert turn.model == "claude-sonnet-5-5"


async def test_a_fallback_counts_what_the_first_one_cost() -> None:
    """Money spent on a broken answer is money spent."""
    cut = CutStream(Say("word " * 400), events=5)
    async with ModelServer(by_turn(cut)) as main, ModelServer([Say("Here.")]) as spare:
        model = chain(main, spare)
        turn = await model.respond(conversation(), Ask())
        await model.close()
    assert turn.usage.calls == 4


async def test_both_settings_build_a_chain() -> None:
    """One gives that provider, none gives no model."""
    async with ModelServer(by_turn(Say("."))) as server:
        both = build_model(
            AnthropicAccess(KEY, server.anthropic_url),
            OpenAIAccess("gpt-5", server.openai_url),
        )
        assert both is not None
        assert both.name == "anthropic, then openai"
        assert (await both.respond(conversation(), Ask())).provider == "anthropic"
        await both.close()
    assert build_model() is None


def test_building_a_model_imports_no_sdk(tmp_path: Path) -> None:
    """They cost up to a second; a run that ends before its first question never pays it."""
    import subprocess
    import sys

    code = (
        "import sys\n"
        "from pydantic import SecretStr\n"
        "from bot.llm.build import AnthropicAccess, OpenAIAccess, build_model\n"
        "build_model(AnthropicAccess(SecretStr('x')), OpenAIAccess('m'))\n"
        "print({'anthropic', 'openai', 'httpx2'} & set(sys.modules))\n"
    )
    root = Path(__file__).parents[2]
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(root)},
        check=True,
    )
    assert result.stdout.strip() == "set()"


async def test_a_rested_provider_is_explained_once() -> None:
    """The first turn of a new conversation says why it is a fallback's; the next needs not."""
    health = Health()
    async with ModelServer([Unauthorized()]) as main, ModelServer(by_turn(Say("Here."))) as spare:
        model = health.chain(main, spare)
        await model.respond(conversation(text="one"), Ask())
        first = await model.respond(conversation(text="two"), Ask())
        second = await model.respond(conversation(text="two"), Ask())
        await model.close()
    assert "anthropic rejected the credentials" in first.notes[0]
    assert second.notes == ()


async def test_a_call_waits_for_a_provider_to_recover() -> None:
    """With no other one, it waits for the probe that succeeds; what failed is counted once."""
    services = Services(CircuitRules(probe_seconds=0.01))
    steps: list[Step] = [*[Overloaded()] * 5, Say("Back.")]
    async with ModelServer(steps) as main:
        circuit = services.circuit(ServiceKind.MODEL, "anthropic")
        model = WaitingModel(anthropic(main, circuit=circuit), services, most_seconds=600)
        turn = await model.respond(conversation(), Ask())
        await model.close()
    assert (turn.provider, len(main.requests)) == ("anthropic", 6)


@pytest.mark.parametrize("fault", [Unauthorized(), Rejected("nonsense"), TooLong()])
async def test_nobody_waits_for_what_does_not_pass(fault: Step) -> None:
    """A bad key, or a request that is wrong, stays as it is."""
    services = Services()
    async with ModelServer(by_turn(fault)) as main:
        circuit = services.circuit(ServiceKind.MODEL, "anthropic")
        model = WaitingModel(anthropic(main, circuit=circuit), services, most_seconds=600)
        with pytest.raises(ProviderError):
            await model.respond(conversation(), Ask())
        await model.close()
    assert len(main.requests) == 1
