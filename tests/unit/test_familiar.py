"""Calls as models know them from elsewhere, and arguments that are not quite JSON."""

from __future__ import annotations

from typing import Any

import pytest

from bot.llm.base import ToolCall
from bot.llm.reply import UNREADABLE_INPUT
from bot.model.plan import PlanStep, StepState
from bot.repair.proposers.agent.actions import Bash, read_action
from bot.repair.proposers.agent.code_grep import SearchCode, SearchKind
from bot.repair.proposers.agent.edit_tool import (
    Create,
    EditRejected,
    Insert,
    ReplaceLines,
    StrReplace,
    View,
)
from bot.repair.proposers.agent.foreign_arguments import Open
from bot.repair.proposers.agent.model_turn import read_as_ours
from bot.repair.proposers.agent.working_notes import TakeNotes

A = "/workspace/a.py"
PATCH = """\
*** Begin Patch
*** Update File: a.py
@@ def f():
     x = 1
-    return x
+    return x + 1
@@
-y = 2
*** End Patch"""
PATCHED = StrReplace(A, "    x = 1\n    return x", "    x = 1\n    return x + 1", (("y = 2", ""),))


SEVERAL = """\
*** Begin Patch
*** Add File: new.py
+x = 1
*** Update File: a.py
@@
-y = 2
+y = 3
*** Delete File: it's old.py
*** Update File: b.py
*** Move to: lib/c.py
@@
-z = 1
+z = 2
*** Update File: d.py
*** Move to: e.py
*** End Patch
"""


def meant(name: str, opened: Open | None = None, **given: Any) -> object:
    (call,), _ = read_as_ours(ToolCall("1", name, given), opened or Open())
    return read_action(call)


def unreadable(text: str) -> object:
    call = ToolCall("1", "bash", {UNREADABLE_INPUT: text})
    (ours,), _ = read_as_ours(call, Open())
    return read_action(ours)


@pytest.mark.parametrize(
    ("call", "action"),
    [
        (("execute_bash", {"command": "ls"}), Bash("ls")),
        (("shell", {"command": ["bash", "-lc", "ls | wc"]}), Bash("ls | wc")),
        (("shell", {"cmd": ["ls", "a b"]}), Bash("ls 'a b'")),
        (("Bash", {"command": "ls", "description": "List"}), Bash("ls")),
        (("run_commands", {"commands": ["ls", "git status"]}), Bash("ls\ngit status")),
        (("read_files", {"files": [{"path": "a.py", "start_line": 2, "end_line": 4}]}), View(A, 2, 4)),
        (("multiedit", {"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}]}), StrReplace(A, "a", "b")),
        (
            ("MultiEdit", {"file_path": "a.py", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "c"}]}),
            StrReplace(A, "a", "b", (("c", ""),)),
        ),
        (("apply_patch", {"input": PATCH}), PATCHED),
        (("shell", {"command": ["apply_patch", PATCH]}), PATCHED),
        (("shell", {"command": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}), PATCHED),
        (
            ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: a.py\n+x = 1\n+\n*** End Patch"}),
            Create(A, "x = 1\n\n"),
        ),
        (("editor", {"path": "a.py", "old_text": "a", "new_text": "b"}), StrReplace(A, "a", "b")),
        (("editor", {"path": "a.py", "new_text": "b"}), Create(A, "b")),
        (("editor", {"path": "a.py"}), View(A)),
        (("container.exec", {"cmd": "ls"}), Bash("ls")),
        (("open", {"path": "a.py", "line_number": 120}), View(A, 70, 170)),
        (("Read", {"file_path": "a.py", "offset": 5, "limit": 10}), View(A, 5, 14)),
        (("read_file", {"absolute_path": A}), View(A)),
        (("LS", {"path": "."}), View("/workspace")),
        (("str_replace_editor", {"command": "view", "path": A, "view_range": [1, 2]}), View(A, 1, 2)),
        (("Edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}), StrReplace(A, "a", "b")),
        (("edit_file_by_replace", {"file_name": "a.py", "to_replace": "a", "new_content": "b"}), StrReplace(A, "a", "b")),
        (("edit", {"path": "a.py", "search": "a", "replace": "b"}), StrReplace(A, "a", "b")),
        (
            ("edit", {"path": "a.py", "start_line": 2, "end_line": 3, "replacement_text": "x"}),
            ReplaceLines(A, 2, 3, "x"),
        ),
        (("str_replace_based_edit_tool", {"command": "create", "file_path": "a.py", "content": "x"}),
         Create(A, "x")),
        (("Write", {"file_path": "a.py", "content": "x"}), Create(A, "x")),
        (("create", {"filename": "a.py"}), Create(A, "")),
        (("insert", {"path": "a.py", "text": "x"}), Insert(A, -1, "x")),
        (("insert", {"path": "a.py", "text": "x", "line": 3}), Insert(A, 3, "x")),
        (
            ("find_file", {"file_name": "a.py", "dir": "src"}),
            Bash("find src -not -path '*/.git/*' -name a.py | head -n 100"),
        ),
        (("Grep", {"pattern": "a+", "path": "src"}),
         SearchCode("a+", SearchKind.TEXT, "/workspace/src")),
        (("search_dir", {"search_term": "a"}), SearchCode("a", SearchKind.TEXT)),
        (("think", {"thought": "So it is."}), TakeNotes(None, "So it is.")),
        (
            ("TodoWrite", {"todos": [{"content": "Look", "status": "in_progress"}]}),
            TakeNotes((PlanStep("Look", "", StepState.DOING),)),
        ),
    ],
)  # fmt: skip
def test_what_is_meant_is_done(call: tuple[str, dict[str, Any]], action: object) -> None:
    """Other names of tools and of their arguments are read as ours."""
    assert meant(call[0], **call[1]) == action


def test_a_patch_of_several_files() -> None:
    """It becomes one call after the other, in its order; each has an id of its own."""
    calls, opened = read_as_ours(ToolCall("c", "apply_patch", {"input": SEVERAL}), Open())
    assert [call.id for call in calls] == ["c", "c_2", "c_3", "c_4", "c_5", "c_6"]
    assert [read_action(call) for call in calls] == [
        Create("/workspace/new.py", "x = 1\n"),
        StrReplace(A, "y = 2", "y = 3"),
        Bash("""rm -- 'it'"'"'s old.py'"""),
        Bash("mkdir -p -- lib && mv -- b.py lib/c.py"),
        StrReplace("/workspace/lib/c.py", "z = 1", "z = 2"),
        Bash("mkdir -p -- . && mv -- d.py e.py"),
    ]
    assert opened.path == "lib/c.py"


@pytest.mark.parametrize(
    "patch",
    [
        SEVERAL.replace("*** End Patch", ""),
        SEVERAL.replace("*** Delete File", "*** Destroy File"),
        SEVERAL.replace("*** Add File: new.py", "diff --git"),
    ],
)
def test_a_patch_that_is_not_understood_does_nothing(patch: str) -> None:
    """Half of it would be worse."""
    assert isinstance(meant("apply_patch", input=patch), EditRejected)


def test_files_of_one_call() -> None:
    """A list of files to read, or of edits with a file each."""
    calls, _ = read_as_ours(ToolCall("c", "read_files", {"paths": ["a.py", "b.py"]}), Open())
    assert [read_action(call) for call in calls] == [View(A), View("/workspace/b.py")]
    edits = [{"path": path, "old_string": "a", "new_string": "b"} for path in ("a.py", "b.py")]
    calls, _ = read_as_ours(ToolCall("c", "multiedit", {"edits": edits}), Open())
    assert [read_action(call) for call in calls] == [
        StrReplace(A, "a", "b"),
        StrReplace("/workspace/b.py", "a", "b"),
    ]


def test_calls_of_other_servers_stay_what_they_are() -> None:
    """Their lists of paths are their own."""
    call = ToolCall("c", "mcp__files__read", {"paths": ["a.py"]})
    assert read_as_ours(call, Open()) == ([call], Open())


def test_a_file_that_is_open_may_be_left_out() -> None:
    """Harnesses with one open file edit and scroll it without naming it."""
    asked = ToolCall("1", "open", {"path": "a.py", "line_number": 120})
    (call,), opened = read_as_ours(asked, Open())
    assert opened == Open("a.py", 70)
    assert read_as_ours(call, opened)[1] == opened
    assert meant("edit", opened, search="a", replace="b") == StrReplace(A, "a", "b")
    assert meant("scroll_down", opened) == View(A, 170, 270)
    assert meant("goto", opened, line_number=10) == View(A, 1, 101)
    assert isinstance(meant("scroll_up"), EditRejected)


def test_arguments_that_are_no_json() -> None:
    """What can be read all the same is; else the answer says where it breaks, with an example."""
    assert unreadable('{"command": "echo a\nb"}') == Bash("echo a\nb")
    assert unreadable('"{\\"command\\": \\"ls\\"}"') == Bash("ls")
    assert unreadable("ls -la") == Bash("ls -la")
    broken = unreadable('{"command": "ls')
    assert isinstance(broken, EditRejected)
    assert "Unterminated string starting at: line 1 column 13" in broken.text
    assert '{"command": "git status --short"}' in broken.text


def test_our_own_calls_stay_what_they_are() -> None:
    """Nothing of a call that is right is changed, and nothing is made of an unknown tool."""
    for name, given in (
        ("bash", {"command": "ls", "restart": False}),
        ("run_tests", {}),
        ("search_code", {"query": "a", "kind": "symbol", "path": "src"}),
        ("notes", {"note": "a"}),
        ("str_replace_based_edit_tool", {"command": "fly", "path": "a"}),
    ):
        call = ToolCall("1", name, given)
        assert read_as_ours(call, Open())[0] == [call]
    assert meant("decompile") == EditRejected("There is no tool decompile.")
