"""Find the shell text behind a task runner's name: make, npm, tox, hatch, nox, pdm, poe, a script."""

from __future__ import annotations

import ast
import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.ecosystems.commands import makefile

ALONE = "--ignore-scripts"
"""With it, npm runs a script without those before and behind it:
https://docs.npmjs.com/cli/commands/npm-run#ignore-scripts."""

Read = Callable[[str], str | None]
"""Returns a file of the work tree by its path, or None."""


@dataclass(frozen=True, slots=True)
class Script:
    """Shell text and the file that has it."""

    text: str
    origin: str


def behind(tool: str, arguments: tuple[str, ...], read: Read) -> Script | None:
    """Return what a task runner would run, or None when it is no task runner or not known."""
    script: Script | None = None
    match tool:
        case "make" | "gmake":
            script = _make(arguments, read)
        case "just":
            script = _just(arguments, read)
        case "npm" | "pnpm" | "yarn" | "bun":
            script = _package_script(tool, arguments, read)
        case "tox":
            script = _tox(arguments, read)
        case "nox":
            script = _nox(arguments, read)
        case "hatch" | "pdm" | "poe" | "taskipy" | "task":
            script = _pyproject_script(tool, arguments, read)
        case "sh" | "bash" if arguments and not arguments[0].startswith("-"):
            script = _shell_script(arguments[0], arguments[1:], read)
        case _ if tool.startswith("./") or tool.endswith(".sh"):
            script = _shell_script(tool.removeprefix("./"), arguments, read)
        case _ if "/" in tool and (read(tool) or "").startswith("#!"):
            script = _shell_script(tool, arguments, read)
        case _:
            pass
    return script


def _make(arguments: tuple[str, ...], read: Read) -> Script | None:
    if any(argument.startswith(("-C", "-f", "--dir", "--file")) for argument in arguments):
        return None
    path = next((name for name in makefile.NAMES if read(name) is not None), None)
    found = makefile.targets(read(path) or "") if path else {}
    goals = [word for word in arguments if not word.startswith("-") and "=" not in word]
    goals = goals or list(found)[:1]
    lines: list[str] = []
    seen: set[str] = set()

    def visit(goal: str) -> None:
        if goal in seen or goal not in found:
            return
        seen.add(goal)
        for need in found[goal].needs:
            visit(need)
        lines.extend(found[goal].recipe)

    for goal in goals:
        visit(goal)
    return Script("\n".join(lines), path) if path and lines else None


def _just(arguments: tuple[str, ...], read: Read) -> Script | None:
    """Return the recipes of a justfile, which are written like rules of a Makefile."""
    path = next((name for name in ("justfile", "Justfile", ".justfile") if read(name)), None)
    if path is None:
        return None
    text = re.sub(r"^ {2,}", "\t", read(path) or "", flags=re.MULTILINE)
    found = makefile.targets(text)
    goals = [word for word in arguments if not word.startswith("-")] or list(found)[:1]
    wanted = [name for goal in goals if goal in found for name in (*found[goal].needs, goal)]
    lines = [line for name in wanted if name in found for line in found[name].recipe]
    return Script("\n".join(lines), path) if lines else None


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


def _package_script(tool: str, arguments: tuple[str, ...], read: Read) -> Script | None:
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


def pyproject(read: Read) -> dict[str, Any]:
    """Return `pyproject.toml`, empty when it is missing or broken."""
    try:
        return tomllib.loads(read("pyproject.toml") or "")
    except tomllib.TOMLDecodeError:
        return {}


_OF_INSTALLERS = ("PIP_", "UV_", "VIRTUALENV_", "TOX_", "COVERAGE_")
"""How variables begin that are not for tests."""


def tox_sections(read: Read) -> configparser.ConfigParser:
    """Return `tox.ini` (or the ini text inside `pyproject.toml`), empty when there is none."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    legacy = pyproject(read).get("tool", {}).get("tox", {}).get("legacy_tox_ini", "")
    try:
        parser.read_string(read("tox.ini") or legacy)
    except configparser.Error:
        return configparser.ConfigParser(interpolation=None)
    return parser


def _tox(arguments: tuple[str, ...], read: Read) -> Script | None:
    parser = tox_sections(read)
    words = [word for word in arguments if word not in {"run", "r", "--"}]
    native = _native_tox(words, read)
    if native is not None:
        return native
    named = [
        value
        for n, word in enumerate(words)
        for value in ([words[n + 1]] if word in {"-e", "--env"} and n + 1 < len(words) else [])
    ]
    sections = [f"testenv:{name}" for value in named for name in value.split(",")] or ["testenv"]
    lines = [
        line
        for section in sections
        for line in _tox_commands(parser, section if parser.has_section(section) else "testenv")
    ]
    return Script("\n".join(lines), "tox.ini") if lines else None


def _native_tox(words: list[str], read: Read) -> Script | None:
    """Return the commands of environments in tox 4's own TOML, or None where there are none."""
    own = read("tox.toml")
    try:
        tables = tomllib.loads(own) if own else pyproject(read).get("tool", {}).get("tox", {})
    except tomllib.TOMLDecodeError:
        return None
    origin = "tox.toml" if own else "pyproject.toml"
    base = tables.get("env_run_base", {}).get("commands", [])
    after = {"-e", "--env"}
    names = [
        name for n, w in enumerate(words) if n and words[n - 1] in after for name in w.split(",")
    ]
    lists = [tables.get("env", {}).get(name, {}).get("commands", base) for name in names] or [base]
    lines = [
        shlex.join(word for word in command if isinstance(word, str))
        for commands in lists
        for command in commands
        if isinstance(command, list)
    ]
    return Script("\n".join(lines), origin) if lines else None


def _tox_commands(parser: configparser.ConfigParser, section: str) -> list[str]:
    default = parser.get("testenv", "commands", fallback="")
    text = re.sub(r"\\\n\s*", " ", parser.get(section, "commands", fallback=default))
    text = re.sub(r"\{posargs(?::([^{}]*))?\}|\[\]", lambda match: match[1] or "", text)
    text = re.sub(r"\{(?:toxinidir|tox_root)\}/?", "", text)
    text = re.sub(r"\{envbindir\}/", "", text).replace("{envpython}", "python")
    lines = (re.sub(r"^[\w,!-]+: +", "", line.strip()) for line in text.split("\n"))
    commands = [line.removeprefix("- ") for line in lines if line and not line.startswith("#")]
    return [*_changed_folder(parser, section), *commands] if commands else []


def tox_variables(read: Read) -> dict[str, str]:
    """Return what tox's plain environment sets for tests, as far as it is plain text."""
    parser = tox_sections(read)
    text = parser.get("testenv", "setenv", fallback=parser.get("testenv", "set_env", fallback=""))
    text = re.sub(r"\{env:\w+:([^{}]*)\}", lambda match: match[1], text)
    text = re.sub(r"\{(?:toxinidir|tox_root)\}(/?)", lambda match: "" if match[1] else ".", text)
    found = {}
    for line in text.split("\n"):
        name, equals, value = (part.strip() for part in line.partition("="))
        plain = not set("{}\\") & set(value) and not name.startswith(_OF_INSTALLERS)
        if equals and plain and re.fullmatch(r"[A-Z_][A-Z0-9_]*", name):
            found[name] = value
    return found


def _changed_folder(parser: configparser.ConfigParser, section: str) -> list[str]:
    """Return the `cd` that `changedir` stands for, where it leads to a folder of the project."""
    default = parser.get("testenv", "changedir", fallback="")
    folder = parser.get(section, "changedir", fallback=default).strip()
    folder = re.sub(r"^\{(?:toxinidir|tox_root)\}/?", "", folder)
    return [f"cd {folder}"] if re.fullmatch(r"\w[\w./-]*", folder) else []


def _nox(arguments: tuple[str, ...], read: Read) -> Script | None:
    """Return the literal `session.run(...)` calls of the named sessions."""
    words = list(arguments)
    names = {w for n, w in enumerate(words) if n and words[n - 1] in {"-s", "--session"}}
    try:
        module = ast.parse(read("noxfile.py") or "")
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # no Python, or nested for fun
        return None
    lines = [
        shlex.join(literals)
        for function in module.body
        if isinstance(function, ast.FunctionDef) and (not names or function.name in names)
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "run"
        and (literals := _literals(call))
    ]
    return Script("\n".join(lines), "noxfile.py") if lines else None


def _literals(call: ast.Call) -> list[str]:
    constants = [node.value for node in call.args if isinstance(node, ast.Constant)]
    return [value for value in constants if isinstance(value, str)]


def _pyproject_script(tool: str, arguments: tuple[str, ...], read: Read) -> Script | None:
    words = list(arguments)
    if words[:1] == ["fmt"] and tool == "hatch":
        return None  # a tool of its own, not a script
    if tool in {"hatch", "pdm"} and words[:1] == ["run"]:
        words = words[1:]
    if not words:
        return None
    tools = pyproject(read).get("tool", {})
    environment, _, name = words[0].rpartition(":")
    environments = tools.get("hatch", {}).get("envs", {})
    tables = {
        "hatch": environments.get(environment or "default", {}).get("scripts", {}),
        "pdm": tools.get("pdm", {}).get("scripts", {}),
        "poe": tools.get("poe", {}).get("tasks", {}),
        "task": tools.get("taskipy", {}).get("tasks", {}),
        "taskipy": tools.get("taskipy", {}).get("tasks", {}),
    }
    text = _task_text(tables[tool].get(name or words[0]))
    if text is None and tool in {"hatch", "pdm"}:
        text = shlex.join(words)
    return Script(text, "pyproject.toml") if text else None


def _task_text(entry: object) -> str | None:
    match entry:
        case str():
            return re.sub(r"\{args(?::([^{}]*))?\}", lambda match: match[1] or "", entry)
        case list():
            return "\n".join(line for line in entry if isinstance(line, str))
        case {"cmd": str(text)} | {"shell": str(text)}:
            return text
        case _:
            return None


def _shell_script(path: str, arguments: tuple[str, ...], read: Read) -> Script | None:
    text = read(path)
    if text is None or (text.startswith("#!") and "sh" not in text.split("\n")[0]):
        return None
    return Script(re.sub(r'"?\$[@*]"?', lambda _: shlex.join(arguments), text), path)
