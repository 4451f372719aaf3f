"""Where a run is, which spans it has, and whether alert rules are right."""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from bot.model import Attempt, Patch, Proposal, Usage
from bot.model.events import EventType, KeptEvent
from bot.model.progress import (
    AttemptFinished,
    Phase,
    PhaseStarted,
    Progress,
    ToolUsed,
    TurnFinished,
)
from bot.redaction import Redactor
from bot.reporting.stored_events import told
from bot.telemetry import span
from bot.telemetry.place import RunPlace
from bot.telemetry.run_spans import RunFacts, run_spans
from bot.telemetry.span import SpanData

MONITORING = Path(__file__).parents[2] / "docs" / "monitoring"
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)

STORY: tuple[Progress, ...] = (
    PhaseStarted(Phase.PREPARE),
    PhaseStarted(Phase.SETUP),
    PhaseStarted(Phase.SETUP, detail="pip install ."),
    PhaseStarted(Phase.REPRODUCE, detail="pytest"),
    PhaseStarted(Phase.ATTEMPT, 1, "mechanical"),  # which finds nothing
    PhaseStarted(Phase.ATTEMPT, 1, "agent"),
    TurnFinished(1, 1, "m", "$ ls, $ cat", Usage(), calls=2, seconds=1.5),
    ToolUsed(1, 1, "bash", "$ ls", {"command": "ls"}, "a.py", failed=False, seconds=0.25),
    ToolUsed(1, 1, "bash", "$ cat", {"command": "cat"}, "no", failed=True),
    TurnFinished(1, 2, "m", "done", Usage()),
    PhaseStarted(Phase.VERIFY, 1),
    AttemptFinished(Attempt(1, "agent", Proposal(Patch(b"d"), "Done."), None, ("t",), 1.5)),
    PhaseStarted(Phase.ATTEMPT, 2, "agent"),
)


def kept(story: tuple[Progress, ...]) -> list[KeptEvent]:
    """Return the events as they are kept, one second apart."""
    events = filter(None, (told(event, Redactor()) for event in story))
    return [
        KeptEvent("run", n, BEGAN + timedelta(seconds=n), event.type, event.data)
        for n, event in enumerate(events, start=1)
    ]


def spans_of(events: list[KeptEvent], *, with_content: bool = False) -> dict[str, SpanData]:
    """Return the spans of a run that ended after a minute, by key."""
    facts = RunFacts("run", BEGAN, BEGAN + timedelta(minutes=1))
    return {data.key: data for data in run_spans(facts, events, with_content=with_content)}


def test_a_run_is_a_tree() -> None:
    """Phases lie in the run, tools and the verification in their attempt, and all of them end."""
    spans = spans_of(kept(STORY))
    shown = [
        (data.name, spans[data.parent].name if data.parent else "", data.began - BEGAN.timestamp(),
         data.ended - BEGAN.timestamp())
        for data in spans.values()
    ]  # fmt: skip
    run = "invoke_workflow fix"
    agent = "invoke_agent fixpoint"
    assert sorted(shown, key=lambda item: (item[2], -item[3])) == [
        (run, "", 0, 60),
        ("prepare", run, 1, 2),
        ("set up", run, 2, 3),
        ("set up", run, 3, 4),
        ("reproduce", run, 4, 5),
        ("attempt mechanical", run, 5, 6),
        (agent, run, 6, 12),
        ("execute_tool bash", agent, 7.75, 8),
        ("execute_tool bash", agent, 9, 9),
        ("verify", agent, 11, 12),
        (agent, run, 13, 60),
    ]


def test_what_happens_meanwhile_finds_its_span() -> None:
    """Where a run is at any time is a span that is there when it is over."""
    spans, place = spans_of(kept(STORY)), RunPlace("run", sampled=True)
    seen = [place.key]
    for event in STORY:
        place(event)
        seen.append(place.key)
    assert set(seen) <= spans.keys()
    assert [spans[key].name for key in dict.fromkeys(seen)] == [
        "invoke_workflow fix", "prepare", "set up", "set up", "reproduce", "attempt mechanical",
        "invoke_agent fixpoint", "execute_tool bash", "execute_tool bash", "verify",
        "invoke_agent fixpoint",
    ]  # fmt: skip


def test_content_is_left_out_unless_asked_for() -> None:
    """Commands, and what tools said."""
    for with_content in (False, True):
        spans = spans_of(kept(STORY), with_content=with_content).values()
        written = str([data.attributes for data in spans])
        assert ("a.py" in written, "pip install" in written) == (with_content, with_content)


def test_waits_are_spans() -> None:
    """In the queue and for a person, until the next status."""
    statuses = ("queued", "running", "waiting", "done")
    events = [
        KeptEvent("run", n, BEGAN + timedelta(seconds=n), EventType.STATUS, {"status": status})
        for n, status in enumerate(statuses)
    ]
    waits = [(data.name, data.ended - data.began) for data in spans_of(events).values()]
    assert waits[:2] == [("waiting in the queue", 1), ("waiting for a person", 1)]


def test_attributes_have_the_names_of_the_conventions() -> None:
    """All that begin with `gen_ai`."""
    known = {value for value in vars(gen_ai_attributes).values() if isinstance(value, str)}
    ours = {value for value in vars(span).values() if str(value).startswith("gen_ai.")}
    assert len(ours) > 15
    assert ours <= known


@pytest.mark.slow
def test_without_a_collector_nothing_of_the_sdk_is_imported() -> None:
    """A server that traces nothing pays nothing for it."""
    program = (
        "import sys, bot.server.serve\n"
        "sys.exit(any(one.startswith(('opentelemetry.sdk', 'opentelemetry.exporter'))"
        " for one in sys.modules))"
    )
    assert subprocess.run((sys.executable, "-c", program), check=False).returncode == 0


def test_prometheus_takes_the_alert_rules(tmp_path: Path) -> None:
    """Its own tool reads them, and sees one fire."""
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed; it is a part of Debian's package prometheus")
    rules = MONITORING / "alerts.yml"
    tests = tmp_path / "tests.yml"
    tests.write_text(FIRING.format(rules=rules), encoding="utf-8")
    for command in (("check", "rules", str(rules)), ("test", "rules", str(tests))):
        done = subprocess.run((promtool, *command), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


FIRING = """\
rule_files: [{rules}]
tests:
  - interval: 1m
    input_series:
      - series: fixpoint_queue_oldest_seconds{{instance="a"}}
        values: 0 1900x30
      - series: fixpoint_model_call_seconds_count{{model="m",outcome="answered"}}
        values: 0+10x30
      - series: fixpoint_model_call_seconds_count{{model="m",outcome="ProviderOverloaded"}}
        values: 0+1x30
    promql_expr_test:
      - expr: ALERTS{{alertstate="firing"}}
        eval_time: 20m
        exp_samples:
          - labels: ALERTS{{alertname="FixpointQueueStuck",alertstate="firing",instance="a",severity="page"}}
            value: 1
"""
