"""GitHub, models and sandboxes on a bad day: any call may go wrong, as chance has it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random

from tests.fakes import e2b
from tests.fakes.e2b.faults import Fault as SandboxFault
from tests.fakes.e2b.faults import Faults as SandboxFaults
from tests.fakes.github.faults import Fault, Faults, Trouble
from tests.fakes.model import (
    Answer,
    CutStream,
    ErrorMidStream,
    Overloaded,
    Request,
    ServerError,
    Slow,
    Step,
)
from tests.fakes.model.steps import Part

_ANYWHERE = tuple(
    trouble
    for trouble in Trouble
    if trouble not in {Trouble.NOT_FOUND, Trouble.CONFLICT, Trouble.INVALID}
)
"""What any call may meet. The others only say something of things that are there."""

_LIES = (
    (Trouble.NOT_FOUND, re.compile(r"^(POST|PATCH) .*/(comments|pulls|refs|check-runs)")),
    (Trouble.CONFLICT, re.compile(r"^(POST|PATCH) .*/(git/\w+|pulls|merges)")),
    (Trouble.INVALID, re.compile(r"^POST .*/(git/refs|pulls)$")),
)
"""What GitHub says now and then of what it does not know yet everywhere."""


@dataclass(slots=True)
class Weather:
    """How bad the day is.

    Attributes:
        chance: Of everything.
        rate: Of calls that go wrong, while it is bad.
        bad: Whether it is.
        met: What went wrong, and how often.
    """

    chance: Random
    rate: float
    bad: bool = False
    met: Counter[str] = field(default_factory=Counter)

    def strikes(self) -> bool:
        """Whether the next call goes wrong."""
        return self.bad and self.chance.random() < self.rate


class GitHubWeather(Faults):
    """Trouble for any call."""

    def __init__(self, weather: Weather) -> None:
        super().__init__()
        self.weather = weather

    def strike(self, method: str, path: str) -> Fault | None:
        """Return the trouble that this call meets."""
        if not self.weather.strikes():
            return super().strike(method, path)
        chance = self.weather.chance
        lies = tuple(lie for lie, where in _LIES if where.search(f"{method} {path}"))
        trouble = chance.choice((*_ANYWHERE, *lies))
        self.weather.met[f"GitHub: {trouble.value}"] += 1
        fault = Fault(trouble, 0, method, re.compile(""), chance.choice((1, 1, 2)))
        fault.let_go()
        return fault


class ModelWeather:
    """A script whose answers may be late, cut or refused."""

    def __init__(self, weather: Weather, script: Callable[[Request], Awaitable[Step]]) -> None:
        self._weather = weather
        self._script = script

    async def __call__(self, request: Request) -> Step:
        """Return the answer, or what becomes of it."""
        chance = self._weather.chance
        if not self._weather.strikes():
            return Slow(chance.uniform(0.0, 0.3), await self._script(request))
        kind = chance.choice(("overloaded", "patience", "error", "slow", "cut", "broken", "mid"))
        self._weather.met[f"model: {kind}"] += 1
        match kind:
            case "overloaded":
                return Overloaded()
            case "patience":
                return Overloaded(retry_after=100_000)
            case "error":
                return ServerError(chance.choice((500, 502, 503)))
            case "slow":
                return Slow(chance.uniform(1.0, 4.0), await self._script(request))
            case _:
                return _spoiled(kind, await self._script(request))


def _spoiled(kind: str, step: Step) -> Step:
    assert not isinstance(step, Slow | Overloaded | ServerError)
    answer: Part | Answer = step  # type: ignore[assignment] # stories answer in full
    match kind:
        case "cut":
            return CutStream(answer, events=2)
        case "broken":
            return CutStream(answer, events=3, abrupt=True)
        case _:
            return ErrorMidStream(answer, events=3)


class SandboxWeather(SandboxFaults):
    """Trouble for any call of E2B's."""

    def __init__(self, weather: Weather) -> None:
        super().__init__()
        self.weather = weather

    def strike(self, operation: str) -> SandboxFault | None:  # noqa: ARG002 - any of them
        """Return what goes wrong with this call."""
        if not self.weather.strikes():
            return None
        fault = self.weather.chance.choice(
            (
                e2b.Refuse(429, "Rate limit exceeded"),
                e2b.Refuse(503, "Service unavailable"),
                e2b.LoseAnswer(),
                e2b.Slow(3.0),
                e2b.Garbage(),
                e2b.CutStream(),
            )
        )
        self.weather.met[f"sandbox: {type(fault).__name__}"] += 1
        return fault
