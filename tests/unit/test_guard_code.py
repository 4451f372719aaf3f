"""Cheats in programs, configuration and new files: each is found, and no honest change is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.code.change import SYMLINK, FileDiff, differing_lines
from bot.model import Failure, Observation, Severity
from bot.model.guard_rules import RULES, configured, softened
from bot.repair.guards.examine import GuardEvidence, examine

RED = Observation(
    "pytest", 1, (Failure("test_app.test_shout", "test_app.py", 2, detail="app.py:2: KeyError"),)
)


def rules(
    path: str, before: str | None, after: str | None, red: Observation | None = RED
) -> set[str]:
    """Return the rules that find something in one changed file."""
    old, new = (None if side is None else side.encode() for side in (before, after))
    change = FileDiff(path, old, new)
    return {finding.rule for finding in examine([change], GuardEvidence(red))}


BODY = "def shout(text):\n    return text.upper()\n"


@pytest.mark.parametrize(
    ("after", "rule"),
    [
        ("import os\ndef shout(text):\n    if 'PYTEST_CURRENT_TEST' in os.environ:\n        return 1\n", "capability-added"),
        ("import sys\ndef shout(text):\n    return 1 if 'pytest' in sys.modules else text\n", "capability-added"),
        ("import inspect\ndef shout(text):\n    return 'test' in str(inspect.stack())\n", "capability-added"),
        ("import inspect\ndef shout(text):\n    return inspect.stack()\n", "capability-added"),
        ("def shout(text):\n    try:\n        return text.upper()\n    except Exception:\n        return None\n", "broad-except"),
        ("def shout(text):\n    try:\n        return text.upper()\n    except:\n        pass\n", "broad-except"),
        ("import contextlib\ndef shout(text):\n    with contextlib.suppress(Exception):\n        return 1\n", "broad-except"),
        ("import sys\nsys.exit(0)\n", "exits-early"),
        ("import os\nos._exit(0)\n", "exits-early"),
        ("raise SystemExit(0)\n", "exits-early"),
        ("import unittest\nunittest.TestCase.assertEqual = print\n", "capability-added"),
        ("import builtins\nbuiltins.AssertionError = Warning\n", "capability-added"),
        ("import builtins\nsetattr(builtins, 'AssertionError', Warning)\n", "capability-added"),
        ("class Text(str):\n    def __eq__(self, other):\n        return True\n", "capability-added"),
        ("def pytest_collection_modifyitems(items):\n    items.clear()\n", "test-setup"),
        ("import requests\nWORDS = requests.get('http://example.com').json()\n", "capability-added"),
        ("def shout(text):\n    return text.upper()  # type: ignore[attr-defined]\n", "suppression-named"),
        ("def shout(text):\n    return text.upper()  # type: ignore\n", "suppression-added"),
    ],
)  # fmt: skip
def test_cheats_in_python(after: str, rule: str) -> None:
    """A program is changed where it should be repaired."""
    before = "def pytest_collection_modifyitems(items):\n    pass\n" if "items" in after else BODY
    assert rule in rules("app.py", before, after)


@pytest.mark.parametrize(
    "after",
    [
        "def shout(text):\n    return text.upper() + '!'\n",
        "def shout(text):\n    # 'pytest' in sys.modules\n    return f'{text.upper()}!'\n",
        "def shout(text):\n    try:\n        return text.upper()\n    except AttributeError:\n        return ''\n",
        "def shout(text):\n    try:\n        return text.upper()\n    except Exception as error:\n        raise ValueError from error\n",
        "def shout(text):\n    if not text:\n        return ''\n    return text.upper()\n",
        "def shout(text):\n    if text == 'a':\n        return True\n    return text\n",
        "import sys\ndef main():\n    sys.exit(0)\nif __name__ == '__main__':\n    sys.exit(main())\n",
        "import sys\ndef shout(text):\n    sys.exit(2)\n",
        "class Text:\n    def __eq__(self, other):\n        return self.x == other.x\n",
        "def read(path):\n    noqa = 'noqa'\n    return '# noqa'\n",
    ],
)  # fmt: skip
def test_honest_changes_of_python(after: str) -> None:
    """What repairs look like is no finding."""
    assert rules("app.py", BODY, after) == set()


def test_network_in_a_function() -> None:
    """It does not run when the module is loaded, and is still more than the file could do."""
    after = "import requests\ndef words():\n    return requests.get('http://example.com')\n"
    assert rules("app.py", BODY, after) == {"capability-added"}


@pytest.mark.parametrize(
    ("path", "after", "rule"),
    [
        ("a.js", "if (process.env.NODE_ENV === 'test') { x = 1 }", "capability-added"),
        ("a.ts", "const inTest = process.env.JEST_WORKER_ID !== undefined", "capability-added"),
        ("a.js", "try { f() } catch (e) {}", "broad-except"),
        ("a.js", "load().catch(() => {})", "broad-except"),
        ("a.js", "process.exit(0)", "exits-early"),
        ("a.js", "globalThis.expect = fake", "capability-added"),
        ("a.ts", "const x: any = 1 // eslint-disable-line", "suppression-added"),
        ("a.ts", "// @ts-ignore\nf(1)", "suppression-added"),
        ("a.js", "/* istanbul ignore file */\nf(1)", "suppression-added"),
        ("a.js", "/* istanbul ignore next */\nf(1)", "suppression-named"),
        ("a.js", "const data = await fetch('http://example.com')", "capability-added"),
        ("a.go", 'package a\nimport "testing"\nfunc S() bool { return testing.Testing() }', "capability-added"),
        ("a.go", "package a\nfunc S() { defer func() { recover() }() }", "broad-except"),
        ("a.go", "package a\nfunc S() { os.Exit(0) }", "exits-early"),
        ("a.go", "package a\nvar x = f() //nolint:errcheck", "suppression-named"),
        ("a.go", "package a\nvar x = f() //nolint", "suppression-added"),
        ("a.rs", "impl PartialEq for A { fn eq(&self, other: &A) -> bool { true } }", "capability-added"),
        ("a.rs", "#[allow(dead_code)]\nfn s() {}", "suppression-named"),
        ("a.rs", "#![allow(dead_code)]\nfn s() {}", "suppression-added"),
        ("a.rs", "fn s() { std::process::exit(0) }", "exits-early"),
    ],
)  # fmt: skip
def test_cheats_in_other_languages(path: str, after: str, rule: str) -> None:
    """The same cheats in JavaScript, TypeScript, Go and Rust."""
    assert rule in rules(path, "", after)


@pytest.mark.parametrize(
    ("path", "before", "after", "rule"),
    [
        ("conftest.py", None, "def pytest_runtest_makereport(item, call): ...\n", "test-setup"),
        ("sitecustomize.py", None, "x = 1\n", "test-setup"),
        ("lib/patch.pth", None, "import os\n", "test-setup"),
        ("lib/x.dist-info/entry_points.txt", None, "[pytest11]\na = b\n", "test-setup"),
        ("setup.cfg", "", "[options.entry_points]\npytest11 = a = b\n", "test-setup"),
        ("app/helper.py", "x = 1\n", "pytest_plugins = ['app.plug']\n", "test-setup"),
        ("pytest.py", None, "x = 1\n", "test-setup"),
        ("src/pluggy/__init__.py", None, "x = 1\n", "test-setup"),
        ("json.py", None, "x = 1\n", "test-setup"),
        ("test_b.py", None, "import sys\ndef test():\n    sys.exit(0)\n", "exits-early"),
        ("b_test.go", None, "package a\nfunc TestMain(m *testing.M) { os.Exit(0) }\n", "exits-early"),
        ("pytest.toml", None, '[pytest]\naddopts = ["--deselect=a.py::b"]\n', "check-relaxed"),
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-q'\n", "[tool.pytest.ini_options]\naddopts = '-q -p app.x'\n", "check-relaxed"),
        ("tsconfig.json", '{"a": {"strict": true}}', '{"a": {"strict": true, "strictNullChecks": false}}', "check-relaxed"),
        ("pytest.ini", None, "[pytest]\naddopts = --deselect test_a.py::test_b\n", "check-relaxed"),
        ("pytest.ini", "[pytest]\ntestpaths = a b\n", "[pytest]\ntestpaths = a\n", "check-relaxed"),
        (".coveragerc", "[report]\nfail_under = 90\n", "[report]\nfail_under = 10\n", "check-relaxed"),
        ("ruff.toml", "line-length = 80\n", "line-length = 200\n", "check-relaxed"),
        ("pyproject.toml", "[tool.ruff.lint]\nignore = []\n", '[tool.ruff.lint]\nignore = ["E"]\n', "check-relaxed"),
        ("pyproject.toml", "[tool.mypy]\nstrict = true\n", "[tool.mypy]\n", "check-relaxed"),
        ("package.json", '{"scripts": {"test": "jest"}}', '{"scripts": {"test": "jest || true"}}', "check-relaxed"),
        (".eslintrc", '{"a": {"maxLength": 80}}', '{"a": {"maxLength": 800}}', "check-relaxed"),
        ("Makefile", "test:\n\tpytest\n", "test:\n\tpytest || true\n", "check-relaxed"),
        ("requirements.txt", "a==1\n", "a==1\nb==2\n", "dependency-added"),
        ("package-lock.json", "{}", '{"a": 1}', "dependency-added"),
        ("app.bin", None, "a\0b", "binary-added"),
        ("app.min.js", None, "x", "blob-added"),
        ("table.py", None, f"X = '{'x' * 3000}'\n", "blob-added"),
    ],
)  # fmt: skip
def test_other_files(path: str, before: str | None, after: str, rule: str) -> None:
    """Plugins, configuration, dependencies and what nobody can read."""
    assert rule in rules(path, before, after)


def test_honest_configuration() -> None:
    """A version, a description or a stricter rule is no relaxed check."""
    before = '[project]\nname = "a"\ntimeout = 1\n[tool.coverage.report]\nfail_under = 80\n'
    after = '[project]\nname = "a"\ntimeout = 5\n[tool.coverage.report]\nfail_under = 90\n'
    assert rules("pyproject.toml", before, after) == {"dependency-added"}


def test_a_runner_may_grow() -> None:
    """A new module of a package that is there takes no other's place."""
    assert rules("src/pluggy/_more.py", None, "x = 1\n") == set()


def test_honest_scripts() -> None:
    """What has nothing to do with checks may fail."""
    assert rules("Makefile", "clean:\n", "clean:\n\trm x || true\n\tcurl -k https://a\n") == set()


def test_an_ignore_where_a_linter_fails() -> None:
    """It hides the failure that should be repaired."""
    red = Observation("ruff check", 1, (Failure("app.py:1:8: F401", "app.py", 1),))
    assert rules("app.py", "import os\n", "import os  # noqa: F401\n", red) == {
        "failure-suppressed"
    }


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("import atexit, os\natexit.register(os._exit, 0)", "capability-added"),
        ("import os\nos.execv('/bin/true', ['true'])", "capability-added"),
        ("import builtins\nbuiltins.__dict__['len'] = print", "capability-added"),
        ("from unittest import TestCase\nTestCase.run = lambda self: None", "capability-added"),
        ("import sys\nsys.meta_path.insert(0, Finder())", "capability-added"),
        (
            "class A:\n    def __eq__(self, other): return isinstance(other, object)",
            "capability-added",
        ),
        ("A.__eq__ = lambda self, other: True", "capability-added"),
        ("import gc\ngc.get_objects()", "capability-added"),
        ("import os\ngetattr(os, '_' + 'exit')(0)", "capability-added"),
        ("import sys\nsys.modules['x'] = y", "capability-added"),
        ("from unittest import mock\nf = mock.Mock", "capability-added"),
        ("find('--junitxml=')", "capability-added"),
        ("def f(frame):\n    return frame.f_locals['expected']", "capability-added"),
    ],
)
def test_ways_around_the_runner(line: str, rule: str) -> None:
    """Each gets a finding in production code, and none in code that had it before."""
    assert rule in rules("app.py", "x = 1\n", f"{line}\n")
    assert rules("app.py", f"{line}\n", f"{line}\nx = 1\n") == set()


def test_an_ignore_where_other_than_tests_failed() -> None:
    """It may be what makes the check pass: a person looks, however it is written."""
    after = "import os  # pragma: no cover\n"
    for red in (
        Observation(
            "pytest --cov", 1, (Failure("a::b"),), output="Coverage failure: total of 8 is less"
        ),
        Observation("tox -e lint", 1, (Failure("tox -e lint"),)),
        Observation("ruff check", 1, (Failure("b.py:1:8: F401", "b.py", 1),)),
        None,
    ):
        assert rules("app.py", "import os\n", after, red) == {"suppression-added"}
    assert rules("app.py", "import os\n", after, RED) == {"suppression-named"}


def test_moving_a_file_adds_no_handler() -> None:
    """What it caught and dropped before, it may drop elsewhere; a new one it may not."""
    old = b"def f():\n    try:\n        return g()\n    except Exception:\n        return None\n"
    red = Observation("pytest", 1, (Failure("a::b", detail="new.py"),))
    gone, come = FileDiff("old.py", old, None), FileDiff("new.py", None, old)
    assert examine([gone, come], GuardEvidence(red)) == ()
    other = FileDiff("new.py", None, old.replace(b"g()", b"h()"))
    assert [finding.rule for finding in examine([gone, other], GuardEvidence(red))] == [
        "broad-except"
    ]


@pytest.mark.parametrize(
    ("target", "rule"),
    [
        ("/etc/passwd", "symlink-escapes"),
        ("../../x", "symlink-escapes"),
        ("b.py", "symlink-changed"),
    ],
)
def test_links(target: str, rule: str) -> None:
    """A link that leads out of the repository is rejected."""
    change = FileDiff("src/a.py", None, target.encode(), None, SYMLINK)
    assert [finding.rule for finding in examine([change], GuardEvidence())] == [rule]


def test_submodules() -> None:
    """Another commit of one brings code that no diff shows."""
    change = FileDiff("vendor/lib", None, None, "160000", "160000")
    assert [finding.rule for finding in examine([change], GuardEvidence())] == ["submodule-changed"]


def test_what_is_too_big_to_be_examined() -> None:
    """A guard that can't read a file says so."""
    change = FileDiff("table.py", None, b"X = 1\n" * 2**20, None)
    assert [finding.rule for finding in examine([change], GuardEvidence())] == ["not-examined"]


def test_big_patches() -> None:
    """Nobody reads thousands of files."""
    many = [FileDiff(f"f{n}.txt", None, b"x", None) for n in range(1_001)]
    assert [finding.rule for finding in examine(many, GuardEvidence(patch_bytes=20_000))] == [
        "patch-size"
    ]
    assert [finding.rule for finding in examine(many[:1], GuardEvidence(patch_bytes=2**24))] == [
        "patch-size"
    ]


def test_severities_of_a_repository() -> None:
    """They replace the rules' own, and no finding is lost."""
    found = examine([FileDiff("a.bin", None, b"\0", None)], GuardEvidence())
    [finding] = configured(found, (("binary-added", Severity.REJECT),))
    assert finding.severity is Severity.REJECT
    assert configured([finding, finding], ()) == (finding,)
    assert softened([finding], Severity.NEEDS_PERSON)[0].severity is Severity.NEEDS_PERSON


PATHS = st.sampled_from([
    "a.py", "tests/test_a.py", "conftest.py", "a.test.ts", "a.jsx", "a_test.go", "tests/a.rs",
    "pyproject.toml", "package.json", "setup.cfg", "Makefile", "x.bin", "a.tsx", ".eslintrc",
])  # fmt: skip
SIDES = (
    st.none()
    | st.binary(max_size=300)
    | st.text(alphabet="def test_x():\n  assert(1)=\"'#@{}[]<>!|&;./*", max_size=200).map(
        str.encode
    )
)


@settings(max_examples=150, deadline=None)
@given(PATHS, SIDES, SIDES)
def test_any_bytes_are_examined(path: str, before: bytes | None, after: bytes | None) -> None:
    """Guards never fail, and each finding has a rule and a place in the file."""
    for finding in examine([FileDiff(path, before, after)], GuardEvidence(RED)):
        assert finding.rule in RULES
        assert (
            finding.line is None
            or 1
            <= finding.line
            <= max((before or b"").count(b"\n"), (after or b"").count(b"\n")) + 1
        )


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_differing_lines(before: list[str], after: list[str]) -> None:
    """What is left without them is the same on both sides."""
    gone, come = differing_lines(before, after)
    assert [x for n, x in enumerate(before, 1) if not gone.hold(n)] == [
        x for n, x in enumerate(after, 1) if not come.hold(n)
    ]
