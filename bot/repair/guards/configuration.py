"""Compare configurations before and with a patch: do they demand less? Pure."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from bot.code.change import FileDiff
from bot.code.files import is_restored, is_steering
from bot.code.syntax import language_of
from bot.model import GuardFinding
from bot.model.guard_rules import found
from bot.reporting.reasons import guards

_AT_LEAST = re.compile(
    r"(?:^|[.\s])(?:fail[_-]?under|(?:min|minimum)[\w-]*|branches|functions|lines|statements|threshold|score)$",
    re.IGNORECASE,
)
_AT_MOST = re.compile(
    r"(?:max[\w-]{0,60}|line[_-]length|timeout[\w-]{0,60}|tolerance)$", re.IGNORECASE
)
_LEAVES_OUT = re.compile(
    r"(?:^|[._-])(?:(?:extend-|per-file-|lint\.){0,4}ignore[sd]?\w{0,60}|disabled?|exclude\w{0,60}|omit|skip\w{0,60}|deselect"
    r"|norecursedirs|testPathIgnorePatterns|modulePathIgnorePatterns|coveragePathIgnorePatterns"
    r"|filterwarnings|exclude_lines|exclude_also|disable_error_code|per-file-ignores(?:\..*)?)$",
    re.IGNORECASE,
)
_SELECTS = re.compile(
    r"(?:^|[._-])(?:select|extend-select|enable\w{0,60}|testpaths|python_(?:files|classes|functions)"
    r"|testMatch|testRegex|roots|include|enable_error_code)$",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"(?:strict\w{0,60}|disallow_\w{1,60}|warn_\w{1,60}|check_untyped_defs|no_implicit_\w{1,60}|error_\w{1,60}|bail|noUnused\w{0,60}"
    r"|branch|noImplicitAny|xfail_strict)$"
)
_LOOSE = re.compile(
    r"(?:ignore_errors|ignore_missing_imports|allow_\w{1,60}|follow_imports|skip\w{0,60}|passWithNoTests"
    r"|continue-on-error|allow_failure|implicit_\w{1,60}|forceExit|noEmitOnError)$"
)
_WORDS = re.compile(
    r"\|\|\s*(?:true|:|exit\s+0)|;\s*(?:true|exit\s+0)\s*$|--passWithNoTests|--no-verify"
    r"|--(?:deselect|ignore)(?:-glob)?\b|(?:^|\s)-k\s|--no-cov\b|-p\s*no:\w+|--exit-zero|--exitfirst"
    r"|continue-on-error:\s*true|allow_failure:\s*true|--disable-warnings|--lf\b|--testPathIgnorePatterns"
    r"|--cov-fail-under[= ]0|-m\s+['\"]?not\b|--co\b|--collect-only|--suppress-no-test-exit-code"
)
_PLUGIN = re.compile(r"(?:^|\s)-p\s*(?!no:)[\w.]")
_OF_CHECKS = re.compile(
    r"test|tox|nox|addopts|jest|mocha|ruff|flake8|lint|mypy|pyright|black|isort|cover|check|cargo"
    r"|clippy|continue-on-error|allow_failure",
    re.IGNORECASE,
)
"""Of a line: `rm -f x || true` says nothing of checks."""

_RELEVANT = re.compile(
    r"pytest|coverage|ruff|flake8|pylint|mypy|pyright|isort|black|jest|vitest|nyc|c8|eslint|tox|nox"
    r"|scripts|pycodestyle|bandit|mocha|hatch|poe|lint|test|pydocstyle|interrogate|basedpyright"
)
"""Of a section's name: what has nothing to do with checks is left alone."""

_SCRIPTS = re.compile(r"^(?:(?:GNU)?[mM]akefile|justfile|.*\.(?:sh|bash|ya?ml)|tsconfig.*\.json)$")


def relaxed(change: FileDiff) -> Iterator[GuardFinding]:
    """Yield findings on settings by which tests, coverage or linters demand less."""
    if change.after is None or language_of(change.path) is not None:
        return
    name = PurePosixPath(change.path).name
    if not (is_steering(change.path) or is_restored(change.path) or _SCRIPTS.match(name)):
        return
    before, after = (_settings(name, side or b"") for side in (change.before, change.after))
    if change.before is not None and before is not None and after is not None:
        for key in dict.fromkeys((*before, *after)):
            said = _compared(key, before.get(key), after.get(key))
            if said and _counts(name, key):
                line = _line_of(change, key.rpartition(".")[2])
                yield found("check-relaxed", said, change.path, line)
    for number, text in change.added_text:
        is_comment = text.lstrip().startswith("#")
        if _WORDS.search(text) and _OF_CHECKS.search(text) and not is_comment:
            said = guards.command_checks_less(" ".join(text.split())[:80])
            yield found("check-relaxed", said, change.path, number)


def _counts(name: str, key: str) -> bool:
    if name in {"pyproject.toml", "setup.cfg", "package.json", "tox.ini"}:
        return _RELEVANT.search(key) is not None
    return True


def _line_of(change: FileDiff, key: str) -> int | None:
    """Return the line that the patch brings for a key, or one that names it."""
    added = [number for number, line in change.added_text if key in line]
    named = [number for number, line in enumerate(change.lines_after, 1) if key in line]
    return next(iter([*added, *change.added.numbers, *named]), None)


def _compared(key: str, before: Any, after: Any) -> str:
    """Return how a setting demands less, as a sentence, or nothing."""
    if before == after:
        return ""
    was, now = _number(before), _number(after)
    if was is not None and (now is None or isinstance(now, float)):
        if _AT_LEAST.search(key) and now is None:
            return guards.limit_removed(key, was)
        if _AT_LEAST.search(key) and now is not None and now < was:
            return guards.limit_lowered(key, was, now)
        if _AT_MOST.search(key) and now is not None and now > was:
            return guards.limit_raised(key, was, now)
    if (
        key.endswith("addopts")
        and _PLUGIN.search(_joined(after))
        and not _PLUGIN.search(_joined(before))
    ):
        return guards.plugin_loaded(key)
    return _fewer_named(key, before, after) or _switched(key, before, after)


def _joined(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def _fewer_named(key: str, before: Any, after: Any) -> str:
    more, fewer = _items(after) - _items(before), _items(before) - _items(after)
    if _LEAVES_OUT.search(key) and more:
        return guards.now_excluded(key, sorted(more))
    if _SELECTS.search(key) and (fewer if _items(after) else before is not None):
        return guards.no_longer_included(key, sorted(fewer))
    return ""


def _switched(key: str, before: Any, after: Any) -> str:
    if _STRICT.search(key) and not _on(after) and (_on(before) or (before is None and _off(after))):
        return guards.switched_off(key)
    if _LOOSE.search(key) and not _on(before) and _on(after):
        return guards.switched_on(key)
    return ""


def _on(value: Any) -> bool:
    return str(value).strip().lower() in {"true", "1", "yes", "on", "skip", "silent"}


def _off(value: Any) -> bool:
    return str(value).strip().lower() in {"false", "0", "no", "off"}


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _items(value: Any) -> set[str]:
    if isinstance(value, list | tuple):
        return {str(item) for item in value}
    if isinstance(value, str):
        return {word for word in re.split(r"[\s,]+", value) if word}
    return set()


def _settings(name: str, data: bytes) -> dict[str, Any] | None:
    """Return the settings of a file by dotted key, or None where its format is not read."""
    text = data.decode("utf-8", "replace")
    try:
        if name.endswith(".toml"):
            return dict(_flat(tomllib.loads(text), ""))
        if name.endswith((".json", ".eslintrc", ".prettierrc", ".nycrc", ".mocharc")):
            return dict(_flat(json.loads(text), ""))
        if name.endswith((".ini", ".cfg", ".flake8", ".coveragerc", "pylintrc")):
            parser = configparser.ConfigParser(strict=False, interpolation=None)
            parser.read_string(text)
            return {
                f"{section}.{key}": value
                for section in parser.sections()
                for key, value in parser[section].items()
            }
    except (ValueError, configparser.Error, RecursionError):
        return None
    return None


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    else:
        yield path, value
