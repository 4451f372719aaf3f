"""Whether what fails here is what failed on GitHub."""

from __future__ import annotations

import pytest

from bot.ci.error_lines import (
    levelled,
    telling_lines,
)
from bot.ci.evidence import UNNAMED
from bot.ci.evidence_reader import work_trees
from bot.ci.failure_comparison import FailureOutput, Likeness, compare
from bot.ci.failures import registry
from bot.ci.failures.work_tree import relative_path, relative_paths
from bot.ci.joblog.job_log import read_lines
from bot.ci.network import lacks_network
from bot.model import Failure


def account(output: str) -> FailureOutput:
    """Return an account as it is read from what a command printed."""
    found = registry.read(relative_paths(output), command=UNNAMED).failing
    return FailureOutput(tuple(each for each in found if each.test != UNNAMED), output)


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("would reformat /home/runner/work/app/app/src/a.py", "would reformat src/a.py"),
        ("/__w/my.app/my.app/a.py:3: error: x", "a.py:3: error: x"),
        (r"D:\a\app\app\src\a.py:12: AssertionError", "src/a.py:12: AssertionError"),
        (r"'D:\\a\\app\\app\\src\\a.py'", "'src/a.py'"),
        ("D:/a/app/app/src/a.ts(1,7): error", "src/a.ts(1,7): error"),
        ("/d/a/app/app/a.sh: line 3", "a.sh: line 3"),
        ("/Users/runner/work/app/app/a.swift:1:2", "a.swift:1:2"),
        ("file:///home/runner/work/app/app/a.mjs:1:2", "a.mjs:1:2"),
        ("/opt/actions-runner/_work/app/app/a.py", "a.py"),
        (r"C:\runner\_work\app\app\x\y.py", "x/y.py"),
        ("/github/workspace/a.py", "a.py"),
        ("(/workspace/a.py)", "(a.py)"),
        ("rootdir: /home/runner/work/app/app, configfile: tox.ini", "rootdir: ., configfile: tox.ini"),
        ("https://x.org/home/runner/work/app/app/a", "https://x.org/home/runner/work/app/app/a"),
        ("/home/runner/work/app/app-docs/a.py", "/home/runner/work/app/app-docs/a.py"),
        ("/home/runner/work/_temp/1.sh", "/home/runner/work/_temp/1.sh"),
        ("/workspaces/a.py", "/workspaces/a.py"),
        ("src/work/app/app/a.py", "src/work/app/app/a.py"),
    ],
)  # fmt: skip
def test_paths_of_runners_are_those_of_the_work_tree(printed: str, shown: str) -> None:
    """Linux, containers, Windows, macOS and machines of one's own; addresses stay as they are."""
    assert relative_paths(printed) == shown


def test_a_checkout_below_the_workspace() -> None:
    """The log says where actions/checkout put the repository; others beside it do not count."""
    log = "\n".join(
        f"2026-11-20T10:00:00.0000000Z {line}"
        for line in (
            "##[group]Run actions/checkout@v5",
            "##[endgroup]",
            "Syncing repository: acme/tools",
            "[command]/usr/bin/git config --global --add safe.directory /home/runner/work/app/app/t",
            "Syncing repository: Acme/App",
            "[command]/usr/bin/git config --global --add safe.directory /home/runner/work/app/app/src",
            "Initialized empty Git repository in /home/runner/work/app/app/src/.git/",
            "Syncing repository: acme/docs",
            "Deleting the contents of '/home/runner/work/app/app/docs'",
        )
    )
    roots = work_trees(read_lines(log), "acme/app")
    assert roots == ("/home/runner/work/app/app/src",)
    assert relative_paths("/home/runner/work/app/app/src/pkg/a.py", roots) == "pkg/a.py"
    assert work_trees(read_lines(log)) == ("/home/runner/work/app/app/t",)
    assert work_trees(read_lines(log), "acme/docs") == ("/home/runner/work/app/app/docs",)


def test_one_path() -> None:
    """Whichever way its slashes lean."""
    assert relative_path(r"src\a.py") == "src/a.py"
    assert relative_path("./a.py") == "a.py"
    assert relative_path("../a.py") == "../a.py"


PYTEST = """\
=========================== short test summary info ============================
{}
========================= 2 failed, 8 passed in 0.12s ==========================
"""
RED_PYTEST = PYTEST.format("FAILED tests/test_a.py::test_x - assert 1 == 2")
NO_HOST = "socket.gaierror: [Errno -3] Temporary failure in name resolution"

ISORT = "--- {0}:before\t2024-05-21 02:14\n+++ {0}:after\t2026-05-21 02:15\n@@ -1 +1 @@\n-x\n+y"

# what GitHub's log shows, what is shown here, how alike they are
SHOWN = [
    ("", "anything", Likeness.UNKNOWN),
    ("a.py:3:1: F401 `os` imported but unused", "./a.py:9:1: F401 `os` imported but unused",
     Likeness.SAME),
    ("would reformat /home/runner/work/app/app/pkg/a.py", "would reformat /workspace/pkg/a.py",
     Likeness.SAME),
    ("would reformat /home/runner/work/app/app/pkg/a.py", "would reformat /workspace/pkg/b.py",
     Likeness.OTHER),
    ("a.py:3:80: E501 line too long (82 > 79 characters)",
     "a.py:5:80: E501 line too long (90 > 79 characters)", Likeness.SAME),
    ('a.py:3: error: Name "x" is not defined  [name-defined]',
     'a.py:8: error: Name "x" is not defined  [name-defined]', Likeness.SAME),
    ("a.py:3: error: unsupported syntax", "a.py:8: error: something else", Likeness.OTHER),
    ("src/app.ts(1,7): error TS2322: Type 'a'", "pkg/src/app.ts(2,7): error TS2322: Type 'a'",
     Likeness.SAME),
    ("a.py:3:1: F401 `os` imported but unused\nb.py:1:1: F401 `re` imported but unused",
     "a.py:3:1: F401 `os` imported but unused\nc.py:1:1: E902 x", Likeness.PARTLY),
    (RED_PYTEST, RED_PYTEST, Likeness.SAME),
    # pytest tells ids relative to where it was started, its report relative to its root
    (RED_PYTEST, PYTEST.format("FAILED pkg/tests/test_a.py::test_x - assert 1 == 2"),
     Likeness.SAME),
    (RED_PYTEST, PYTEST.format("FAILED tests/test_a.py::test_other - assert 1 == 2"),
     Likeness.OTHER),
    # the same test, but for want of a network
    (RED_PYTEST, PYTEST.format(f"FAILED tests/test_a.py::test_x - {NO_HOST}"), Likeness.OTHER),
    # a file that can't be imported: for another reason
    (PYTEST.format("ERROR tests/test_a.py - NameError: name 'x' is not defined"),
     PYTEST.format("ERROR tests/test_a.py - ModuleNotFoundError: No module named 'trio'"),
     Likeness.OTHER),
    (PYTEST.format("ERROR tests/test_a.py - ModuleNotFoundError: No module named 'app.x'"),
     PYTEST.format("ERROR tests/test_a.py - ModuleNotFoundError: No module named 'trio'"),
     Likeness.OTHER),
    (PYTEST.format("ERROR tests/test_a.py - ModuleNotFoundError: No module named 'app.x'"),
     PYTEST.format("ERROR tests/test_a.py - ModuleNotFoundError: No module named 'app.x'"),
     Likeness.SAME),
    ("a.py:3:1: local variable 'x' is assigned to but never used",
     "a.py:7:1: local variable 'x' is assigned to but never used", Likeness.SAME),
    ("a.py:3: [E1101(no-member), C.m] Instance of 'C' has no 'x' member",
     "a.py:9: [E1101(no-member), C.m] Instance of 'C' has no 'x' member", Likeness.SAME),
    ("--- ./a/b.py\t(original)\n+++ ./a/b.py\t(reformatted)\n@@ -1 +1 @@\n-x\n+y",
     "--- a/b.py\t(original)\n+++ a/b.py\t(reformatted)\n@@ -9 +9 @@\n-x\n+y", Likeness.SAME),
    (ISORT.format("/home/runner/work/p/p/b.py"), ISORT.format("/workspace/b.py"), Likeness.SAME),
    ("--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y", "--- a/c.py\n+++ b/c.py\n@@ -1 +1 @@\n-x\n+y",
     Likeness.OTHER),
    # names on one side only
    (RED_PYTEST, "make: pytest: No such file or directory", Likeness.OTHER),
    ("error: the generated files are out of date", RED_PYTEST, Likeness.OTHER),
    # its message is enough
    ("a.py:3: error: Missing docstring", "check.sh: failed\nError: Missing docstring in a.py",
     Likeness.SAME),
    # nothing is named on either side
    ("Required test coverage of 90% not reached. Error: total of 81.20%",
     "Required test coverage of 90% not reached. Error: total of 80.97%", Likeness.SAME),
    ("Traceback (most recent call last):\n  File 'x.py', line 3\nNameError: name '_M' is not defined",
     "NameError: name '_M' is not defined. Did you mean: 'M'?", Likeness.SAME),
    ("error: the schema differs from models.py", f"{NO_HOST}\nerror: could not install hooks",
     Likeness.OTHER),
    # what both print on the way to it is not what failed
    ("fatal: no tag found\nerror: first broken\nerror: schema differs",
     "fatal: no tag found\nerror: no such option: --strict", Likeness.OTHER),
    ("Checking 3 files\nbad wheel\n", "Checking 3 files\nbad wheel\n", Likeness.SAME),
    ("Checking 3 files\nReading\nComparing\nbad wheel",
     "Checking 3 files\nReading\nComparing\nbad axle", Likeness.OTHER),
    ("Reading rules of May\nbad wheel", "Reading rules of June\nbad wheel", Likeness.SAME),
    ("fatal: no tag found\nerror: schema differs",
     "fatal: no tag found\nerror: no such option: --strict", Likeness.OTHER),
]  # fmt: skip


@pytest.mark.parametrize(("there", "here", "likeness"), SHOWN)
def test_how_alike_two_failures_are(there: str, here: str, likeness: Likeness) -> None:
    """By names as far as both have them, else by what is printed; names on one side are no match."""
    assert compare(account(there), account(here)).likeness is likeness


def test_what_fails_here_alone_is_told_apart() -> None:
    """Two of three, and others that come from the sandbox."""
    names = [Failure(f"tests.test_a::test_{name}") for name in "abcde"]
    found = compare(FailureOutput((*names[:3],), ""), FailureOutput((*names[1:],), ""))
    assert found.likeness is Likeness.PARTLY
    assert [each.test for each in found.shared] == ["tests.test_a::test_b", "tests.test_a::test_c"]
    assert found.only_there == ("tests.test_a::test_a",)
    assert found.only_here == ("tests.test_a::test_d", "tests.test_a::test_e")


def test_an_annotation_is_known_by_its_file() -> None:
    """An App words it in its own way."""
    there = Failure("a.py:3: annotation", file="a.py", line=3, message="Unused import")
    here = Failure("a.py:5: F401", file="a.py", line=5, message="`os` imported but unused")
    assert (
        compare(FailureOutput((there,), ""), FailureOutput((here,), "")).likeness is Likeness.SAME
    )


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("[gw3] [ 42%] FAILED tests/a.py::x", "FAILED tests/a.py::x"),
        ("<app.X object at 0x7f3a2c1d> took 3.20s", "<app.X object at #> took #s"),
        ("/opt/hostedtoolcache/Python/3.9.1/x64/lib/python3.9/site-packages/pkg/a.py:3",
         "pkg/a.py:#"),
        ("/workspace/.venv/lib/python3.12/site-packages/pkg/a.py:9", "pkg/a.py:#"),
        ("/usr/lib/python3.11/json/decoder.py:355", "json/decoder.py:#"),
        ("No such file: '/tmp/pytest-of-runner/pytest-0/x0/a.txt'", "No such file: 'TMP'"),
        ("/home/runner/work/_temp/9d1c.sh: line 2: ruff: command not found",
         "TMP: line #: ruff: command not found"),
        ("http://127.0.0.1:43121/x", "http://#/x"),
        ("at commit 606bb6e81f2a", "at commit #"),
        ("a.py:3:1: F401 x", "a.py:#: F401 x"),
    ],
)  # fmt: skip
def test_a_line_without_what_differs_from_run_to_run(line: str, level: str) -> None:
    """Workers, addresses, times, ports, temporary files and where packages are installed."""
    assert levelled(line) == level


def test_lines_that_only_repeat_that_something_failed() -> None:
    """Runners of commands do; the command's own words count."""
    said = "error: x is wrong\nmake: *** [Makefile:3: check] Error 1\nlint: FAIL code 1\n"
    assert list(telling_lines(said)) == ["error: x is wrong"]


@pytest.mark.parametrize(
    ("said", "lacking"),
    [
        (NO_HOST, True),
        ("fatal: unable to access 'https://github.com/a/b/': Could not resolve host", True),
        ("ProxyError('Unable to connect to proxy', OSError('Tunnel connection failed: 403'))", True),
        ("npm error code EAI_AGAIN", True),
        ("dial tcp: lookup proxy.golang.org on 1.1.1.1:53: no such host", True),
        ("error: Failed to fetch: `https://pypi.org/simple/x/`", True),
        ("ConnectionRefusedError: [Errno 111] Connection refused", False),
        ("assert 404 == 200", False),
    ],
)  # fmt: skip
def test_words_of_a_missing_network(said: str, lacking: bool) -> None:  # noqa: FBT001 - a table
    """Names that can't be resolved and proxies that refuse; a port of the own machine is none."""
    assert lacks_network(said) is lacking


def test_hostile_lines_are_compared() -> None:
    """However long a path or a word is; a costly pattern would not come to an end."""
    output = "\n".join(["a.py:1:1: error " + "/x" * 1990, "error: " + "'" * 3990] * 10)
    more = account(f"{output}\nerror: more")
    assert compare(account(output), more).likeness is Likeness.SAME
