"""Each part of the agent can be turned off by one line, and is shown where it was used."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from bot.config.repo_config import RepoConfig, parse
from bot.llm.anthropic_wire import request_head
from bot.llm.base import Ask, StopReason, ToolCall, ToolResult, Turn
from bot.model import Patch, Problem, Proposal, Usage
from bot.model.limits import Limits
from bot.model.plan import PlanStep, StepState
from bot.model.route import ModelStrength, Route
from bot.model.specification import Point, Specification
from bot.model.tool_rules import ToolRules
from bot.repair.preparation.config import configured_job
from bot.repair.proposers.agent.attempt_usage import WorkDone
from bot.repair.proposers.agent.transcript import MOST_CHARACTERS, Transcript
from bot.repair.proposers.agent.working_notes import WorkingNotes
from bot.reporting import final_report
from bot.reporting.reasons import agent
from tests.flows.agent_world import ScriptedModel, edit, says, world
from tests.unit.reports import GAVE_UP, MARK

PAGE = Path(__file__).parents[2] / "docs" / "repo-config.md"
ROWS = re.findall(
    r"^\| .+? \| `([^`]+)`[^|]*\| ([^|]+) \|$",
    PAGE.read_text().partition("## Parts of the agent")[2].partition("\n## ")[0],
    re.MULTILINE,
)
PARTS = [line for line, _ in ROWS]
SENTENCES = " ".join((PAGE.parent / "sentences.md").read_text().split())


def test_the_page_lists_parts() -> None:
    """The pattern above reads the table."""
    assert len(PARTS) > 20


@pytest.mark.parametrize("line", sorted(set(PARTS)))
def test_one_line_turns_a_part_off(line: str) -> None:
    """The config takes it, and it changes what a run is asked to do, unless that is the default."""
    config, plain = parse(line), RepoConfig()
    assert config != plain or line == "candidates: 1"


def test_every_switch_of_tools_is_on_the_page() -> None:
    """A part that is added without a line in the table is missed."""
    tools = {name for name, value in RepoConfig().tools if value is True}
    assert tools <= set(re.findall(r"tools: \{(\w+)", "\n".join(PARTS)))


def test_a_job_is_told_to_write_no_tests() -> None:
    """`test_first: false` reaches the run."""
    config = parse("test_first: false")
    assert not configured_job("r", Problem(), Limits(), config).test_first


@pytest.mark.parametrize("caching", [True, False])
def test_requests_mark_what_to_cache(*, caching: bool) -> None:
    """Behind the rules and behind the last block, or nowhere."""
    conversation = Transcript("rules", ("task",), (), cached=caching).conversation
    head = request_head(conversation, Ask(), "claude-opus-5-5")
    assert str(head).count("cache_control") == 2 * caching


@pytest.mark.parametrize("pruning", [True, False])
def test_a_long_conversation_is_shortened(*, pruning: bool) -> None:
    """Or left as it is, and the provider is not asked to do it either."""
    transcript = Transcript("rules", ("task",), (), prunes=pruning)
    for n in range(12):
        call = ToolCall(str(n), "bash", {"command": "make"})
        transcript.add_turn(Turn((call,), StopReason.TOOL_CALLS, "m", "p", Usage()))
        transcript.add_answer([ToolResult(str(n), "x" * (MOST_CHARACTERS // 10))])
        transcript.shorten_when_long()
    assert (transcript.pruned > 0, transcript.left_out > 0) == (pruning, pruning)
    assert (transcript.conversation.clear_beyond is not None) == pruning
    assert transcript.shorten() == pruning


@pytest.mark.parametrize("parallel", [True, False])
async def test_reads_of_one_turn_are_one_step(tmp_path: Path, *, parallel: bool) -> None:
    """Or one after the other; the report tells which it was."""
    story = world(tmp_path, tool_rules=ToolRules(parallel=parallel))
    model = ScriptedModel(says(edit("view", "app.txt"), edit("view", "app.txt")), says("Done."))
    proposal = await story.attempt(model)
    assert len(model.results) == 2
    assert (agent.read_together(2, 1) in proposal.used) == parallel


def report_of_everything() -> str:
    """Return the report of a run whose attempt used every part that leaves no other trace."""
    work = WorkDone("app.py:\n  1 def run\nlib.py:\n  1 def go")
    for name, times in (("search_code", 3), ("try_edits", 2), ("mcp__tickets__comment", 1)):
        for _ in range(times):
            work.count_call(ToolCall("1", name, {}))
    work.count_turn(Turn((), StopReason.END, "m", "p", Usage(), cleared=9_000))
    steps = (PlanStep("Find it", "", StepState.DONE), PlanStep("Mend it", "", StepState.TODO))
    notes = WorkingNotes(steps, ("It rounds twice.", "Only for negatives."))
    usage = Usage(input=100, cache_read=300, output=50)
    used = tuple(work.told(notes, usage, together=(4, 2), pruned=(1, 70_000)))
    proposal = Proposal(Patch(), "", "small-model", used=used)
    route = Route(ModelStrength.SMALL, reason="nothing makes the failure look hard", batch=1)
    attempt = replace(GAVE_UP.attempts[0], proposal=proposal, route=route)
    asked = Specification("Totals leave out the first price", (Point("`total([1, 3])` is 4."),))
    report = replace(GAVE_UP, attempts=(attempt,), specification=asked)
    return final_report.not_fixed(report, MARK)


def test_a_report_shows_what_an_attempt_used() -> None:
    """In one sentence."""
    assert (
        "- Attempt 1 used 6 tool calls (3 `search_code`, 2 `try_edits`, 1 "
        "`mcp__tickets__comment`), parallel reads (4 calls in 2 turns), "
        "a plan (1 of 2 steps done), 2 notes, a repository map (2 files), "
        "pruning (1 time, 70,000 characters left out), "
        "context editing (9,000 tokens left out by the provider) and "
        "the provider's cache (75% of its input tokens).\n"
    ) in report_of_everything()


@pytest.mark.parametrize("shown", sorted({shown for _, shown in ROWS}))
def test_what_a_report_shows_of_a_part_is_what_it_says(shown: str) -> None:
    """What the page quotes is among the sentences, and the sections that it names are too."""
    said = f"{' '.join(report_of_everything().split())} {SENTENCES}"
    quoted = re.findall(r'"([^"]+)"', shown)
    sections = re.findall(r"section \*([^*]+)\*", shown)
    assert quoted or sections
    for text in quoted:
        pattern = re.sub(r"\d[\d,]*", r"[\\d,]+", re.escape(text).replace(r"\.\.\.", ".*"))
        assert re.search(pattern, said), text
    for title in sections:
        assert f"### {title} " in said
