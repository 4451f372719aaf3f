"""Attempts of the agent, as stories: what the model does, what it is told, how it ends."""

from __future__ import annotations

import os
import pickle
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.errors import BudgetExhausted, ProviderUnreachable, RequestTooLong
from bot.llm.base import StopReason, Text, ToolCall
from bot.model import Limits, Usage
from bot.model.progress import Noticed, TurnFinished
from bot.model.route import ModelStrength, Route
from bot.model.tool_rules import ToolRules
from bot.repair.proposers.agent.budgeted_model import ModelTurn
from bot.repair.proposers.base import AttemptCutShort
from bot.reporting.reasons import agent
from tests.flows.agent_world import (
    FILES,
    FIX,
    JournaledSteps,
    Killed,
    Says,
    ScriptedModel,
    bash,
    characters,
    edit,
    notes,
    run_tests,
    says,
    search_code,
    world,
)


async def test_it_looks_edits_tests_and_sums_up(tmp_path: Path) -> None:
    """The plain story: the patch is what the tree gained, the summary the model's last words."""
    story = world(tmp_path)
    model = ScriptedModel(
        says("I look around.", bash("ls"), edit("view", "/workspace/app.txt")),
        says(FIX),
        says(run_tests()),
        says("The word was wrong. I made it right."),
    )
    proposal = await story.attempt(model)
    assert proposal.patch.text == snapshot("""\
--- app.txt
+++ app.txt
@@ -1 +1 @@
-wrong
+right
""")
    assert proposal.summary == "The word was wrong. I made it right."
    assert (proposal.model, proposal.ended) == ("scripted-1", "")
    assert proposal.usage == Usage(400, 40, cost_usd=Decimal("0.04"), calls=4)
    assert sum(story.spent, Usage()) == proposal.usage
    assert [event.action for event in story.events if isinstance(event, TurnFinished)] == snapshot(
        ["$ ls, read app.txt", "edit app.txt", "run the tests", "finish"]
    )
    assert [result.text for result in model.results] == snapshot(
        [
            "app.txt\ncheck.sh\n(exit code 0)",
            "1\twrong",
            "Changed /workspace/app.txt, now:\n1\tright",
            """\
`sh check.sh` passed.

Failures before any change: 1; still failing: 0.

It printed nothing.\
""",
        ]
    )


async def test_every_turn_only_appends_to_the_conversation(tmp_path: Path) -> None:
    """Prefixes stay equal from turn to turn, so that the provider reads them from its cache."""
    model = ScriptedModel(says(bash("ls")), says(FIX), says("Done."))
    await world(tmp_path).attempt(model)
    conversations = [conversation for conversation, _ in model.asked]
    for before, after in pairwise(conversations):
        assert (before.system, before.tools) == (after.system, after.tools)
        assert after.messages[: len(before.messages)] == before.messages


async def test_failures_come_back_one_by_one(tmp_path: Path) -> None:
    """`run_tests` tells what still fails, and what fails that did not before."""
    model = ScriptedModel(
        says(bash("echo 'echo FAIL: other; echo FAIL: app; exit 1' > check.sh"), run_tests()),
        says("I broke it."),
    )
    await world(tmp_path).attempt(model)
    assert model.results[-1].text == snapshot("""\
`sh check.sh` failed with exit code 1.

Failures before any change: 1; still failing: 1. Newly failing: other.

- other
  it is wrong

- app
  it is wrong\
""")


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        (ToolCall("", "fly", {}), "There is no tool fly. The tools are bash, "),
        (search_code(" "), "query must be one line of text."),
        (search_code("a\nb"), "query must be one line of text."),
        (search_code("a" * 1_001), "query is longer than 1000 characters."),
        (search_code("a", kind="fuzzy"), "kind must be symbol, text or outline, not 'fuzzy'."),
        (search_code("a", path="/etc"), "/etc is outside /workspace"),
        (notes(), "Give a plan, a note, or both."),
        (notes(plan="look"), "plan must be a list of objects."),
        (notes(plan=[{"step": " "}]), "step is empty."),
        (notes(plan=[{"step": "a", "status": "maybe"}]), "status must be todo, doing, done, not"),
        (notes(plan=[{"step": "a"}] * 21), "plan has more than 20 entries"),
        (
            ToolCall("", "try_edits", {"path": "a", "old_str": "a", "template": "", "holes": {"a": "b"}}),
            "holes must be an object with a list of texts for each hole.",
        ),
        (ToolCall("", "bash", {}), "command is required and must be a string."),
        (bash("echo \0"), "command contains a NUL character."),
        (bash("\ud800"), "half a character"),
        (bash("x" * 200_000), "too long"),
        (ToolCall("", "BashOutput", {"bash_id": "1"}), "Let it write to a file"),
        (ToolCall("", "read_mcp_resource", {}), "only the tools that you were given"),
        (ToolCall("", "AskUserQuestion", {}), "nobody can answer now"),
        (ToolCall("", "functions.spawn_agent", {}), "Do it yourself"),
        (ToolCall("", "web_search", {}), "the sandbox has no network"),
        (edit("view", "/etc/passwd"), "/etc/passwd is outside /workspace"),
        (edit("view", "../etc/passwd"), "outside /workspace"),
        (edit("view", "none.txt"), "/workspace/none.txt does not exist."),
        (edit("fly", "app.txt"), "There is no command 'fly'"),
        (edit("view", "app.txt", view_range=[1]), "view_range must be two whole numbers"),
        (edit("create", "app.txt/x", file_text=""), "/workspace/app.txt/x can't be accessed"),
        (edit("insert", "app.txt", insert_line=True, insert_text="x"), "a whole number"),
        (edit("create", ".github/workflows/ci.yml", file_text=""), "is protected"),
        (edit("create", "golden/a.txt", file_text=""), "is protected"),
    ],
)  # fmt: skip
async def test_a_call_that_cannot_be_used_is_answered(
    tmp_path: Path, call: ToolCall, answer: str
) -> None:
    """Bad input never ends an attempt: the model is told what is wrong with it."""
    story = world(tmp_path, protected=("golden/**",))
    model = ScriptedModel(says(call), says("So be it."))
    assert not (await story.attempt(model)).patch
    (result,) = model.results
    assert result.is_error
    assert answer in result.text


async def test_a_folder_is_listed_two_levels_deep(tmp_path: Path) -> None:
    """Hidden and vendored folders are left out."""
    files = dict.fromkeys(["a/b.txt", "a/c/d/e.txt", ".git/x", "node_modules/y", "z y.txt"], "")
    model = ScriptedModel(says(edit("view", "/workspace")), says("Seen."))
    await world(tmp_path, files).attempt(model)
    assert model.results[0].text.splitlines() == ["a/", "a/b.txt", "a/c/", "z y.txt"]


async def test_a_giant_file_is_left_to_the_shell(tmp_path: Path) -> None:
    """Neither a model nor a checkpoint gets a file of megabytes."""
    journal: list[tuple[str, object]] = []
    model = ScriptedModel(says(edit("view", "big.txt")), says("Big."))
    story = world(tmp_path, {"big.txt": "x" * 3_000_000})
    await story.attempt(model, steps=JournaledSteps(journal, 100))
    assert "is too large for this tool" in model.results[0].text
    assert len(pickle.dumps(journal)) < 10_000


async def test_long_output_keeps_head_and_tail(tmp_path: Path) -> None:
    """A flood of output reaches the model cut in the middle, with a note."""
    model = ScriptedModel(says(bash("seq 100000")), says("Much."))
    await world(tmp_path).attempt(model)
    text = model.results[0].text
    assert len(text) < 17_000
    assert text.startswith("1\n2\n")
    assert text.endswith("\n100000\n(exit code 0)")
    assert "characters omitted …" in text


async def test_going_round_in_circles_is_noticed_and_ended(tmp_path: Path) -> None:
    """The third equal result brings a word to the model, the fifth ends the attempt."""
    model = ScriptedModel(says(bash("echo took 0.$$ s")))
    proposal = await world(tmp_path).attempt(model)
    assert proposal.ended == agent.repeated(5)
    told = [
        [block.text for block in message.blocks if isinstance(block, Text)]
        for message in model.heard
    ]
    assert told[:2] == [[], []]
    assert all("the same result" in text for (text,) in told[2:])


async def test_testing_after_each_edit_is_no_repetition(tmp_path: Path) -> None:
    """Equal test results between different edits are work, not a circle."""
    lines = [
        says(edit("create", f"note{number}.txt", file_text="x"), run_tests()) for number in range(8)
    ]
    model = ScriptedModel(*lines, says("Enough."))
    assert (await world(tmp_path).attempt(model)).ended == ""


async def test_turns_run_out(tmp_path: Path) -> None:
    """The last turns are announced once; at the limit the attempt ends with what there is."""
    lines = [says(bash(f"echo {number}")) for number in range(20)]
    story = world(tmp_path, limits=Limits(turns=7))
    model = ScriptedModel(says(FIX), *lines)
    proposal = await story.attempt(model)
    assert proposal.ended == agent.turns_used(7)
    assert proposal.patch
    assert proposal.summary == agent.unfinished(["app.txt"])
    notes = [
        block.text for message in model.heard for block in message.blocks if isinstance(block, Text)
    ]
    assert notes == snapshot(
        [
            "5 turns are left. Get the work into its best state now: finish the edit, run the failing command, remove leftovers, and end with your summary."
        ]
    )


async def test_a_budget_that_runs_low_is_announced_once(tmp_path: Path) -> None:
    """With most of the money or time gone, the model is told to bring its work to an end."""
    lines = [Says([bash(f"echo {number}")], cost=Decimal("0.30")) for number in range(4)]
    for story, said in [
        (world(tmp_path, limits=Limits(cost_usd=Decimal("1.40"))), "Most of the budget is spent."),
        (world(tmp_path, limits=Limits(cost_usd=None, seconds=9_999)), "1000 seconds are left."),
    ]:
        model = ScriptedModel(*lines, says("Done."))
        await story.attempt(model)
        notes = [
            block.text
            for message in model.heard
            for block in message.blocks
            if isinstance(block, Text)
        ]
        assert [note.startswith(said) for note in notes] == [True]


async def test_a_cut_answer_is_continued_twice(tmp_path: Path) -> None:
    """Answers that hit their token limit before they did anything are continued, but not forever."""
    cut = says("I think and think", stop=StopReason.MAX_TOKENS)
    model = ScriptedModel(cut, cut, says(FIX), says("Done."))
    proposal = await world(tmp_path).attempt(model)
    assert (proposal.ended, bool(proposal.patch)) == ("", True)
    assert isinstance(model.heard[0].blocks[0], Text)
    assert "cut off at 16,000 tokens" in model.heard[0].blocks[0].text

    endless = await world(tmp_path).attempt(ScriptedModel(cut))
    assert endless.ended == agent.cut_off(3)


async def test_a_refusal_ends_the_attempt(tmp_path: Path) -> None:
    """A model that still declines a narrower task, and after a fresh start, is not argued with."""
    model = ScriptedModel(says("No.", stop=StopReason.REFUSAL))
    assert (await world(tmp_path).attempt(model)).ended == agent.DECLINED
    assert len(model.asked) == 3


async def test_no_call_is_made_when_the_budget_is_spent(tmp_path: Path) -> None:
    """Money, tokens and time are checked before the model is asked."""
    spent = Usage(input=500, cost_usd=Decimal(2))
    model = ScriptedModel(says("Hello."))
    for limits, now, reason in [
        (Limits(cost_usd=Decimal(2)), 0, "The budget of \\$2 is used up"),
        (Limits(cost_usd=None, tokens=500), 0, "The token budget of 500 is used up"),
        (Limits(cost_usd=None, seconds=60), 5_000, "The time budget of 60 s is used up"),
    ]:
        story = replace(world(tmp_path, limits=limits, spent=spent), now=now)
        with pytest.raises(BudgetExhausted, match=reason):
            await story.attempt(model)
    assert not model.asked


async def test_what_an_attempt_did_is_told_when_the_money_ends(tmp_path: Path) -> None:
    """Its patch, its model, what it noted and used; not only that the budget is used up."""
    story = world(tmp_path, limits=Limits(cost_usd=Decimal(1)))
    turns = says("I look first.", edit("str_replace", "app.txt", old_str="wrong", new_str="right"))
    with pytest.raises(AttemptCutShort, match="budget of \\$1 is used up") as cut:
        await story.attempt(ScriptedModel(replace(turns, cost=Decimal(2)), says("Done.")))
    proposal = cut.value.proposal
    assert (proposal.model, proposal.usage.cost_usd) == ("scripted-1", Decimal(2))
    assert b"+right" in proposal.patch.data
    assert "1 tool call" in proposal.used[0]
    assert "I look first." in proposal.summary


async def test_an_answer_that_outlasts_the_run_is_not_awaited(tmp_path: Path) -> None:
    """The model is cut short at the run's deadline."""
    story = replace(world(tmp_path), now=1_999.9)
    with pytest.raises(BudgetExhausted, match="ran out while the model was answering"):
        await story.attempt(ScriptedModel(Says(["Well ..."], seconds=60)))


async def test_a_tight_budget_gets_a_shorter_answer_first(tmp_path: Path) -> None:
    """A call that the money left does not cover is tried with fewer tokens before giving up."""
    price = Decimal("0.0001")
    story = world(tmp_path, limits=Limits(cost_usd=Decimal("0.90")))
    model = ScriptedModel(says("Done."), price_per_token=price)
    await story.attempt(model)
    assert model.asked[0][1].max_tokens == 8_000

    poor = world(tmp_path, limits=Limits(cost_usd=Decimal("0.30")))
    with pytest.raises(BudgetExhausted, match=r"could cost \$0\.4000"):
        await poor.attempt(model)


async def test_a_provider_that_fails_midway_leaves_the_patch(tmp_path: Path) -> None:
    """What was repaired before the outage is judged all the same; with nothing done it is raised."""
    down = Says(error=ProviderUnreachable("The model provider does not answer."))
    proposal = await world(tmp_path).attempt(ScriptedModel(says(FIX), down))
    assert proposal.ended == "The model provider does not answer."
    assert proposal.patch
    with pytest.raises(ProviderUnreachable):
        await world(tmp_path).attempt(ScriptedModel(says(bash("ls")), down))


async def test_a_conversation_that_is_too_long_is_shortened_once(tmp_path: Path) -> None:
    """Old tool output goes first, and the model is asked again."""
    too_long = Says(error=RequestTooLong("The conversation is too long."))
    flood = [says(bash(f"seq {number}000")) for number in range(5, 11)]
    model = ScriptedModel(*flood, too_long, says("Done."))
    proposal = await world(tmp_path).attempt(model)
    assert (proposal.ended, proposal.summary) == ("", "Done.")
    assert "characters of older output dropped" in model.results[0].text
    assert model.results[-1].text.endswith("10000\n(exit code 0)")


async def test_the_ask_carries_strength_model_and_effort(tmp_path: Path) -> None:
    """What the repo config and the ladder want reaches the provider."""
    story = world(tmp_path, route=Route(ModelStrength.STRONGER), model="big-1", effort="high")
    model = ScriptedModel(Says(["Done."], notes=("Fell back to b: a is overloaded.",)))
    proposal = await story.attempt(model)
    ask = model.asked[0][1]
    assert (ask.strength, ask.model, ask.effort) == (ModelStrength.STRONGER, "big-1", "high")
    assert proposal.notes == ("Fell back to b: a is overloaded.",)
    assert Noticed("Fell back to b: a is overloaded.") in story.events


async def test_an_empty_answer_is_asked_for_again(tmp_path: Path) -> None:
    """It ends nothing, and is not kept; a model that has nothing to say ends in the end."""
    model = ScriptedModel(says(bash("ls")), says(), says(FIX), says(" "), says("Done."))
    proposal = await world(tmp_path).attempt(model)
    assert (proposal.summary, proposal.patch.files) == ("Done.", ("app.txt",))
    told = [block.text for block in model.heard[0].blocks if isinstance(block, Text)]
    assert told == [
        "Your last answer was empty. Go on with the work; or, if it is done, answer with your summary."
    ]
    silent = ScriptedModel(says(FIX), says())
    proposal = await world(tmp_path / "silent").attempt(silent)
    assert (len(silent.asked), proposal.ended) == (4, "")
    assert proposal.patch


async def test_a_test_can_be_asked_for_instead_of_a_repair(tmp_path: Path) -> None:
    """The same loop writes a failing test when the task says so."""
    story = world(tmp_path, write_test=True)
    model = ScriptedModel(says(edit("create", "test_new.sh", file_text="exit 1\n")), says("Added."))
    proposal = await story.attempt(model)
    assert proposal.patch.files == ("test_new.sh",)
    assert model.asked[0][0].system.startswith("You write the tests that show a reported problem")


SCRIPT = (
    says(bash("echo one >> log.txt"), edit("view", "none.txt")),
    says(edit("insert", "app.txt", insert_line=1, insert_text="more")),
    says(FIX, run_tests()),
    says("Done."),
)


@pytest.mark.parametrize("lives", range(12))
async def test_a_killed_attempt_goes_on_where_it_was(tmp_path: Path, lives: int) -> None:
    """Killed behind any act: finished acts are not repeated, and the patch is the same."""
    journal: list[tuple[str, object]] = []
    story = world(tmp_path, limits=Limits(turns=10))
    model = ScriptedModel(*SCRIPT)
    with pytest.raises(Killed):
        await story.attempt(model, steps=JournaledSteps(journal, lives))
    finished = len(journal)
    journal = pickle.loads(pickle.dumps(journal))
    rest = ScriptedModel(*SCRIPT[_answered(journal) :])
    proposal = await story.attempt(rest, steps=JournaledSteps(journal, 100))
    assert finished == lives
    assert (tmp_path / "app.txt").read_text() == "right\nmore\n"
    assert proposal.summary == "Done."
    assert proposal.usage.calls == 4
    assert len({name for name, _ in journal}) == len(journal)


async def test_a_program_that_no_shell_finds_is_looked_for(tmp_path: Path) -> None:
    """Where projects keep theirs, and among Python's modules."""
    files = FILES | {"node_modules/.bin/lint": "#!/bin/sh\necho linted\n"}
    story = world(tmp_path, files)
    (tmp_path / "node_modules/.bin/lint").chmod(0o755)
    commands = ("lint app.txt", "no-such-program", "json.tool app.txt", "false")
    model = ScriptedModel(*(says(bash(command)) for command in commands), says("Done."))
    await story.attempt(model)
    told = [result.text for result in model.results]
    assert told[0].startswith("Note: lint is here as `node_modules/.bin/lint`.\n")
    assert told[0].endswith("(exit code 127)")
    assert told[1:] == [
        told[1].removeprefix("Note: "),
        told[2],
        "(no output)\n(exit code 1)",
    ]
    assert told[2].startswith("Note: json.tool is here as `python3 -m json.tool`.\n")


async def test_a_file_that_stays_broken_is_told_again(tmp_path: Path) -> None:
    """Until an edit mends it; then what it uses and lacks."""
    story = world(tmp_path, FILES | {"a.py": "def f(x):\n    return x\n"})
    edits = ("return x", "return (x", "return [x", "return mean(x)")
    model = ScriptedModel(
        *(says(edit("str_replace", "a.py", old_str=a, new_str=b)) for a, b in pairwise(edits)),
        says("Done."),
    )
    await story.attempt(model)
    notes = [result.text.rpartition("\n")[2] for result in model.results]
    broken = "Note: /workspace/a.py does not parse any more, from about line 2 on. Is that meant?"
    unknown = (
        "Note: /workspace/a.py uses `mean`, which it neither imports nor defines. Is that meant?"
    )
    assert notes == [broken, broken, unknown]


async def test_code_is_found_as_it_is_now(tmp_path: Path) -> None:
    """A search sees what the attempt has changed, and no index is out of date."""
    story = world(tmp_path, FILES | {"shop.py": "def total():\n    return 1\n"})
    model = ScriptedModel(
        says(edit("insert", "shop.py", insert_line=2, insert_text="print(total())")),
        says(
            search_code("total"),
            search_code("tot[a-z]+\\(\\)", kind="text"),
            search_code("(", kind="text"),
            search_code("TotAl"),
            search_code("", kind="outline", path="shop.py"),
            search_code("", kind="outline", path="note.txt"),
        ),
        says("Done."),
    )
    await story.attempt(model)
    assert [result.text for result in model.results[1:]] == snapshot(
        [
            """\
Defined (1):
shop.py:1-2: def total():

Used (1):
shop.py:3: print(total())\
""",
            """\
Found (2):
shop.py:1: def total():
shop.py:3: print(total())\
""",
            """\
(This is no regular expression, so it was looked for as it stands.)
Found (2):
shop.py:1: def total():
shop.py:3: print(total())\
""",
            """\
Nothing matches 'TotAl'. Names like it:

Found (2):
shop.py:1: def total():
shop.py:3: print(total())\
""",
            "1-2 def total():",
            "/workspace/note.txt does not exist.",
        ]
    )


SHOP = """\
v1 = 1

def total(x):
    return v1

class Cart:
    def add(self, item: int) -> None:
        raise ValueError("bad")
"""
OLD_GIT = """#!/bin/sh
for one in "$@"; do
  if [ "$one" = -P ]; then
    echo "fatal: cannot use Perl-compatible regexes when not compiled with USE_LIBPCRE" >&2
    exit 128
  fi
done
exec {git} "$@"
"""


@pytest.mark.parametrize("perl", [True, False], ids=["git with Perl's", "git without"])
async def test_patterns_are_those_that_models_write(
    *, perl: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Classes, groups and options of Perl; what is no pattern is looked for as it stands."""
    if not perl:
        git = tmp_path / "bin" / "git"
        git.parent.mkdir()
        git.write_text(OLD_GIT.format(git=shutil.which("git")))
        git.chmod(0o755)
        monkeypatch.setenv("PATH", f"{git.parent}:{os.environ['PATH']}")
    patterns = {
        r"v\d": [1, 4],
        r"\bv1\b": [1, 4],
        r"v[\d]+?": [1, 4],
        r"def \w+\(": [3, 7],
        r"raise\s+Value": [8],
        r"(?:def|class) \w+": [3, 6, 7],
        r"(?i)CART": [6],
        r"(?:x|item):": [7],
        "total(": [3],
        r"total\|Cart": [3, 6],
        "^class .*:$": [6],
    }
    searches = [search_code(pattern, kind="text") for pattern in patterns]
    model = ScriptedModel(
        says(*searches, search_code(r"class \w+"), search_code(r"a\nb", kind="text")), says("Done.")
    )
    await world(tmp_path / "work", FILES | {"shop.py": SHOP}).attempt(model)
    *texts, as_symbol, lines = [result.text for result in model.results]
    found = [[int(n) for n in re.findall(r"shop\.py:(\d+)", text)] for text in texts]
    assert dict(zip(patterns, found, strict=True)) == patterns
    assert "With | for alternatives:" in texts[-2]
    assert "As a regular expression (kind text):\n\nFound (1):\nshop.py:6: class Cart:" in as_symbol
    assert lines.endswith(r"Lines are searched one by one, so \n matches nothing.")


async def test_looks_of_one_turn_are_taken_together(tmp_path: Path) -> None:
    """Calls that only look and follow each other are one step; what changes something keeps its place."""
    journal: list[tuple[str, object]] = []
    model = ScriptedModel(
        says(
            edit("view", "app.txt"),
            edit("view", "none.txt"),
            edit("view", "."),
            FIX,
            edit("view", "app.txt"),
        ),
        says("Done."),
    )
    story = world(tmp_path)
    await story.attempt(model, steps=JournaledSteps(journal, 100))
    assert [name for name, _ in journal if "turn 1." in name] == snapshot(
        [
            "attempt 1: turn 1.1: look",
            "attempt 1: turn 1.4: read",
            "attempt 1: turn 1.4: write",
            "attempt 1: turn 1.5: look",
        ]
    )
    assert [result.text.splitlines()[0] for result in model.results] == snapshot(
        [
            "1\twrong",
            "/workspace/none.txt does not exist.",
            "app.txt",
            "Changed /workspace/app.txt, now:",
            "1\tright",
        ]
    )
    assert [result.call_id for result in model.results] == [f"call-1-{n}" for n in range(5)]


async def test_a_plan_is_shown_as_it_is_ticked_off(tmp_path: Path) -> None:
    """Those who watch see how far the agent is and what it does next."""
    find, mend = {"step": "find the cause", "check": "one sentence"}, {"step": "mend it"}
    model = ScriptedModel(
        says(notes(plan=[find | {"status": "doing"}, mend | {"status": "todo"}])),
        says(notes(plan=[find | {"status": "done"}, mend | {"status": "doing"}]), FIX),
        says(notes(note="app.txt is read once"), run_tests()),
        says("Done."),
    )
    story = world(tmp_path)
    await story.attempt(model)
    assert [event.action for event in story.events if isinstance(event, TurnFinished)] == snapshot(
        [
            "plan 0/2: find the cause",
            "plan 1/2: mend it, edit app.txt",
            "note: app.txt is read once, run the tests",
            "finish",
        ]
    )


async def test_two_hundred_turns_fit_a_small_context(tmp_path: Path) -> None:
    """Task, plan and notes stay in a window of 32,000 tokens; four results are the newest at least."""
    window = 32_000 * 7 // 2
    lines = "".join(f"{n} {'x' * 60}\n" for n in range(2_000))
    looks = [
        says(f"Look {n}.", edit("view", "big.txt", view_range=[n, n + 60]), *_changes(n))
        for n in range(1, 198)
    ]
    model = ScriptedModel(
        says(notes(note="the cause is in app.txt", plan=[{"step": "mend", "status": "todo"}])),
        *looks,
        says(FIX),
        says("Done."),
        window=window,
    )
    story = world(tmp_path, FILES | {"big.txt": lines}, limits=Limits(turns=210))
    proposal = await story.attempt(model)
    assert (proposal.ended, "app.txt" in proposal.patch.files) == ("", True)
    assert len(model.asked) == 200
    assert max(characters(asked) for asked, _ in model.asked) <= window
    last = model.asked[-1][0]
    task, told = last.messages[0].blocks
    assert (task, last.system) == (
        model.asked[0][0].messages[0].blocks[0],
        model.asked[0][0].system,
    )
    assert isinstance(told, Text)
    assert told.text.endswith("Your plan and notes:\n[ ] mend\n- the cause is in app.txt")
    assert proposal.findings == "- the cause is in app.txt"
    shortened = sum(
        after.messages[: len(before.messages)] != before.messages
        for (before, _), (after, _) in pairwise(model.asked)
    )
    assert shortened < 20, "the cached prefix is given up seldom"


def _changes(turn: int) -> list[ToolCall]:
    """Return an edit every other turn: what a model writes is not dropped, but folded away."""
    return [] if turn % 2 else [edit("create", "note.txt", file_text=f"{turn}\n" * 300)]


async def test_a_killed_attempt_still_knows_its_notes(tmp_path: Path) -> None:
    """Notes are taken down again from the turns that were kept."""
    looks = [says(bash(f"echo {n} {'x' * 3_000}")) for n in range(20)]
    lines = [says(notes(note="the cause is in app.txt")), *looks, says(FIX), says("Done.")]
    journal: list[tuple[str, object]] = []
    story = world(tmp_path)
    with pytest.raises(Killed):
        await story.attempt(ScriptedModel(*lines, window=30_000), steps=JournaledSteps(journal, 12))
    rest = ScriptedModel(*lines[_answered(journal) :], window=30_000)
    await story.attempt(rest, steps=JournaledSteps(journal, 100))
    told = rest.asked[-1][0].messages[0].blocks
    assert isinstance(told[1], Text)
    assert told[1].text.endswith("- the cause is in app.txt")


def _answered(journal: Sequence[tuple[str, object]]) -> int:
    """Return how many turns of the model are in a journal."""
    return sum(isinstance(kept, ModelTurn) for _, kept in journal)


@pytest.mark.parametrize("refer_back", [True, False])
async def test_what_the_model_has_in_sight_is_referred_to(
    tmp_path: Path, *, refer_back: bool
) -> None:
    """A command that is run again is told by what is new; the report says so, and config can stop it."""
    lines = "seq -f 'test_%g ... ok' 600"
    story = world(tmp_path, tool_rules=ToolRules(refer_back=refer_back))
    model = ScriptedModel(says(bash(lines)), says(FIX), says(bash(lines)), says("Done."))
    proposal = await story.attempt(model)
    first, _, again = [result.text for result in model.results]
    assert first.endswith("test_600 ... ok\n(exit code 0)")
    if refer_back:
        assert again == (
            "test_1 ... ok\n(… the same result as 2 turns ago: it is above …)\n(exit code 0)"
        )
        assert proposal.notes == (agent.told_shorter(1, len(first) - len(again)),)
    else:
        assert again == first
        assert proposal.notes == ()
