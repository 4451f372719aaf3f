"""How the agent's tools are described to a model."""

from __future__ import annotations

from types import MappingProxyType

from bot.llm.base import Tool
from bot.model.plan import StepState
from bot.model.tool_rules import ToolPermission, ToolRisk, ToolRules
from bot.repair.proposers.agent.actions import BASH, EDIT, NOTES, RUN_TESTS, SEARCH, TRY_EDITS
from bot.repair.proposers.agent.code_grep import SearchKind
from bot.repair.proposers.base import Task

_RISKS = MappingProxyType({
    EDIT: (ToolRisk.READ, ToolRisk.WRITE), SEARCH: (ToolRisk.READ,), NOTES: (ToolRisk.READ,),
})  # fmt: skip
"""Of calls of the tools that do not only write."""


def own_tools(task: Task) -> tuple[Tool, ...]:
    """Return the tools of the agent itself that a task has: `try_edits` only where it may help."""
    rules = task.tool_rules
    tries = rules.try_edits and not task.write_test
    tools = (*TOOLS, _TRY_EDITS) if tries else TOOLS
    return tuple(tool for tool in tools if _allowed(rules, tool.name))


def _allowed(rules: ToolRules, tool: str) -> bool:
    """Whether there is a call of a tool that the repository does not deny in any case."""
    return any(rules.permission(tool, risk) is not ToolPermission.DENY for risk in risks_of(tool))


def risks_of(tool: str) -> tuple[ToolRisk, ...]:
    """Return what calls of a tool of the agent itself can do, the least first."""
    return _RISKS.get(tool, (ToolRisk.WRITE,))


def all_tools() -> tuple[Tool, ...]:
    """Return the tools of the agent itself, whether a task has them or not."""
    return (*TOOLS, _TRY_EDITS)


_TRY_EDITS = Tool(
    name=TRY_EDITS,
    description=(
        "Try many variants of one edit against the tests at once (Python with pytest or unittest "
        "only; hundreds take seconds). `template` replaces the only occurrence of old_str; it has "
        "holes such as {{op}}, and `holes` lists what each may become. All combinations are "
        "tried, and nothing is changed. Returns those that make every failing test pass and break "
        "no other, or the closest. Use it when you know where the fault is, but not which "
        "operator, bound, variable or condition is right."
    ),
    schema={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Such as src/module.py."},
            "old_str": {"type": "string", "description": "Exact text, unique in the file."},
            "template": {"type": "string", "description": "Such as `if a {{op}} b:`."},
            "holes": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "string"}},
                "description": 'Such as {"op": ["<=", ">", ">="]}.',
            },
        },
        "required": ["path", "old_str", "template", "holes"],
    },
)

TOOLS = (
    Tool(
        name=BASH,
        description=(
            "Run a bash command in /workspace, in a fresh shell without stdin, and return its "
            "output and exit code."
        ),
        schema={
            "type": "object",
            "properties": {"command": {"type": "string"}},
            "required": ["command"],
        },
        anthropic_type="bash_20250124",
    ),
    Tool(
        name=EDIT,
        description=(
            "View, create and edit text files in /workspace. `view` shows a file with line "
            "numbers, or a folder two levels deep; `create` writes a whole file; `str_replace` "
            "replaces the only exact occurrence of old_str; `insert` adds insert_text "
            "after line insert_line (0: at the beginning)."
        ),
        schema={
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "enum": ["view", "create", "str_replace", "insert"],
                },
                "path": {"type": "string", "description": "Such as /workspace/src/module.py."},
                "view_range": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "minItems": 2,
                    "maxItems": 2,
                    "description": "For view: first and last line, counted from 1; -1 is the end.",
                },
                "file_text": {"type": "string", "description": "For create: the whole content."},
                "old_str": {"type": "string", "description": "For str_replace: must be unique."},
                "new_str": {"type": "string", "description": "For str_replace: the replacement."},
                "insert_line": {"type": "integer", "description": "For insert."},
                "insert_text": {"type": "string", "description": "For insert."},
            },
            "required": ["command", "path"],
        },
        anthropic_type="text_editor_20250728",
    ),
    Tool(
        name=RUN_TESTS,
        description=(
            "Run tests and return what failed, test by test, with message and location. Without "
            "`command` it runs the failing command of the task. Use it rather than bash to run "
            "tests, and narrow `command` to single tests while you investigate."
        ),
        schema={
            "type": "object",
            "properties": {
                "command": {
                    "type": "string",
                    "description": "Another test command, such as `pytest tests/test_a.py -k name`.",
                }
            },
        },
    ),
    Tool(
        name=SEARCH,
        description=(
            "Find code in the repository as it is now. With kind `symbol`: where a name is "
            "defined, used and mentioned, each with the function or class around it. With kind "
            "`text`: the lines that match a regular expression. With kind `outline`: what the file "
            "`path` defines, with line numbers. Installed libraries are not searched: use grep in "
            "bash for those."
        ),
        schema={
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "A name such as `parse_amount`, or a regular expression.",
                },
                "kind": {"type": "string", "enum": list(SearchKind)},
                "path": {"type": "string", "description": "Folder or file; all by default."},
            },
        },
    ),
    Tool(
        name=NOTES,
        description=(
            "Keep a plan and notes. They stay in sight when older turns of a long conversation "
            "are folded away, and the people who watch see the plan. `plan` replaces the whole "
            "plan; `note` adds one finding that you will need later."
        ),
        schema={
            "type": "object",
            "properties": {
                "plan": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "step": {"type": "string", "description": "What to do."},
                            "check": {"type": "string", "description": "What shows it is done."},
                            "status": {"type": "string", "enum": list(StepState)},
                        },
                        "required": ["step", "status"],
                    },
                },
                "note": {"type": "string"},
            },
        },
    ),
)
