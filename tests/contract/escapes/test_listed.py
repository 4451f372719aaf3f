"""docs/attacks.md lists what is tried, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import tests
from bot.model.guard_rules import RULES
from tests.contract.escapes import inside
from tests.contract.escapes.host import host
from tests.flows.injections import INJECTIONS

ROOT = Path(tests.__file__).parent.parent
PAGE = (ROOT / "docs" / "attacks.md").read_text("utf-8")
PLACES = re.compile(r"^(service on|metadata of a cloud).*")
"""The places that follow depend on the machine, or are listed in words."""


async def test_every_attempt_is_listed(tmp_path: Path) -> None:
    """By its name, in quotes."""
    async with host(tmp_path / "host") as place:
        kinds = (inside.readings, inside.touches, inside.kernel_calls, inside.connections)
        made = {PLACES.sub(r"\1", attempt.name) for kind in kinds for attempt in kind(place)}
    escapes = PAGE.partition("## Guards")[0]
    assert set(re.findall(r'"([^"]+)"', escapes)) == made


def test_every_named_test_is_there() -> None:
    """Functions and files."""
    listed = set(re.findall(r"`(test_\w+)`", PAGE))
    files = set(re.findall(r"`((?:tests/\w+/)?test_\w+\.py)`", PAGE))
    sources = "".join(file.read_text("utf-8") for file in (ROOT / "tests").rglob("test_*.py"))
    assert {name for name in listed if f"def {name}(" not in sources} == set()
    places = {name if "/" in name else f"tests/unit/{name}" for name in files}
    assert {name for name in places if not (ROOT / name).is_file()} == set()


def test_every_rule_is_listed() -> None:
    """Each with the cheat that it finds, and with tests that name it."""
    guards = PAGE.partition("## Guards")[2].partition("## Injections")[0]
    rows = [line.split("|")[1:-1] for line in guards.splitlines() if line.startswith("| ")]
    unshown = {
        rule for _, rules, files in rows for rule in rules_in(rules) if rule not in sources(files)
    }
    assert unshown == set()
    assert {rule for _, rules, _ in rows for rule in rules_in(rules)} == set(RULES)


def rules_in(cell: str) -> list[str]:
    """Return the rules that a cell names."""
    return [name for name in re.findall(r"`([a-z-]+)`", cell) if name in RULES]


def sources(cell: str) -> str:
    """Return the text of the files that a cell names."""
    files = re.findall(r"`([^`]+\.py)`", cell)
    places = [name if "/" in name else f"tests/unit/{name}" for name in files]
    return "".join((ROOT / name).read_text("utf-8") for name in places)


def test_every_injection_is_counted() -> None:
    """The table's numbers are those of the corpus."""
    table = PAGE.partition("## Injections")[2]
    counts = [int(number) for number in re.findall(r"\| (\d+) \|", table)]
    assert sum(counts) == len(INJECTIONS)
    assert table.strip().startswith(f"{len(INJECTIONS)} texts")
