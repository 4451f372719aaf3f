"""What the documents say is so."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from pydantic import BaseModel
from ruamel.yaml import YAML
from typer.main import get_command

from bot.app import DOCKER_IMAGE
from bot.commands.cli import app
from bot.config.repo_config import RepoConfig, parse
from bot.errors import RepoConfigError
from bot.github.auth import CHECK, CLONE, PUBLISH, READ, TALK, WATCH
from bot.model.guard_rules import RULES
from bot.reporting.messages import COMMANDS, OPTIONS
from bot.reporting.reasons.guards import finds
from bot.settings.table import settings_table

ROOT = Path(__file__).parents[2]
WRITTEN_BY_HAND = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "prompts/README.md",
    *sorted(
        str(path.relative_to(ROOT))
        for path in (ROOT / "docs").rglob("*.md")
        if path.name != "sentences.md"  # printed by the code, with names of made-up files
    ),
)
_FENCE = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_PATH = re.compile(r"`((?:bot|sandbox|prompts|tests|demo|bench)/[\w./-]*)`")


def text(name: str) -> str:
    """Return a document."""
    return (ROOT / name).read_text("utf-8")


def blocks(name: str, language: str) -> list[str]:
    """Return a document's code blocks in a language."""
    found = _FENCE.finditer(text(name))
    return [match["code"] for match in found if match["language"] == language]


def prose(name: str) -> str:
    """Return a document without its code blocks."""
    return _FENCE.sub("", text(name))


def anchors(name: str) -> set[str]:
    """Return the anchors that GitHub gives to a document's headings."""
    titles = re.findall(r"^#+ (.+)$", prose(name), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def table(name: str, heading: str) -> list[list[str]]:
    """Return the body of the table whose first column has that heading, cell by cell."""
    lines = iter(text(name).splitlines())
    for line in lines:
        if line.startswith(f"| {heading} |"):
            break
    next(lines)
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        cells = re.split(r"(?<!\\)\|", line.strip("|"))
        rows.append([cell.strip().replace("\\|", "|") for cell in cells])
    return rows


@pytest.mark.parametrize("name", WRITTEN_BY_HAND)
def test_links_lead_somewhere(name: str) -> None:
    """Every relative link names a file that exists, and a heading that it has."""
    for match in _LINK.finditer(prose(name)):
        target, _, anchor = match["target"].partition("#")
        if "://" in match["target"]:
            continue
        path = ROOT / Path(name).parent / target if target else ROOT / name
        assert path.exists(), match["target"]
        if anchor:
            assert anchor in anchors(str(path.resolve().relative_to(ROOT))), match["target"]


@pytest.mark.parametrize("name", WRITTEN_BY_HAND)
def test_paths_exist(name: str) -> None:
    """Every module and folder of the project that a document names is there."""
    missing = [path for path in _PATH.findall(text(name)) if not (ROOT / path).exists()]
    assert missing == []


def test_the_map_is_complete() -> None:
    """ARCHITECTURE.md has a line for each room, and for each module that stands beside them."""
    rooms = [
        path.parent
        for pattern in ("bot/*", "bot/repair/*", "sandbox/*")
        for path in ROOT.glob(f"{pattern}/__init__.py")
    ]
    modules = [path for path in (ROOT / "bot").glob("*.py") if path.name != "__init__.py"]
    named = {path.rstrip("/") for path in _PATH.findall(text("ARCHITECTURE.md"))}
    there = {str(path.relative_to(ROOT)) for path in (*rooms, *modules)}
    unnamed = {path for path in there if not any(_covers(path, name) for name in named)}
    assert unnamed == set(), "give each of these a line under Rooms in ARCHITECTURE.md"


def test_rooms_stand_in_the_order_of_their_floors() -> None:
    """The table goes down as imports do: by the layers that import-linter holds."""
    [contract] = [
        contract
        for contract in tomllib.loads(text("pyproject.toml"))["tool"]["importlinter"]["contracts"]
        if contract.get("containers") == ["bot"]
    ]
    rows = [_PATH.findall(room) for room, _ in table("ARCHITECTURE.md", "Room")]
    floors = [
        next(n for n, paths in enumerate(rows) if {f"bot/{room}/", f"bot/{room}.py"} & {*paths})
        for layer in contract["layers"]
        for room in layer.split(" | ")
        if room != "__main__"
    ]
    assert floors == sorted(floors)


def _covers(path: str, name: str) -> bool:
    """Whether naming `name` speaks of `path`: itself, or a folder by something in it."""
    return name == path or (not path.endswith(".py") and name.startswith(f"{path}/"))


def test_entries_stay_short() -> None:
    """Who begins to read gets an entry: the rest has pages of its own."""
    assert len(text("README.md").split()) <= 1_500
    assert len(text("README.md").splitlines()) <= 150
    assert len(text("ARCHITECTURE.md").splitlines()) <= 120


def test_the_pictures_are_there() -> None:
    """The README shows a pull request and the page of its run, each with words for who can't see it."""
    shown = re.findall(
        r"^!\[(.+)\]\((docs/pictures/[\w-]+\.png)\)$", text("README.md"), re.MULTILINE
    )
    assert {Path(path).stem for _, path in shown} == {"pull-request", "run"}
    assert all((ROOT / path).read_bytes().startswith(b"\x89PNG") for _, path in shown)


def test_every_decision_is_in_the_index() -> None:
    """Decisions are numbered without gaps, have the same parts, and stand in the index by title."""
    pages = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    shown = re.findall(
        r"^- \[(\d{4})\]\((.+)\) (.+)$", text("docs/decisions/README.md"), re.MULTILINE
    )
    titles = [page.read_text("utf-8").partition("\n")[0].removeprefix("# ") for page in pages]
    numbers = [f"{number:04d}" for number, _ in enumerate(pages, 1)]
    assert shown == list(zip(numbers, [page.name for page in pages], titles, strict=True))
    for page in pages:
        parts = re.findall(r"^## (.+)$", page.read_text("utf-8"), re.MULTILINE)
        assert parts == ["Context", "Decision", "Consequences"], page.name


def test_settings_table_is_generated() -> None:
    """docs/settings.md shows the settings as the code has them."""
    shown = text("docs/settings.md").partition("bot/settings/table.py -->\n")[2]
    assert shown.partition("<!-- /settings -->")[0] == settings_table()


def test_settings_name_the_default_image() -> None:
    """The table says which Docker image is used where nobody names one."""
    assert DOCKER_IMAGE in settings_table()
    assert DOCKER_IMAGE in text("docs/self-hosting.md")


def test_commands_behind_fix_are_those_of_the_help() -> None:
    """docs/commands.md lists what `/fix help` lists, in the same words."""
    commands = [(f"`{name}`", meaning) for name, meaning in COMMANDS]
    options = [(f"`{name}`", meaning) for name, meaning in OPTIONS]
    assert [tuple(row) for row in table("docs/commands.md", "Command")] == commands
    assert [tuple(row) for row in table("docs/commands.md", "Option")] == options


def test_help_calls_values_what_people_call_them() -> None:
    """No command names a type of Python, or writes a range as a formula."""
    helps = (ROOT / "docs/sentences.md").read_text("utf-8")
    assert "[OPTIONS]" in helps
    assert (
        re.findall(r"^ .*(?:<(?:str|int|float|path)\b.*>|\dx?<=|x[<>]).*$", helps, re.MULTILINE)
        == []
    )


def printed_commands() -> Iterator[str]:
    """Yield the command lines in shell blocks, without their remarks."""
    for name in WRITTEN_BY_HAND:
        for line in "\n".join((*blocks(name, "sh"), *prompts_of(name))).splitlines():
            yield line.partition("  #")[0].strip()


def prompts_of(name: str) -> list[str]:
    """Return what is typed in a document's transcripts."""
    return re.findall(r"^\$ (.+)$", "\n".join(blocks(name, "console")), re.MULTILINE)


@cache
def commands_of(program: str) -> tuple[str, ...]:
    """Return the printed commands of a program."""
    return tuple(sorted({line for line in printed_commands() if line.split()[:1] == [program]}))


@pytest.mark.slow
@pytest.mark.parametrize("line", commands_of("fixpoint"))
def test_printed_commands_exist(line: str) -> None:
    """Every `fixpoint ...` that a document prints is understood by the command line."""
    command, words = get_command(app), shlex.split(line)[1:]
    while hasattr(command, "commands"):
        command = command.commands[words.pop(0)]
    command.make_context("fixpoint", words)


def test_every_test_has_a_target() -> None:
    """What `make test` leaves out is what two others run, one of them in CI as well."""
    in_ci = re.findall(r"^make ([a-z-]+)$", text(".ci/run"), re.MULTILINE)
    assert {"test", "test-slow"} <= set(in_ci)
    makefile = text("Makefile")
    [left_out] = re.findall(r'^LEFT_OUT := -m "(.+)"$', makefile, re.MULTILINE)
    assert left_out == "not exhaustive and not slow"
    assert '-m "slow and not exhaustive"' in makefile
    assert '-m "exhaustive or hypothesis"' in makefile


def test_printed_make_targets_exist() -> None:
    """Every `make ...` that a document prints has its target."""
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))
    printed = [line.split()[1] for line in commands_of("make")]
    tabled = [row[0].strip("`").split()[1] for row in table("CONTRIBUTING.md", "Command")]
    assert {*printed, *tabled} <= targets
    assert printed


@pytest.mark.parametrize("name", ["README.md", "docs/repo-config.md"])
def test_example_configs_are_valid(name: str) -> None:
    """The repo configs that documents show are accepted."""
    examples = blocks(name, "yaml")
    assert examples
    for example in examples:
        parse(example)


def test_a_bad_key_is_reported_as_shown() -> None:
    """The problem in the example's transcript is what the check says."""
    with pytest.raises(RepoConfigError) as raised:
        parse("test: make check\natempts: 3\n")
    assert str(raised.value) in text("docs/repo-config.md")


def test_every_key_of_the_config_is_explained() -> None:
    """The table has each key, nested ones by their path, and no other."""
    shown = [row[0].strip("`") for row in table("docs/repo-config.md", "Key")]
    assert sorted(shown) == sorted(keys(RepoConfig))


def keys(model: type[BaseModel], before: str = "") -> Iterator[str]:
    """Yield the keys of a config model."""
    for name, info in model.model_fields.items():
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from keys(kind, f"{name}.")
        else:
            yield f"{before}{name}"


def test_every_dependency_has_its_reason() -> None:
    """docs/dependencies.md says what each package is for."""
    project = tomllib.loads(text("pyproject.toml"))
    wanted = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"]]
    section = text("docs/dependencies.md")
    names = [re.split(r"[\[<>=!~ ;]", requirement)[0] for requirement in wanted]
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}\b", section)] == []


def test_the_app_asks_for_what_its_tokens_use() -> None:
    """No call needs a permission that app.yml lacks, and app.yml has none that no call needs."""
    rank = {"read": 0, "write": 1}
    used: dict[str, str] = {}
    for access in (READ, TALK, PUBLISH, CLONE, CHECK, WATCH):
        for permission, level in access.permissions:
            used[permission] = max(level, used.get(permission, level), key=rank.__getitem__)
    assert "merge_group" in manifest()["default_events"]
    assert manifest()["default_permissions"] == used | {"merge_queues": "read"}  # for that event


def test_the_link_registers_the_app_of_the_manifest() -> None:
    """The link that opens GitHub's form carries the values of app.yml."""
    declared = manifest()
    [link] = re.findall(
        r"<(https://github\.com/settings/apps/new\?[^>]+)>", text("docs/self-hosting.md")
    )
    assert parse_qsl(urlsplit(link).query) == [
        ("name", declared["name"]),
        ("url", declared["url"]),
        ("public", "false"),
        ("webhook_active", "true"),
        ("webhook_url", declared["hook_attributes"]["url"]),
        *(("callback_urls[]", url) for url in declared["callback_urls"]),
        *sorted(declared["default_permissions"].items()),
        *(("events[]", event) for event in declared["default_events"]),
    ]


def manifest() -> dict[str, Any]:
    """Return app.yml."""
    loaded = YAML(typ="safe").load(text("app.yml"))
    assert isinstance(loaded, dict)
    return loaded


def test_every_rule_of_the_guards_is_listed() -> None:
    """docs/verification.md has each rule with its severity and meaning, in order."""
    rules = [[f"`{name}`", severity.value, finds(name)] for name, severity in RULES.items()]
    assert table("docs/verification.md", "Rule") == rules
