"""Programs, headers and libraries that the machine does not have, and variables that nobody set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from bot.ecosystems.registry import ECOSYSTEMS, TOOLCHAINS
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree, workflow_texts
from bot.reporting.reasons import setup_repair

_PROGRAM = (
    re.compile(r"^(?:\S*sh: )?(?:\S+: )?(?:line )?(?:\d+: )(?P<name>[\w.+-]+): (?:command )?not found$", re.MULTILINE),
    re.compile(r"^(?:make(?:\[\d+\])?|env|/usr/bin/env): ['\u2018]?(?P<name>[\w.+-]+)['\u2019]?: No such file or directory$", re.MULTILINE),
    re.compile(r"FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<name>[a-z][\w+-]*)'\s+\S*subprocess\.py:\d+"),
    re.compile(r"subprocess\.py\", line \d+, in _execute_child\n(?:.*\n){1,2}?FileNotFoundError: \[Errno 2\] No such file or directory: '(?P<name>[a-z][\w+-]*)'"),
    re.compile(r"(?:^|Error: |error: )(?P<name>[a-z][\w-]*_config) executable not found", re.MULTILINE),
    re.compile(r"error: command '(?P<name>[\w.+-]+)' failed: No such file or directory"),
)  # fmt: skip
_HEADER = re.compile(
    r"fatal error: '?(?P<name>[\w./+-]+\.h(?:pp)?)'?:? (?:No such file|file not found)"
)
_LIBRARY = re.compile(
    r"Package '?(?P<name>[\w.+-]+)'?,? (?:was )?not found in the pkg-config search path|No package '(?P<other>[\w.+-]+)' found"
)

# The package of Debian that has a header, a program or a pkg-config module: https://packages.debian.org
_DEBIAN = {
    "Python.h": "python3-dev",
    "pg_config": "libpq-dev",
    "libpq-fe.h": "libpq-dev",
    "mysql_config": "default-libmysqlclient-dev",
    "mysql.h": "default-libmysqlclient-dev",
    "mysqlclient": "default-libmysqlclient-dev",
    "ffi.h": "libffi-dev",
    "openssl/ssl.h": "libssl-dev",
    "openssl": "libssl-dev",
    "zlib.h": "zlib1g-dev",
    "jpeglib.h": "libjpeg-dev",
    "sqlite3.h": "libsqlite3-dev",
    "libxml/xmlversion.h": "libxml2-dev",
    "xml2-config": "libxml2-dev",
    "yaml.h": "libyaml-dev",
    "curl/curl.h": "libcurl4-openssl-dev",
    "curl-config": "libcurl4-openssl-dev",
    "xmlsec1": "libxmlsec1-dev",
    "cairo": "libcairo2-dev",
    "sasl/sasl.h": "libsasl2-dev",
    "ldap.h": "libldap-dev",
    "krb5-config": "libkrb5-dev",
    "gdal-config": "libgdal-dev",
    "uuid/uuid.h": "uuid-dev",
    "portaudio.h": "portaudio19-dev",
    "gcc": "build-essential",
    "x86_64-linux-gnu-gcc": "build-essential",
    "g++": "build-essential",
    "cc": "build-essential",
    "make": "make",
    "gfortran": "gfortran",
    "cmake": "cmake",
    "git": "git",
    "hg": "mercurial",
    "svn": "subversion",
    "ffmpeg": "ffmpeg",
    "dot": "graphviz",
    "convert": "imagemagick",
    "docker": "docker.io",
}

_KEY_ERROR = re.compile(r"KeyError: (?P<key>['\"](?P<name>[A-Z][A-Z0-9_]+)['\"])")
"""Of any mapping; the traceback says whether it was the environment."""

_VARIABLE = (
    re.compile(r"(?:environment variable|env(?:ironment)? var) [`'\"]?(?P<name>[A-Z][A-Z0-9_]{2,})[`'\"]? (?:must be|is not|not|isn't|needs to be) (?:set|defined|found)"),
    re.compile(r"(?:Error|Exception): [`'\"]?(?P<name>[A-Z][A-Z0-9_]{3,})[`'\"]? (?:is not|isn't|must be|needs to be) (?:set|defined)\b"),
    re.compile(r"(?:define|set|export) the (?:required )?env(?:ironment)? var(?:iable)? [`'\"]?(?P<name>[A-Z][A-Z0-9_]{2,})\b"),
    re.compile(r"(?:Set|set|Missing|missing) (?:the |required )?(?:env(?:ironment)? var(?:iable)?:? )?[`'\"]?(?P<name>[A-Z][A-Z0-9_]{2,})[`'\"]? env(?:ironment)? variable"),
)  # fmt: skip
_EXAMPLES = (".env.example", ".env.sample", ".env.template", ".env.test", "example.env", "tox.ini")
_SETTING = r"""environ(?:\.setdefault\(|\[)\s*["']{name}["']\s*(?:,|\]\s*=)\s*["'](?P<value>[^"'\n]+)["']"""
"""How a program sets a variable for itself."""

_SETTING_PROGRAMS = ("manage.py", "runtests.py", "*/manage.py", "*/runtests.py", "*/conftest.py")
_SETTINGS_MODULES = (
    "test*/settings.py",
    "test*/*settings*.py",
    "*/test*/settings.py",
    "*/settings.py",
)
_BLOCK = re.compile(r"[|>][+-]?")
_EXAMPLES_LINE = r"^[ \t]*(?:export )?{name}\s*=\s*(?P<value>[^\n#]*)"


def missing_programs(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield a remedy for each program that was not found, from the package index if it has it."""
    for pattern in _PROGRAM:
        for match in matches(pattern, symptoms.output):
            yield _program(match["name"], tree)


def missing_libraries(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:  # noqa: ARG001 - as all
    """Yield the name of each header and system library that was not found."""
    for pattern in (_HEADER, _LIBRARY):
        for match in matches(pattern, symptoms.output):
            name = next(group for group in match.groups() if group)
            why = setup_repair.system_package(name, _DEBIAN.get(name, ""))
            yield Remedy(f"library {name}", why)


def missing_variables(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield a harmless value for each environment variable that the tests expect."""
    output = symptoms.output
    names = [
        match["name"]
        for match in matches(_KEY_ERROR, output)
        if any(f"os.environ[{quote}{match['name']}{quote}]" in output for quote in "'\"")
    ]
    names += [match["name"] for pattern in _VARIABLE for match in matches(pattern, output)]
    for name in names:
        value, origin = _value(name, tree)
        if name == "DJANGO_SETTINGS_MODULE" and not origin:
            continue  # no other value leads to settings
        why = setup_repair.variable(name, value, origin)
        yield Remedy(f"variable {name}", why, variables=((name, value),), guesses=not origin)


def _program(name: str, tree: Tree) -> Remedy:
    if name in TOOLCHAINS:
        return Remedy(f"program {name}", setup_repair.toolchain(name, TOOLCHAINS[name]))
    if name in _DEBIAN:
        return Remedy(f"program {name}", setup_repair.system_package(name, _DEBIAN[name]))
    for ecosystem in ECOSYSTEMS:
        if ecosystem.install_program and (found := ecosystem.install_program(name, tree)):
            index, command = found
            why = setup_repair.program_from(index, name)
            return Remedy(f"program {name}", why, (command,))
    return Remedy(f"program {name}", setup_repair.system_package(name, ""))


def _value(name: str, tree: Tree) -> tuple[str, str]:
    """Return the value that the project shows for a variable and its file, else a harmless one."""
    pattern = re.compile(_EXAMPLES_LINE.format(name=re.escape(name)), re.MULTILINE)
    for path in _EXAMPLES:
        if match := pattern.search(tree.read(path) or ""):
            return match["value"].strip().strip("\"'") or _harmless(name), path
    for path, text in workflow_texts(tree):
        if value := _in_workflow(name, text):
            return value, path
    own = re.compile(_SETTING.format(name=re.escape(name)))
    for path in (path for pattern in _SETTING_PROGRAMS for path in tree.glob(pattern)):
        if match := own.search(tree.read(path) or ""):
            return match["value"], path
    if name == "DJANGO_SETTINGS_MODULE":
        modules = (path for pattern in _SETTINGS_MODULES for path in tree.glob(pattern))
        if path := next(modules, ""):
            return path.removesuffix(".py").replace("/", "."), path
    return _harmless(name), ""


def _in_workflow(name: str, text: str) -> str:
    """Return the first value that a workflow gives a variable, "" where GitHub has to fill it in."""
    lines = text.split("\n")
    for n, line in enumerate(lines):
        front, key, value = line.partition(f"{name}:")
        if not key or front.strip():
            continue
        value = value.strip()
        if _BLOCK.fullmatch(value):
            joint = "\n" if value[0] == "|" else " "
            value = joint.join(_block(lines[n + 1 :], len(front))).strip()
        if value and "${{" not in value:
            return value.strip("\"'")
    return ""


def _block(lines: list[str], depth: int) -> Iterator[str]:
    """Yield the lines that are further in than their key."""
    for line in takewhile(lambda item: item[: depth + 1].isspace() or not item, lines):
        yield line.strip()


def _harmless(name: str) -> str:
    if "DATABASE" in name and name.endswith(("URL", "URLS", "URI", "DSN")):
        return "sqlite:///:memory:"
    if name.endswith(("URL", "URI", "ENDPOINT")):
        return "http://127.0.0.1:9"
    return "9" if name.endswith(("PORT", "TIMEOUT")) else "test"
