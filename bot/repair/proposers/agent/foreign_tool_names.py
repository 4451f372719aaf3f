"""Names that other harnesses give to tools and to their arguments.

Those of SWE-agent, OpenHands, Claude Code, Codex, Gemini CLI, Crush, Cline and Anthropic's earlier
editors. Of an argument's names, the first that a call has counts.
"""

from __future__ import annotations

from types import MappingProxyType

from bot.model.plan import StepState

SHELLS = frozenset(
    [
        "bash",
        "shell",
        "sh",
        "cmd",
        "exec",
        "run",
        "execute",
        "terminal",
        "execute_bash",
        "run_command",
        "execute_command",
        "run_shell_command",
        "local_shell",
        "container.exec",
        "bash_command",
        "run_terminal_cmd",
        "run_commands",
    ]
)
VIEWS = frozenset(["open", "open_file", "view", "view_file", "read", "read_file", "read_files", "cat", "show_file", "file_read", "ls", "list_dir", "list_directory", "list_files"])  # fmt: skip
EDITS = frozenset(["edit", "edit_file", "replace", "str_replace", "search_replace", "string_replace", "multiedit", "replace_string_in_file", "replace_in_file", "edit_file_by_replace"])  # fmt: skip
CREATES = frozenset(
    ["create", "create_file", "write", "write_file", "write_to_file", "new_file", "save_file"]
)
EDITORS = frozenset(["str_replace_editor", "text_editor", "editor", "str_replace_based_edit_tool", "edit_anthropic"])  # fmt: skip
FINDS = frozenset(["find_file", "find_files", "glob", "file_search", "search_files", "find"])
SEARCHES = frozenset(["search", "search_dir", "search_file", "grep", "grep_search", "search_file_content", "codebase_search", "find_in_files", "ripgrep", "search_in_files"])  # fmt: skip
ENDS = frozenset(
    ["submit", "finish", "attempt_completion", "task_done", "complete", "done", "exit"]
)
NETWORK = frozenset(
    [
        "fetch",
        "web_fetch",
        "webfetch",
        "download",
        "web_search",
        "websearch",
        "google_web_search",
        "fetch_web_content",
        "agentic_fetch",
        "sourcegraph",
        "browser",
        "browse",
        "browser_action",
    ]
)
PATCHES = frozenset(["apply_patch", "applypatch"])
PLANS = frozenset(["todo_write", "todowrite", "update_plan", "write_todos"])

PATHS = (
    "path",
    "file_path",
    "filepath",
    "filename",
    "file_name",
    "file",
    "absolute_path",
    "target_file",
)
FOLDERS = ("dir", "directory", "dir_path", *PATHS)
COMMANDS = ("command", "cmd", "commands", "script", "code", "input")
OLD = ("old_str", "old_string", "search", "old_text", "find", "old", "target", "to_replace")
NEW = ("new_str", "new_string", "replace", "new_text", "replacement", "new", "new_content")
TEXT = ("file_text", "content", "contents", "text", "file_content", "new_str", "new_text", "code")
LINES = ("replacement_text", *NEW, *TEXT)
QUERIES = ("query", "pattern", "search_term", "regex", "term", "search", "keyword", "text")
STATES = MappingProxyType({
    "pending": StepState.TODO, "todo": StepState.TODO,
    "in_progress": StepState.DOING, "doing": StepState.DOING,
    "completed": StepState.DONE, "done": StepState.DONE,
})  # fmt: skip
