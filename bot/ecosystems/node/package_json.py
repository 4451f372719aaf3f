"""Read `package.json`: what it holds, its scripts, and what a package manager makes of one."""

from __future__ import annotations

import json
import shlex
from typing import Any

from bot.ecosystems.commands.task_runners import Read, Script

MANAGERS = frozenset({"npm", "yarn", "pnpm", "bun"})
"""They run scripts of `package.json`."""

ALONE = "--ignore-scripts"
"""With it, npm runs a script without those before and behind it:
https://docs.npmjs.com/cli/commands/npm-run#ignore-scripts."""


def package_json(read: Read) -> dict[str, Any]:
    """Return what `package.json` holds; nothing where it is missing or can't be read."""
    try:
        data = json.loads(read("package.json") or "{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def package_scripts(read: Read) -> dict[str, str]:
    """Return the scripts of `package.json`."""
    scripts = package_json(read).get("scripts")
    if not isinstance(scripts, dict):
        return {}
    return {str(name): text for name, text in scripts.items() if isinstance(text, str)}


def package_script(tool: str, arguments: tuple[str, ...], read: Read) -> Script | None:
    """Return the script that a package manager runs, with those before and behind it."""
    options = {"--silent", "-s", "--if-present", ALONE}
    words = [word for word in arguments if word not in options]
    named = {"t": "test", "tst": "test"}
    if words[:1] in (["run"], ["run-script"]):
        words = words[1:]
    elif words[:1] and words[0] in {"test", "t", "tst"}:
        words[0] = named.get(words[0], words[0])
    elif tool == "npm":
        return None
    if not words:
        return None
    all_scripts = package_scripts(read)
    name, rest = words[0], words[1:]
    if name not in all_scripts:
        return None
    extra = rest[1:] if rest[:1] == ["--"] else rest if tool != "npm" else []
    keys = (name,) if ALONE in arguments else (f"pre{name}", name, f"post{name}")
    steps = [all_scripts[key] for key in keys if key in all_scripts]
    if extra:
        steps[-1] += " " + shlex.join(extra)
    return Script("\n".join(steps), "package.json")
