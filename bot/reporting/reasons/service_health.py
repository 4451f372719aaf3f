"""What is said when a model provider or a sandbox fails, and when it works again."""

from __future__ import annotations

from collections.abc import Sequence

from bot.health.concurrency import SANDBOXES_FAIL
from bot.health.events import (
    ConcurrencyChanged,
    Escalated,
    EscalationOver,
    HealthEvent,
    ServiceChanged,
)
from bot.health.service import CircuitState, Service, ServiceFailure, ServiceKind, ServiceView
from bot.health.window import Figures
from bot.reporting.example import example
from bot.reporting.figures import count, duration

_ANTHROPIC = Service(ServiceKind.MODEL, "anthropic")
_E2B = Service(ServiceKind.SANDBOX, "e2b")
_FAILING = ServiceView(
    _ANTHROPIC,
    CircuitState.OPEN,
    figures=Figures(10, 7, 120.0),
    failure=ServiceFailure("anthropic is overloaded or limiting requests (529: Overloaded)."),
)
_REFUSED = ServiceView(
    _ANTHROPIC,
    CircuitState.OPEN,
    failure=ServiceFailure(
        "anthropic rejected the credentials or the account (401).", certain=True
    ),
)
_LOST = ServiceView(
    _E2B,
    CircuitState.OPEN,
    failure=ServiceFailure(
        "E2B could not create a sandbox: the connection to it failed.", certain=True
    ),
)
_SLOW = ServiceView(_ANTHROPIC, slow=True, figures=Figures(10, 0, 240.0, 95.0, 20.0))


@example(_FAILING, "openai")
@example(_FAILING, None)
@example(_REFUSED, "openai")
@example(_LOST, "bubblewrap")
@example(_LOST, None)
def failing(view: ServiceView, instead: str | None) -> str:
    return f"{_why(view)} {_until(view, instead)}"


@example(_ANTHROPIC)
@example(_E2B)
def recovered(service: Service) -> str:
    return f"{subject(service)} {_have(service)} recovered and {_are(service)} used again."


@example(_SLOW, "openai")
@example(_SLOW, "anthropic")
def slow(view: ServiceView, instead: str | None) -> str:
    """A service answers, and takes much longer than usual."""
    figures = view.figures
    said = f"{subject(view.service)} {_are(view.service)} slow"
    if figures.latency is not None and figures.usual is not None:
        said += (
            f": 9 of 10 calls take up to {duration(figures.latency)}, and usually up to "
            f"{duration(figures.usual)}"
        )
    if instead in {None, view.service.name}:
        return f"{said}."
    return f"{said}. New conversations go to {instead} until that ends."


@example(_ANTHROPIC)
def fast_again(service: Service) -> str:
    return f"{subject(service)} {_are(service)} as fast as usual again."


@example("docker", ["e2b"])
@example("docker", ["e2b", "bubblewrap"])
def stands_in(kind: str, instead_of: Sequence[str]) -> str:
    """A run works in another kind of sandbox than the preferred one."""
    fails = "fails" if len(instead_of) == 1 else "fail"
    return f"Commands ran in sandboxes of {kind}, because {' and '.join(instead_of)} {fails}."


@example("bubblewrap", "docker")
def starts_over(kind: str, lost: str) -> str:
    return (
        f"Sandboxes of {lost} failed before anything was reproduced, so the run started over in "
        f"sandboxes of {kind}."
    )


@example("E2B could not create a sandbox: the connection to it failed.")
def waits_for_sandbox(reason: str) -> str:
    return f"No sandbox works at the moment, so this run waits for one. {reason}".strip()


@example("E2B could not create a sandbox: the connection to it failed.")
def no_sandbox(reason: str) -> str:
    return f"No sandbox works. {reason}".strip()


@example(Escalated(ServiceKind.MODEL, ("anthropic", "openai"), True, 4.0, "openai is overloaded."))  # noqa: FBT003 - fields in order
@example(Escalated(ServiceKind.SANDBOX, ("e2b",), False, 920.0, "E2B refused the API key."))  # noqa: FBT003 - fields in order
def escalated(news: Escalated) -> str:
    """A person has to look at what fails."""
    names = " and ".join(news.services)
    if news.all_out:
        what = "model provider" if news.kind is ServiceKind.MODEL else "sandbox"
        said = f"No {what} works ({names}), so runs wait."
    else:
        those = names if news.kind is ServiceKind.MODEL else f"Sandboxes of {names}"
        verb = "has" if news.kind is ServiceKind.MODEL and len(news.services) == 1 else "have"
        said = f"{those} {verb} failed for {duration(news.seconds)}."
    return f"{said} Whoever runs this server has been told. {news.reason}".strip()


@example(EscalationOver(ServiceKind.MODEL, ("anthropic",)))
@example(EscalationOver(ServiceKind.SANDBOX, ("e2b", "docker")))
def escalation_over(news: EscalationOver) -> str:
    """What a person was told to look at is over."""
    names = " and ".join(news.services)
    of = names if news.kind is ServiceKind.MODEL else f"sandboxes of {names}"
    return f"The outage is over: {of} can be used again."


@example(ConcurrencyChanged(1, 4, (SANDBOXES_FAIL,)))
@example(ConcurrencyChanged(2, 4))
@example(ConcurrencyChanged(4, 4))
def concurrency(news: ConcurrencyChanged) -> str:
    """The server works on fewer runs at once, or on more again."""
    if news.why:
        runs = count(news.limit, "run")
        return f"This server works on at most {runs} at once, because {' and '.join(news.why)}."
    if news.limit < news.most:
        return f"This server works on up to {count(news.limit, 'run')} at once again."
    return f"This server works on all its {count(news.most, 'run')} at once again."


@example(1, 4, [SANDBOXES_FAIL])
@example(4, 4, [])
def runs_at_once(limit: int, most: int, why: Sequence[str]) -> str:
    """Return how many runs a server works on at once, and why not on more."""
    if limit == most:
        return f"Up to {count(most, 'run')} at once."
    reason = f", because {' and '.join(why)}" if why else ""
    return f"Up to {count(limit, 'run')} at once instead of {most}{reason}."


@example(ServiceChanged(_FAILING, "openai"))
def headline(event: HealthEvent) -> str:
    """Return an event in a sentence; "" for a probe, which changes nothing yet."""
    match event:
        case ServiceChanged(view, instead):
            return change(view, instead)
        case Escalated():
            return escalated(event)
        case EscalationOver():
            return escalation_over(event)
        case ConcurrencyChanged():
            return concurrency(event)


@example(_FAILING, "openai")
@example(_SLOW, "openai")
def change(view: ServiceView, instead: str | None) -> str:
    """Return how a service stands, in a sentence; "" for a probe."""
    if view.state is CircuitState.OPEN:
        return failing(view, instead)
    if view.state is CircuitState.HALF_OPEN:
        return ""
    return slow(view, instead) if view.slow else recovered(view.service)


@example(_FAILING, "openai")
@example(_REFUSED, None)
@example(_LOST, None)
@example(_SLOW, "openai")
def doing(view: ServiceView, instead: str | None) -> str:
    """Return what is done about a service at this moment, for those who look after the server."""
    match view.state:
        case CircuitState.OPEN:
            return f"Not called until a probe succeeds. {_stand_in(view, instead)}"
        case CircuitState.HALF_OPEN:
            return f"A probe is under way. {_stand_in(view, instead)}"
        case _ if view.slow and instead not in {None, view.service.name}:
            return f"New conversations go to {instead}."
        case _:
            return ""


@example(_FAILING, "openai")
@example(_LOST, None)
@example(_SLOW, "openai")
def standing(view: ServiceView, instead: str | None) -> str:
    """Return how a service that does not work well stands, and what is done about it."""
    if view.works:
        return slow(view, instead)
    return f"{_why(view)} {doing(view, instead)}"


@example(_ANTHROPIC)
@example(_E2B)
def subject(service: Service) -> str:
    return service.name if service.kind is ServiceKind.MODEL else f"Sandboxes of {service.name}"


def _stand_in(view: ServiceView, instead: str | None) -> str:
    if instead is not None:
        return f"{instead} is used."
    return "Runs wait." if view.failure is None or view.failure.passing else "Runs end."


def _why(view: ServiceView) -> str:
    failure, figures = view.failure, view.figures
    if failure is not None and failure.certain:
        return failure.reason
    said = f"{figures.failed} of {count(figures.calls, 'call')}"
    if figures.seconds >= 1:
        said += f" in {duration(figures.seconds)}"
    return f"{subject(view.service)} {_are(view.service)} failing ({said})."


def _until(view: ServiceView, instead: str | None) -> str:
    if view.service.kind is ServiceKind.SANDBOX:
        if instead is None:
            return "No other sandbox is allowed or works, so runs wait for it."
        return f"New runs use {instead} until that ends."
    if instead is not None:
        return f"{instead} is used until it recovers."
    if view.failure is not None and not view.failure.passing:
        return "No other provider works."
    return "No other provider works, so runs wait for it."


def _are(service: Service) -> str:
    return "is" if service.kind is ServiceKind.MODEL else "are"


def _have(service: Service) -> str:
    return "has" if service.kind is ServiceKind.MODEL else "have"
