"""Read calls as models know them from other harnesses as calls of our tools.

A model that was trained with other tools calls them by habit, or ours with their arguments. What is
meant is clear most of the time; where it is not, the answer says which call would be.

The names are those of SWE-agent (https://swe-agent.com/latest/config/tools/), OpenHands, Claude
Code, Codex, Gemini CLI and Anthropic's earlier editors.
"""

from __future__ import annotations

from dataclasses import replace

from bot.llm.base import ToolCall
from bot.repair.proposers.agent.actions import EDIT, OWN
from bot.repair.proposers.agent.foreign_arguments import Given, Open, each, readable
from bot.repair.proposers.agent.foreign_call_kinds import meant_by


def read_as_ours(call: ToolCall, opened: Open) -> tuple[list[ToolCall], Open]:
    """Return the calls of ours that are meant, the call itself where none is, and what is open then.

    A call means several where it is about several files: the first keeps its id, the others get it
    with a number.
    """
    name = call.name.rsplit(".", 1)[-1].lower() if call.name not in OWN else call.name
    arguments, before = readable(call), opened
    calls: list[ToolCall] = []
    for entry in each(arguments):
        given = Given(entry, opened)
        ours = meant_by(name, given)
        if not ours:
            return [replace(call, input=arguments)], before
        for tool, values in ours:
            identity = f"{call.id}_{len(calls) + 1}" if calls else call.id
            calls.append(replace(call, id=identity, name=tool, input=values))
            opened = _opened(calls[-1], opened)
        first, last = given.number("start_line"), given.number("end_line")
        if name == "set_cursors" and first and last:
            opened = replace(opened, lines=(first, last))
    return calls, opened


def _opened(call: ToolCall, before: Open) -> Open:
    if call.input.get("command") == "create":
        before = Open()
    path, lines = call.input.get("path"), call.input.get("view_range")
    if call.name != EDIT or not isinstance(path, str):
        return before
    match lines:
        case [int(first), _]:
            return replace(before, path=path, first=first)
        case _:
            return replace(before, path=path)
