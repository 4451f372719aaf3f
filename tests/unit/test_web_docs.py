"""What the documentation says of the API and of metrics is what they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ruamel.yaml import YAML

from bot.model.events import EventType
from bot.settings.environment import ServerSettings, variable_of
from bot.telemetry.metrics import Metrics
from bot.web.api.artifact_operations import ArtifactOperations
from bot.web.api.figure_operations import FigureOperations
from bot.web.api.memory_operations import MemoryOperations
from bot.web.api.run_operations import RunOperations
from bot.web.api.server_operations import ServerOperations
from bot.web.api.service import Api
from bot.web.api.session_operations import SessionOperations
from bot.web.api.tool_operations import ToolOperations

DOCS = Path(__file__).parents[2] / "docs"


def test_every_metric_is_in_the_table() -> None:
    """With its kind and its meaning; and no other is there."""
    rows = re.findall(
        r"^\| `(fixpoint_\w+)` \| (\w+) \| .* \| (.*) \|$",
        (DOCS / "observability.md").read_text("utf-8"),
        re.MULTILINE,
    )
    ending = {"counter": "_total", "info": "_info"}
    assert rows == [
        (f"{metric.name}{ending.get(metric.type, '')}", metric.type, metric.documentation)
        for metric in Metrics().registry.collect()
        if metric.name.startswith("fixpoint_")  # `process_` is prometheus_client's own
    ]


def test_every_event_is_in_the_table() -> None:
    """In the order of the enumeration."""
    text = (DOCS / "api.md").read_text("utf-8").partition("## Events")[2]
    assert re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE) == [
        event_type.value for event_type in EventType
    ]


def test_every_operation_is_in_the_table() -> None:
    """In the order in which the API lists them."""
    operations = Api(
        RunOperations.__new__(RunOperations),
        ArtifactOperations.__new__(ArtifactOperations),
        SessionOperations.__new__(SessionOperations),
        FigureOperations.__new__(FigureOperations),
        MemoryOperations.__new__(MemoryOperations),
        ToolOperations.__new__(ToolOperations),
        ServerOperations.__new__(ServerOperations),
    ).operations()
    rows = re.findall(r"^\| `(\w+) (/\S+)` \|", (DOCS / "api.md").read_text("utf-8"), re.MULTILINE)
    assert rows == [(operation.method, operation.path) for operation in operations]


def test_monitoring_names_what_is_exported() -> None:
    """Rules and dashboard ask for no metric that is not there, and rules say what to do."""
    samples = set()
    for family in Metrics().registry.collect():
        endings = {
            "counter": ("_total",),
            "info": ("_info",),
            "histogram": ("_bucket", "_count", "_sum"),
        }
        samples |= {f"{family.name}{ending}" for ending in endings.get(family.type, ("",))}
    for file in ("alerts.yml", "grafana.json"):
        text = (DOCS / "monitoring" / file).read_text("utf-8")
        asked = set(re.findall(r"\bfixpoint_\w+", text))
        assert asked
        assert asked <= samples
    rules = YAML(typ="safe").load((DOCS / "monitoring" / "alerts.yml").read_text("utf-8"))
    for rule in rules["groups"][0]["rules"]:
        assert rule["annotations"].keys() == {"summary", "runbook"}
    known = {variable_of(name) for name in ServerSettings.model_fields}
    named = set(re.findall(r"FIXPOINT_[A-Z_]+", json.dumps(rules)))
    assert named <= known
