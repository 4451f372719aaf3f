"""A task, a model that says what it is told to say, and a workbench on a plain folder."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

from bot.errors import RequestTooLong
from bot.llm.base import (
    Ask,
    Block,
    Conversation,
    Message,
    Model,
    StopReason,
    Text,
    ToolCall,
    ToolResult,
    Turn,
)
from bot.model import (
    Cause,
    Commands,
    Failure,
    Limits,
    Observation,
    Patch,
    Problem,
    Proposal,
    Reproduction,
    Usage,
)
from bot.model.money.accounts import Amount
from bot.model.progress import Progress
from bot.model.steps import PlainSteps, Steps
from bot.repair.proposers.agent import AgentProposer
from bot.repair.proposers.base import Task
from bot.repair.workspace.base import Workbench
from sandbox.base import WORKSPACE, CommandResult

T = TypeVar("T")

FAILING = "sh check.sh"
"""Passes when `app.txt` says right."""

FILES = {
    "app.txt": "wrong\n",
    "check.sh": "grep -qx right app.txt || { echo FAIL: app; exit 1; }\n",
}


def bash(command: str) -> ToolCall:
    return ToolCall("", "bash", {"command": command})


def edit(command: str, path: str, **fields: object) -> ToolCall:
    return ToolCall("", "str_replace_based_edit_tool", {"command": command, "path": path, **fields})


def run_tests(**fields: object) -> ToolCall:
    return ToolCall("", "run_tests", fields)


def notes(**fields: object) -> ToolCall:
    return ToolCall("", "notes", fields)


def search_code(query: str, **fields: object) -> ToolCall:
    return ToolCall("", "search_code", {"query": query, **fields})


FIX = edit("str_replace", "app.txt", old_str="wrong", new_str="right")


@dataclass
class Says:
    """One answer of the model: text and tool calls, or an error in their place."""

    blocks: Sequence[Block | str] = ()
    stop: StopReason | None = None
    error: Exception | None = None
    cost: Decimal = Decimal("0.01")
    notes: tuple[str, ...] = ()
    seconds: float = 0.0


def says(*blocks: Block | str, stop: StopReason | None = None) -> Says:
    return Says(blocks, stop)


class ScriptedModel:
    """Says its lines in order, and the last one for ever; keeps what it was asked.

    Args:
        lines: What it says.
        price_per_token: Of its answers; None when no price is known.
        window: The most characters that it can be asked.
    """

    name = "scripted"

    def __init__(
        self, *lines: Says, price_per_token: Decimal | None = None, window: int = 10**9
    ) -> None:
        self._lines = lines
        self._price = price_per_token
        self._window = window
        self.asked: list[tuple[Conversation, Ask]] = []

    async def respond(self, conversation: Conversation, ask: Ask) -> Turn:
        if characters(conversation) > self._window:
            raise RequestTooLong("The conversation is too long.")
        line = self._lines[min(len(self.asked), len(self._lines) - 1)]
        self.asked.append((conversation, ask))
        await asyncio.sleep(line.seconds)
        if line.error is not None:
            raise line.error
        number = len(self.asked)
        blocks = tuple(
            Text(block)
            if isinstance(block, str)
            else replace(block, id=f"call-{number}-{position}")
            if isinstance(block, ToolCall)
            else block
            for position, block in enumerate(line.blocks)
        )
        calls = any(isinstance(block, ToolCall) for block in blocks)
        stop = line.stop or (StopReason.TOOL_CALLS if calls else StopReason.END)
        usage = Usage(input=100, output=10, cost_usd=line.cost, calls=1)
        return Turn(blocks, stop, "scripted-1", "scripted", usage, line.notes)

    def worst_case(self, conversation: Conversation, ask: Ask) -> Amount:
        del conversation
        return Amount(None if self._price is None else self._price * ask.max_tokens)

    async def warm(self) -> None:
        pass

    async def close(self) -> None:
        pass

    @property
    def heard(self) -> list[Message]:
        """What the model was told after the opening, by the last question."""
        return [message for message in self.asked[-1][0].messages[1:] if message.role == "user"]

    @property
    def results(self) -> list[ToolResult]:
        """Every tool result that it was given."""
        return [
            block
            for message in self.heard
            for block in message.blocks
            if isinstance(block, ToolResult)
        ]


def characters(conversation: Conversation) -> int:
    """Return about how long a conversation is."""
    said = [block for message in conversation.messages for block in message.blocks]
    return len(conversation.system) + sum(
        len(str(block.input)) if isinstance(block, ToolCall) else len(block.text)
        for block in said
        if isinstance(block, ToolCall | ToolResult | Text)
    )


class FolderWorkbench:
    """A `Workbench` that keeps its promises on a folder of this machine, without walls."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = self._files()
        self.did: list[str] = []

    async def run(self, command: str, timeout: float) -> CommandResult:
        self.did.append(f"run {command}")
        process = await asyncio.create_subprocess_shell(
            command.replace(WORKSPACE, str(self._folder)),
            cwd=self._folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await asyncio.wait_for(process.communicate(), timeout)
        code = process.returncode or 0
        return CommandResult(code, output.decode("utf-8", "replace"), 0, 0.01)

    async def observe(self, command: str) -> Observation:
        result = await self.run(command, 30)
        failing = tuple(
            Failure(line.removeprefix("FAIL: "), message="it is wrong")
            for line in result.output.splitlines()
            if line.startswith("FAIL: ")
        )
        return Observation(command, result.exit_code, failing, output=result.output)

    async def watch(self, command: str) -> Observation:
        return await self.observe(command)

    async def untouched(self, paths: tuple[str, ...]) -> dict[str, bytes]:
        return {path: self._before[path].encode() for path in paths if path in self._before}

    async def read_file(self, path: str) -> bytes:
        self.did.append(f"read {path}")
        return self._on_disk(path).read_bytes()

    async def write_file(self, path: str, data: bytes) -> None:
        self.did.append(f"write {path}")
        place = self._on_disk(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)

    async def patch(self) -> Patch:
        after = self._files()
        names = sorted(
            name
            for name in self._before.keys() | after.keys()
            if self._before.get(name) != after.get(name)
        )
        lines: list[str] = []
        for name in names:
            old, new = self._before.get(name, ""), after.get(name, "")
            lines += difflib.unified_diff(
                old.splitlines(keepends=True), new.splitlines(keepends=True), name, name
            )
        return Patch("".join(lines).encode(), tuple(names))

    def _on_disk(self, path: str) -> Path:
        return self._folder / Path(path).relative_to(WORKSPACE)

    def _files(self) -> dict[str, str]:
        return {
            str(path.relative_to(self._folder)): path.read_text("utf-8", "replace")
            for path in self._folder.rglob("*")
            if path.is_file()
        }


class JournaledSteps:
    """Steps that survive their process: results are kept by position, as a durable engine does.

    Args:
        journal: What is finished: names and results (or errors). Pass it on to the next life.
        lives: How many more steps finish before this life ends with `Killed`, in the moment
            between the act and its checkpoint.
    """

    lasting = True

    def __init__(self, journal: list[tuple[str, object]], lives: int) -> None:
        self._journal = journal
        self._lives = lives
        self._position = 0

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        if self._position < len(self._journal):
            kept_name, kept = self._journal[self._position]
            assert name == kept_name, "a replay must walk the same way"
            self._position += 1
            if isinstance(kept, Exception):
                raise kept
            return kept  # type: ignore[return-value] # the journal holds what this act returned
        outcome: T | Exception
        try:
            outcome = await act(*args)
        except Exception as error:  # noqa: BLE001 - whatever the act raises is its outcome
            outcome = error
        if self._lives == 0:
            raise Killed
        self._lives -= 1
        self._position += 1
        self._journal.append((name, outcome))
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    light = __call__


class Killed(BaseException):
    """The process ends here."""


@dataclass
class World:
    """One attempt, ready to be made."""

    folder: Path
    workbench: FolderWorkbench
    task: Task
    events: list[Progress] = field(default_factory=list)
    spent: list[Usage] = field(default_factory=list)
    now: float = 1_000.0

    async def attempt(
        self,
        model: Model,
        *,
        steps: Steps | None = None,
        workbench: Workbench | None = None,
    ) -> Proposal:
        proposer = AgentProposer(model, clock=lambda: self.now)
        return await proposer.propose(
            self.task,
            workbench or self.workbench,
            steps or PlainSteps(),
            self.events.append,
            self.spent.append,
        )


def world(folder: Path, files: dict[str, str] | None = None, **task: object) -> World:
    """Return a world with these files, and a task to make `FAILING` pass."""
    for name, content in (files or FILES).items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    failing = Observation(
        FAILING, 1, (Failure("app", message="it is wrong"),), output="FAIL: app\n"
    )
    plain = Task(
        n=1,
        problem=Problem("It is wrong", "It should be right."),
        commands=Commands((), FAILING, FAILING),
        reproduction=Reproduction(Cause.REAL, failing),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=2_000.0,
    )
    return World(folder, FolderWorkbench(folder), replace(plain, **task))  # type: ignore[arg-type] # fields by name
