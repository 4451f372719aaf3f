"""Show a run on the terminal while it works: a small live block, or plain lines without a TTY."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol, assert_never

from bot.model import Attempt, Limits, Report
from bot.model.progress import (
    AttemptFinished,
    CommandOutput,
    CommandsFound,
    Explained,
    Listener,
    Noticed,
    Phase,
    PhaseStarted,
    Planned,
    Progress,
    Reproduced,
    RunFinished,
    SideBySide,
    Specified,
    Spent,
    ToolUsed,
    TurnFinished,
    Verified,
)
from bot.reporting import what_changed
from bot.reporting.figures import cap, count, duration, failures, money
from bot.reporting.outcome import verification_outcome
from bot.reporting.plain import printable
from bot.reporting.progress_view import ProgressView, advance, at_moment
from bot.reporting.specification import plain_lines

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.live import Live

Clock = Callable[[], datetime]

_OUTPUT_LINES = 4
_REFRESHES_PER_SECOND = 8
_NARROWEST = 40
_BELOW = " " * 14
"""Where the text of a line begins, behind its time."""


def utc_now() -> datetime:
    """Return the time of day."""
    return datetime.now(UTC)


class ShownProgress(Listener, Protocol):
    """A listener that can leave the terminal to somebody else for a while."""

    def paused(self) -> AbstractContextManager[None]:
        """Draw nothing while the body runs."""
        ...


@contextmanager
def live_progress(
    run_id: str,
    limits: Limits,
    *,
    console: Console | None = None,
    clock: Clock = utc_now,
) -> Iterator[ShownProgress]:
    """Yield a listener that shows the run; stdout stays free for results.

    Args:
        run_id: Of the run.
        limits: Its budget.
        console: Where to show it; stderr when None. What is no terminal gets plain lines.
        clock: What says how late it is.
    """
    from rich.console import Console as RichConsole

    target = console if console is not None else RichConsole(stderr=True, highlight=False)
    view = ProgressView(run_id, clock(), limits)
    shown = _Block(view, target, clock) if target.is_terminal else _Lines(view, target, clock)
    with shown.open():
        yield shown


class _Lines:
    """One plain line for each event that is worth one."""

    def __init__(self, view: ProgressView, console: Console, clock: Clock) -> None:
        self._view = view
        self._console = console
        self._clock = clock

    @contextmanager
    def open(self) -> Iterator[None]:
        """Show lines while the block runs."""
        yield

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Do nothing: lines come only with events."""
        yield

    def __call__(self, event: Progress, /) -> None:
        """Print the event."""
        self._view = advance(self._view, event)
        told = progress_line(event, self._view.limits)
        if told is not None:
            elapsed = duration(self._view.elapsed(self._clock()))
            self._console.print(
                f"{elapsed:>12}  {told}", markup=False, highlight=False, soft_wrap=True
            )


class _Block:
    """A block of lines that is redrawn in place; what stays are notes and the report."""

    def __init__(self, view: ProgressView, console: Console, clock: Clock) -> None:
        self._view = view
        self._console = console
        self._clock = clock
        self._live: Live | None = None

    @contextmanager
    def open(self) -> Iterator[None]:
        """Redraw the block while the body runs, then take it away."""
        from rich.live import Live

        with Live(
            get_renderable=self._draw,
            console=self._console,
            refresh_per_second=_REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
        ) as self._live:
            yield

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the block away while the body runs."""
        live = self._live
        if live is not None:
            live.stop()
        try:
            yield
        finally:
            if live is not None:
                live.start(refresh=True)

    def __call__(self, event: Progress, /) -> None:
        """Remember the event; the next redraw shows it."""
        self._view = at_moment(self._view, advance(self._view, event), self._clock())
        if isinstance(event, Noticed):
            from rich.text import Text

            self._console.print(Text(printable(event.text), style="dim"))
        if isinstance(event, Specified):
            from rich.text import Text

            self._console.print(Text("\n".join(plain_lines(event.specification))))

    def _draw(self) -> RenderableType:
        from rich.text import Text

        width = max(_NARROWEST, self._console.width)
        lines = block_lines(self._view, self._clock())
        return Text(
            "\n".join(line[: width - 1] for line in lines), no_wrap=True, overflow="ellipsis"
        )


def progress_line(event: Progress, limits: Limits) -> str | None:  # noqa: C901, PLR0911 - one case per event
    """Return the event as a printable line, or None when it is not worth one; a specification has several.

    Args:
        event: What happened.
        limits: The run's budget.
    """
    match event:
        case PhaseStarted(phase, attempt, detail):
            number = f" {attempt}" if attempt is not None else ""
            named = printable(f"{phase}{number}{f': {detail}' if detail else ''}")
            return f"{named}{_longest(phase, limits)}"
        case CommandsFound(commands):
            found_out = " ".join(commands.explanation)
            return printable(f"failing command: {commands.failing}. {found_out}", limit=1_000)
        case Reproduced(reproduction):
            return printable(f"reproduction: {reproduction.cause}. {reproduction.reason}")
        case Explained(found):
            return printable(what_changed.opening(found))
        case Specified(specification):
            return "\n".join(plain_lines(specification)).replace("\n", f"\n{_BELOW}")
        case Noticed(text):
            return printable(text)
        case Verified(attempt, verification):
            return f"attempt {attempt} verified: {verification_outcome(verification)}"
        case AttemptFinished(attempt):
            return _attempt_line(attempt)
        case RunFinished(report):
            return _report_line(report)
        case CommandOutput() | TurnFinished() | ToolUsed() | Planned() | SideBySide() | Spent():
            return None
        case _:
            assert_never(event)


def _longest(phase: Phase, limits: Limits) -> str:
    """Return how long a phase's command may run, in brackets; "" where nobody has to wait so long.

    A command that hangs prints nothing: this says when it will be ended.
    """
    if phase is not Phase.REPRODUCE:
        return ""
    return f" (up to {duration(limits.observation_seconds)} per run)"


def _attempt_line(attempt: Attempt) -> str:
    usage = attempt.proposal.usage
    spent = f"{count(usage.tokens, 'token')}, {money(usage.cost_usd)}"
    return f"attempt {attempt.n} finished: {duration(attempt.seconds)}, {spent}"


def _report_line(report: Report) -> str:
    spent = f"{count(report.usage.tokens, 'token')}, {money(report.usage.cost_usd)}"
    return printable(f"{report.verdict}: {report.reason} ({duration(report.seconds)}, {spent})")


def block_lines(view: ProgressView, now: datetime) -> list[str]:
    """Return the live block: where the run is, its figures, and the end of the last output."""
    printed = [printable(line) for line in view.output.splitlines() if line.strip()]
    return [
        _where(view, now),
        _figures(view, now),
        *(f"  {line}" for line in printed[-_OUTPUT_LINES:]),
    ]


def _where(view: ProgressView, now: datetime) -> str:
    parts = [str(view.phase)]
    if view.phase in {Phase.ATTEMPT, Phase.VERIFY}:
        parts = [f"{view.phase} {view.attempt} of {max(view.attempt, view.limits.attempts)}"]
    if view.model:
        parts.append(printable(view.model))
    if view.turn:
        parts.append(f"turn {view.turn}")
    if view.since is not None and (now - view.since).total_seconds() >= 1:
        parts.append(f"for {duration((now - view.since).total_seconds())}")
    doing = view.action or view.detail
    return " · ".join(parts) + (
        f": {printable(doing)}{_longest(view.phase, view.limits)}" if doing else ""
    )


def _figures(view: ProgressView, now: datetime) -> str:
    usage, most = view.usage, view.limits.cost_usd
    parts = [duration(view.elapsed(now))]
    if view.failing is not None:
        parts.append(failures(view.failing))
    parts.append(count(usage.tokens, "token"))
    spent = money(usage.cost_usd)
    parts.append(spent if most is None else f"{spent} of {cap(most)}")
    return "  " + " · ".join(parts)
