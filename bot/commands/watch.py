"""`fixpoint runs`, `watch`, `logs` and `top`: what a running server does, in a terminal."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from bot.errors import UsageError
from bot.model.untrusted import strip_hidden
from bot.reporting.figures import about, count, duration, money
from bot.reporting.plain import WIDEST, print_table, printable

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
import contextlib
from dataclasses import dataclass, field

import httpx

URL_VARIABLE = "FIXPOINT_URL"
KEY_VARIABLE = "FIXPOINT_API_KEY"
TOKEN_VARIABLE = "FIXPOINT_ADMIN_TOKEN"  # noqa: S105 - its name
DEFAULT_URL = "http://127.0.0.1:8080"

_API = "/api/v1"
_PATIENCE = httpx.Timeout(30.0, read=60.0)
_AGAIN_SECONDS = 1.0
_TRIES = 30
"""How often in a row a stream is taken up again that ended early."""


@dataclass(frozen=True, slots=True)
class ToldEvent:
    """An event, as the API tells it.

    Attributes:
        number: Its place in its run.
        type: What kind of thing happened.
        at: When, as ISO 8601.
        data: Depends on the type; untrusted.
    """

    number: int
    type: str
    at: str
    data: Mapping[str, Any]


class NotAllowed(UsageError):
    """The key lacks a scope; the text names it."""


class RemoteServer:
    """A server, as its API shows it. Every method raises `UsageError` with what to do."""

    def __init__(self, environ: Mapping[str, str], url: str | None = None) -> None:
        """Say where it is.

        Args:
            environ: Has the address, and the key or admin token, which never is an argument.
            url: Goes before the address there.
        """
        self._url = (url or environ.get(URL_VARIABLE, "").strip() or DEFAULT_URL).rstrip("/")
        token = (environ.get(KEY_VARIABLE, "") or environ.get(TOKEN_VARIABLE, "")).strip()
        self._shows_token = bool(token)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        try:
            self._client = httpx.Client(
                base_url=self._url, headers=headers, timeout=_PATIENCE, trust_env=True
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise UsageError(f"{self._url} isn't an address: {error}.") from error

    def runs(self, *, limit: int = 20, **wanted: str) -> dict[str, Any]:
        """Return the youngest runs, as `GET /api/v1/runs` does."""
        given = {name: value for name, value in wanted.items() if value}
        return self._get("/runs", {**given, "limit": str(limit)})

    def run(self, run_id: str) -> dict[str, Any]:
        """Return a run."""
        return self._get(f"/runs/{run_id}", {})

    def health(self) -> dict[str, Any] | None:
        """Return how well the server is; None where the key does not allow to ask."""
        try:
            return self._json("/health/detailed", {})
        except NotAllowed:
            return None

    def logs(self, run_id: str) -> Iterator[str]:
        """Yield the output of a run's commands; untrusted text."""
        with self._answer("GET", f"{_API}/runs/{run_id}/logs") as answer:
            yield from answer.iter_text()

    def follow(self, run_id: str) -> Iterator[ToldEvent]:
        """Yield what happened in a run and what happens, until it is over."""
        last, tries = 0, 0
        while tries < _TRIES:
            try:
                for event in self._events(run_id, last):
                    last, tries = event.number, 0
                    yield event
                    if event.type == "status" and event.data.get("status") == "done":
                        return
            except httpx.HTTPError:
                pass  # the next try says what is wrong, if it still is
            if self.run(run_id)["status"] == "done" and not self._more(run_id, last):
                return
            tries += 1
            time.sleep(_AGAIN_SECONDS)
        raise UsageError(f"The connection to {self._url} was lost. Run the command again.")

    def _more(self, run_id: str, last: int) -> bool:
        return bool(self._get(f"/runs/{run_id}/events", {"after": str(last)})["events"])

    def _events(self, run_id: str, last: int) -> Iterator[ToldEvent]:
        headers = {"Accept": "text/event-stream", "Last-Event-ID": str(last)}
        path = f"{_API}/runs/{run_id}/events"
        with self._answer("GET", path, headers=headers) as answer:
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    told = json.loads(line.removeprefix("data: "))
                    yield ToldEvent(told["number"], told["type"], told["at"], told["data"])

    def _get(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        return self._json(f"{_API}{path}", query)

    def _json(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        with self._answer("GET", path, params=dict(query)) as answer:
            answer.read()
            try:
                found: dict[str, Any] = answer.json()
            except ValueError as error:
                raise UsageError(f"{self._url} isn't a Fixpoint server.") from error
            return found

    @contextlib.contextmanager
    def _answer(self, method: str, path: str, **more: Any) -> Iterator[httpx.Response]:
        try:
            with self._client.stream(method, path, **more) as answer:
                if answer.status_code != httpx.codes.OK:
                    answer.read()
                    raise self._refusal(answer)
                yield answer
        except (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol) as error:
            raise UsageError(
                f"No server answers at {self._url}. Start it with `fixpoint serve`, or set "
                f"{URL_VARIABLE}."
            ) from error

    def _refusal(self, answer: httpx.Response) -> UsageError:
        try:
            said = str(answer.json()["detail"])
        except (ValueError, KeyError, TypeError):
            said = f"{self._url} answered with status {answer.status_code}."
        match answer.status_code:
            case httpx.codes.UNAUTHORIZED if not self._shows_token:
                return UsageError(
                    f"{self._url} wants a key. Set {KEY_VARIABLE} to one that "
                    "`fixpoint keys create` printed."
                )
            case httpx.codes.UNAUTHORIZED:
                return UsageError(f"{self._url} refused the key. {said}")
            case httpx.codes.FORBIDDEN:
                return NotAllowed(said)
            case _:
                return UsageError(said)


@dataclass(slots=True)
class StandingLine:
    """What is known of a run from its events so far."""

    status: str = "queued"
    phase: str = ""
    attempt: int | None = None
    began: datetime | None = None
    _spent: dict[int, tuple[int, float | None]] = field(default_factory=dict)

    def take(self, event: ToldEvent) -> None:
        """Take note of what happened."""
        data = event.data
        match event.type:
            case "status":
                self.status = str(data["status"])
                if self.status == "running" and self.began is None:
                    self.began = datetime.fromisoformat(event.at)
            case "phase":
                self.phase, self.attempt = str(data["phase"]), data["attempt"]
            case "turn":
                self._spent[data["attempt"]] = (data["tokens"], data["cost_usd"])
            case "attempt":
                self._spent[data["n"]] = (data["tokens"], data["cost_usd"])
            case _:
                pass

    def text(self, now: datetime) -> str:
        """Return it as one printable line."""
        parts = [self.status]
        if self.phase and self.status == "running":
            number = "" if self.attempt is None else f" {self.attempt}"
            parts.append(f"{self.phase}{number}")
        if self.began is not None:
            parts.append(duration((now - self.began).total_seconds()))
        tokens = sum(item for item, _ in self._spent.values())
        if tokens:
            parts += [f"{tokens:,} tokens", money(self._cost())]
        return printable(" · ".join(parts))

    def _cost(self) -> Decimal | None:
        costs = [cost for _, cost in self._spent.values()]
        known = [Decimal(str(cost)) for cost in costs if cost is not None]
        return sum(known, Decimal(0)) if len(known) == len(costs) else None


_REFRESH_SECONDS = 1.0
_TOP_RUNS = 30
_STYLES = {"status": "bold", "attempt": "bold", "phase": "cyan", "note": "yellow"}
"""Of the lines of events in a terminal."""

_LINE, _REASON = 400, 80
"""Characters of an event, and of why a run ended, in a terminal."""


def run_runs(*, url: str | None, repository: str, status: str, limit: int, as_json: bool) -> None:
    """Print the youngest runs."""
    from rich.console import Console

    found = RemoteServer(os.environ, url).runs(repository=repository, status=status, limit=limit)
    if as_json:
        print(json.dumps(found, indent=2))  # noqa: T201 - what was asked for
        return
    console = Console()
    if not found["runs"]:
        console.print("No runs.")
        return
    longest = _REASON if console.is_terminal else WIDEST
    print_table(_table(found["runs"], datetime.now(UTC), longest), console)
    if found["total"] > len(found["runs"]):
        console.print(f"{len(found['runs'])} of {count(found['total'], 'run')}")


def run_watch(run_id: str | None, *, url: str | None) -> bool:
    """Print what happens in a run until it is over; return whether it ended fixed."""
    server = RemoteServer(os.environ, url)
    run_id = run_id or _youngest(server)
    events = server.follow(run_id)
    if sys.stdout.isatty():
        _show_live(events)
    else:
        for event in events:
            line = event_line(event, WIDEST)
            if line is not None:
                print(f"{event.at[11:19]}  {line}", flush=True)  # noqa: T201 - what was asked for
    run = server.run(run_id)
    if run["pull_request_url"]:
        print(printable(run["pull_request_url"]))  # noqa: T201
    return bool(run["verdict"] == "fixed")


def _show_live(events: Iterator[ToldEvent]) -> None:
    """Print what happens above a line that says where the run is."""
    from rich.console import Console
    from rich.live import Live
    from rich.spinner import Spinner
    from rich.text import Text

    standing, console = StandingLine(), Console(highlight=False)
    spinner = Spinner("dots", Text(""))

    def shown() -> Spinner:
        spinner.update(text=Text(standing.text(datetime.now(UTC))))
        return spinner

    with Live(console=console, get_renderable=shown, transient=True, refresh_per_second=8):
        for event in events:
            standing.take(event)
            line = event_line(event)
            if line is not None:
                text = Text.assemble((event.at[11:19], "dim"), "  ", line)
                console.print(text, style=_STYLES.get(event.type, ""), soft_wrap=True)


def run_logs(run_id: str, *, url: str | None) -> None:
    """Print the output of a run's commands, without what would move the cursor."""
    for piece in RemoteServer(os.environ, url).logs(run_id):
        sys.stdout.write(strip_hidden(piece))


def run_top(*, url: str | None) -> None:
    """Show what the server does, for ever."""
    from rich.live import Live

    server = RemoteServer(os.environ, url)
    with Live(_top(server), screen=True, auto_refresh=False) as live:
        while True:
            time.sleep(_REFRESH_SECONDS)
            live.update(_top(server), refresh=True)


def event_line(event: ToldEvent, longest: int = _LINE) -> str | None:
    """Return an event as one printable line of so many characters; None when it is not worth one."""
    text = _words(event.type, event.data)
    return None if text is None else printable(text, longest)


def _words(kind: str, data: Mapping[str, Any]) -> str | None:  # noqa: C901, PLR0911 - one case per event
    match kind:
        case "status":
            ended = f": {data['verdict'].replace('_', ' ')}" if data["verdict"] else ""
            return f"{data['status']}{ended}. {data['reason']}".rstrip(". ") + "."
        case "phase":
            number = "" if data["attempt"] is None else f" {data['attempt']}"
            return f"{data['phase']}{number}" + (f": {data['detail']}" if data["detail"] else "")
        case "commands":
            return f"failing command: {data['failing']}"
        case "reproduced":
            return f"reproduction: {data['cause'].replace('_', ' ')}. {data['reason']}"
        case "specification":
            return f"specification: {data['title']}"
        case "turn":
            return f"turn {data['turn']}: {data['said'] or data['action']}"
        case "tool":
            return f"  {data['action']}" + (" (failed)" if data["failed"] else "")
        case "note":
            return str(data["text"])
        case "verified" if data["problem"]:
            return f"attempt {data['attempt']} verified: {data['problem']}"
        case "attempt":
            cost = _money(data["cost_usd"])
            return (
                f"attempt {data['n']}, {data['proposer']}: {data['outcome']}, "
                f"{duration(data['seconds'])}, {cost}"
            )
        case _:
            return None


def _youngest(server: RemoteServer) -> str:
    for status in ("running", "queued", "waiting", ""):
        found = server.runs(limit=1, status=status)["runs"]
        if found:
            return str(found[0]["id"])
    raise UsageError("There are no runs yet.")


def _top(server: RemoteServer) -> Group:
    from rich.console import Group
    from rich.text import Text

    health, runs = server.health(), server.runs(limit=_TOP_RUNS)["runs"]
    table = _table(runs, datetime.now(UTC))
    if health is None:
        return Group(Text("Fixpoint   the server's health requires the scope `admin`"), table)
    standing = ", ".join(
        f"{number} {status}" for status, number in health["runs"].items() if status != "done"
    )
    bad = [f"{item['name']}: {item['detail']}" for item in health["checks"] if not item["ok"]]
    head = Text(f"Fixpoint {health['version']}   health {health['score']}   {standing}")
    return Group(head, *map(Text, bad), table)


def _table(runs: list[dict[str, Any]], now: datetime, longest: int = _REASON) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    shown = Table("Run", "Repository", "State", "Cost", "Age", "Reason", box=box.SIMPLE)
    for run in runs:
        number = "" if run["number"] is None else f"#{run['number']}"
        state = (run["verdict"] or run["status"]).replace("_", " ") + _place(run)
        age = duration((now - datetime.fromisoformat(run["created_at"])).total_seconds())
        cells = (
            run["id"],
            f"{run['repository']}{number}",
            state,
            _money(run["cost_usd"]),
            age,
            printable(run["reason"], longest),
        )
        shown.add_row(*map(Text, cells))
    return shown


def _place(run: dict[str, Any]) -> str:
    """Return where a run is in the queue; nothing from a server of before, which doesn't tell."""
    place, seconds = run.get("queue_place"), run.get("queue_seconds")
    if place is None:
        return ""
    return f", place {place}" + ("" if seconds is None else f", about {about(seconds)}")


def _money(amount: float | None) -> str:
    return money(None if amount is None else Decimal(str(amount)))
