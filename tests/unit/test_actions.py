"""Tool calls as a model makes them: read, or answered with what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.base import ToolCall, ToolResult
from bot.repair.proposers.agent.action_words import in_words
from bot.repair.proposers.agent.actions import (
    Action,
    Bash,
    Restart,
    RunTests,
    read_action,
)
from bot.repair.proposers.agent.edit_tool import Create, EditRejected, Insert, StrReplace, View
from bot.repair.proposers.agent.stuck_model import Repetition

EDIT = "str_replace_based_edit_tool"
KEYS = ("command", "path", "view_range", "file_text", "old_str", "new_str", "insert_line",
        "insert_text", "restart")  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
VALUES = JSON | st.sampled_from(
    ["view", "create", "str_replace", "insert", "/workspace/a", "9" * 9]
)


@pytest.mark.parametrize(
    ("name", "fields", "action"),
    [
        ("bash", {"command": "ls"}, Bash("ls")),
        ("bash", {"restart": True}, Restart()),
        ("bash", {"restart": True, "command": "ls"}, Bash("ls")),
        ("run_tests", {}, RunTests(None)),
        ("run_tests", {"command": None}, RunTests(None)),
        ("run_tests", {"command": "pytest a.py"}, RunTests("pytest a.py")),
        (EDIT, {"command": "view", "path": "/workspace"}, View("/workspace")),
        (EDIT, {"command": "view", "path": "a/../b"}, View("/workspace/b")),
        (
            EDIT,
            {"command": "view", "path": "a", "view_range": [3, -1]},
            View("/workspace/a", 3, None),
        ),
        (EDIT, {"command": "create", "path": "a", "file_text": ""}, Create("/workspace/a", "")),
        (
            EDIT,
            {"command": "str_replace", "path": "a", "old_str": "x", "view_range": None},
            StrReplace("/workspace/a", "x", ""),
        ),
        (
            EDIT,
            {"command": "insert", "path": "a", "insert_line": "3", "insert_text": "x"},
            Insert("/workspace/a", 3, "x"),
        ),
        (
            EDIT,
            {"command": "insert", "path": "a", "insert_line": 3, "new_str": "x"},
            Insert("/workspace/a", 3, "x"),
        ),
    ],
)
def test_calls_are_read(name: str, fields: dict[str, Any], action: Action) -> None:
    """Nulls, numbers as text and names of older tool versions are understood."""
    assert read_action(ToolCall("1", name, fields)) == action


@given(
    st.sampled_from(["bash", EDIT, "run_tests", "other"]),
    st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6),
)
def test_no_input_is_an_exception(name: str, fields: dict[str, Any]) -> None:
    """Whatever JSON a model writes is an action or a sentence, and has a name for people."""
    call = ToolCall("1", name, fields)
    action = read_action(call)
    if isinstance(action, EditRejected):
        assert action.text
    assert 0 < len(in_words(call)) <= 80


def test_actions_have_a_few_words_for_people() -> None:
    """One short line each, whatever the model wrote."""
    assert in_words(ToolCall("1", "bash", {"command": "a\n  b"})) == "$ a b"
    assert in_words(ToolCall("1", "bash", {"command": "a" * 999})).endswith("…")
    assert in_words(ToolCall("1", EDIT, {"command": "view", "path": "a/b.py"})) == "read a/b.py"
    assert in_words(ToolCall("1", "fly", {})) == "fly (invalid call)"


def test_circles_of_several_actions_are_counted() -> None:
    """Two actions in turn are a circle as well; anything new begins a new count."""
    repetition = Repetition()

    def count(command: str, output: str = "") -> int:
        return repetition.count(
            ToolCall("1", "bash", {"command": command}), ToolResult("1", output)
        )

    assert [count("a"), count("b"), count("a"), count("b"), count("a")] == [1, 1, 1, 2, 2]
    assert [count("b"), count("a"), count("new"), count("a")] == [3, 3, 1, 1]
    assert [count("t", "ok in 0.1s"), count("t", "ok in 0.2s")] == [1, 2]
    assert count("t", "failed") == 1
