"""What `.github/fixpoint.yml` may say, and what is said about a bad one."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.proof import ProofSection
from bot.config.repo_config import (
    ExplainSection,
    MechanicalSection,
    PathsSection,
    RepoConfig,
    Role,
    SandboxSection,
    WhoSection,
    json_schema,
    parse,
)
from bot.errors import RepoConfigError
from bot.model import Limits
from bot.model.proof_card import RowKind
from bot.model.request import Effort, Options

SCHEMA_FILE = Path(__file__).parents[2] / "docs" / "fixpoint.schema.json"

FULL = """\
# Everything at once.
setup:
  - pip install -e .
  - npm ci
test: pytest -q
sandbox:
  image: python:3.12-slim
  template: fixpoint-python
network: [pypi.org, '*.example.org']
model: claude-opus-5-5
effort: high
attempts: 5
budget_usd: 1.5
timeout: 15m
paths:
  allowed: [src/**, /docs/]
  protected: ['*.lock']
labels: [fixpoint, robots welcome]
branch_prefix: bots/fixpoint-
draft: false
who:
  permission: maintain
  users: [ada]
proposers: [mechanical]
mechanical:
  snapshots: true
"""


def problems(text: str | bytes) -> list[str]:
    """Return what is wrong with a file, without its name."""
    with pytest.raises(RepoConfigError) as caught:
        parse(text)
    return [each.removeprefix(".github/fixpoint.yml:") for each in caught.value.problems]


def test_every_key_is_read() -> None:
    """A file that uses everything gives exactly these values."""
    assert parse(FULL) == RepoConfig(
        setup=("pip install -e .", "npm ci"),
        test="pytest -q",
        sandbox=SandboxSection(image="python:3.12-slim", template="fixpoint-python"),
        network=("pypi.org", "*.example.org"),
        model="claude-opus-5-5",
        effort=Effort.HIGH,
        attempts=5,
        budget_usd=1.5,
        timeout=900,
        paths=PathsSection(allowed=("src/**", "/docs/"), protected=("*.lock",)),
        labels=("fixpoint", "robots welcome"),
        branch_prefix="bots/fixpoint-",
        draft=False,
        who=WhoSection(permission=Role.MAINTAIN, users=("ada",)),
        proposers=("mechanical",),
        mechanical=MechanicalSection(snapshots=True),
    )


@pytest.mark.parametrize(
    "text", ["", "\n", "# nothing\n", "---\n", "null", b"", b"\xef\xbb\xbf", "{}"]
)
def test_an_empty_file_means_the_defaults(text: str | bytes) -> None:
    """So does a repository without one."""
    assert parse(text) == RepoConfig()


def test_the_defaults_are_those_of_a_run() -> None:
    """The budget of a run without a config file is the engine's own."""
    assert RepoConfig().limits(Options()) == Limits()


def test_options_come_before_the_file() -> None:
    """What a person writes behind `/fix` replaces what the file says, key by key."""
    limits = parse(FULL).limits(Options(attempts=1, budget_usd=Decimal(3)))
    assert limits == Limits(attempts=1, cost_usd=Decimal(3), seconds=900, command_seconds=300)


def test_money_is_exact() -> None:
    """A budget is the decimal that was written, not the nearest binary fraction."""
    assert parse("budget_usd: 0.1").budget_usd == Decimal("0.1")


@pytest.mark.parametrize(
    ("text", "config"),
    [
        ("setup: make deps", RepoConfig(setup=("make deps",))),
        ("network: off", RepoConfig(network="off")),
        ("network: on", RepoConfig(network="on")),
        ("network: {allow: [pypi.org]}", RepoConfig(network=("pypi.org",))),
        ("network:\n  allow: pypi.org", RepoConfig(network=("pypi.org",))),
        ("network: true", RepoConfig(network="on")),
        ("%YAML 1.1\n---\nnetwork: off", RepoConfig(network="off")),
        ("timeout: 900", RepoConfig(timeout=900)),
        ("timeout: 1h", RepoConfig(timeout=3600)),
        ("budget_usd: 1", RepoConfig(budget_usd=1)),
        ("test: |\n  cd app\n  make test\n", RepoConfig(test="cd app\nmake test")),
        ("test: &t make\nsetup: [*t]", RepoConfig(test="make", setup=("make",))),
        ("test:\npaths:\nlabels:\n", RepoConfig()),
        ("labels: []", RepoConfig(labels=())),
        ("test: 2026-01-01", RepoConfig(test="2026-01-01")),
        ("branch_prefix: fix-", RepoConfig(branch_prefix="fix-")),
        ('{"draft": false}', RepoConfig(draft=False)),
        ("proof: {on: off}", RepoConfig(proof=ProofSection(on="off"))),
        ("%YAML 1.1\n---\nproof: {on: off}", RepoConfig(proof=ProofSection(on="off"))),
        ("explain: false", RepoConfig(explain=ExplainSection(seconds=0))),
        ("explain: off", RepoConfig(explain=ExplainSection(seconds=0))),
        ("explain: {seconds: 0}", RepoConfig(explain=ExplainSection(seconds=0))),
        ("explain: {seconds: 2m}", RepoConfig(explain=ExplainSection(seconds=120))),
        ("proof: {required: tests}", RepoConfig(proof=ProofSection(required=(RowKind.TESTS,)))),
    ],
)
def test_short_and_other_ways_to_write_it(text: str, config: RepoConfig) -> None:
    """What people write in YAML means what they expect."""
    assert parse(text) == config


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n\natempts: 3", "3: unknown key 'atempts'; did you mean 'attempts'?"),
        ("who:\n  user: [a]", "2: unknown key 'user'; did you mean 'users'?"),
        ("protected: [a]", "1: unknown key 'protected'; it belongs under 'paths'."),
        ("who: {draft: true}", "1: unknown key 'draft'; it belongs at the top level of the file."),
        ("sandbox: {zzz: 1}", "1: unknown key 'zzz'; the keys are image, template."),
        ("atempts:", "1: unknown key 'atempts'; did you mean 'attempts'?"),
        ("1: x", ("1: unknown key '1'; the keys are setup, test, sandbox, network, model, effort, "
         "attempts, budget_usd, caps, timeout, paths, guards, labels, branch_prefix, branch, titles, template, sign_off, review, assign, push_to_forks, confidence, "
         "approval, draft, who, proposers, routing, candidates, recovery, mechanical, search, explain, flaky, tools, "
         "reviews, conflicts, memory, spec, test_first, wrong_fixes, checks, proof.")),
        ("proof:\n  on: labeled", "2: 'proof.on' must be 'off', 'fixes', 'all' or 'labelled'; did you mean 'labelled'?"),
        ("proof: {on: true}", "1: 'proof.on' must be 'off', 'fixes', 'all' or 'labelled'."),
        ("proof:\n  required:\n  - tests\n  - suit", ("4: 'proof.required[2]' must be 'tests', 'suite', 'mutants', "
         "'behaviour', 'necessity', 'capabilities', 'stability' or 'reproduction'; did you mean 'suite'?")),
        ("proof: {required: [tests, tests]}", "1: 'proof.required' must not contain duplicates."),
        ("proof: {conclusion: failure}", "1: 'proof.conclusion' must be 'neutral' or 'required'."),
        ("explain: true", "1: 'explain' must be a mapping with keys such as seconds."),
        ("explain: {seconds: -1}", "1: 'explain.seconds' must be a duration of up to 6 hours, such as 900, 15m or 1h."),
        ("explain: {second: 1}", "1: unknown key 'second'; did you mean 'seconds'?"),
        ("proof: fixes", "1: 'proof' must be a mapping with keys such as on, authors, label."),
        ("test: a\ndraft: no\n", "2: 'draft' must be true or false."),
        ("draft: 1", "1: 'draft' must be true or false."),
        ("attempts: '3'", "1: 'attempts' must be a whole number."),
        ("attempts: 1.5", "1: 'attempts' must be a whole number."),
        ("attempts: true", "1: 'attempts' must be a whole number."),
        ("attempts: 0", "1: 'attempts' must be greater than or equal to 1."),
        ("attempts: 11", "1: 'attempts' must be less than or equal to 10."),
        ("attempts: " + "9" * 5000, "1: 'attempts' must be a whole number."),
        ("budget_usd: -1", "1: 'budget_usd' must be an amount in dollars, more than 0 and at most 100."),
        ("budget_usd: .nan", "1: 'budget_usd' must be an amount in dollars, more than 0 and at most 100."),
        ("budget_usd: .inf", "1: 'budget_usd' must be an amount in dollars, more than 0 and at most 100."),
        ("budget_usd: true", "1: 'budget_usd' must be an amount in dollars, more than 0 and at most 100."),
        ("budget_usd: $2", "1: 'budget_usd' must be an amount in dollars, more than 0 and at most 100."),
        ("timeout: 7h", "1: 'timeout' must be a duration of up to 6 hours, such as 900, 15m or 1h."),
        ("timeout: 0", "1: 'timeout' must be a duration of up to 6 hours, such as 900, 15m or 1h."),
        ("timeout: [1]", "1: 'timeout' must be a duration of up to 6 hours, such as 900, 15m or 1h."),
        ("model: 4.5", "1: 'model' must be text; put it in quotes."),
        ("test: ''", "1: 'test' must not be empty."),
        ("test: ' '", "1: 'test' must not be empty."),
        ("test: [a]", "1: 'test' must be text; put it in quotes."),
        ("setup:\n  - a\n  - 3", "3: 'setup[2]' must be text; put it in quotes."),
        ("setup: 3", "1: 'setup' must be a list."),
        ("effort: hihg", "1: 'effort' must be 'low', 'medium' or 'high'; did you mean 'high'?"),
        ("effort: 3", "1: 'effort' must be 'low', 'medium' or 'high'."),
        ("who:\n  permission: read", "2: 'who.permission' must be 'write', 'maintain' or 'admin'."),
        ("who: ada", "1: 'who' must be a mapping with keys such as permission, users, approve."),
        ("proposers: [mechanical, agnet]",
         "1: 'proposers[2]' must be 'memory', 'flaky', 'mechanical', 'adapt', 'search', 'revert', 'agent' or 'bound'; did you mean 'agent'?"),
        ("proposers: [serch]",
         "1: 'proposers[1]' must be 'memory', 'flaky', 'mechanical', 'adapt', 'search', 'revert', 'agent' or 'bound'; did you mean 'search'?"),
        ("proposers: []", "1: 'proposers' must not be empty."),
        ("proposers: [agent, agent]", "1: 'proposers' must not contain duplicates."),
        ("network: maybe", "1: 'network' must be off, on, or `allow:` with a list of host names."),
        ("network: []", "1: 'network' must be off, on, or `allow:` with a list of host names."),
        ("network: [https://a.b]", "1: 'network' must be off, on, or `allow:` with a list of host names."),
        ("labels: fixpoint", "1: 'labels' must be a list."),
        ("labels: [" + "x" * 51 + "]", "1: 'labels[1]' must have at most 50 characters."),
        ("paths:\n  protected:\n  - ok\n  - ../x",
         "4: 'paths.protected[2]' must be a glob inside the repository, such as src/** or *.md."),
        ("guards: {supression-added: note}",
         "1: 'guards' has an unknown rule 'supression-added' (did you mean 'suppression-added'?)."),
        ("guards: {condition-unneeded: note}",
         "1: 'guards' has the rule 'condition-unneeded', which is gone: the proof card shows what it found, whatever is set here (see docs/proof.md)."),
        ("guards: {suppression-added: off}",
         "1: 'guards.suppression-added' must be 'reject', 'needs-person' or 'note'."),
        ("paths: {allowed: ['!x']}",
         "1: 'paths.allowed[1]' must be a glob inside the repository, such as src/** or *.md."),
    ],
)  # fmt: skip
def test_a_problem_names_its_line_and_what_would_be_right(text: str, expected: str) -> None:
    """One sentence with the line, the key and the nearest valid thing."""
    assert problems(text) == [expected]


@pytest.mark.parametrize(
    "prefix",
    ["", "/a", "-a", "a b", "a..b", "a//b", "a~", "a^", "a:", "a?", "a*", "a[", "a\\", "a@{", ".a",
     "a/.b", "a.lock/", "a./", "x" * 101, "a\x7f"],
)  # fmt: skip
def test_a_branch_prefix_must_make_branch_names(prefix: str) -> None:
    """What git would refuse as a branch is refused here, before any work is done."""
    [problem] = problems(json.dumps({"branch_prefix": prefix}))
    assert problem == "1: 'branch_prefix' must be a valid branch name prefix, such as fixpoint/."


@pytest.mark.parametrize(
    "pattern", ["", "fix/", "fix", "fix/{title}", "{slug", "{slug}/", "a b{run}", "{slug}.lock"]
)
def test_a_branch_pattern_must_make_branch_names(pattern: str) -> None:
    """It says which names there are, and gives one that works."""
    [problem] = problems(json.dumps({"branch": pattern}))
    assert problem == (
        "1: 'branch' must make branch names of {issue}, {slug} and {run}, such as "
        "fix/{issue}-{slug}."
    )
    assert parse(b"branch: 'fix/{issue}-{slug}'").branch == "fix/{issue}-{slug}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n\tb: 1", "2: tabs can't indent YAML; use spaces."),
        ("test: [a", "1: is not valid YAML: expected ',' or ']', but got '<stream end>'."),
        ("test: 'a", "1: is not valid YAML: found unexpected end of stream."),
        ("a\nb: c: d", "2: is not valid YAML: mapping values are not allowed here."),
        ("test: *nope", "1: is not valid YAML: found undefined alias 'nope'."),
        ("test: a\n---\ntest: b", "2: only one YAML document is allowed; remove the line `---`."),
        ("- a", "1: the file must be a mapping with keys such as setup, test, sandbox."),
        ("text", "1: the file must be a mapping with keys such as setup, test, sandbox."),
        ("? [a]\n: b", "1: a key must be plain text."),
        ("x: &a [*a]", "1: an alias refers to a value that contains it."),
        ("[" * 100, "1: is nested more than 20 levels deep."),
        ("a: 1\n\0", "2: contains a character that YAML does not allow."),
        ("\ud800", "1: contains a character that YAML does not allow."),
        (b"test: a\nmodel: \xff", "2: is not UTF-8 text."),
        ("x" * 70_000, "1: is larger than 64 KiB."),
        ("test: !!python/object:os.system x",
         "1: the tag tag:yaml.org,2002:python/object:os.system is not allowed."),
        ("test: !secret x", "1: the tag !secret is not allowed."),
        ("test: a\nmodel: b\ntest: c", "3: the key 'test' appears twice."),
        ("attempts: !!int x", "1: 'attempts' must be a whole number."),
        ("budget_usd: !!float ",
         "1: 'budget_usd' must be an amount in dollars, more than 0 and at most 100."),
        ('a: "\\U00110000"', "1: is not valid YAML."),
        ('a: "\\UFFFFFFFF"', "1: is not valid YAML."),
        ("%YAML 1.11\n--- a", "1: is not valid YAML."),
    ],
)  # fmt: skip
def test_what_is_no_yaml_is_explained(text: str | bytes, expected: str) -> None:
    """Tabs, several documents, tags, duplicates, odd bytes: one sentence each, with the line."""
    assert problems(text) == [expected]


def test_aliases_that_grow_without_end_are_refused() -> None:
    """A billion values in ten lines cost nothing but this sentence."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    [problem] = problems("\n".join(lines))
    assert problem.endswith("has more than 5000 values.")


def test_all_problems_come_at_once_in_the_order_of_lines() -> None:
    """A person mends everything in one go."""
    assert problems("draft: maybe\ntest: a\natempts: 3\nwho:\n  permission: x\ntest: b\n") == [
        "1: 'draft' must be true or false.",
        "3: unknown key 'atempts'; did you mean 'attempts'?",
        "5: 'who.permission' must be 'write', 'maintain' or 'admin'.",
        "6: the key 'test' appears twice.",
    ]


def test_very_many_problems_are_cut() -> None:
    """The report still fits into a comment."""
    found = problems("\n".join(f"zz{n}: 1" for n in range(100)))
    assert len(found) == 26
    assert found[-1] == " and 75 more problems."


def test_the_file_is_called_what_the_caller_says() -> None:
    """`fixpoint config check` names the path that it was given."""
    with pytest.raises(RepoConfigError, match=r"^here\.yml:1: unknown key"):
        parse("x: 1", source="here.yml")


@given(st.text() | st.binary())
def test_no_content_is_too_odd(data: str | bytes) -> None:
    """Any content is a config or a list of problems."""
    try:
        parse(data)
    except RepoConfigError as error:
        assert error.problems  # noqa: PT017 - most content is wrong, and some is not


def test_the_published_schema_is_current() -> None:
    """docs/fixpoint.schema.json is what the model says; else write `json_schema()` there again."""
    assert json.loads(SCHEMA_FILE.read_text()) == json_schema()


def test_every_key_is_described_in_the_schema() -> None:
    """Editors can explain each key."""
    schema = json_schema()
    sections = [schema, *schema["$defs"].values()]
    for section in sections:
        for name, key in section.get("properties", {}).items():
            described = key.get("description") or key.get("$ref")
            assert described, name
