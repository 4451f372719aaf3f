"""The comment that shows a run while it works: a checklist, the figures, how to stop it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from bot.model import Report
from bot.model.progress import Phase, UnderWay
from bot.reporting import what_changed
from bot.reporting.answer_instructions import STOP, AnswerBy, ask
from bot.reporting.evidence import proposer
from bot.reporting.figures import cap, count, duration, failures, money
from bot.reporting.markdown import code, escape, indent
from bot.reporting.marker import signed
from bot.reporting.outcome import before_after, failing, outcome
from bot.reporting.plan import folded
from bot.reporting.progress_view import ProgressView
from bot.reporting.prose import line
from bot.reporting.specification import points
from bot.reporting.verdict_text import headline

_ORDER = tuple(Phase)
_LISTED = (
    (Phase.PREPARE, "Check out the commit"),
    (Phase.SETUP, "Set up the environment"),
    (Phase.REPRODUCE, "Reproduce the failure"),
    (Phase.SPECIFY, "Write a specification"),
    (Phase.WRITE_TEST, "Write a failing test"),
    (Phase.EXPLAIN, "Find out what changed"),
    (Phase.ATTEMPT, "Find a patch that passes"),
    (Phase.PUBLISH, "Publish the result"),
)


_DOING = {Phase.VERIFY: "verifying its patch", Phase.DONE: "over"}

_UNDER_WAY = "Fixpoint is working on this."


def is_under_way(text: str) -> bool:
    """Whether a comment of ours says that a run works."""
    return text.startswith(_UNDER_WAY)


def render(view: ProgressView, now: datetime, mark: str, by: AnswerBy = AnswerBy.COMMENT) -> str:
    """Return the comment of a run that is under way."""
    stop = f"To stop the run, {ask(STOP, by)}."
    return signed(f"{_UNDER_WAY}\n\n{checklist(view, now)}\n\n{stop}", mark)


def finished(report: Report, pr_url: str | None, mark: str, *, after: str = "") -> str:
    """Return the comment of a run that is over: one line; the report says the rest.

    Args:
        report: Of the run.
        pr_url: Of a pull request that it made.
        mark: The hidden marker.
        after: What else there is to say.
    """
    attempts = count(len(report.attempts), "attempt")
    figures = f"{attempts}, {duration(report.seconds)}, {money(report.usage.cost_usd)}"
    text = f"Fixpoint has finished. {headline(report.verdict)} ({figures})."
    if pr_url is not None:
        text += f" Pull request: {pr_url}"
    return signed(f"{text}\n\n{after}" if after else text, mark)


def checklist(view: ProgressView, now: datetime) -> str:
    """Return the phases with what is known of each, and the figures so far."""
    lines = [_item(view, phase, title) for phase, title in _LISTED if _is_listed(view, phase)]
    notes = [f"- {line(note, limit=200)}" for note in view.notes]
    return "\n".join([*lines, "", figures(view, now), *(["", *notes] if notes else [])])


def figures(view: ProgressView, now: datetime) -> str:
    """Return time, tokens and money so far, with the caps of the budget."""
    limits, usage = view.limits, view.usage
    parts = [f"{duration(view.elapsed(now))} of {duration(limits.seconds)}"]
    tokens = count(usage.tokens, "token")
    parts.append(tokens if limits.tokens is None else f"{tokens} of {limits.tokens:,}")
    spent = money(usage.cost_usd)
    parts.append(spent if limits.cost_usd is None else f"{spent} of {cap(limits.cost_usd)}")
    return " · ".join(parts)


def _is_listed(view: ProgressView, phase: Phase) -> bool:
    match phase:
        case Phase.SPECIFY:
            return view.phase is Phase.SPECIFY or view.specification is not None
        case Phase.WRITE_TEST:
            return view.wrote_test
        case Phase.EXPLAIN:
            shown = view.phase is Phase.EXPLAIN or view.what_changed is not None
            return shown or view.only_explains
        case Phase.ATTEMPT | Phase.PUBLISH:
            return not view.only_explains
        case _:
            return True


def _item(view: ProgressView, phase: Phase, title: str) -> str:
    current = Phase.ATTEMPT if view.phase is Phase.VERIFY else view.phase
    done = _ORDER.index(phase) < _ORDER.index(current)
    said = _said(view, phase, is_current=phase is current)
    if phase is current and view.since is not None:
        said += f" (since {view.since:%H:%M} UTC)"
    head = f"- [{'x' if done else ' '}] {title}{f': {said}' if said else ''}"
    if phase is Phase.SPECIFY and view.specification is not None:
        told = points(view.specification, tested=False)
        return f"{head}\n  {indent(told, 2)}"
    below = [f"- {past}" for past in _past_attempts(view)] if phase is Phase.ATTEMPT else []
    if phase is current:
        below += _plans(view)
    return "\n  ".join([head, *(indent(item, 2) for item in below)])


def _plans(view: ProgressView) -> Iterator[str]:
    """Yield the plan that is followed, or each attempt of several that are made at the same time."""
    if not view.beside and view.plan:
        yield folded(view.attempt, view.plan)
    for way in view.beside:
        yield f"- {_beside(way)}"
        if way.plan:
            yield f"{folded(way.attempt, way.plan)}\n"  # else the next line is a part of the HTML


def _beside(way: UnderWay) -> str:
    parts = [f"Attempt {way.attempt}: {_DOING.get(way.phase) or f'turn {way.turn}'}"]
    if way.phase is Phase.ATTEMPT and way.action:
        parts.append(line(way.action, limit=120))
    if way.model:
        parts.append(code(way.model))
    return ", ".join([*parts, money(way.usage.cost_usd)])


def _said(view: ProgressView, phase: Phase, *, is_current: bool) -> str:
    if phase is Phase.REPRODUCE and view.reproduction is not None:
        return line(view.reproduction.reason.rstrip("."), limit=240)
    if phase is Phase.SPECIFY and view.specification is not None:
        return line(view.specification.title)
    if phase is Phase.EXPLAIN and view.what_changed is not None:
        return line(what_changed.opening(view.what_changed).rstrip("."), limit=240)
    return _under_way(view, phase) if is_current else ""


def _under_way(view: ProgressView, phase: Phase) -> str:
    if phase is Phase.ATTEMPT:
        return _attempt_under_way(view)
    if not view.detail:
        return "in progress"
    is_said = phase is Phase.EXPLAIN
    return line(view.detail, limit=160) if is_said else code(view.detail, limit=100)


def _attempt_under_way(view: ProgressView) -> str:
    if view.beside:
        return f"{count(len(view.beside), 'attempt')} at the same time"
    parts = [f"attempt {view.attempt} of {max(view.attempt, view.limits.attempts)}"]
    if view.phase is Phase.VERIFY:
        parts.append("verifying the patch in a clean sandbox")
    elif view.turn:
        parts.append(f"turn {view.turn}")
    if view.action:
        parts.append(line(view.action, limit=120))
    elif view.detail and view.phase is Phase.ATTEMPT:
        parts.append(escape(view.detail))
    if view.model:
        parts.append(code(view.model))
    if view.failing is not None:
        parts.append(failures(view.failing))
    return ", ".join(parts)


def _past_attempts(view: ProgressView) -> Iterator[str]:
    for attempt in view.attempts:
        yield (
            f"Attempt {attempt.n} ({proposer(attempt)}): {escape(outcome(attempt))}, "
            f"{failing(attempt)} {before_after(attempt)}"
        )
