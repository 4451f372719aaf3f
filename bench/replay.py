"""Replay public tool-call traces against the agent's tools: what is answered usefully, what is not.

Each call is made in the order of its trajectory, in a real sandbox with what the trajectory shows
of the repository. An answer is useful when the tool did what was asked, or refuses what the
original environment refused too, or says which call to make instead. What only that environment
had (a package, a server) can't be compared: the command ran, and that counts.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.trajectories import RecordedCall, Trajectory
from bot.llm.base import ToolCall, ToolResult
from bot.model import Cause, Commands, Limits, Observation, Problem, Reproduction, Usage
from bot.model.deadline import RunLimits, StopSign
from bot.model.progress import silent
from bot.model.steps import PlainSteps
from bot.repair.proposers.agent.foreign_arguments import Open
from bot.repair.proposers.agent.foreign_tool_names import ENDS
from bot.repair.proposers.agent.model_turn import read_as_ours
from bot.repair.proposers.agent.tools import Toolbox
from bot.repair.proposers.base import Task
from bot.repair.workspace.workbench import SandboxWorkbench
from sandbox.base import WORKSPACE, Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.git import EMPTY_TREE, ObjectStore

_NOT_FOUND = re.compile(r"\(exit code 127\)$")
_ORIGINAL_REFUSED = re.compile(
    r"introduced new syntax error|not found|No file open|already exists|Usage:|Traceback|"
    r"No replacement|multiple occurrences|not unique|must be|Command '?\w+'? not found",
    re.IGNORECASE,
)
_SHOWN_LINES = re.compile(r"^\s*\d+[:\t].*$", re.MULTILINE)
_INSTEAD = re.compile(
    r"answer without calling a tool|sandbox has no network|with bash later|only the tools that you were given|"
    r"Decide by the task|Do it yourself|closest match|Use str_replace|use str_replace|add surrounding"
)
_TOLD = re.compile(r"does not parse any more|neither imports nor defines")
"""SWE-agent calls both a syntax error."""
_WORDS = re.compile(r"[A-Za-z_]\w{4,}")
_LIKE = 0.6
"""Share of the words that the original answer showed of a file, and ours shows too."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a call was answered: whether that is of use, and which kind of answer it is."""

    useful: bool
    kind: str


def judged(call: RecordedCall, ours: ToolCall, result: ToolResult) -> Verdict:
    """Compare our answer with the original one."""
    if call.name.lower() in ENDS:
        return Verdict(_INSTEAD.search(result.text) is not None, "the end: told how to end here")
    if result.is_error:
        if _ORIGINAL_REFUSED.search(_SHOWN_LINES.sub("", call.answer)):
            return Verdict(useful=True, kind="refused, as by the original")
        if _INSTEAD.search(result.text):
            return Verdict(useful=True, kind="refused, with what to do instead")
        unknown = result.text.startswith("There is no tool ")
        return Verdict(
            useful=False, kind="a tool that only the original has" if unknown else "refused"
        )
    return _done(call, ours, result)


def _done(call: RecordedCall, ours: ToolCall, result: ToolResult) -> Verdict:
    """Compare the answer to a call that was made."""
    if ours.name == "bash":
        missing = _NOT_FOUND.search(result.text) is not None
        kind = "a program that only the original has" if missing else "command ran"
        return Verdict(not missing, kind)
    if ours.name != "str_replace_based_edit_tool":
        return Verdict(useful=True, kind="searched or noted")
    if "syntax error" in call.answer:
        return Verdict(_TOLD.search(result.text) is not None, "edit: its error told")
    return Verdict(_alike(call.answer, result.text), "file shown or changed alike")


def _alike(original: str, ours: str) -> bool:
    """Whether our answer has most words that the original showed around what was asked for."""
    lines = [line for line in original.splitlines() if re.match(r"\s*\d+[:\t]", line)]
    wanted = Counter(_WORDS.findall("\n".join(lines)))
    shown = set(_WORDS.findall(ours))
    return not wanted or sum(word in shown for word in wanted) >= _LIKE * min(
        len(wanted), len(shown) or 1
    )


async def replayed(trajectory: Trajectory, folder: Path) -> list[tuple[RecordedCall, Verdict]]:
    """Make every call of a trajectory, and judge the answers."""
    source = folder / "source"
    source.mkdir(parents=True)
    for path, text in trajectory.files.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text)
    store = ObjectStore(folder / "git")
    await store.create()
    provider = BubblewrapProvider(folder / "sandboxes")

    async def opener(name: str) -> Sandbox:
        return await provider.open(SandboxSpec(name=name, source=source))

    limits = RunLimits(time.time() + 3600, StopSign())
    workbench = SandboxWorkbench(
        "replay", opener, store, await store.write_tree(source, base=EMPTY_TREE),
        run_limits=limits, listener=silent, command_seconds=60,
    )  # fmt: skip
    tools = Toolbox(_task(), workbench, workbench.remembering(PlainSteps()))
    opened, found = Open(), []
    try:
        for number, call in enumerate(trajectory.calls, start=1):
            here = {name: _here(value, trajectory.root) for name, value in call.given.items()}
            ours, opened = read_as_ours(ToolCall(f"c{number}", call.name, here), opened)
            verdicts = [
                judged(call, used.call, used.result)
                async for used in tools.use(ours, f"turn {number}", time.time())
            ]
            found.append((call, next((v for v in verdicts if not v.useful), verdicts[-1])))
    finally:
        await workbench.close()
        await provider.close()
    return found


def _here(value: object, root: str) -> object:
    match value:
        case str():
            return value.replace(root, WORKSPACE)
        case list():
            return [_here(item, root) for item in value]
        case dict():
            return {name: _here(key, root) for name, key in value.items()}
        case _:
            return value


def _task() -> Task:
    return Task(
        n=1,
        problem=Problem(),
        commands=Commands((), "true", "true"),
        reproduction=Reproduction(Cause.REAL, Observation("true", 1)),
        earlier=(),
        limits=replace(Limits(), command_seconds=60.0),
        spent=Usage(),
        deadline=time.time() + 3600,
    )


async def all_replayed(
    trajectories: Sequence[Trajectory],
) -> Sequence[tuple[Trajectory, list[tuple[RecordedCall, Verdict]]]]:
    """Replay every trajectory."""
    done = []
    with tempfile.TemporaryDirectory(prefix="fixpoint-bench-") as folder:
        for number, trajectory in enumerate(trajectories):
            done.append((trajectory, await replayed(trajectory, Path(folder) / str(number))))
    return done
