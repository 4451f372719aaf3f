"""Actions that install a language or one of its package managers.

The functions that start with `ci_` are in `runner_shell`.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping

from bot.ci.workflow.actions.effect import Act, Effect, Inputs, done, quoted
from bot.ci.workflow.actions.tools import TOOLS, install
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import job_steps as effects

_PYTHON = re.compile(r"(?P<minor>3(?:\.\d+){0,2})(?P<rest>.*)")
_OTHER_PYTHON = re.compile(r"(?P<kind>pypy|graalpy)-?v?(?P<minor>3\.\d+)")
_GO_MINOR = re.compile(r"\b1\.\d+")
_GO = re.compile(r"^(?:toolchain go|go )(?P<version>[\d.]+)", re.MULTILINE)


def python_requests(version: str) -> tuple[str, ...]:
    """Return what uv can be asked for, best first, for a version as setup-python takes it.

    `3.x`, `3.12`, `3.13-dev`, `3.14t`, `~3.12.0-0`, `>=3.10 <3.13` and `pypy-3.10` are such.
    """
    wanted = version.strip().strip("\"'")
    if not wanted or wanted in {"3", "3.x", "x", "3.X"}:
        return ()
    other = _OTHER_PYTHON.match(wanted.lower())
    if other:
        return (f"{other['kind']}{other['minor']}", other["minor"])
    if wanted[0] in "<>=~^":
        lower = re.search(r"3\.\d+", wanted)
        pinned = wanted[0] in "~^" and lower
        return (lower[0],) if pinned and lower else (",".join(wanted.split()),)
    match = _PYTHON.match(wanted.removeprefix("python"))
    if match is None:
        return (wanted,)
    minor_only = ".".join(match["minor"].split(".")[:2])
    exact = match["minor"] + ("t" if match["rest"].startswith("t") else "")
    return tuple(dict.fromkeys((exact, minor_only)))


def languages(tree: Tree) -> Mapping[str, Act]:
    """Return the actions by name; versions may stand in files of the tree."""

    def version(inputs: Inputs, name: str, file_input: str) -> str:
        given = inputs.text(name)
        file = inputs.text(file_input)
        return given or (_version_in(tree, file) if file else "")

    def setup_python(inputs: Inputs) -> Effect:
        wanted = inputs.text("python-version")
        if not wanted:
            wanted = _version_in(
                tree, inputs.text("python-version-file", default=".python-version")
            )
        several = [line.strip() for line in wanted.splitlines() if line.strip()] or [""]
        return _python(several[-1])

    def setup_node(inputs: Inputs) -> Effect:
        return _node(version(inputs, "node-version", "node-version-file"))

    def setup_go(inputs: Inputs) -> Effect:
        wanted = version(inputs, "go-version", "go-version-file")
        minor = _GO_MINOR.search(wanted)
        effect = _go(minor[0] if minor else "")
        return Effect(effect.need, effect.said, effect.script, exported={"GOTOOLCHAIN": "local"})

    def setup_ruby(inputs: Inputs) -> Effect:
        wanted = inputs.text("ruby-version", default="default")
        wanted = (
            _version_in(tree, ".ruby-version") if wanted in {"default", ".ruby-version"} else wanted
        )
        effect = _tool("Ruby", wanted, "ruby")
        bundle = "\nbundle install" if inputs.flag("bundler-cache") else ""
        return done(effect.said, effect.script + bundle)

    def setup_uv(inputs: Inputs) -> Effect:
        wanted = inputs.text("python-version")
        script = quoted("ci_tool", "uv", inputs.text("version"))
        effect = done(effects.uses_sandbox_tool("uv", ""), script, cache_hit="false")
        exported = {"UV_PYTHON": wanted} if wanted else {}
        return Effect(effect.need, effect.said, script, exported=exported, outputs=effect.outputs)

    def setup_pnpm(inputs: Inputs) -> Effect:
        wanted = inputs.text("version") or _package_manager(tree, inputs, "pnpm")
        install = (
            "\npnpm install" if inputs.text("run_install") not in {"", "false", "null"} else ""
        )
        return _npm_tool("pnpm", wanted, after=install)

    return {
        "actions/setup-python": setup_python,
        "actions/setup-node": setup_node,
        "actions/setup-go": setup_go,
        "actions/setup-java": lambda inputs: _tool("Java", inputs.text("java-version"), "java"),
        "actions/setup-dotnet": lambda i: _tool(".NET", i.text("dotnet-version"), "dotnet"),
        "ruby/setup-ruby": setup_ruby,
        "shivammathur/setup-php": lambda inputs: _tool("PHP", inputs.text("php-version"), "php"),
        "denoland/setup-deno": lambda inputs: _tool("Deno", inputs.text("deno-version"), "deno"),
        "astral-sh/setup-uv": setup_uv,
        "hynek/setup-cached-uv": setup_uv,
        "yezz123/setup-uv": setup_uv,
        "pnpm/action-setup": setup_pnpm,
        "oven-sh/setup-bun": lambda i: _npm_tool("bun", i.text("bun-version")),
        "volta-cli/action": lambda i: _node(i.text("node-version")),
        "dtolnay/rust-toolchain": lambda i: _rust(i.text("toolchain", default=i.version)),
        "actions-rust-lang/setup-rust-toolchain": lambda i: _rust(i.text("toolchain")),
        "actions-rs/toolchain": lambda i: _rust(i.text("toolchain")),
        "moonrepo/setup-rust": lambda i: _rust(i.text("channel")),
        "hecrj/setup-rust-action": lambda i: _rust(i.text("rust-version")),
        "snok/install-poetry": lambda i: _uv_tool("poetry", i.text("version")),
        "abatilo/actions-poetry": lambda i: _uv_tool("poetry", i.text("poetry-version")),
        "pypa/hatch": lambda _: _uv_tool("hatch", ""),
        "excitedleigh/setup-nox": lambda _: _uv_tool("nox", ""),
        "wntrblm/nox": lambda _: _uv_tool("nox", ""),
        "pdm-project/setup-pdm": lambda i: _pdm(i.text("python-version"), i.text("version")),
        "extractions/setup-just": lambda _: _uv_tool("rust-just", ""),
        "taiki-e/install-action": _install_action,
        "taiki-e/cache-cargo-install-action": _install_action,
        "gradle/actions/setup-gradle": lambda _: _tool("Gradle", "", "gradle"),
        "gradle/gradle-build-action": lambda _: _tool("Gradle", "", "gradle"),
        "nodesource/setup-nsolid": lambda i: _node(i.text("node-version")),
        "biomejs/setup-biome": lambda i: _npm_tool("@biomejs/biome", i.text("version")),
        "arduino/setup-task": lambda _: _npm_tool("@go-task/cli", ""),
    }


def _python(version: str) -> Effect:
    requests = python_requests(version)
    script = quoted("ci_python", version or "3", *requests)
    return done(effects.sets_up_python(version), script, python_version=version)


def _node(version: str) -> Effect:
    wanted = version.splitlines()[-1].strip() if version.strip() else ""
    if not wanted:
        return done(effects.uses_sandbox_tool("Node.js", ""), "ci_node ''")
    return done(effects.sets_up_node(wanted), quoted("ci_node", wanted))


def _go(version: str) -> Effect:
    return done(effects.sets_up_go(version), f"ci_go '{version}'")


def _tool(name: str, version: str, program: str) -> Effect:
    wanted = version.splitlines()[-1].strip() if version.strip() else ""
    said = effects.uses_sandbox_tool(name, wanted)
    return done(said, f"{quoted('ci_tool', program)} {quoted(wanted) if wanted else chr(39) * 2}")


def _rust(toolchain: str) -> Effect:
    wanted = toolchain or "stable"
    return done(effects.uses_sandbox_tool("Rust", wanted), quoted("ci_rust", wanted))


def _npm_tool(package: str, version: str, after: str = "") -> Effect:
    spec = f"{package}@{version}" if version and version != "latest" else package
    script = f"{quoted('npm', 'install', '--global', spec)}{after}"
    return done(effects.installs_from_npm(spec), script)


def _uv_tool(package: str, version: str) -> Effect:
    spec = f"{package}=={version}" if version and version not in {"latest", "main"} else package
    return done(effects.installs(spec), quoted("uv", "tool", "install", spec))


def _pdm(python: str, version: str) -> Effect:
    tool = _uv_tool("pdm", version)
    return done(tool.said, f"{_python(python).script}\n{tool.script}")


def _install_action(inputs: Inputs) -> Effect:
    wanted = inputs.text("tool", default=inputs.version).split(",")
    tools = {tool.strip(): version for tool, _, version in (name.partition("@") for name in wanted)}
    lines = [
        install(tool, version) if tool in TOOLS else f"{quoted('ci_tool', tool, '')} ''"
        for tool, version in tools.items()
    ]
    return done(effects.uses_installed_tools(list(tools)), "\n".join(lines))


def _package_manager(tree: Tree, inputs: Inputs, name: str) -> str:
    """Return the version that package.json's `packageManager` pins."""
    path = inputs.text("package_json_file", default="package.json")
    try:
        data = json.loads(tree.read(path) or "{}")
    except ValueError:
        return ""
    pinned = data.get("packageManager") if isinstance(data, dict) else None
    if not isinstance(pinned, str) or not pinned.startswith(f"{name}@"):
        return ""
    return pinned.partition("@")[2].partition("+")[0]


def _version_in(tree: Tree, path: str) -> str:
    """Return the version that a file of the tree pins, or empty."""
    text = (tree.read(path) or "").strip()
    name = path.rpartition("/")[2]
    if name in {"go.mod", "go.work"}:
        match = _GO.search(text)
        return match["version"] if match else ""
    if name == "package.json":
        return _engine(text)
    if name == "pyproject.toml":
        return _requires_python(text)
    if name == ".tool-versions":
        match = re.search(r"^(?:python|nodejs|golang|ruby) (\S+)", text, re.MULTILINE)
        return match[1] if match else ""
    return text.splitlines()[0].strip() if text else ""


def _engine(text: str) -> str:
    try:
        data = json.loads(text)
    except ValueError:
        return ""
    for section in ("volta", "engines"):
        found = data.get(section, {}).get("node") if isinstance(data, dict) else None
        if isinstance(found, str):
            return found
    return ""


def _requires_python(text: str) -> str:
    try:
        found = tomllib.loads(text).get("project", {}).get("requires-python", "")
    except (tomllib.TOMLDecodeError, AttributeError):
        return ""
    return found if isinstance(found, str) else ""


_IMAGE_PYTHONS = {
    "ubuntu-18.04": "3.6",
    "ubuntu-20.04": "3.8",
    "ubuntu-22.04": "3.10",
    "ubuntu-24.04": "3.12",
}
"""The `python3` of each image, which jobs have that set none up.

Source: https://github.com/actions/runner-images, the page of each image."""


def python_of(image: str, labels: Iterable[str]) -> str:
    """Return the version of an image's own Python, "" where nothing tells it.

    Args:
        image: As the log calls it, or "".
        labels: Of the job's `runs-on`; one with a version says more than the log of another run.
    """
    return next((_IMAGE_PYTHONS[name] for name in (*labels, image) if name in _IMAGE_PYTHONS), "")
