"""Say what to do instead of tools that other harnesses have and this one has not, by what they are for.

The names are those of Claude Code, Codex, Gemini CLI, Crush, Cline, Roo Code and SWE-agent.
"""

from __future__ import annotations

from bot.repair.proposers.agent.familiar_names import ENDS, NETWORK

_JOBS = frozenset(["bashoutput", "bash_output", "killshell", "kill_shell", "killbash", "taskoutput", "taskstop", "write_stdin", "list_background_processes", "read_background_output", "kill_background_process", "job_output", "job_kill", "command_status", "check_command_status", "read_process_output", "kill_process", "list_processes"])  # fmt: skip
_RESOURCES = frozenset(["list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource", "access_mcp_resource", "listmcpresources", "readmcpresource", "listmcpresourcestool", "readmcpresourcetool"])  # fmt: skip
_PEOPLE = frozenset(["ask_user", "ask_followup_question", "askuserquestion", "request_user_input", "ask_human", "ask_question", "message_user", "request_human_input"])  # fmt: skip
_HELPERS = frozenset(["task", "agent", "dispatch_agent", "new_task", "spawn_agent", "use_subagents", "delegate_to_agent", "codebase_investigator", "subagent"])  # fmt: skip

_INSTEAD = (
    (ENDS, "answer without calling a tool to end."),
    (
        NETWORK,
        (
            "the sandbox has no network. Go by the repository, its packages and their "
            "documentation, which bash can read."
        ),
    ),
    (
        _JOBS,
        (
            "what bash starts in the background goes on. Let it write to a file (`command > out.log "
            "2>&1 &`), and look at it with bash later."
        ),
    ),
    (_RESOURCES, "of MCP servers there are only the tools that you were given."),
    (_PEOPLE, "nobody can answer now. Decide by the task and the repository, and end with what is open."),
    (_HELPERS, "nobody else works on this. Do it yourself, with the tools that you were given."),
)  # fmt: skip


def instead_of(name: str) -> str:
    """Return what a model is told that calls a tool of that name, or "" where that isn't known."""
    known = name.rpartition(".")[2].lower()
    for names, instead in _INSTEAD:
        if known in names:
            return f"There is no {name}: {instead}"
    return ""
