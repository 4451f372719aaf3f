"""What the demo prints: calm lines; colours, a spinner and drawn Markdown on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from bot.reporting.figures import count, money
from bot.reporting.plain import printable
from demo.ending import Ending
from demo.reading import as_seen, plain
from tests.fakes.github import Issue

_WIDTH = 100
_MARGIN = 12
"""Columns of the clock before a line of progress."""

_STYLES = {"✓": "green", "…": "dim", " ": "dim"}
"""By the first character of a line of progress."""


class Screen:
    """Prints to one console; text of others is shown as it is and never as markup."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False)
        self._console.width = min(self._console.width, _WIDTH) if self._draws else _WIDTH

    @property
    def _draws(self) -> bool:
        return self._console.is_terminal

    def line(self, text: str = "", style: str = "") -> None:
        """Print one line."""
        self._console.print(Text(text, style), soft_wrap=True)

    def opening(self, model: str | None, stories: int) -> None:
        """Say what is about to be seen."""
        self.line("Fixpoint, the demo", "bold")
        self.line(
            f"The real webhook server repairs {stories} small Python projects. Deliveries are signed; git,\n"
            "database and sandbox are real. Only GitHub is a stand-in, on this machine."
        )
        self.line()
        joins = (
            "" if model else "one joins with ANTHROPIC_API_KEY, or OPENAI_BASE_URL and OPENAI_MODEL"
        )
        self.fact("Model", model or "none", joins)

    def fact(self, name: str, value: str, remark: str = "") -> None:
        """Say one thing about the surroundings."""
        line = Text.assemble(
            f"{name:<16}", (value, "cyan"), (f"  ({remark})" if remark else "", "dim")
        )
        self._console.print(line, soft_wrap=True)

    def story(self, number: int, stories: int, title: str) -> None:
        """Begin a story."""
        self._heading(f"Story {number} of {stories}: {title}")

    def issue(self, repository: str, issue: Issue) -> None:
        """Show the issue that it is about."""
        self.line(f"{repository}#{issue.number}  {plain(issue.title)}", "bold")
        self.line(f"opened by {issue.author.login}", "dim")
        self._markdown(issue.body or "")
        self.line()

    def event(self, seconds: float, text: str) -> None:
        """Say what happened, so many seconds after the comment."""
        told = printable(text, self._console.width - _MARGIN)
        clock = (f"{seconds:6.1f} s  ", "dim")
        self._console.print(Text.assemble(clock, (told, _STYLES.get(text[:1], ""))), soft_wrap=True)

    @contextmanager
    def waiting(self) -> Iterator[Callable[[float], None]]:
        """Yield what shows on a terminal that time passes; elsewhere it does nothing."""
        with self._console.status("") as status:
            yield lambda seconds: status.update(f"[dim]{seconds:.0f} s[/dim]")

    def ending(self, ending: Ending) -> None:
        """Show what a person finds on GitHub: the pull request and its changes, or the report."""
        pull = ending.pull
        if pull is None or pull.pull is None:
            self._heading(f"The report on the issue, by {ending.said.author.login}")
            self._markdown(as_seen(ending.said.body))
            return
        kind = "Draft pull request" if pull.pull.draft else "Pull request"
        self._heading(f"{kind} #{pull.number}, by {pull.author.login}")
        self.line(plain(pull.title), "bold")
        self.line(f"{pull.pull.head_ref} → {pull.pull.base_ref}", "dim")
        self.line()
        self._markdown(as_seen(pull.body or ""))
        self._heading("What it changes")
        self._diff(ending.diff)

    def log(self, lines: str) -> None:
        """Show the end of the server's log."""
        self._heading("The end of the server's log")
        self.line(lines, "dim")

    def summary(self, endings: Sequence[Ending], misses: Sequence[str | None]) -> None:
        """End with one line for each story, and what to try next."""
        self._heading("Summary")
        rows = [_figures(ending) for ending in endings]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for ending, missed, row in zip(endings, misses, rows, strict=True):
            padded = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            style = "red" if missed else "green" if ending.pull is not None else "yellow"
            self._console.print(Text.assemble((padded, style), f"  {ending.url}"), soft_wrap=True)
        for ending, missed in zip(endings, misses, strict=True):
            if missed:
                self.line(f"{ending.story.project} did not end as it must: {missed}", "red")
        self.line()
        self.line("The addresses ended with the demo. Next, let it repair a repository of yours:")
        self.line("  .venv/bin/fixpoint fix PATH", "bold")

    def _heading(self, title: str) -> None:
        self.line()
        self.line(f"── {title} ".ljust(min(self._console.width, _WIDTH), "─"), "cyan")

    def _markdown(self, text: str) -> None:
        if self._draws:
            self._console.print(Padding(Markdown(text), (0, 0, 0, 2)))
            return
        for line in plain(text).splitlines():
            self.line(f"  {line}".rstrip())

    def _diff(self, text: str) -> None:
        if self._draws:
            self._console.print(Syntax(text, "diff", background_color="default", word_wrap=True))
            return
        self.line(text)


def _figures(ending: Ending) -> tuple[str, ...]:
    """Return what the database says of the run; the seconds are those that a person waited."""
    run = ending.run
    attempts = run.report.attempts if run.report is not None else ()
    return (
        ending.story.project,
        str(run.verdict),
        count(len(attempts), "attempt"),
        f"{ending.seconds:.1f} s",
        money(run.cost_usd),
    )
