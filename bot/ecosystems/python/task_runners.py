"""What task runners of Python projects run: tox, nox, hatch, pdm, poe, taskipy."""

from __future__ import annotations

import ast
import configparser
import re
import shlex
import tomllib
from typing import Any

from bot.ecosystems.commands.invocations import Programs
from bot.ecosystems.commands.task_runners import Read, Script


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


def _tox(_: str, arguments: tuple[str, ...], read: Read) -> Script | None:
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


def _nox(_: str, arguments: tuple[str, ...], read: Read) -> Script | None:
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


PROGRAMS = Programs(
    wrappers=(
        *(("uv", "run"), ("poetry", "run"), ("pdm", "run"), ("pipenv", "run"), ("rye", "run")),
        ("coverage", "run", "-m"),
    ),
    task_runners={
        "tox": _tox,
        "nox": _nox,
        **dict.fromkeys(("hatch", "pdm", "poe", "taskipy", "task"), _pyproject_script),
    },
)
