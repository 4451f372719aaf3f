"""Actions that are a check themselves: they come down to a tool with arguments."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from bot.ci.workflow.actions.effect import Act, Effect, Inputs, checked, done, quoted
from bot.reporting.reasons import job_steps as effects


def _words(text: str) -> list[str]:
    """Split arguments as a shell does; what is not balanced stays one word."""
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def _tool(package: str, version: str) -> str:
    pinned = f"{package}=={version}" if version and version[0].isdigit() else package
    return f"{package}@{version}" if pinned != package else package


def _pre_commit(inputs: Inputs) -> Effect:
    extra = inputs.text("extra_args", "extra-args", default="--all-files")
    run = ("pre-commit", "run", "--show-diff-on-failure", "--color=always")
    script = "\n".join(
        (
            "command -v pre-commit >/dev/null || python -m pip install --quiet pre-commit",
            f"{shlex.join(run)} {extra}",
        )
    )
    return checked(effects.runs("pre-commit"), script)


def _ruff(inputs: Inputs) -> Effect:
    arguments = _words(inputs.text("args", default="check"))
    sources = _words(inputs.text("src", default="."))
    command = shlex.join(["uvx", _tool("ruff", inputs.text("version")), *arguments, *sources])
    return checked(effects.runs("ruff"), command)


def _black(inputs: Inputs) -> Effect:
    options = _words(inputs.text("options", default="--check --diff"))
    sources = _words(inputs.text("src", default="."))
    command = shlex.join(["uvx", _tool("black", inputs.text("version")), *options, *sources])
    return checked(effects.runs("black"), command)


def _isort(inputs: Inputs) -> Effect:
    options = _words(inputs.text("configuration", default="--check-only --diff"))
    sources = _words(inputs.text("sort-paths", default="."))
    version = inputs.text("isort-version")
    return checked(
        effects.runs("isort"), shlex.join(["uvx", _tool("isort", version), *options, *sources])
    )


def _golangci_lint(inputs: Inputs) -> Effect:
    folder = inputs.text("working-directory")
    go_to = f"cd -- {shlex.quote(folder)}\n" if folder else ""
    arguments = inputs.text("args")
    return checked(
        effects.runs_if_installed("golangci-lint"),
        f"{go_to}ci_tool golangci-lint {shlex.quote(inputs.text('version'))}\n"
        f"golangci-lint run {arguments}".rstrip(),
    )


def _pyright(inputs: Inputs) -> Effect:
    version = inputs.text("version")
    spec = f"pyright@{version}" if version else "pyright"
    folder = inputs.text("working-directory")
    go_to = f"cd -- {shlex.quote(folder)}\n" if folder else ""
    return checked(
        effects.runs("pyright"), f"{go_to}npx --yes {spec} {inputs.text('extra-args')}".rstrip()
    )


def _typos(inputs: Inputs) -> Effect:
    files = _words(inputs.text("files", default="."))
    config = inputs.text("config")
    options = ["--config", config] if config else []
    version = inputs.version.removeprefix("v")
    spec = f"typos@{version}" if version.count(".") == 2 else "typos"  # noqa: PLR2004 - x.y.z
    return checked(effects.runs("typos"), shlex.join(["uvx", spec, *options, *files]))


def _codespell(inputs: Inputs) -> Effect:
    options = [
        f"--{flag}={value}"
        for name, flag in (
            ("skip", "skip"),
            ("ignore_words_list", "ignore-words-list"),
            ("ignore_words_file", "ignore-words"),
            ("exclude_file", "exclude-file"),
        )
        if (value := inputs.text(name))
    ]
    paths = _words(inputs.text("path", default="."))
    return checked(effects.runs("codespell"), shlex.join(["uvx", "codespell", *options, *paths]))


def _markdownlint(inputs: Inputs) -> Effect:
    globs = inputs.text("globs", default="*.{md,markdown}").split("\n")
    fix = ["--fix"] if inputs.flag("fix") else []
    return checked(
        effects.runs("markdownlint-cli2"),
        shlex.join(["npx", "--yes", "markdownlint-cli2", *fix, *globs]),
    )


def _cargo(inputs: Inputs) -> Effect:
    toolchain = inputs.text("toolchain")
    command = ["cargo", *([f"+{toolchain}"] if toolchain else []), inputs.text("command")]
    return checked(effects.runs("cargo"), f"{quoted(*command)} {inputs.text('args')}".rstrip())


def _clippy(inputs: Inputs) -> Effect:
    return checked(effects.runs("clippy"), f"cargo clippy {inputs.text('args')}".rstrip())


def _rustfmt(_: Inputs) -> Effect:
    return checked(effects.runs("rustfmt"), "cargo fmt --all -- --check")


def _cargo_audit(inputs: Inputs) -> Effect:
    return checked(effects.runs("cargo audit"), f"cargo audit {inputs.text('args')}".rstrip())


def _baipp(inputs: Inputs) -> Effect:
    folder = inputs.text("path", default=".")
    script = f"uv build --out-dir ~/.ci/temp/dist {shlex.quote(folder)}\nuvx twine check ~/.ci/temp/dist/*"
    effect = checked(effects.BUILDS_PACKAGE, script)
    return Effect(effect.need, effect.said, script, outputs={"dist": "~/.ci/temp/dist"}, check=True)


def _prek(inputs: Inputs) -> Effect:
    extra = inputs.text("extra-args", "extra_args", default="--all-files")
    return checked(effects.runs("prek"), f"uvx prek run --show-diff-on-failure {extra}")


def _cargo_deny(inputs: Inputs) -> Effect:
    command = inputs.text("command", default="check")
    return checked(
        effects.runs("cargo-deny"),
        f"cargo deny {command} {inputs.text('command-arguments')}".rstrip(),
    )


def _zizmor(inputs: Inputs) -> Effect:
    paths = _words(inputs.text("inputs", default="."))
    return checked(effects.runs("zizmor"), shlex.join(["uvx", "zizmor", "--offline", *paths]))


def _npm_ci(inputs: Inputs) -> Effect:
    manager = inputs.text("package-manager", default="npm")
    return done(
        effects.INSTALLS_LOCK_FILE,
        "npm ci" if manager == "npm" else f"{manager} install",
    )


CHECKS: Mapping[str, Act] = {
    "pre-commit/action": _pre_commit,
    "tox-dev/action-pre-commit-uv": _pre_commit,
    "cloudposse/github-action-pre-commit": _pre_commit,
    "astral-sh/ruff-action": _ruff,
    "chartboost/ruff-action": _ruff,
    "psf/black": _black,
    "rickstaa/action-black": _black,
    "isort/isort-action": _isort,
    "jamescurtin/isort-action": _isort,
    "golangci/golangci-lint-action": _golangci_lint,
    "jakebailey/pyright-action": _pyright,
    "crate-ci/typos": _typos,
    "codespell-project/actions-codespell": _codespell,
    "davidanson/markdownlint-cli2-action": _markdownlint,
    "actions-rs/cargo": _cargo,
    "actions-rs/clippy-check": _clippy,
    "actions-rs/audit-check": _cargo_audit,
    "rustsec/audit-check": _cargo_audit,
    "actions-rust-lang/rustfmt": _rustfmt,
    "hynek/build-and-inspect-python-package": _baipp,
    "bahmutov/npm-install": _npm_ci,
    "j178/prek-action": _prek,
    "embarkstudios/cargo-deny-action": _cargo_deny,
    "zizmorcore/zizmor-action": _zizmor,
}
"""By name in lower case."""
